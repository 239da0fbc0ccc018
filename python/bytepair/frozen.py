"""A dict that never changes, for values that hold one; it compares, pickles and copies, and JSON takes it."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class FrozenDict(dict[Key, Value]):
    """A dict without the ways to change it.

    >>> ids = FrozenDict({"<|end|>": 256})
    >>> ids["<|end|>"], ids == {"<|end|>": 256}
    (256, True)
    """

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("this mapping never changes; make a copy that can: dict(...)")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenDict, (dict(self),)
