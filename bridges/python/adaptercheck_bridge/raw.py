"""How Python values cross to the suite: raw, as they stand.

What JSON has a form for crosses as it is. A dataclass, or any other object with attributes, crosses as an object of its public
attributes, their names in camelCase. For the rest one of the protocol's tokens takes the value's place. Encoding never raises
and runs no code of the adapter's but accessors.
"""

from __future__ import annotations

import dataclasses
import datetime
import enum
import inspect
import json
import math
from collections.abc import Callable, Mapping, Set
from typing import Any

from .fields import camel

TOKEN = "$adaptercheck"
MAX_DEPTH = 64
_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_LONGEST_INT = 4000  # digits; the interpreter refuses to print longer ones


def token(name: str, **more: Any) -> dict[str, Any]:
    """The object that stands for a value JSON cannot carry."""
    return {TOKEN: name, **more}


def encode(value: Any) -> Any:
    """Give what JSON can carry of a value. The result shares nothing with it."""
    return _encode(value, 0, set())


def line(message: Any) -> bytes:
    """Write an encoded message as one line of UTF-8, with its LF."""
    return _JSON.encode(message).encode() + b"\n"


def text(value: str) -> str:
    """Give a string that UTF-8 can carry: halves of surrogate pairs are joined or replaced."""
    if value.isascii():
        return str(value)
    try:
        value.encode()
        return str(value)
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _encode(value: Any, depth: int, path: set[int]) -> Any:
    exact = _EXACT.get(type(value))  # a history has millions of these
    if exact is not None:
        return exact(value)
    if type(value) not in (dict, list):
        try:
            scalar, known = _scalar(value)
        except Exception:
            return token("throws")
        if known:
            return scalar
    if depth >= MAX_DEPTH:
        return token("deep")
    if id(value) in path:
        return token("cycle")
    path.add(id(value))
    try:
        return _container(value, depth + 1, path)
    except Exception:
        return token("throws")
    finally:
        path.discard(id(value))


def _scalar(value: Any) -> tuple[Any, bool]:
    """Encode what holds no other values; the flag says whether it was that."""
    if value is None or isinstance(value, bool):
        return value, True
    if isinstance(value, enum.Enum) and not isinstance(value, (str, int)):
        return _scalar(value.value)
    if isinstance(value, str):
        return text(str.__str__(value)), True
    if isinstance(value, int):
        return _integer(int(value)), True
    if isinstance(value, float):
        return _number(float(value)), True
    if isinstance(value, (bytes, bytearray, memoryview)):
        return token("buffer"), True
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)):
        return token("date"), True
    if inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()  # nobody will await it, and Python would say so
        return token("promise"), True
    if isinstance(value, (Set, set, frozenset)):
        return token("set"), True
    if callable(value) and not isinstance(value, Mapping):
        return token("function"), True
    return None, False


def _integer(value: int) -> Any:
    if value.bit_length() > _LONGEST_INT * 3:
        return token("bigint")
    return value


def _number(value: float) -> Any:
    if math.isnan(value):
        return token("nan")
    if math.isinf(value):
        return token("infinity" if value > 0 else "-infinity")
    return value


_EXACT: dict[type, Callable[[Any], Any]] = {
    type(None): lambda value: value,
    bool: lambda value: value,
    str: text,
    int: _integer,
    float: _number,
}


def _container(value: Any, depth: int, path: set[int]) -> Any:
    if isinstance(value, (list, tuple)):
        return [_encode(item, depth, path) for item in list(value)]
    if type(value) is dict and all(type(key) is str for key in value):
        return {text(key): _encode(item, depth, path) for key, item in list(value.items())}
    if isinstance(value, Mapping):
        keys = list(value.keys())
        if not all(isinstance(key, str) for key in keys):
            return token("map", value=[[_encode(key, depth, path), _encode(value[key], depth, path)] for key in keys])
        return {text(key): _member(lambda key=key: value[key], depth, path) for key in keys}
    names = _attributes(value)
    if names is None:
        return token("symbol")
    return {camel(name): _member(lambda name=name: getattr(value, name), depth, path) for name in names}


def _member(read: Any, depth: int, path: set[int]) -> Any:
    try:
        value = read()
    except Exception:
        return token("throws")
    return _encode(value, depth, path)


def _attributes(value: Any) -> list[str] | None:
    """The public attributes of an object, or None if it has no place for any."""
    if dataclasses.is_dataclass(value):
        return [f.name for f in dataclasses.fields(value)]
    own = getattr(value, "__dict__", None)
    if own is None:
        return None
    return [name for name in own if not name.startswith("_")]
