"""An adapter of the executor contract to start from, with a fake of its runtime.

    adaptercheck run

Put your adapter in the place of Adapter and Run, and the fake that your own tests use in
the place of FakeRuntime. The class at the end is what adaptercheck drives: five frames
are enough; each further one, listed in the README of the bridge, lets it see more.
"""

import asyncio
import collections
import dataclasses
import re
import time
import uuid

GRACE = 0.3  # how long a cancelled run may go on, in seconds
BOUND = 1000  # how many events wait for an observer that does not read


class Failure(Exception):
    """An error with a code that hosts know."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class FakeRuntime:
    """The runtime: it says frames to whoever runs, and keeps what reached it."""

    def __init__(self):
        self.calls = []
        self.run = None

    def tell(self, method, **params):
        self.calls.append({"method": method, "params": params})

    def say(self, frame):
        if self.run is not None:
            self.run.frame(frame)


@dataclasses.dataclass(eq=False)
class Handle:
    adapter_id: str
    session_key: str
    run_id: str | None = None


class Adapter:
    """Drives the runtime, one run at a time."""

    id = "my-adapter"
    participant_kind = "agent"

    def __init__(self, runtime):
        self._runtime = runtime

    def capabilities(self):
        return {"streaming": True, "mcp": False, "worktrees": False, "resume": False, "toolApproval": False, "models": []}

    async def health(self):
        return {"ok": True}

    async def start(self, task, opts):
        if self._runtime.run is not None and not self._runtime.run.over:
            raise Failure("busy", "there is a live run")
        run = self._runtime.run = Run(Handle(self.id, opts.session_key))
        message = f"{opts.context}\n\n{opts.message}" if opts.context else opts.message
        self._runtime.tell("start", sessionKey=opts.session_key, message=message)
        return run.handle

    def events(self, handle):
        run = self._find(handle)
        return run.observe() if run else Stream().end()

    async def abort(self, handle):
        run = self._find(handle)
        if run is None or run.over or run.aborted:
            return
        self._runtime.tell("cancel", sessionKey=handle.session_key)
        run.abort()

    async def set_model(self, handle, model):
        self._runtime.tell("setModel", sessionKey=handle.session_key, model=model)

    async def write_context(self, handle, key, value):
        if re.search(r"(^|[\\/])\.\.([\\/]|$)|^[\\/]", key):
            raise Failure("invalid-key", "the key leads out of its place")
        self._runtime.tell("writeContext", sessionKey=handle.session_key, key=key, value=value)

    def _find(self, handle):
        run = self._runtime.run
        return run if run is not None and run.handle is handle else None


class Run:
    """One run: what its frames mean, and who watches."""

    def __init__(self, handle):
        self.handle = handle
        self.over = self.aborted = self._observed = False
        self._id = f"run-{uuid.uuid4().hex}"
        self._text = ""
        self._calls = []
        self._seq = 0
        self._log = collections.deque()
        self._streams = set()

    def frame(self, frame):
        match frame:
            case _ if self.over:
                pass
            case {"type": "delta", "text": text}:
                self._text += text
                self._emit("text-delta", text=text)
            case {"type": "tool", "name": name, "input": given}:
                call = {"toolCallId": f"call-{len(self._calls) + 1}", "name": name}
                self._calls.append(call)
                self._emit("tool-call", **call, input=given, partial=False)
            case {"type": "final", "summary": summary}:
                self._end("success", summary or self._text)
            case {"type": "aborted"}:
                self._end("aborted", self._text)
            case {"type": "error", "message": message}:
                self._end("error", self._text, message)

    def abort(self):
        """End the run, whether or not the runtime heeds."""
        self.aborted = True
        asyncio.get_running_loop().call_later(GRACE, self._end, "aborted", self._text)

    def observe(self):
        """Subscribe during the call. The first observer gets the run from its start."""
        stream = Stream(self._streams.discard)
        if not (self.over and self._observed):
            for event in self._log:
                stream.push(event)
        self._observed = True
        if self.over:
            return stream.end()
        self._streams.add(stream)
        return stream

    def _end(self, reason, summary, failure=None):
        if self.over:
            return
        for call in self._calls:
            self._emit("tool-result", **call, output="", isError=True)
        if failure is not None and not self.aborted:
            self._emit("error", code=None, message=failure, fatal=True)
        self._emit("done", reason="aborted" if self.aborted else reason, summary=summary)
        self.over = True
        for stream in self._streams:
            stream.end()

    def _emit(self, kind, **fields):
        self.handle.run_id = self._id
        self._seq += 1
        head = {"runId": self._id, "sessionId": self.handle.session_key, "ts": int(time.time() * 1000), "seq": self._seq}
        event = {**head, "kind": kind, **fields}
        hold(self._log, event)
        for stream in self._streams:
            stream.push(event)


def hold(events, event):
    """Add an event; where too many wait, the oldest text goes, and nothing else."""
    events.append(event)
    if len(events) > BOUND:
        oldest = next((i for i, e in enumerate(events) if e["kind"] == "text-delta"), None)
        if oldest is not None:
            del events[oldest]


class Stream:
    """What one observer reads."""

    def __init__(self, release=lambda stream: None):
        self._held = collections.deque()
        self._pulls = collections.deque()
        self._ended = False
        self._release = release

    def __aiter__(self):
        return self

    def push(self, event):
        while self._pulls:
            pull = self._pulls.popleft()
            if not pull.done():
                pull.set_result(event)
                return
        hold(self._held, event)

    def end(self):
        self._ended = True
        for pull in self._pulls:
            if not pull.done():
                pull.set_result(None)
        return self

    async def __anext__(self):
        event = self._held.popleft() if self._held else None
        if event is None and not self._ended:
            pull = asyncio.get_running_loop().create_future()
            self._pulls.append(pull)
            event = await pull
        if event is None:
            raise StopAsyncIteration
        return event

    async def aclose(self):
        self._release(self)
        self._held.clear()
        self.end()


class Subject:
    """What adaptercheck drives: called anew for each check."""

    name = "my-adapter"
    declares = {"second_start": "refuses", "queue": "drop"}

    class frames:
        @staticmethod
        def delta(text):
            return {"type": "delta", "text": text}

        @staticmethod
        def tool_call(name, input):
            return {"type": "tool", "name": name, "input": input}

        @staticmethod
        def final(summary):
            return {"type": "final", "summary": summary}

        @staticmethod
        def aborted():
            return {"type": "aborted"}

        @staticmethod
        def error(message):
            return {"type": "error", "message": message}

    def __init__(self):
        self._runtime = FakeRuntime()

    def make_adapter(self):
        return Adapter(self._runtime)

    def emit(self, frame):
        self._runtime.say(frame)

    def recorded_calls(self):
        return self._runtime.calls


subject = Subject
