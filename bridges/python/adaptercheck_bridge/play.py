"""Playing the harness: the suite says what the fake runtime shall do, and asks what reached it.

A fake that does not react to a cancel by itself is *passive*; a harness whose `faults` name "hold" has one that does. For a passive
fake the bridge does what the harness's author would do by hand: once a cancel has reached the fake it emits `aborted()`. It
then also plays three faults that the fake need not know: hold and deaf (nothing is emitted on cancel) and silent (no frame
of the run is emitted any more).
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Mapping
from typing import Any

from . import calls, raw
from .features import faults
from .fields import has, member
from .frames import Fault, Said, Unplayable, Vocabulary
from .rpc import INVALID_PARAMS, RpcError

_CANCELS = ("abort", "cancel", "interrupt", "stop")
_LOOK = 0.005  # seconds between two looks at what reached the fake


class Player:
    """Plays one harness for one instance."""

    def __init__(self, harness: Any) -> None:
        self._harness = harness
        self._vocabulary = Vocabulary(member(harness, "frames"))
        self._faults = faults(harness)
        self.passive = "hold" not in self._faults
        self._said: dict[str, Said] = {}  # by session
        self._quiet: set[str] = set()  # sessions whose fake says nothing more
        self._deaf: set[str] = set()  # sessions whose fake does not react to a cancel
        self.alias: dict[str, str] = {}  # sessions of the suite that the harness calls otherwise
        self._latest = ""
        self._turn = asyncio.Lock()  # frames leave in the order in which they were asked for
        self._before = len(self._recorded())

    def begun(self, session: str) -> None:
        """A run begins on a session."""
        self._said[session] = Said()
        self._quiet.discard(session)
        self._deaf.discard(session)
        self._latest = session

    async def emit(self, frames: list[Any], session: str | None, run: Any) -> dict[str, Any]:
        """Let the fake say some steps, in order. If it has no form for one of them, it says none."""
        if not all(isinstance(frame, dict) and len(frame) == 1 for frame in frames):
            raise RpcError(INVALID_PARAMS, "a frame is an object with one word")
        async with self._turn:
            return await self._emit(frames, session, run)

    async def _emit(self, frames: list[Any], session: str | None, run: Any) -> dict[str, Any]:
        where = session or self._latest
        said = dataclasses.replace(self._said.get(where, Said()))
        steps = []
        try:
            for frame in frames:
                [(word, value)] = frame.items()
                steps += self._vocabulary.render(word, value, said)
        except Unplayable:
            return {"unplayable": True}
        except Exception as e:  # the harness failed to make the frame
            return {"rejected": calls.rejection(e)}
        if not all(self._plays(step.name) for step in steps if isinstance(step, Fault)):
            return {"unplayable": True}
        self._said[where] = said
        for step in steps:
            if isinstance(step, Fault):
                outcome = await self._play(step.name, step.args, session, run)
            elif where not in self._quiet:
                outcome = await self._say(step, session, run)
            else:
                continue
            if outcome:
                return outcome
            await asyncio.sleep(0)  # whoever listens to the fake may take the frame before the next one comes
        return {}

    async def fault(self, name: str, delay: Any, session: str | None, run: Any) -> dict[str, Any]:
        """Let the fake misbehave."""
        return await self._play(name, {} if delay is None else {"delay": delay}, session, run)

    def calls(self) -> list[dict[str, Any]]:
        """What has reached the fake since the instance was made."""
        recorded = self._recorded()
        since = recorded[self._before :] if len(recorded) >= self._before else recorded
        return [_call(one) for one in since]

    async def heed(self, abort: asyncio.Future[Any], session: str | None, run: Any) -> None:
        """Watch an abort for a passive fake: when its cancel has reached the fake, say that the run was aborted.

        Returns when that is done, or the abort has ended without one.
        """
        before = self._cancels()
        while True:
            ended = abort.done()
            if self._cancels() > before:
                break
            if ended:
                return
            await asyncio.wait({abort}, timeout=_LOOK)
        where = session or self._latest
        if where not in self._quiet and where not in self._deaf:
            await self.emit([{"end": "aborted"}], where, run)

    def _plays(self, name: str) -> bool:
        return name in self._faults or (self.passive and name in ("silent", "hold", "deaf"))

    async def _play(self, name: str, args: dict[str, Any], session: str | None, run: Any) -> dict[str, Any]:
        where = session or self._latest
        if name == "deaf" and name not in self._faults and "hold" in self._faults:
            name = "hold"  # both leave the run as it is when it is told to stop
        if name in self._faults:
            named = {**args, **({"session": self._own(session)} if session else {}), **({"run": run} if run else {})}
            value, rejected = await calls.attempt(lambda: member(self._harness, "fault")(name, named))
            if value is False or (rejected is not None and rejected["name"] == "NotImplementedError"):
                return {"unplayable": True}
            return {} if rejected is None else {"rejected": rejected}
        if self.passive and name == "silent":
            self._quiet.add(where)
            return {}
        if self.passive and name in ("hold", "deaf"):
            self._deaf.add(where)
            return {}
        return {"unplayable": True}

    async def _say(self, frame: Any, session: str | None, run: Any) -> dict[str, Any]:
        emit = member(self._harness, "emit")
        named = {}
        if session is not None and calls.takes(emit, "session"):
            named["session"] = self._own(session)
        if run is not None and calls.takes(emit, "run"):
            named["run"] = run
        _, rejected = await calls.attempt(lambda: emit(frame, **named))
        if rejected is None:
            return {}
        return {"unplayable": True} if rejected["name"] == "NotImplementedError" else {"rejected": rejected}

    def _own(self, session: str) -> str:
        return self.alias.get(session, session)

    def _recorded(self) -> list[Any]:
        return list(member(self._harness, "recorded_calls")()) if has(self._harness, "recorded_calls") else []

    def _cancels(self) -> int:
        methods = (str(_read(one, "method", 0)).lower() for one in self._recorded())
        return sum(any(word in method for word in _CANCELS) for method in methods)


def _call(one: Any) -> dict[str, Any]:
    return {"method": str(_read(one, "method", 0)), "params": raw.encode(_read(one, "params", 1))}


def _read(one: Any, name: str, place: int) -> Any:
    """A call is a mapping, an object, or a pair."""
    if isinstance(one, tuple) and not hasattr(one, name):
        return one[place] if len(one) > place else None
    if isinstance(one, Mapping):
        return one.get(name)
    return getattr(one, name, None)
