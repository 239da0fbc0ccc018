"""The part of a `Tokenizer` that writes it down."""

from __future__ import annotations

from os import PathLike
from typing import Any

from bytepair import formats
from bytepair.export import Exported, export
from bytepair.pretrained import to_transformers
from bytepair.tokenizer.value import Value


class Saving(Value):
    """Files, and the objects of other libraries."""

    __slots__ = ()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the tokenizer to a tokenizer.json file, whole or not at all.

        Args:
            path: the file; one that is there is replaced.

        Raises:
            MissingFileError: its folder is not there.
            UnreadableFileError: it cannot be written.

        The same model gives the same bytes. Hugging Face's `tokenizers` opens the file with the same ids; a model that
        it cannot express is written with the model type "bytepair", which it refuses to open.

        >>> from bytepair import load, train

        >>> import tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp(), "tokenizer.json")
        >>> tok = train(["ab ab"], num_merges=1)
        >>> tok.save(path)
        >>> load(path) == tok
        True
        """
        formats.write(self._model, path)

    def export(self, path: str | PathLike[str], format: str, lossy: bool = False) -> Exported:
        """Write the tokenizer for another library. Every token and many texts are checked before it is written.

        Args:
            path: the file, a folder for "vocab+merges"; what is there is replaced.
            format: "tokenizer.json" (Hugging Face's tokenizers and transformers), "tiktoken" (ranks), "vocab+merges"
                (GPT-2's vocab.json and merges.txt) or "minbpe".
            lossy: write it even if the format cannot hold all of the tokenizer; the result then lists what is missing.

        Returns:
            The files, what was lost, and the arguments that `load` needs to make the same tokenizer of them.

        Raises:
            FormatError: the format cannot hold all of it, and lossy is False; names all that it cannot.
            MissingFileError, UnreadableFileError: as in `save`.

        >>> from bytepair import train

        >>> import tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp(), "ranks.tiktoken")
        >>> train(["ab ab"], num_merges=1).export(path, "tiktoken").load_with
        {'pattern': 'cl100k'}
        """
        return export(self._prepared, path, format, lossy)

    def to_transformers(self, **roles: str) -> Any:
        """Make a `PreTrainedTokenizerFast` of transformers; its `save_pretrained` writes a folder for `AutoTokenizer`.

        Args:
            roles: `eos_token="<|endoftext|>"` and the like: the special token of a role. Those that are not given go to
                special tokens with a well-known name, if there are such.

        Returns:
            The tokenizer of transformers, with all special tokens.

        Raises:
            FormatError: transformers cannot hold all of this tokenizer; names what.
            ArgumentError: no such role or special token.
            MissingPackageError: transformers is not installed (`pip install 'bytepair[transformers]'`).

        >>> from bytepair import train

        >>> train(["a b"], num_merges=0).to_transformers(eos_token="<|end|>")
        Traceback (most recent call last):
        ...
        bytepair.errors.ArgumentError: eos_token is '<|end|>', which is no special token here; there are none
        """
        return to_transformers(self._model, roles)
