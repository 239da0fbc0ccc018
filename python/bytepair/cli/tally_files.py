"""What is named on the command line -> one tally, where it is files of counted pieces."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bytepair.cli.mistaken import refuse_texts
from bytepair.cli.refusal import Refusal
from bytepair.cli.texts import STDIN, sources
from bytepair.corpus import Source
from bytepair.corpus import files as files_of
from bytepair.errors import BytepairError
from bytepair.tally import Tally, is_tally_file, load_tally


def tally_of(arguments: tuple[str, ...], **options: str | None) -> Tally | None:
    """Load and merge tally files.

    Args:
        arguments: Files, folders or globs; `-` is no tally.
        options: What `load_tally` takes.

    Returns:
        The sum; None where none of the files is a tally.
    """
    paths = _paths(arguments)
    # Looking into a terminal would wait for it.
    tallies = [path for path in paths if path.is_file() and is_tally_file(path)]
    if not tallies:
        return None
    if len(tallies) < len(paths) or STDIN in arguments:
        other = next((str(path) for path in paths if path not in set(tallies)), STDIN)
        raise Refusal(
            f"{str(tallies[0])!r} is a tally file and {other!r} is not; name tally files or texts, or count the texts "
            "first and merge the tallies"
        )
    return merged(tallies, **options)


def counted(arguments: tuple[str, ...], **options: str | None) -> Tally:
    """Load and merge files of counted pieces, tally files or not."""
    if STDIN in arguments:
        raise Refusal("counted pieces come from files; write standard input to one first")
    return merged(_paths(arguments), **options)


def merged(paths: list[Path], *, shard: str | None = None, **options: str | None) -> Tally:
    """Load files and add them up."""
    if shard is not None and len(paths) > 1:
        raise Refusal(f"--shard names one file and there are {len(paths):,}; name the shards when you count them")
    whole = load_tally(paths[0], shard=shard, **options)
    for path in paths[1:]:
        each = load_tally(path, **options)
        try:
            whole += each
        except BytepairError as error:
            raise Refusal(f"{str(path)!r} does not go with the files before it: {error}") from error
    return whole


def _paths(arguments: tuple[str, ...]) -> list[Path]:
    refuse_texts(arguments)
    # Looking into a pipe would use it up.
    named = [Path(argument) for argument in arguments if argument != STDIN and not Path(argument).is_fifo()]
    return [path for each in named for path in files_of(each)]


@contextmanager
def corpus(files: tuple[str, ...]) -> Iterator[Source | Tally]:
    """What files are, for a call that takes a corpus or a tally of one."""
    found = tally_of(files)
    with sources(files) as texts:
        yield texts if found is None else found
