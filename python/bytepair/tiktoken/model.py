"""Which model of OpenAI uses which encoding.

Source: the tables of openai/tiktoken 0.14, tiktoken/model.py, which the tests hold these against.
"""

from __future__ import annotations

from typing import Final

from bytepair.arguments import kind, shown
from bytepair.errors import ArgumentTypeError, UnknownModelError
from bytepair.tiktoken.core import Encoding
from bytepair.tiktoken.registry import get_encoding

_MODELS: Final = {
    "o200k_base": "o1 o3 o4-mini gpt-5 gpt-4.1 gpt-4o",
    "cl100k_base": (
        "gpt-4 gpt-3.5-turbo gpt-3.5 gpt-35-turbo davinci-002 babbage-002 "
        "text-embedding-ada-002 text-embedding-3-small text-embedding-3-large"
    ),
    "p50k_base": (
        "text-davinci-003 text-davinci-002 code-davinci-002 code-davinci-001 code-cushman-002 code-cushman-001 "
        "davinci-codex cushman-codex"
    ),
    "p50k_edit": "text-davinci-edit-001 code-davinci-edit-001",
    "r50k_base": (
        "text-davinci-001 text-curie-001 text-babbage-001 text-ada-001 davinci curie babbage ada "
        "text-similarity-davinci-001 text-similarity-curie-001 text-similarity-babbage-001 text-similarity-ada-001 "
        "text-search-davinci-doc-001 text-search-curie-doc-001 text-search-babbage-doc-001 text-search-ada-doc-001 "
        "code-search-babbage-code-001 code-search-ada-code-001"
    ),
    "gpt2": "gpt2 gpt-2",
}

_PREFIXES: Final = {
    "o200k_base": "o1- o3- o4-mini- gpt-5 gpt-4.5- gpt-4.1- chatgpt-4o- gpt-4o- ft:gpt-4o",
    "o200k_harmony": "gpt-oss-",
    "cl100k_base": ("gpt-4- gpt-3.5-turbo- gpt-35-turbo- ft:gpt-4 ft:gpt-3.5-turbo ft:davinci-002 ft:babbage-002"),
}

MODEL_TO_ENCODING: Final = {name: encoding for encoding, names in _MODELS.items() for name in names.split()}
MODEL_PREFIX_TO_ENCODING: Final = {
    start: encoding for encoding, starts in _PREFIXES.items() for start in starts.split()
}


def encoding_name_for_model(model_name: str) -> str:
    """The name of the encoding that a model uses.

    Args:
        model_name: a model, or one whose name begins as a known family does.

    Returns:
        One of `list_encoding_names()`.

    Raises:
        UnknownModelError: no encoding is known for it; a `KeyError`.
        ArgumentTypeError: it is no str.

    >>> encoding_name_for_model("gpt-4o-2024-05-13")
    'o200k_base'
    """
    if not isinstance(model_name, str):
        raise ArgumentTypeError(f"model_name is {shown(model_name)} ({kind(model_name)}); it must be a str")
    if model_name in MODEL_TO_ENCODING:
        return MODEL_TO_ENCODING[model_name]
    starts = [start for start in MODEL_PREFIX_TO_ENCODING if model_name.startswith(start)]
    if not starts:
        raise UnknownModelError(
            f"no encoding is known for the model {shown(model_name)}; get_encoding(name) gives an encoding by its own "
            "name, list_encoding_names() lists them"
        )
    # The longest: "ft:gpt-4o" says more than "ft:gpt-4".
    return MODEL_PREFIX_TO_ENCODING[max(starts, key=len)]


def encoding_for_model(model_name: str) -> Encoding:
    """The encoding that a model uses.

    Args:
        model_name: as in `encoding_name_for_model`.

    Returns:
        What `get_encoding` gives for its name.

    Raises:
        UnknownModelError, ArgumentTypeError: as in `encoding_name_for_model`.
        MissingFileError, FormatError: as in `get_encoding`.
    """
    return get_encoding(encoding_name_for_model(model_name))
