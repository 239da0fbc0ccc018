"""What a `Tokenizer` holds, and what Python asks of a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, TypeVar

from bytepair.analysis.pruning import Pruning
from bytepair.arguments import kind, shown
from bytepair.errors import ArgumentTypeError
from bytepair.extension import ExtensionReport
from bytepair.model import Model
from bytepair.prepared import Prepared
from bytepair.training import TrainingReport


@dataclass(frozen=True, slots=True)
class Loaded:
    """Where a tokenizer was loaded from.

    Args:
        format: the name of the format, as `load(format=...)` takes it.
        file: the file, as messages name it.
    """

    format: str
    file: str


AnyValue = TypeVar("AnyValue", bound="Value")


class Value:
    """A model, what is made ready of it, and its reports. It never changes."""

    __slots__ = ("__weakref__", "_extension", "_ids", "_loaded", "_model", "_prepared", "_pruning", "_training")

    _extension: ExtensionReport | None
    _ids: dict[bytes, int]
    _loaded: Loaded | None
    _model: Model
    _prepared: Prepared
    _pruning: Pruning | None
    _training: TrainingReport | None

    def __init__(
        self,
        model: Model,
        training: TrainingReport | None = None,
        extension: ExtensionReport | None = None,
        pruning: Pruning | None = None,
    ) -> None:
        if not isinstance(model, Model):
            raise ArgumentTypeError(
                f"Tokenizer takes a Model, not {shown(model)} ({kind(model)}); train(source, vocab_size=...) and "
                "load(path) make one"
            )
        prepared = Prepared(model)
        # What only the engine refuses is said now, and not at the first text: a fault of a model from elsewhere, or
        # special tokens that are too many to be searched for.
        if training is None or model.specials:
            _ = prepared.engine
        self._fill(prepared, training, extension, pruning)

    def _fill(
        self,
        prepared: Prepared,
        training: TrainingReport | None = None,
        extension: ExtensionReport | None = None,
        pruning: Pruning | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "_model", prepared.model)
        put(self, "_training", training)
        put(self, "_extension", extension)
        put(self, "_pruning", pruning)
        put(self, "_prepared", prepared)
        put(self, "_loaded", None)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Tokenizer never changes; {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Tokenizer never changes; {name!r} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Value):
            return NotImplemented
        return self._model.fingerprint == other._model.fingerprint

    def __hash__(self) -> int:
        return hash(self._model.fingerprint)

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (type(self), self._model)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def _by_spelling(self) -> dict[bytes, int]:
        """Made when it is first asked for; two threads that do so at once make the same."""
        if not hasattr(self, "_ids"):
            ids = {spelling: number for number, spelling in enumerate(self._prepared.spelled) if spelling is not None}
            object.__setattr__(self, "_ids", ids)
        return self._ids


def restored(face: type[AnyValue], model: Model) -> AnyValue:
    """The tokenizer of a model that was one before; its engine is built when it is used."""
    tok = object.__new__(face)
    tok._fill(Prepared(model))
    return tok
