"""Tokens taken out of a vocabulary: what is left encodes as before wherever it is enough."""

from __future__ import annotations

import dataclasses
import heapq
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from bytepair import arguments
from bytepair.analysis import template
from bytepair.analysis.scripts import scripts_of
from bytepair.analysis.usage import Usage
from bytepair.analysis.vocabulary import Vocabulary
from bytepair.arguments import kind, shown
from bytepair.errors import ArgumentError, ArgumentTypeError, UnknownTokenError
from bytepair.frame import Frame, Step
from bytepair.model import Model
from bytepair.render import number_of

_MOST_NAMED: Final = 8


@dataclass(frozen=True, slots=True)
class Pruning:
    """What was taken out of a vocabulary, and what had to stay.

    Args:
        n_before: tokens before.
        dropped: (old id, spelling) of each token that is gone, by id.
        needed: (old id, spelling) of tokens that were to go and stayed, since others that stay are made of them.
        n_merges_dropped: merges that are gone.
        n_corpus_tokens: with a corpus: its tokens; else None.
    """

    n_before: int
    dropped: tuple[tuple[int, bytes], ...]
    needed: tuple[tuple[int, bytes], ...]
    n_merges_dropped: int
    n_corpus_tokens: int | None = None

    def __str__(self) -> str:
        n_left = self.n_before - len(self.dropped)
        merges = f", with {number_of(self.n_merges_dropped, 'merge')}" if self.n_merges_dropped else ""
        lines = [f"{number_of(len(self.dropped), 'token')} of {self.n_before:,} dropped{merges}; {n_left:,} left"]
        if self.needed:
            some = ", ".join(repr(each.decode("utf-8", "backslashreplace")) for _, each in self.needed[:_MOST_NAMED])
            n_more = len(self.needed) - _MOST_NAMED
            more = f" and {n_more:,} more" if n_more > 0 else ""
            lines.append(f"kept, because tokens that stay are made of them: {some}{more}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON can hold it."""
        return {
            "n_before": self.n_before,
            "n_after": self.n_before - len(self.dropped),
            "dropped": [[number, each.decode("utf-8", "backslashreplace")] for number, each in self.dropped],
            "needed": [[number, each.decode("utf-8", "backslashreplace")] for number, each in self.needed],
            "n_merges_dropped": self.n_merges_dropped,
            "n_corpus_tokens": self.n_corpus_tokens,
        }


def prune(
    model: Model,
    used: Usage | None = None,
    *,
    min_count: int = 1,
    drop: Iterable[int | str | bytes] = (),
    keep: Iterable[int | str | bytes] = (),
    scripts: Iterable[str] = (),
    vocab_size: int | None = None,
) -> tuple[Model, list[int], Pruning]:
    """Take tokens out; see `Tokenizer.prune`.

    Returns:
        The model; the new id of each old one, -1 for those that are gone; and what was done.

    >>> from bytepair.training import learn, Options
    >>> model, _ = learn(["low low lower"], Options(num_merges=3))
    >>> smaller, new_ids, report = prune(model, drop=["lo", b" low"])
    >>> [token for token in smaller.tokens if len(token) > 1], new_ids[256:], [each for _, each in report.needed]
    ([b'lo', b'low'], [256, 257, -1], [b'lo'])
    """
    least = arguments.integer("min_count", min_count, 1)
    if isinstance(scripts, str):
        raise ArgumentTypeError(f"scripts is {scripts!r} (str); put it in a list: [{scripts!r}]")
    vocabulary, names = Vocabulary(model), list(scripts)
    listed = _ids(vocabulary, "drop", drop)
    kept_always = frozenset(_ids(vocabulary, "keep", keep))
    if used is None and vocab_size is None and not listed and not names:
        raise ArgumentError("nothing says what to drop; give a source, drop, scripts or vocab_size")
    _refuse_bound(vocabulary, listed)
    if listed & kept_always:
        number = min(listed & kept_always)
        raise ArgumentError(f"the token {vocabulary.spelling(number)!r} (id {number}) is both in drop and in keep")
    wanted = set(listed)
    wanted |= _of_scripts(vocabulary, vocabulary.merged, names)
    if used is not None and vocab_size is None:
        wanted |= {number for number in vocabulary.merged if used.counts[number] < least}
    wanted -= kept_always | _bound(model)
    vocabulary.settle()
    needed = _needed(vocabulary, wanted)
    gone = wanted - needed
    if vocab_size is not None:
        gone |= _down_to(vocabulary, arguments.integer("vocab_size", vocab_size, 0), gone, kept_always, used)
        needed = {number for number in needed if number not in gone}
    smaller, new_ids, report = _without(vocabulary, gone, needed)
    return smaller, new_ids, dataclasses.replace(report, n_corpus_tokens=None if used is None else used.n_tokens)


def _ids(vocabulary: Vocabulary, name: str, given: object) -> set[int]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ArgumentTypeError(f"{name} is {shown(given)} ({kind(given)}); it must be a list of ids or spellings")
    spelled: dict[bytes, int] = {}
    for number, spelling in enumerate(vocabulary.model.spellings()):
        if spelling is not None:
            spelled[spelling] = number
    return {_id(spelled, name, index, each) for index, each in enumerate(given)}


def _id(spelled: dict[bytes, int], name: str, index: int, given: object) -> int:
    if isinstance(given, str | bytes):
        found = spelled.get(given.encode() if isinstance(given, str) else given)
        if found is None:
            raise UnknownTokenError(f"{name}[{index}] is {shown(given)}, and no token is spelled so")
        return found
    number = arguments.integer(f"{name}[{index}]", given, 0)
    if number not in spelled.values():
        raise UnknownTokenError(f"{name}[{index}] is {number}, and no token has this id")
    return number


def _refuse_bound(vocabulary: Vocabulary, listed: Collection[int]) -> None:
    """Tokens that something else refers to, or that stand for what nothing else does."""
    bound = _bound(vocabulary.model)
    for number in sorted(listed):
        why = None
        if number == vocabulary.model.unk_id:
            why = "stands for unknown characters"
        elif vocabulary.is_symbol(number):
            why = "is a symbol of the alphabet"
        elif number in bound:
            why = "stands in the template that puts tokens around a text"
        if why:
            raise ArgumentError(f"the token {vocabulary.spelling(number)!r} (id {number}) {why}; it has to stay")


def _bound(model: Model) -> frozenset[int]:
    """Tokens that a frame refers to and that merges may make as well: they stay unless they are named."""
    frame = model.frame
    if frame is None:
        return frozenset()
    unknown = () if model.unk_id is None else (model.unk_id,)
    return frozenset((*frame.before, *frame.after, *unknown)) | template.ids(frame.post_processor)


def _of_scripts(vocabulary: Vocabulary, merged: list[int], scripts: Iterable[str]) -> set[int]:
    """Merged tokens that hold a letter of these scripts."""
    names = {arguments.words("a script", name).casefold() for name in scripts}
    if not names:
        return set()
    held = {number: scripts_of(vocabulary.spelling(number).decode("utf-8", "ignore")) for number in merged}
    known = {script for found in held.values() for script in found}
    unknown = names - {script.casefold() for script in known}
    if unknown:
        raise ArgumentError(
            f"no token is written in {min(unknown)!r}; there are {', '.join(sorted(known)) or 'no letters'}"
        )
    return {number for number, found in held.items() if names & {script.casefold() for script in found}}


def _needed(vocabulary: Vocabulary, wanted: Collection[int]) -> set[int]:
    """Those that were to go and are parts, at any depth, of tokens that stay."""
    needed: set[int] = set()
    frame = vocabulary.model.frame
    replaced = dict(frame.replaced) if frame else {}
    waiting = [number for number in vocabulary.ids if number not in wanted]
    while waiting:
        number = waiting.pop()
        split = vocabulary.split(number)
        for part in (*(split[1:] if split else ()), *replaced.get(number, ())):
            if part in wanted and part not in needed:
                needed.add(part)
                waiting.append(part)
    return needed


def _down_to(
    vocabulary: Vocabulary, size: int, gone: Collection[int], kept_always: frozenset[int], used: Usage | None
) -> set[int]:
    """More tokens to drop until so many are left: such as no other is made of, the least used or the last learned."""
    model = vocabulary.model
    left = [number for number in vocabulary.ids if number not in gone]
    n_left = len(left) + sum(number not in gone for number in model.specials.values())
    uses = dict.fromkeys(left, 0)
    for number in left:
        for part in (vocabulary.split(number) or (0,))[1:]:
            uses[part] = uses.get(part, 0) + 1
    counts = list(used.counts) if used is not None else [0] * model.n_ids
    may_go = frozenset(vocabulary.merged) - kept_always - _bound(model)
    free = [n for n in left if not uses[n] and n in may_go]
    leaves = [(counts[number], -_age(vocabulary, number), number) for number in free]
    heapq.heapify(leaves)
    dropped: set[int] = set()
    while n_left - len(dropped) > size:
        if not leaves:
            raise ArgumentError(
                f"vocab_size is {size}; it must be at least {n_left - len(dropped)}: alphabet, special tokens, and "
                "what keep names with all that it is made of"
            )
        count, _, number = heapq.heappop(leaves)
        if count != counts[number]:
            heapq.heappush(leaves, (counts[number], -_age(vocabulary, number), number))
            continue
        dropped.add(number)
        for part in (vocabulary.split(number) or (0,))[1:]:
            uses[part] -= 1
            # What it stood for is spelled by its parts from now on.
            counts[part] += count
            if not uses[part] and part in may_go:
                heapq.heappush(leaves, (counts[part], -_age(vocabulary, part), part))
    return dropped


def _age(vocabulary: Vocabulary, number: int) -> int:
    """Its first rank; for a model of ranks, its id."""
    return vocabulary.ranks_of.get(number, [number])[0]


def _without(
    vocabulary: Vocabulary, gone: Collection[int], needed: Collection[int]
) -> tuple[Model, list[int], Pruning]:
    model = vocabulary.model
    spelled = model.spellings()
    left = [number for number, token in enumerate(spelled) if token is not None and number not in gone]
    new_ids = [-1] * model.n_ids
    for new, old in enumerate(left):
        new_ids[old] = new
    ranks = list(_ranks_left(vocabulary, new_ids))
    counts = model.merge_counts
    smaller = dataclasses.replace(
        model,
        tokens=tuple(model.tokens[old] if old < len(model.tokens) else None for old in left),
        merges=tuple((new_ids[model.merges[rank][0]], new_ids[model.merges[rank][1]]) for rank in ranks),
        specials={text: new_ids[number] for text, number in model.specials.items() if number not in gone},
        merge_counts=None if counts is None else tuple(counts[rank] for rank in ranks),
        # It is no longer what training on that corpus gives.
        corpus_fingerprint=None if gone else model.corpus_fingerprint,
        extensions=() if gone else model.extensions,
        special_ids=None,
        frame=None if model.frame is None else _frame_left(vocabulary, model.frame, new_ids),
    )
    n_before = sum(token is not None for token in spelled)
    report = Pruning(n_before, _named(spelled, gone), _named(spelled, needed), len(model.merges) - len(ranks))
    return smaller, new_ids, report


def _ranks_left(vocabulary: Vocabulary, new_ids: list[int]) -> Iterator[int]:
    """Merges whose parts and result all stay."""
    for rank, (left, right) in enumerate(vocabulary.model.merges):
        made = vocabulary.merging.merge(left, right)
        if made is not None and min(new_ids[left], new_ids[right], new_ids[made[1]]) >= 0:
            yield rank


def _frame_left(vocabulary: Vocabulary, frame: Frame, new_ids: list[int]) -> Frame:
    """The frame with the new ids in all places that name any, without what is gone."""
    made = {(left, right): vocabulary.merging.joint(left, right) for left, right in frame.leftmost}
    added = tuple(dataclasses.replace(each, id=new_ids[each.id]) for each in frame.added if new_ids[each.id] >= 0)
    texts = {each.text for each in frame.added} - {each.text for each in added}
    return dataclasses.replace(
        frame,
        normalizer=tuple(_step_without(step, texts) for step in frame.normalizer),
        added=added,
        before=tuple(new_ids[number] for number in frame.before),
        after=tuple(new_ids[number] for number in frame.after),
        post_processor=template.renumbered(frame.post_processor, new_ids),
        leftmost=tuple(
            (new_ids[left], new_ids[right])
            for (left, right), joint in made.items()
            if min(new_ids[left], new_ids[right], new_ids[joint]) >= 0
        ),
        replaced=tuple(
            (new_ids[number], tuple(new_ids[part] for part in parts))
            for number, parts in frame.replaced
            if new_ids[number] >= 0
        ),
    )


def _step_without(step: Step, texts: Collection[str]) -> Step:
    """A normalizer of sentencepiece keeps the texts of added tokens as they are."""
    if "kept" not in step.settings:
        return step
    kept = tuple(text for text in step.settings["kept"] if text not in texts)
    return Step(step.name, {**step.settings, "kept": kept})


def _named(spelled: list[bytes | None], numbers: Iterable[int]) -> tuple[tuple[int, bytes], ...]:
    return tuple((number, spelled[number] or b"") for number in sorted(numbers))
