"""Calling what an author wrote: plain functions, coroutine functions, and functions that fail."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable
from typing import Any

from . import raw


async def settled(value: Any) -> Any:
    """What a member that may be asynchronous gave: awaited if it can be, else as it is."""
    return await value if inspect.isawaitable(value) else value


async def attempt(function: Callable[[], Any]) -> tuple[Any, dict[str, Any] | None]:
    """Call a function and await what it gives. The second value is the rejection, if it failed."""
    try:
        return await settled(function()), None
    except BaseException as e:
        if cancelled_from_outside(e):
            raise
        return None, rejection(e)


async def value(function: Callable[[], Any]) -> dict[str, Any]:
    """Call a function: its value crosses once it is there."""
    got, rejected = await attempt(function)
    return {"value": raw.encode(got)} if rejected is None else {"rejected": rejected}


async def nothing(function: Callable[[], Any]) -> dict[str, Any]:
    """Call a function whose value says nothing."""
    _, rejected = await attempt(function)
    return {} if rejected is None else {"rejected": rejected}


def plainly(function: Callable[[], Any]) -> dict[str, Any]:
    """Call a function of the synchronous kind: its value crosses as it stands, also if it is something to await."""
    try:
        return {"value": raw.encode(function())}
    except BaseException as e:
        if cancelled_from_outside(e):
            raise
        return {"rejected": rejection(e)}


def cancelled_from_outside(e: BaseException) -> bool:
    """Tell a cancellation of the request, as at the end of the input, from a CancelledError that an adapter raised."""
    task = asyncio.current_task()
    return isinstance(e, asyncio.CancelledError) and task is not None and task.cancelling() > 0


def rejection(e: BaseException) -> dict[str, Any]:
    """A failure of the adapter's, in the protocol's form."""
    try:
        message = raw.text(str(e))
    except Exception:
        message = ""
    out = {"name": type(e).__name__, "message": message}
    code = getattr(e, "code", None)
    if isinstance(code, str):
        out["code"] = raw.text(code)
    return out


def takes(function: Any, *names: str) -> bool:
    """Report whether a function has parameters of these names, or takes any."""
    parameters = _parameters(function)
    if parameters is None:
        return False
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return True
    have = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    return have.issuperset(names)


def room(function: Any) -> int:
    """How many positional arguments a function takes; 1000 if any number."""
    parameters = _parameters(function)
    if parameters is None:
        return 0
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return 1000
    return sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)


def _parameters(function: Any) -> tuple[inspect.Parameter, ...] | None:
    try:
        if inspect.ismethod(function):  # so that the cache holds no instances
            parameters = _signature(function.__func__)
            return parameters[1:] if parameters and parameters[0].kind is not inspect.Parameter.VAR_POSITIONAL else parameters
        return _signature(function)
    except TypeError:  # not hashable, or not callable
        return None


@functools.lru_cache(maxsize=256)  # the same few functions are looked at for each frame
def _signature(function: Any) -> tuple[inspect.Parameter, ...] | None:
    try:
        return tuple(inspect.signature(function).parameters.values())
    except ValueError:
        return None
