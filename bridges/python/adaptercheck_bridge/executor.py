"""The executor contract: one instance is one adapter, and in harness mode the fake runtime that the subject brings."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable
from typing import Any

from . import calls, raw
from .features import told
from .fields import has, member
from .play import Player
from .rpc import INVALID_PARAMS, METHOD_NOT_FOUND, RpcError
from .runs import Run
from .streams import Stream
from .types import StartOptions, StrangerHandle, Task


class Executor:
    """Serves the methods of the contract for one adapter."""

    def __init__(self, adapter: Any, harness: Any = None) -> None:
        self._adapter = adapter
        self._harness = harness
        self._player = Player(harness) if harness is not None else None
        self._runs: dict[str, Run] = {}
        self._streams: dict[str, tuple[Stream, Run]] = {}  # with the run that each was opened for
        self._count = 0
        self._disposed = False

    def describe(self) -> dict[str, Any]:
        """What the adapter is, read off it as it stands."""
        parts = [name for name, there in self._parts().items() if there]
        return {**self._identity(), "parts": parts}

    async def close(self) -> None:
        """Let go of what the suite left open, and of the harness. The suite has judged dispose by then, if it wanted to."""
        for stream, _ in list(self._streams.values()):
            await calls.nothing(stream.close)
        self._streams.clear()
        if has(self._adapter, "dispose") and not self._disposed:
            await calls.nothing(lambda: member(self._adapter, "dispose")())
        if has(self._harness, "close"):
            await calls.settled(member(self._harness, "close")())

    def method(self, name: str) -> Callable[[dict[str, Any]], Any] | None:
        """The handler for a method, or None."""
        return getattr(self, "_" + name.replace("/", "_").lower(), None) if name in METHODS else None

    # adapter/…

    async def _adapter_id(self, _: dict[str, Any]) -> Any:
        return self._identity()

    async def _adapter_capabilities(self, _: dict[str, Any]) -> Any:
        return calls.plainly(lambda: member(self._adapter, "capabilities")())

    async def _adapter_health(self, _: dict[str, Any]) -> Any:
        return await calls.value(lambda: member(self._adapter, "health")())

    async def _adapter_start(self, p: dict[str, Any]) -> Any:
        task, opts = Task.read(p.get("task")), StartOptions.read(p.get("opts"))
        run = Run(None, opts.session_key)
        return await self._handle(run, lambda: self._start(run, task, opts))

    async def _adapter_abort(self, p: dict[str, Any]) -> Any:
        run = self._run(p)
        abort = asyncio.ensure_future(calls.nothing(lambda: member(self._adapter, "abort")(run.handle)))
        try:
            if self._player is not None and not self._player.reacts:
                await self._player.heed(abort, run)
            return await abort
        finally:
            abort.cancel()

    async def _adapter_setmodel(self, p: dict[str, Any]) -> Any:
        run, model = self._run(p), _string(p, "model")
        return await calls.nothing(lambda: member(self._adapter, "set_model")(run.handle, model))

    async def _adapter_writecontext(self, p: dict[str, Any]) -> Any:
        run, key, value = self._run(p), _string(p, "key"), _string(p, "value")
        return await calls.nothing(lambda: member(self._adapter, "write_context")(run.handle, key, value))

    async def _adapter_approve(self, p: dict[str, Any]) -> Any:
        self._must("approve")
        run, question, allow = self._run(p), _string(p, "id"), bool(p.get("allow"))
        return await calls.nothing(lambda: member(self._adapter, "approve")(run.handle, question, allow))

    async def _adapter_dispose(self, _: dict[str, Any]) -> Any:
        self._must("dispose")
        self._disposed = True
        return await calls.nothing(lambda: member(self._adapter, "dispose")())

    async def _codec_serialize(self, p: dict[str, Any]) -> Any:
        self._must("codec")
        run = self._run(p)
        return await calls.value(lambda: member(member(self._adapter, "session_codec"), "serialize")(run.handle))

    async def _codec_restore(self, p: dict[str, Any]) -> Any:
        self._must("codec")
        blob = _string(p, "blob")
        return await self._handle(Run(None), lambda: member(member(self._adapter, "session_codec"), "restore")(blob))

    async def _handle_get(self, p: dict[str, Any]) -> Any:
        return {"handle": self._run(p).shown()}

    # stream/…

    async def _stream_open(self, p: dict[str, Any]) -> Any:
        run = self._run(p)
        try:
            stream = Stream(member(self._adapter, "events")(run.handle))
        except BaseException as e:
            if calls.cancelled_from_outside(e):
                raise
            return {"rejected": calls.rejection(e)}
        name = self._name("stream")
        self._streams[name] = stream, run
        return {"stream": name}

    async def _stream_next(self, p: dict[str, Any]) -> Any:
        stream, run = self._stream(p)
        out: dict[str, Any]
        try:
            out = {"event": run.aliased(raw.encode(await stream.next()), "sessionId")}
        except StopAsyncIteration:
            out = {"end": True}
        except BaseException as e:
            if calls.cancelled_from_outside(e):
                raise
            out = {"rejected": calls.rejection(e)}
        return {**out, "handle": run.shown()}

    async def _stream_close(self, p: dict[str, Any]) -> Any:
        stream, _ = self._stream(p)
        return await calls.nothing(stream.close)

    # harness/…

    async def _harness_emit(self, p: dict[str, Any]) -> Any:
        frames = p["frames"] if isinstance(p.get("frames"), list) else [p.get("frame")]
        return await self._playing().emit(frames, self._addressed(p))

    async def _harness_fault(self, p: dict[str, Any]) -> Any:
        args = {"delay": p["delay"]} if "delay" in p else {}
        return await self._playing().fault(_string(p, "fault"), args, self._addressed(p))

    async def _harness_calls(self, _: dict[str, Any]) -> Any:
        return {"calls": self._playing().calls()}

    # The rest is shared.

    def _identity(self) -> dict[str, Any]:
        out = {}
        for key, name in (("id", "id"), ("participantKind", "participant_kind")):
            try:
                out[key] = raw.encode(member(self._adapter, name))
            except AttributeError:
                pass  # undefined: the key is left out
            except Exception:
                out[key] = raw.token("throws")
        return out

    def _parts(self) -> dict[str, bool]:
        return {
            "codec": has(self._adapter, "session_codec"),
            "dispose": has(self._adapter, "dispose"),
            "approve": has(self._adapter, "approve"),
        }

    def _must(self, part: str) -> None:
        if not self._parts()[part]:
            raise RpcError(METHOD_NOT_FOUND, f"the adapter has no {part}")

    async def _start(self, run: Run, task: Task, opts: StartOptions) -> Any:
        """Start a run with the suite's task and options, through the harness if that takes part in it."""
        if not has(self._harness, "start"):
            return await calls.settled(member(self._adapter, "start")(task, opts))
        start = member(self._harness, "start")
        if told(self._harness):
            return await calls.settled(start(self._adapter, task, opts))
        redirected = _Redirected(self._adapter, task, opts)
        handle = await calls.settled(start(redirected))
        if redirected.own != opts.session_key:
            run.own = redirected.own
        return handle

    async def _handle(self, run: Run, function: Callable[[], Any]) -> Any:
        run.handle, rejected = await calls.attempt(function)
        if rejected is not None:
            return {"rejected": rejected}
        if run.handle is None or not run.shown() and not isinstance(run.handle, dict):
            return {"run": None, "handle": raw.encode(run.handle)}
        # One that was given out before keeps its name: so two runs that share it are seen.
        shared = (n for n, known in self._runs.items() if known.handle is run.handle)
        name = next(shared, None) or self._name("run")
        self._runs.pop(name, None)  # the latest is the last
        self._runs[name] = run
        return {"run": name, "handle": run.shown()}

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{kind}-{self._count}"

    def _run(self, p: dict[str, Any]) -> Run:
        name = p.get("run")
        if name is None:
            return Run(StrangerHandle.read(_object(p, "handle")))
        if name not in self._runs:
            raise RpcError(INVALID_PARAMS, f"unknown run {name!r}")
        return self._runs[name]

    def _stream(self, p: dict[str, Any]) -> tuple[Stream, Run]:
        name = p.get("stream")
        if name not in self._streams:
            raise RpcError(INVALID_PARAMS, f"unknown stream {name!r}")
        return self._streams[name]

    def _playing(self) -> Player:
        if self._player is None:
            raise RpcError(METHOD_NOT_FOUND, "the subject is in wire mode and has no harness")
        return self._player

    def _addressed(self, p: dict[str, Any]) -> Run:
        """The run that a frame or a fault is for: the one that is named, else the latest of the session, else the latest of all."""
        if p.get("run") is not None:
            return self._run(p)
        session = p.get("session")
        of_session = [run for run in self._runs.values() if session in (None, run.session)]
        return of_session[-1] if of_session else Run(None, session)


METHODS = frozenset(
    "adapter/id adapter/capabilities adapter/health adapter/start adapter/abort adapter/setModel adapter/writeContext "
    "adapter/approve adapter/dispose codec/serialize codec/restore handle/get stream/open stream/next stream/close "
    "harness/emit harness/fault harness/calls".split()
)


class _Redirected:
    """The adapter as a harness sees it whose `start(adapter)` makes up its own task and options: the suite's take their place.

    The session key stays the harness's own: its frames may carry it.
    """

    def __init__(self, adapter: Any, task: Task, opts: StartOptions) -> None:
        self._adapter, self._task, self._opts = adapter, task, opts
        self.own: str | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._adapter, name)

    def start(self, _: Any = None, opts: Any = None, *__: Any, **named: Any) -> Any:
        own = member(named.get("opts", opts), "session_key", None)
        if isinstance(own, str) and own:
            self.own = own
            self._opts = dataclasses.replace(self._opts, session_key=own)
        return member(self._adapter, "start")(self._task, self._opts)


def _string(p: dict[str, Any], key: str) -> Any:
    if key not in p:
        raise RpcError(INVALID_PARAMS, f"{key} is missing")
    return p[key]


def _object(p: dict[str, Any], key: str) -> dict[str, Any]:
    value = p.get(key)
    if not isinstance(value, dict):
        raise RpcError(INVALID_PARAMS, f"{key} is not an object")
    return value
