"""Ray: the cluster, and what is one of its data sets."""

from __future__ import annotations

import os
from typing import Any

from bytepair import arguments
from bytepair.arguments import kind, shown
from bytepair.errors import ArgumentTypeError, MissingPackageError


def connect(address: str | None = None) -> Any:
    """The module `ray`, connected: to the cluster at an address, or to this machine where nothing runs yet.

    Args:
        address: as `ray.init` takes it, such as "auto"; None: what is connected already, else this machine alone.

    Raises:
        MissingPackageError: Ray is not installed.
    """
    ray = ray_module()
    if not ray.is_initialized():
        # Ray reports its use to its makers unless it is told not to; who wants that sets the variable.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        if address is None:
            n_threads = arguments.threads(None)
            ray.init(num_cpus=n_threads, include_dashboard=False, log_to_driver=False, configure_logging=False)
        else:
            ray.init(address=address, log_to_driver=False)
    return ray


def ray_module() -> Any:
    """Ray, with its data sets."""
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise MissingPackageError(
            f"bytepair.cluster runs on Ray, which cannot be imported ({error}); install it: pip install "
            "'bytepair[ray]'",
            name="ray",
        ) from error
    return ray


def refuse_others(dataset: object) -> None:
    """Refuse what is no data set of Ray."""
    if not hasattr(dataset, "map_batches") or not hasattr(dataset, "to_arrow_refs"):
        raise ArgumentTypeError(
            f"the data set is {shown(dataset)} ({kind(dataset)}); it must be one of Ray: ray.data.read_parquet(...), "
            "or dataset_of(source) for files as bytepair reads them"
        )
