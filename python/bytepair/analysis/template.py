"""The ids in a post-processor of a tokenizer.json: what `add_special_tokens` puts around a text."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


def renumbered(post_processor: str | None, new_ids: list[int]) -> str | None:
    """The same post-processor with new ids.

    Args:
        post_processor: its JSON, of the kinds that a `Frame` holds; None: there is none.
        new_ids: the new id of each old one. None that it names may be gone.

    >>> renumbered('{"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]}', [0, -1, 1, 2])
    '{"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]}'
    """
    if post_processor is None:
        return None
    return json.dumps(_mapped(json.loads(post_processor), new_ids.__getitem__), ensure_ascii=False)


def ids(post_processor: str | None) -> frozenset[int]:
    """All ids that it names, those for pairs of texts among them.

    >>> sorted(ids('{"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]}'))
    [2, 3]
    """
    found: list[int] = []

    def noted(number: int) -> int:
        found.append(number)
        return number

    if post_processor is not None:
        _mapped(json.loads(post_processor), noted)
    return frozenset(found)


def _mapped(part: dict[str, Any], new: Callable[[int], int]) -> dict[str, Any]:
    kind = part["type"]
    if kind == "Sequence":
        return {**part, "processors": [_mapped(each, new) for each in part["processors"]]}
    if kind in ("BertProcessing", "RobertaProcessing"):
        return part | {name: [part[name][0], new(part[name][1])] for name in ("sep", "cls")}
    if kind == "TemplateProcessing":
        tokens = part["special_tokens"].items()
        return {**part, "special_tokens": {name: each | {"ids": [*map(new, each["ids"])]} for name, each in tokens}}
    return part
