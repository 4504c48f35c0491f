"""Playing the harness: the suite says what the fake runtime shall do, and asks what reached it.

A fake that plays faults reacts to a cancel by itself. For one that has none the bridge does what the harness's author would do by
hand: once a cancel has reached the fake it says `aborted()`. It then also plays three faults that the fake need not know: hold and
deaf (a cancel changes nothing) and silent (no frame of the run is said any more).
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Mapping
from typing import Any

from . import calls, raw
from .fields import has, member
from .frames import Unplayable, Vocabulary
from .rpc import INVALID_PARAMS, RpcError
from .runs import Run

FAULTS = ("silent", "cut", "exit")  # words of the scenario language that are no frames
_CANCELS = ("abort", "cancel", "interrupt", "stop")
_LOOK = 0.005  # seconds between two looks at what reached the fake
_UNPLAYABLE = {"unplayable": True}


class Player:
    """Plays one harness for one instance."""

    def __init__(self, harness: Any) -> None:
        self._harness = harness
        self._vocabulary = Vocabulary(member(harness, "frames"))
        self.reacts = has(harness, "fault")  # to a cancel, by itself
        self._turn = asyncio.Lock()  # frames leave in the order in which they were asked for
        self._before = len(self._recorded())

    async def emit(self, frames: list[Any], run: Run) -> dict[str, Any]:
        """Let the fake say frames, in their order. If it has no form for one of them it says none."""
        steps = [_step(frame) for frame in frames]
        async with self._turn:
            return await self._emit(steps, run)

    async def _emit(self, steps: list[tuple[str, Any]], run: Run) -> dict[str, Any]:
        said = dataclasses.replace(run.said)
        try:
            rendered = [[] if word in FAULTS else self._vocabulary.render(word, value, said) for word, value in steps]
        except Unplayable:
            return _UNPLAYABLE
        except Exception as e:  # the harness failed to make the frame
            return {"rejected": calls.rejection(e)}
        run.said = said
        for (word, value), frames in zip(steps, rendered, strict=True):
            outcome = await self.fault(word, _arguments(value), run) if word in FAULTS else await self._say(word, value, frames, run)
            if outcome:
                return outcome
            await asyncio.sleep(0)  # whoever listens to the fake may take the frame before the next one comes
        return {}

    async def fault(self, name: str, args: dict[str, Any], run: Run) -> dict[str, Any]:
        """Let the fake misbehave."""
        if self.reacts:
            return await self._told("fault", name, {**args, **run.address()})
        if name == "silent":
            run.silent = True
        elif name in ("hold", "deaf"):
            run.passive = True
        else:
            return _UNPLAYABLE
        return {}

    def calls(self) -> list[dict[str, Any]]:
        """What has reached the fake since the instance was made."""
        recorded = self._recorded()
        since = recorded[self._before :] if len(recorded) >= self._before else recorded
        return [_call(one) for one in since]

    async def heed(self, abort: asyncio.Future[Any], run: Run) -> None:
        """Watch an abort for a fake that does not react: when its cancel was recorded, say that the run was aborted.

        Returns when that is done, or the abort has ended without one.
        """
        before = self._cancels()
        while not (run.silent or run.passive or run.ended):
            ended = abort.done()
            if self._cancels() > before:
                await self.emit([{"end": "aborted"}], run)
                return
            if ended:
                return
            await asyncio.wait({abort}, timeout=_LOOK)

    async def _say(self, word: str, value: Any, frames: list[Any], run: Run) -> dict[str, Any]:
        given = value if isinstance(value, dict) else {}
        if word == "init":
            run.native = given.get("run") or run.native
        if run.silent:
            return {}
        run.ended = run.ended or word == "end" or (word == "error" and bool(given.get("fatal")))
        address = run.address()
        if word != "init" and "run" in given:  # a late frame of another run
            address["run"] = given["run"]
        emit = member(self._harness, "emit")
        named = {name: known for name, known in address.items() if calls.takes(emit, name)}
        for frame in frames:
            outcome = await self._told("emit", frame, **named)
            if outcome:
                return outcome
        return {}

    async def _told(self, name: str, *args: Any, **named: Any) -> dict[str, Any]:
        value, rejected = await calls.attempt(lambda: member(self._harness, name)(*args, **named))
        if rejected is None:
            return _UNPLAYABLE if name == "fault" and value is False else {}
        return _UNPLAYABLE if rejected["name"] == "NotImplementedError" else {"rejected": rejected}

    def _recorded(self) -> list[Any]:
        return list(member(self._harness, "recorded_calls")()) if has(self._harness, "recorded_calls") else []

    def _cancels(self) -> int:
        methods = (str(_read(one, "method", 0)).lower() for one in self._recorded())
        return sum(any(word in method for word in _CANCELS) for method in methods)


def _step(frame: Any) -> tuple[str, Any]:
    """The word of a frame and what it says."""
    if isinstance(frame, str):
        return frame, {}
    if not isinstance(frame, dict) or len(frame) != 1:
        raise RpcError(INVALID_PARAMS, "a frame is an object with one word")
    [(word, value)] = frame.items()
    return word, value


def _arguments(value: Any) -> dict[str, Any]:
    """The arguments of a word that is a fault: an exit may have its code alone."""
    if isinstance(value, dict):
        return value
    return {} if value is None else {"code": value}


def _call(one: Any) -> dict[str, Any]:
    return {"method": str(_read(one, "method", 0)), "params": raw.encode(_read(one, "params", 1))}


def _read(one: Any, name: str, place: int) -> Any:
    """A call is a mapping, an object, or a pair."""
    if isinstance(one, tuple) and not hasattr(one, name):
        return one[place] if len(one) > place else None
    if isinstance(one, Mapping):
        return one.get(name)
    return getattr(one, name, None)
