"""What `add_special_tokens` puts around a text: the ids of the template that a loaded model has."""

from __future__ import annotations

from bytepair.errors import ModelError
from bytepair.model import Model
from bytepair.prepared import Prepared


def around(prepared: Prepared, add_special_tokens: bool) -> tuple[list[int], list[int]]:
    """The ids before and behind a text; none where the call does not ask for them, or the model has no template."""
    frame = prepared.model.frame
    if frame is None or add_special_tokens is not True:
        return [], []
    return list(frame.before), list(frame.after)


def n_around(prepared: Prepared, add_special_tokens: bool) -> int:
    """How many ids those are."""
    return sum(map(len, around(prepared, add_special_tokens)))


def rewrites(model: Model) -> bool:
    """Whether pieces may be spelled otherwise than in the text, so that the engine cannot say where they come from."""
    return model.frame is not None and (model.frame.changes_text or model.alphabet == "chars")


def refuse_rewritten(prepared: Prepared, call: str, instead: str) -> None:
    """Refuse a call that needs to know where in the text a token comes from, where the model rewrites texts first.

    Raises:
        ModelError: the model has a normalizer, or pieces that are spelled otherwise than the text.
    """
    frame = prepared.model.frame
    if frame is not None and rewrites(prepared.model):
        steps = [each.name for each in (*frame.normalizer, *(frame.cutting or ()))] or ["unknown characters as bytes"]
        raise ModelError(
            f"{call} needs to know where in the text a token comes from, and this tokenizer rewrites texts before it "
            f"merges ({', '.join(dict.fromkeys(steps))}); {instead}"
        )
