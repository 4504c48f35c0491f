"""A right executor adapter, with a fake runtime of its own in the shape of an extended harness.

From the bottom up: the fake runtime, what a run's frames mean, what observers are given, the adapter, the harness.
"""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
import time
import uuid
from collections import deque
from pathlib import PurePosixPath

GRACE = 0.1  # seconds that a cancelled run has to end by itself
NAMING = 0.1  # seconds that a run waits for the runtime to name it
DROPPABLE = 1000  # text deltas and status held for an observer that does not read
HARD = 10 * DROPPABLE  # everything else that is held


class Failure(Exception):
    """A refused call. The code tells a host why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class FakeRuntime:
    """A runtime in this process. Its wire is a function that is called with each frame, and with None when the wire ends."""

    def __init__(self) -> None:
        self.calls = []
        self.down = False
        self.refusals = 0
        self.latest = None
        self._live = {}  # session: sink
        self._deaf, self._silent = set(), set()

    async def ping(self):
        if self.down:
            raise ConnectionError("the runtime is down")

    async def open(self, session, params, sink):
        await self.ping()
        if self.refusals:
            self.refusals -= 1
            raise Failure("refused", "the runtime refused the start")
        self._record("start", session, params)
        self._live[session] = sink
        self._deaf.discard(session)
        self._silent.discard(session)
        self.latest = session

    async def tell(self, method, session, params):
        await self.ping()
        self._record(method, session, params)
        if method == "cancel" and session not in self._deaf:
            self.say(session, {"type": "end", "reason": "aborted"})

    def say(self, session, frame):
        sink = self._live.get(session)
        if sink is not None and session not in self._silent:
            sink(frame)

    def fault(self, name, session):
        if name == "down":
            self.down = True
        elif name == "refuse":
            self.refusals += 1
        elif name == "cut":
            self.say(session, None)
        else:  # hold, deaf, silent
            self._deaf.add(session)
            if name == "silent":
                self._silent.add(session)

    def _record(self, method, session, params):
        self.calls.append({"method": method, "params": {"session": session, **params}})


class Mailbox:
    """What is held for one observer. Text and status beyond the bound are dropped, the oldest first; nothing else is."""

    def __init__(self):
        self.light, self.heavy = deque(), deque()  # (order, event)
        self.overflowed = False
        self._order = itertools.count()

    def put(self, event):
        if self.overflowed:
            return
        if event["kind"] in ("text-delta", "status"):
            self.light.append((next(self._order), event))
            if len(self.light) > DROPPABLE:
                self.light.popleft()
            return
        self.heavy.append((next(self._order), event))
        if len(self.heavy) > HARD:
            self.overflowed = True
            message = "the observer fell too far behind"
            for last in (
                {"kind": "error", "code": "queue-overflow", "message": message, "fatal": True},
                {"kind": "done", "reason": "error", "summary": ""},
            ):
                self.heavy.append((next(self._order), {**event_head(event), **last}))

    def take(self):
        first = [queue for queue in (self.light, self.heavy) if queue]
        return min(first, key=lambda queue: queue[0][0]).popleft()[1] if first else None

    def copy(self):
        other = Mailbox()
        other.light, other.heavy, other.overflowed = self.light.copy(), self.heavy.copy(), self.overflowed
        other._order = itertools.count(next(self._order))
        return other


def event_head(event):
    return {key: event[key] for key in ("runId", "sessionId", "ts")}


class Observer:
    """One stream. It is subscribed when it is made, and numbers its events itself."""

    def __init__(self, live, box):
        self._live, self._box = live, box
        self._seq = itertools.count(1)
        self._waiting = set()
        self._closed = live is None

    def put(self, event):
        self._box.put(event)
        self.wake()

    def wake(self):
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)

    def __aiter__(self):
        return self

    async def __anext__(self):
        while (event := self._box.take()) is None:
            if self._closed or self._box.overflowed or self._live.over:
                raise StopAsyncIteration
            waiter = asyncio.get_running_loop().create_future()
            self._waiting.add(waiter)
            try:
                await waiter
            finally:
                self._waiting.discard(waiter)
        return {**event, "seq": next(self._seq)}

    async def aclose(self):
        if not self._closed:
            self._closed = True
            self._live.observers.discard(self)
            self.wake()


class Session:
    """What outlives a run."""

    def __init__(self):
        self.live = None
        self.totals = {}


class LiveRun:
    """One run: what its frames mean, and who watches."""

    def __init__(self, handle, session):
        self.handle, self.session = handle, session
        self.observers = set()
        self.log = Mailbox()  # for observers that come later
        self.over = self.aborted = self.observed = False
        self._said, self._message, self._last = "", "", ""
        self._calls, self._open = {}, {}
        self._usage, self._cost = None, None
        self._unnamed = []  # events that wait for the run's name

    def frame(self, frame):
        """Take one frame, or None for the end of the wire."""
        if self.over:
            return
        if frame is None:
            self._end("error", error="stream-truncated", message="the stream ended without a terminal frame")
            return
        meaning = getattr(self, "_on_" + str(frame.get("type")), None) if isinstance(frame, dict) else None
        if meaning is not None:  # what nobody knows is skipped
            meaning(frame)

    def abort(self):
        """End the run as aborted, whether or not the runtime says so."""
        if not self.over:
            self._end("aborted")

    def _on_init(self, frame):
        self._bind(frame.get("run"))
        self._emit("status", phase="init")

    def _on_delta(self, frame):
        self._say(frame["text"])

    def _on_reasoning(self, frame):
        if frame["text"]:
            self._emit("text-delta", text=frame["text"], channel="reasoning")

    def _on_message(self, frame):
        """A whole message: only what is new in it is said."""
        if frame["text"].startswith(self._message):
            self._say(frame["text"].removeprefix(self._message))
        else:
            self._emit("status", phase="running", detail="text-restarted")
            self._message = ""
            self._say(frame["text"])
        self._last, self._message = frame["text"], ""

    def _on_call(self, frame):
        call = frame["id"] or f"call-{uuid.uuid4().hex}"
        if call not in self._calls:
            self._calls[call] = self._open[call] = frame["name"]
            self._emit("tool-call", toolCallId=call, name=frame["name"], input=frame["input"], partial=False)

    def _on_result(self, frame):
        if frame["id"] in self._open:
            self._result(frame["id"], frame["out"], frame["error"])

    def _on_usage(self, frame):
        spent = self._spent(frame["usage"])
        if not any(spent.values()):
            return
        usage = {"inputTokens": spent["in"], "outputTokens": spent["out"]}
        if "cache_read" in frame["usage"]:
            usage["cachedInputTokens"] = spent["cache_read"]
        cost = spent["cost"] if "cost" in frame["usage"] else None
        so_far = self._usage or {}
        self._usage = {key: usage.get(key, 0) + so_far.get(key, 0) for key in {**so_far, **usage}}
        if cost is not None:
            self._cost = (self._cost or 0) + cost
        self._emit("cost", costUsd=cost, usage=usage, model=None)

    def _on_turn(self, frame):
        if frame["state"] in ("thinking", "running", "turn-complete"):
            self._emit("status", phase=frame["state"])

    def _on_error(self, frame):
        if frame["fatal"]:
            self._end("error", error=frame["code"] or "runtime-error", message=frame["message"])
        else:
            self._emit("error", code=frame["code"], message=frame["message"], fatal=False)

    def _on_end(self, frame):
        reason, text = frame["reason"], frame.get("text", "")
        if frame.get("error"):  # the flag beats the label
            self._end("error", error="runtime-error", message=text or "the runtime reported a failure")
        elif reason == "ok":
            if text.startswith(self._said):
                self._say(text.removeprefix(self._said))
            self._end("success", text)
        elif reason in ("aborted", "max_turns"):
            self._end(reason, text)
        else:
            self._end("error", error="token-limit", message="the answer was cut")

    def _say(self, text):
        if text:
            self._said, self._message = self._said + text, self._message + text
            self._last = self._message
            self._emit("text-delta", text=text)

    def _spent(self, usage):
        """What a usage frame adds: all of it, or for a running total what is new to its session."""
        count = {key: usage.get(key, 0) for key in ("in", "out", "cache_read", "cost")}
        kind = usage.get("kind", "turn")
        if kind == "last":
            count.update({"in": usage.get("total_in", 0), "out": usage.get("total_out", 0)})
        if kind == "turn":
            return count
        known = self.session.totals
        spent = {key: max(0, n - known.get(key, 0)) for key, n in count.items()}
        self.session.totals = {key: max(n, known.get(key, 0)) for key, n in count.items()}
        return spent

    def _result(self, call, output, failed):
        self._emit("tool-result", toolCallId=call, name=self._open.pop(call), output=output, isError=failed)

    def _end(self, reason, summary="", error=None, message=""):
        if self.aborted:
            reason, error = "aborted", None
        for call in list(self._open):
            self._result(call, "", True)
        if error is not None:
            self._emit("error", code=error, message=message, fatal=True)
        summary = summary or (self._said if reason in ("aborted", "max_turns") else self._last)
        restated = {} if self._usage is None else {"usage": self._usage, "costUsd": self._cost}
        self._emit("done", reason=reason, summary=summary, **restated)
        self.over = True
        self.session.live = None
        for observer in self.observers:
            observer.wake()
        self.observers.clear()

    def _bind(self, run=None):
        """Name the run, once. What waited for the name is delivered."""
        if self.handle.run_id is None:
            self.handle.run_id = run or f"run-{uuid.uuid4().hex}"
        waited, self._unnamed = self._unnamed, []
        for event in waited:
            self._deliver(event)

    def _emit(self, kind, **fields):
        event = {"sessionId": self.handle.session_key, "ts": int(time.time() * 1000), "kind": kind, **fields}
        if self.handle.run_id is not None:
            self._deliver(event)
            return
        if not self._unnamed:
            asyncio.get_running_loop().call_later(NAMING, self._bind)
        self._unnamed.append(event)
        if kind == "done" or len(self._unnamed) > DROPPABLE:
            self._bind()

    def _deliver(self, event):
        event = {"runId": self.handle.run_id, **event}
        self.log.put(event)
        for observer in self.observers:
            observer.put(event)


@dataclasses.dataclass(eq=False)
class Handle:
    adapter_id: str
    session_key: str
    run_id: str | None = None


class Adapter:
    """Drives the runtime. A session with a live run refuses a second one."""

    id = "python-example"
    participant_kind = "agent"
    run_type = LiveRun

    def __init__(self, runtime):
        self._runtime = runtime
        self._sessions = {}
        self._runs = {}  # handle: run; those that are live, and those that nobody has watched yet
        self._disposed = False

    def capabilities(self):
        return {
            "streaming": True, "mcp": False, "worktrees": False, "resume": False, "toolApproval": False,
            "models": ["example-small", "example-large"], "steerable": True, "runtimeClass": "native",
        }  # fmt: skip

    async def health(self):
        try:
            async with asyncio.timeout(1):
                await self._runtime.ping()
        except (OSError, TimeoutError):
            return {"ok": False, "message": "the runtime cannot be reached"}
        return {"ok": True}

    async def start(self, task, opts):
        if self._disposed:
            raise Failure("disposed", "the adapter was disposed of")
        session = self._sessions.setdefault(opts.session_key, Session())
        if session.live is not None:
            raise Failure("busy", "the session has a live run")
        handle = Handle(self.id, opts.session_key)
        live = session.live = self.run_type(handle, session)  # taken from here on, also while the runtime answers
        message = f"{opts.context}\n\n{opts.message}" if opts.context else opts.message
        params = {"message": message, "model": opts.model, "blocklist": opts.child_tool_blocklist, "agent": opts.agent_id}
        try:
            await self._runtime.open(opts.session_key, params, live.frame)
        except BaseException:
            session.live = None
            raise
        self._runs = {h: known for h, known in self._runs.items() if not (known.over and known.observed)}
        self._runs[handle] = live
        return handle

    def events(self, run):
        live = self._runs.get(run)
        if live is None or (live.over and live.observed):
            return Observer(None, Mailbox())
        if live.over:  # this is its first and its last observer
            del self._runs[run]
            return Observer(live, live.log)
        observer = Observer(live, live.log.copy())
        live.observers.add(observer)
        live.observed = True
        return observer

    async def abort(self, run):
        live = self._find(run)
        if live is None or live.over or live.aborted:
            return
        live.aborted = True
        asyncio.get_running_loop().call_later(GRACE, live.abort)
        try:
            await self._runtime.tell("cancel", run.session_key, {})
        except OSError:
            live.abort()

    async def set_model(self, run, model):
        self._find(run)
        await self._runtime.tell("setModel", run.session_key, {"model": model})

    async def write_context(self, run, key, value):
        self._find(run)
        path = PurePosixPath(key)
        if path.is_absolute() or ".." in path.parts or "\\" in key or "\0" in key:
            raise Failure("invalid-key", "the key leads out of its place")
        await self._runtime.tell("writeContext", run.session_key, {"key": key, "value": value})

    async def dispose(self):
        self._disposed = True
        for run in list(self._runs):
            await self.abort(run)
        for live in list(self._runs.values()):
            live.abort()
        self._runs.clear()

    def _find(self, run):
        """The run of a handle, None if it is over and forgotten. A stranger's handle is an error."""
        if run.session_key not in self._sessions:
            raise Failure("unknown-run", "unknown run")
        return self._runs.get(run)


class Frames:
    """Frames of the fake runtime's wire."""

    def delta(self, text):
        return {"type": "delta", "text": text}

    def tool_call(self, name, input, id):
        return {"type": "call", "id": id, "name": name, "input": input}

    def final(self, summary):
        return self.end("ok", summary)

    def aborted(self):
        return self.end("aborted")

    def error(self, message, *, code=None, fatal=True):
        return {"type": "error", "message": message, "code": code, "fatal": fatal}

    # Five are enough. The rest lets the suite see more.

    def init(self, run_id, native_session):
        return {"type": "init", "run": run_id, "session": native_session}

    def reasoning(self, text):
        return {"type": "reasoning", "text": text}

    def message(self, text):
        return {"type": "message", "text": text}

    def tool_result(self, id, output, is_error):
        return {"type": "result", "id": id, "out": output, "error": is_error}

    def usage(self, numbers):
        return {"type": "usage", "usage": numbers}

    def end(self, reason, text="", error=False):
        return {"type": "end", "reason": reason, "text": text, "error": error}

    def turn(self, state):
        return {"type": "turn", "state": state}

    def unknown(self, type, fields):
        return {**fields, "type": "x-" + type}

    def malformed(self, line):
        return line


class Harness:
    """What the suite drives."""

    name = "python-executor-ok"
    frames = Frames()
    features = ["steer"]
    faults = ["silent", "refuse", "down", "cut", "hold", "deaf"]
    declares = {"second_start": "refuses", "queue": "drop", "blocklist": "delivered"}

    def __init__(self):
        self._runtime = FakeRuntime()

    def make_adapter(self):
        return Adapter(self._runtime)

    async def start(self, adapter, task, opts):
        return await adapter.start(task, opts)

    def emit(self, frame, session=None, run=None):
        self._runtime.say(session or self._runtime.latest, frame)

    def fault(self, name, args):
        self._runtime.fault(name, args.get("session") or self._runtime.latest)

    def recorded_calls(self):
        return self._runtime.calls


subject = Harness
