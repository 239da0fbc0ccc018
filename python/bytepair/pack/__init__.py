"""Corpora -> training data: shards of ids in a folder, with a manifest; stopped and resumed without a difference."""

from __future__ import annotations

from bytepair.pack.options import FORMATS, FormatName
from bytepair.pack.records import ShardRecord
from bytepair.pack.running import pack
from bytepair.pack.value import Pack, PackedDocument, load_pack

__all__ = ["FORMATS", "FormatName", "Pack", "PackedDocument", "ShardRecord", "load_pack", "pack"]
