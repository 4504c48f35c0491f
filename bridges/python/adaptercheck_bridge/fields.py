"""Records that can be read as attributes in snake_case and as items under the names of the wire.

What the bridge hands to an adapter is of this kind, as some adapters write `opts.session_key` and others `opts["sessionKey"]`.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterator
from typing import Any

_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")
_UNDERSCORE = re.compile(r"(?<=[a-zA-Z0-9])_([a-z0-9])")


@functools.lru_cache(maxsize=1024)
def snake(name: str) -> str:
    """Turn a name of the wire into one of Python: `sessionKey` into `session_key`."""
    return _HUMP.sub(lambda m: "_" + m.group(1).lower(), name)


@functools.lru_cache(maxsize=1024)
def camel(name: str) -> str:
    """Turn a name of Python into one of the wire: `session_key` into `sessionKey`."""
    return _UNDERSCORE.sub(lambda m: m.group(1).upper(), name)


class Fields:
    """Base of dataclasses whose fields are items too. Two records are equal only if they are the same one."""

    def __getitem__(self, key: str) -> Any:
        name = snake(key)
        if name not in self._names():
            raise KeyError(key)
        return getattr(self, name)

    def __setitem__(self, key: str, value: Any) -> None:
        setattr(self, snake(key), value)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and snake(key) in self._names()

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def keys(self) -> list[str]:
        """The names of the wire, so that `dict(record)` works."""
        return [camel(name) for name in self._names()]

    def get(self, key: str, default: Any = None) -> Any:
        """The item, or the default if there is no such field or it is None."""
        value = self[key] if key in self else None
        return default if value is None else value

    def _names(self) -> list[str]:
        return [f.name for f in dataclasses.fields(self)]  # type: ignore[arg-type]


_MISSING = object()


def member(thing: Any, name: str, default: Any = _MISSING) -> Any:
    """Read one member of what an author wrote: an item of a mapping, under either name, or an attribute.

    Raises AttributeError if there is none and no default, and whatever the member's own accessor raises.
    """
    if isinstance(thing, dict):
        for key in (name, camel(name)):
            if key in thing:
                return thing[key]
    else:
        for key in (name, camel(name)):
            value = getattr(thing, key, _MISSING)
            if value is not _MISSING:
                return value
    if default is _MISSING:
        raise AttributeError(f"{type(thing).__name__} has no {name}")
    return default


def has(thing: Any, name: str) -> bool:
    """Report whether an author's object has a member that is not None. One that raises when it is read is there."""
    try:
        return member(thing, name, None) is not None
    except Exception:
        return True
