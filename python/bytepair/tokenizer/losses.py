"""Why texts may not come back as they were."""

from __future__ import annotations

from collections.abc import Iterator

from bytepair.audit import shared_ids
from bytepair.frame import losses_of_frame
from bytepair.model import Model
from bytepair.render import number_of


def losses(model: Model) -> Iterator[str]:
    """What may differ between a text and what comes back, a sentence each."""
    frame = model.frame
    if model.alphabet == "chars" and not (frame is not None and frame.byte_fallback):
        if model.unk_token is not None:
            yield f"A character that was not seen in training becomes {model.unk_token!r}."
        elif frame is not None:
            yield "A character that was not seen in training is left out."
        else:
            yield "A character that was not seen in training cannot be encoded."
    if not model.pattern.covers:
        yield f"The pattern {model.pattern.text!r} drops what lies between its pieces."
    if model.end_of_word is not None:
        yield f"The marker {model.end_of_word!r} decodes to one space between words, and nothing at the end."
    if model.add_prefix_space:
        yield "Text that does not begin with a space comes back with one."
    if frame is not None:
        yield from losses_of_frame(frame)
    if shared := shared_ids(model):
        have, come = ("has", "comes") if len(shared) == 1 else ("have", "come")
        yield f"{number_of(len(shared), 'token')} {have} the id of another one, and {come} back as that."
