"""Finding the subject in a module, and telling what kind it is."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

from . import features
from .fields import has, member

DEFAULT = "subject"
_NAME = re.compile(r"[A-Za-z0-9._+-]{1,64}")


class LoadError(Exception):
    """The subject cannot be found, or is none."""


class Subject:
    """One subject of a module.

    Kinds: an executor harness has `emit`, a history factory `create`, a wire factory `make_adapter` and no `emit`.
    """

    def __init__(self, found: Any, fallback_name: str) -> None:
        self._make = None if _kind(found) is not None or not callable(found) else found
        self._next = found if self._make is None else self._make()
        kind = _kind(self._next)
        if kind is None:
            raise LoadError(f"{fallback_name}: no subject, but of type {type(self._next).__name__}: it has neither emit, create nor make_adapter")
        for beside in ("make_adapter", "frames") if kind == "harness" else ():
            if not has(self._next, beside):
                raise LoadError(f"{fallback_name}: an executor harness has {beside} beside emit, and there is none")
        self.kind = kind
        self._first = self._next
        self.name = _named(self._first, fallback_name)
        try:
            self.describe()
        except features.UnknownWord as e:
            raise LoadError(str(e)) from None

    def take(self) -> Any:
        """The harness or factory for one instance: a fresh one, if the module has something to make it with."""
        if self._make is None:
            return self._first
        taken, self._next = self._next, None
        return self._make() if taken is None else taken

    def describe(self) -> dict[str, Any]:
        """What `initialize` answers, beside the protocol."""
        offered = {"harness": features.of_harness, "wire": features.of_wire, "history": features.of_history}[self.kind]
        return {
            "name": self.name,
            "contracts": ["history"] if self.kind == "history" else ["executor"],
            "mode": "wire" if self.kind == "wire" else "harness",
            "features": offered(self._first),
            "declares": features.declares(self._first),
            "batch": self.kind == "harness",
        }


def load(target: str) -> Subject:
    """Load `MODULE.py[:name]` or `package.module[:name]`. Raises LoadError; what the module raises passes through."""
    where, name = _split(target)
    if where.endswith(".py"):
        module = _file(Path(where))
    else:
        sys.path.insert(0, "")
        try:
            module = importlib.import_module(where)
        except ModuleNotFoundError as e:
            if e.name is not None and where.startswith(e.name):
                raise LoadError(f"{where}: no such module or file") from e
            raise
    found = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise LoadError(f"{where} has no {name}: export the harness or factory under this name, or say {where}:NAME")
        found = getattr(found, part)
    return Subject(found, Path(where).stem if where.endswith(".py") else where.rpartition(".")[2])


def _split(target: str) -> tuple[str, str]:
    where, colon, name = target.rpartition(":")
    if colon and where and all(part.isidentifier() for part in name.split(".")):
        return where, name
    return target, DEFAULT


def _file(path: Path) -> Any:
    if not path.is_file():
        raise LoadError(f"{path}: no such file")
    sys.path.insert(0, str(path.resolve().parent))
    name = path.stem if path.stem.isidentifier() else "subject_module"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise LoadError(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _kind(thing: Any) -> str | None:
    """The kind of a subject. A class is none: it is called first."""
    if isinstance(thing, type):
        return None
    if has(thing, "emit"):
        return "harness"
    if has(thing, "create"):
        return "history"
    if has(thing, "make_adapter"):
        return "wire"
    return None


def _named(subject: Any, fallback: str) -> str:
    """A name in the protocol's alphabet: the subject's own `name` or `label`, else the module's."""
    for own in (member(subject, "name", None), member(subject, "label", None)):
        if isinstance(own, str) and _NAME.fullmatch(own):
            return own
    return re.sub(r"[^A-Za-z0-9._+-]", "-", fallback)[:64] or "subject"
