"""A tokenizer as transformers has it. `transformers` is an extra, loaded only here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from bytepair.arguments import shown
from bytepair.errors import ArgumentError, FormatError, MissingPackageError
from bytepair.formats import adapting
from bytepair.formats.tokenizer_json import writing
from bytepair.model import Model

# The names that the roles have in published models, the most telling first.
ROLES: Final[Mapping[str, tuple[str, ...]]] = {
    "bos_token": ("<s>", "<|begin_of_text|>", "<|startoftext|>", "<\uff5cbegin\u2581of\u2581sentence\uff5c>", "<bos>"),
    "eos_token": ("</s>", "<|endoftext|>", "<|end_of_text|>", "<\uff5cend\u2581of\u2581sentence\uff5c>", "<eos>"),
    "unk_token": ("<unk>", "[UNK]"),
    "pad_token": ("<pad>", "<|pad|>", "[PAD]", "<\uff5c\u2581pad\u2581\uff5c>"),
    "mask_token": ("<mask>", "[MASK]"),
    "sep_token": ("[SEP]",),
    "cls_token": ("[CLS]",),
}


def to_transformers(model: Model, roles: Mapping[str, str]) -> Any:
    """The model as a `PreTrainedTokenizerFast`; see `Tokenizer.to_transformers`."""
    adapted = adapting.for_tokenizers(model)
    losses = dict.fromkeys((*adapted.losses, *writing.differences(adapted.model)))
    if losses:
        raise FormatError(
            f"transformers cannot hold all of this tokenizer: {'; '.join(losses)}; use it here, or convert "
            "it with lossy=True and open that file"
        )
    chosen = _roles(model, roles)
    try:
        import transformers
    except ImportError as error:
        raise MissingPackageError(
            "to_transformers needs transformers: pip install 'bytepair[transformers]'; save() writes a tokenizer.json "
            "that it opens elsewhere"
        ) from error
    from tokenizers import Tokenizer

    whole = Tokenizer.from_str(writing.write(adapted.model).decode())
    others = [text for text in model.specials if text not in chosen.values()]
    return transformers.PreTrainedTokenizerFast(tokenizer_object=whole, additional_special_tokens=others, **chosen)


def _roles(model: Model, given: Mapping[str, str]) -> dict[str, str]:
    """Role -> special token: as given, else by its name."""
    for role, text in given.items():
        if role not in ROLES:
            raise ArgumentError(f"{shown(role)} is no role of transformers; the roles are {', '.join(ROLES)}")
        if text not in model.specials:
            known = ", ".join(map(repr, list(model.specials)[:10])) or "none"
            raise ArgumentError(f"{role} is {shown(text)}, which is no special token here; there are {known}")
    found = {role: next((name for name in names if name in model.specials), None) for role, names in ROLES.items()}
    if model.unk_token is not None:
        found["unk_token"] = model.unk_token
    return {role: text for role, text in (found | dict(given)).items() if text is not None}
