"""The other direction: values that the suite names by a token are made real.

The suite hands hostile payloads to adapters; JSON cannot carry them, so it names them, and here is what each is in Python.
`undefined` is nothing that Python has: the call is answered with an error, and the check is unobserved.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import datetime
import types
from collections.abc import Iterator
from typing import Any, NoReturn

from .raw import TOKEN

DEEP = 20_000  # levels of what is named "deep": far more than any stack bears


class Unsupported(Exception):
    """The suite named a value that Python has no such thing for."""


class HostileError(RuntimeError):
    """What hostile values raise when they are looked at."""


class ThrowingDict(dict[str, Any]):
    """An object with members that raise when they are read, however that is done."""

    def __init__(self, plain: dict[str, Any], throwing: set[str]) -> None:
        super().__init__(plain)
        for key in throwing:
            dict.__setitem__(self, key, None)
        self._throwing = throwing

    def __getitem__(self, key: str) -> Any:
        if key in self._throwing:
            _fail()
        return super().__getitem__(key)

    # Defined so that copies and dict(x) read member by member instead of past __getitem__.
    def __iter__(self) -> Iterator[str]:
        return super().__iter__()

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self else default

    def items(self) -> Any:
        return [(key, self[key]) for key in self]

    def values(self) -> Any:
        return [self[key] for key in self]

    def copy(self) -> Any:
        return dict(self.items())

    def pop(self, key: str, *default: Any) -> Any:
        if key in self._throwing:
            _fail()
        return super().pop(key, *default)

    def popitem(self) -> NoReturn:
        _fail()

    def setdefault(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self else super().setdefault(key, default)

    def __or__(self, other: Any) -> Any:
        return self.copy() | other

    def __ror__(self, other: Any) -> Any:
        return other | self.copy()

    def __eq__(self, other: object) -> bool:
        return dict(self.items()) == other

    def __repr__(self) -> NoReturn:
        _fail()

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        _fail()

    __hash__ = None  # type: ignore[assignment]


class Throwing:
    """A value that raises whatever one asks of it, but its exact type."""

    def __getattribute__(self, name: str) -> NoReturn:
        _fail()

    def _refuse(self, *_: Any) -> NoReturn:
        _fail()

    __repr__ = __str__ = __iter__ = __len__ = __bool__ = __hash__ = __eq__ = _refuse  # type: ignore[assignment]
    __getitem__ = __contains__ = __call__ = __format__ = __reduce_ex__ = _refuse  # type: ignore[assignment]


def _fail() -> NoReturn:
    raise HostileError("hostile value")


def decode(value: Any) -> Any:
    """Make the tokens in a value real. Raises Unsupported for one that Python has nothing for."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get(TOKEN), str):
        return _real(value[TOKEN], value.get("value"))
    throwing = {key for key, item in value.items() if isinstance(item, dict) and item.get(TOKEN) == "throws"}
    plain = {key: decode(item) for key, item in value.items() if key not in throwing}
    return ThrowingDict(plain, throwing) if throwing else plain


def _real(name: str, value: Any) -> Any:
    make = _MAKERS.get(name)
    if make is None:
        raise Unsupported(f"no value of Python is {name!r}")
    return make(value)


def _cycle(_: Any) -> Any:
    loop: dict[str, Any] = {}
    loop["self"] = loop
    return loop


def _deep(value: Any) -> Any:
    nested = value
    for _ in range(DEEP):
        nested = [nested]
    return nested


def _date(value: Any) -> Any:
    seconds = value / 1000 if isinstance(value, (int, float)) else 0
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC)


def _map(value: Any) -> Any:
    """A mapping that is no dict; its value is a list of entries."""
    pairs = [pair for pair in value if isinstance(pair, list) and len(pair) == 2] if isinstance(value, list) else []
    entries = {}
    for key, item in pairs:
        key = decode(key)
        entries[key if isinstance(key, (str, int, float, bool, type(None))) else repr(key)] = decode(item)
    return types.MappingProxyType(entries)


def _buffer(value: Any) -> Any:
    """Bytes; the value is base64, or a text as it is."""
    if not isinstance(value, str):
        return b"bytes"
    try:
        return base64.b64decode(value, validate=True)
    except binascii.Error:
        return value.encode()


_MAKERS = {
    "promise": lambda _: asyncio.get_running_loop().create_future(),
    "function": lambda value: lambda *args, **named: value,
    "symbol": lambda _: object(),
    "bigint": lambda value: int(value) if isinstance(value, str) else 1 << 64,
    "nan": lambda _: float("nan"),
    "infinity": lambda _: float("inf"),
    "-infinity": lambda _: float("-inf"),
    "cycle": _cycle,
    "date": _date,
    "map": _map,
    "set": lambda value: {value if isinstance(value, (str, int, float)) else "item"},
    "buffer": _buffer,
    "throws": lambda _: Throwing(),
    "deep": _deep,
}
