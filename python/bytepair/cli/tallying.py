"""`bytepair tally`: text, counted pieces or tally files -> one tally file."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from bytepair import cluster
from bytepair import tally as count
from bytepair.cli import options
from bytepair.cli.refusal import Refusal
from bytepair.cli.tally_files import counted as counted_pieces
from bytepair.cli.tally_files import tally_of
from bytepair.cli.texts import sources
from bytepair.cli.training import check_target
from bytepair.patterns import DEFAULT
from bytepair.render import number_of
from bytepair.tally import Tally
from bytepair.tally.sample import described

EPILOG = """
\b
Examples:
  bytepair tally texts/ -o texts.parquet
  bytepair tally web.txt --source web --shard web-0 -o web.parquet
  bytepair tally web.parquet code.parquet -o all.parquet
  bytepair tally all.parquet --weight web=0.5 --weight code=3 -o mixed.parquet
  bytepair tally counts.tsv --counted --pattern gpt2 -o counts.parquet
"""

# What is said by the text, and too late to say once it is counted.
FOR_TEXTS: Final = {
    "special_tokens": "--special-token",
    "add_prefix_space": "--add-prefix-space",
    "document": "--document",
    "field": "--field",
    "bad_records": "--bad-records",
    "errors": "--errors",
    "sample": "--sample",
    "seed": "--seed",
    "threads": "--threads",
    "ray": "--ray",
}


@click.command(epilog=EPILOG)
@options.files
@options.pattern
@click.option("--source", metavar="LABEL", help="A label for the counts, which --weight can name.")
@click.option("--shard", metavar="NAME", help="A name for this part of the corpus; no shard is counted twice.")
@options.repeated(
    "--weight",
    "weights",
    "[SOURCE=]NUMBER",
    "Multiply the counts of a source, or all (may be repeated, once for each source).",
)
@options.counted
@options.special_token
@options.add_prefix_space
@options.sampling
@click.option(
    "--max-memory", metavar="SIZE", help="Such as 200MB: counts beyond it go to temporary files and are merged there."
)
@options.ray
@options.saving("tally.parquet")
@click.pass_context
def tally(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    weights: tuple[str, ...],
    counted: bool,
    output: Path,
    force: bool,
    as_json: bool,
    **choices: Any,
) -> None:
    """Count the pieces of text, or merge such counts, and save them.

    A tally file is what `train` learns from without reading the text again. It is Parquet, and needs pyarrow.
    """
    check_target(output, force)
    factors = _weights(weights)
    made = _made(ctx, files, counted, choices)
    made = made if factors is None else made.weighted(factors)
    made.save(output)
    options.warn_of_no_text(made.n_bytes, made.n_bytes_in_all)
    if as_json:
        click.echo(json.dumps({**as_record(made), "file": str(output)}, ensure_ascii=False))
        return
    options.say(_sentence(made))
    options.say(f"wrote {output} ({output.stat().st_size:,} bytes)")


def _made(ctx: click.Context, files: tuple[str, ...], is_counted: bool, choices: dict[str, Any]) -> Tally:
    known = {name: choices[name] for name in ("pattern", "source", "shard")}
    if is_counted and known["pattern"] is None:
        raise Refusal("--counted needs --pattern: say what cut the pieces")
    known_files = {**known, "max_memory": choices["max_memory"]}
    made = counted_pieces(files, **known_files) if is_counted else tally_of(files, **known_files)
    if made is None and choices["ray"] is not None:
        return _on_ray(ctx, files, choices)
    choices.pop("ray")
    if made is None:
        with sources(files) as texts:
            return count(texts, **{**choices, "pattern": known["pattern"] or DEFAULT})
    for name, option in FOR_TEXTS.items():
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise Refusal(f"{option} is for texts, and these files are counted already; leave it out")
    return made


def _on_ray(ctx: click.Context, files: tuple[str, ...], choices: dict[str, Any]) -> Tally:
    for name in ("sample", "seed", "max_memory", "threads"):
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise Refusal(f"--{name.replace('_', '-')} is for one machine, and --ray for many; leave one of them out")
        choices.pop(name)
    choices.pop("progress")
    dataset = options.on_ray(files, choices.pop("ray"), choices)
    return cluster.tally(dataset, **{**choices, "pattern": choices["pattern"] or DEFAULT})


def _weights(given: tuple[str, ...]) -> Fraction | dict[str, Fraction] | None:
    """What `weighted` takes."""
    named: dict[str, Fraction] = {}
    for text in given:
        source, is_named, number = text.rpartition("=")
        try:
            weight = Fraction(number)
        except (ValueError, ZeroDivisionError):
            raise Refusal(f"--weight {text} gives no number; write SOURCE=NUMBER, such as web=0.5 or web=1/3") from None
        if not is_named and len(given) == 1:
            return weight
        if not is_named or source in named:
            what = "names a source twice" if is_named else "names no source"
            raise Refusal(f"--weight {text} {what}; give each source one weight, or one weight for all")
        named[source] = weight
    return named or None


def as_record(made: Tally) -> dict[str, Any]:
    """What JSON can hold of a tally."""
    return {
        "pieces": made.n_pieces,
        "occurrences": made.n_occurrences,
        "documents": made.documents,
        "bytes": made.n_bytes,
        "pattern": made.pattern,
        "sources": sorted(made.sources),
        "shards": sorted(made.shards),
        "samples": [{"fraction": each.fraction, "seed": each.seed} for each in sorted(made.samples)],
        "bytes_in_all": made.n_bytes_in_all,
        "bad_records": made.bad_records,
        "fingerprint": made.fingerprint,
    }


def _sentence(made: Tally) -> str:
    read = "counted pieces" if made.documents is None else number_of(made.documents, "document")
    labels = [
        f"; {name}: {', '.join(sorted(found))}"
        for name, found in (("sources", made.sources), ("shards", made.shards))
        if found
    ]
    sampled = f"\nfrom {described(made.samples, made.n_bytes, made.n_bytes_in_all)}" if made.samples else ""
    without = f"\n{number_of(made.bad_records, 'record')} without a text" if made.bad_records else ""
    return (
        f"{number_of(made.n_pieces, 'distinct piece')} ({made.n_occurrences:,} in all) from {read} "
        f"({number_of(made.n_bytes, 'byte')}), cut by {made.pattern}{''.join(labels)}{sampled}{without}"
    )
