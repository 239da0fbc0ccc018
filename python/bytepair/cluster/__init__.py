"""The same tallies and shards on many machines: functions on record batches, and Ray to run them.

`tally_batch` and `pack_batch` work on one Arrow record batch and know nothing of clusters: Spark and Dask call them as
they are. `tally` and `pack` run them over a data set of Ray.
"""

from __future__ import annotations

from bytepair.cluster.batches import pack_batch, tally_batch, tally_of, to_batch
from bytepair.cluster.connecting import connect
from bytepair.cluster.counting import tally
from bytepair.cluster.datasets import dataset_of
from bytepair.cluster.packing import pack

__all__ = ["connect", "dataset_of", "pack", "pack_batch", "tally", "tally_batch", "tally_of", "to_batch"]
