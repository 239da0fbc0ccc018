"""A model as another format needs it: ranks as merges, merges as ranks, SentencePiece's steps as those of tokenizers.

What changes ids is listed; the rest is the same model in another form.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from bytepair._native import merges_of
from bytepair.frame import NO_FRAME, Added, Frame, Step
from bytepair.model import Model


@dataclass(frozen=True, slots=True)
class Adapted:
    """A model, and what of the one before it cannot do, a sentence each."""

    model: Model
    losses: tuple[str, ...] = ()


def as_merges(model: Model) -> Model:
    """Ranks as a list of one merge a token; with whole pieces looked up if no order of merges arrives at some token.

    Of all pairs that spell a token only one ever merges, the last one when its bytes are merged alone.
    """
    if model.kind == "merges":
        return model
    order = [number for number, token in enumerate(model.tokens) if token is not None]
    tokens = [token for token in model.tokens if token is not None]
    found = merges_of(tokens, "bytes")
    n_merged = len(found) + sum(len(token) == 1 for token in tokens)
    frame = model.frame
    if n_merged < len(tokens):
        frame = dataclasses.replace(_with_added(model), ignore_merges=True)
    merges = tuple((order[left], order[right]) for left, right, _ in found)
    return dataclasses.replace(model, kind="merges", merges=merges, frame=frame)


def _with_added(model: Model) -> Frame:
    """The frame of a model, which then names its special tokens."""
    if model.frame is not None:
        return model.frame
    return dataclasses.replace(NO_FRAME, added=_added(model))


def _added(model: Model) -> tuple[Added, ...]:
    by_id = sorted(model.specials.items(), key=lambda item: item[1])
    return tuple(Added(text, number, special=True) for text, number in by_id)


def as_ranks(model: Model) -> Adapted:
    """Merges as ranks: the order of ids must be the order of merges, and a piece that is a token must be that token.

    The ids of a rank are its own, so tokens may not be renumbered.
    """
    if model.kind == "ranks":
        return Adapted(model, tuple(_not_in_ranks(model)))
    losses = _not_in_ranks(model)
    if model.alphabet != "bytes" or model.end_of_word is not None:
        return Adapted(model, (*losses, "symbols that are not single bytes"))
    order = [number for number, token in enumerate(model.tokens) if token is not None]
    found = merges_of([token for token in model.tokens if token is not None], "bytes")
    if model.merges != tuple((order[left], order[right]) for left, right, _ in found):
        losses.append("an order of merges that is not the order of ids")
    n_bytes = sum(token is not None and len(token) == 1 for token in model.tokens)
    ignores = model.frame is not None and model.frame.ignore_merges
    if len(found) + n_bytes < len(order) and not ignores:
        losses.append("tokens that no merge arrives at, which are found whole there")
    return Adapted(dataclasses.replace(model, kind="ranks", merges=(), merge_counts=None, frame=None), tuple(losses))


def _not_in_ranks(model: Model) -> list[str]:
    losses = []
    if model.add_prefix_space:
        losses.append("the prefix space")
    frame = model.frame or NO_FRAME
    plain = all(each.special and not (each.lstrip or each.rstrip or each.single_word) for each in frame.added)
    if frame.normalizer or frame.cutting is not None or frame.decoder is not None or not plain:
        losses.append("the steps and added tokens round the merges")
    if frame.stored is not None:
        losses.append("the truncation, padding or dropout that the file has stored")
    if frame.post_processor is not None:
        losses.append("the tokens that are put around a text")
    return losses


def for_tokenizers(model: Model) -> Adapted:
    """A model whose steps tokenizers has, as far as there are such."""
    made, losses = as_merges(model), []
    frame = made.frame
    if frame is None:
        return Adapted(made)
    if any(step.name == "LowercaseText" for step in frame.normalizer):
        steps = tuple(Step("Lowercase") if step.name == "LowercaseText" else step for step in frame.normalizer)
        frame = dataclasses.replace(frame, normalizer=steps)
        losses.append("that a capital sigma at the end of a word becomes a final one in lower case")
    if any(step.name == "SentencePiece" for step in frame.normalizer):
        frame, more = _from_sentencepiece(frame)
        losses += more
    if frame.scores:
        losses.append(
            "merges by score instead of by a list: equal scores, unused pieces, characters that are no pieces"
        )
        made, frame = _by_list(made, frame), dataclasses.replace(frame, scores=(), unused=())
    if frame.leftmost:
        losses.append(f"{len(frame.leftmost)} merges of equal rank, of which the leftmost comes first")
        made = dataclasses.replace(made, merges=(*made.merges, *frame.leftmost), merge_counts=None)
        frame = dataclasses.replace(frame, leftmost=())
    return Adapted(dataclasses.replace(made, frame=frame), tuple(losses))


def _by_list(model: Model, frame: Frame) -> Model:
    """The list that comes nearest to merging by score."""
    order = [number for number, _ in sorted(frame.scores, key=lambda each: each[1])]
    tokens = [model.tokens[number] or b"" for number in order]
    merges = tuple((order[left], order[right]) for left, right, _ in merges_of(tokens, "chars"))
    return dataclasses.replace(model, merges=merges, frame=dataclasses.replace(frame, scores=(), unused=()))


def _from_sentencepiece(frame: Frame) -> tuple[Frame, list[str]]:
    settings, losses = frame.normalizer[0].settings, []
    steps = [Step("Prepend", {"prepend": "\u2581"})] if settings["add_dummy_prefix"] else []
    steps.append(Step("Replace", {"pattern": ("text", " "), "content": "\u2581"}))
    if settings["remove_extra_whitespaces"]:
        losses.append("that spaces at the ends of a text, and all but one of several, are dropped")
    if settings["precompiled_charsmap"]:
        steps.insert(0, Step("Precompiled", {"precompiled_charsmap": settings["precompiled_charsmap"]}))
        losses.append("the map of characters, which tokenizers looks up otherwise")
    if settings["whitespace_as_suffix"]:
        losses.append("that the added space is behind the text")
    if settings["kept"]:
        losses.append(
            f"the {len(settings['kept'])} user-defined symbols, which are matched before the text is normalized"
        )
    decoder = [
        Step("Replace", {"pattern": ("text", "\u2581"), "content": " "}),
        *([Step("ByteFallback")] if frame.byte_fallback else []),
        Step("Fuse"),
        *([Step("Strip", {"content": " ", "start": 1, "stop": 0})] if settings["add_dummy_prefix"] else []),
    ]
    return dataclasses.replace(frame, normalizer=tuple(steps), decoder=tuple(decoder)), losses
