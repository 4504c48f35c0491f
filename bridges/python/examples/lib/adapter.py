"""An adapter of the executor contract for the runtime of runtime.py."""

from __future__ import annotations

import asyncio
import json
import uuid

from .feed import Ended, Feed
from .mapper import Mapper
from .sessions import Failure, Handle, inside, live

GRACE = 0.3  # seconds that a cancelled run has to end by itself
NAMING = 0.1  # seconds that what a run says waits for the runtime to name the run


class Session:
    """What outlives a run."""

    def __init__(self):
        self.native = self.model = self.current = None
        self.totals = {}


class LiveRun:
    """One run on its way from the wire to its observers."""

    def __init__(self, handle, session, mapper):
        self.handle, self.session, self.mapper = handle, session, mapper
        self.feed = Feed(handle)
        self.ended = asyncio.Event()
        self.timers = []
        self._name = f"run-{uuid.uuid4()}"  # for a runtime that does not name its runs
        self._held = []  # events that wait for the run's name

    def frame(self, frame):
        self.publish(self.mapper.frame(frame))

    def publish(self, events):
        first = events and not self._held
        self._held += events
        self.session.native = self.mapper.session or self.session.native
        if self.mapper.run or self.mapper.over:
            self._release()
        elif first:
            self.later(NAMING, self._release)

    def later(self, seconds, act):
        self.timers.append(asyncio.get_running_loop().call_later(seconds, act))

    def _release(self):
        self.mapper.run = self.mapper.run or self._name
        if self.mapper.over:  # the session is free before anybody can see the done
            self.session.current = None
            for timer in self.timers:
                timer.cancel()
        held, self._held = self._held, []
        self.feed.publish(self.mapper.run, self.mapper.session, held)
        if self.mapper.over:
            self.feed.end()
            self.ended.set()


class Adapter:
    """Drives the runtime. A session with a live run refuses a second one."""

    id = "example-runtime"
    participant_kind = "agent"

    def __init__(self, runtime, make_mapper=Mapper):
        self.session_codec = Codec(self)
        self._runtime = runtime
        self._make_mapper = make_mapper
        self._sessions = {}
        self._live = set()
        self._disposed = False

    def capabilities(self):
        return {
            "streaming": True, "mcp": False, "worktrees": False, "resume": True, "toolApproval": False,
            "models": ["example-small", "example-large"], "steerable": True, "contextWindowTokens": 200_000, "runtimeClass": "native",
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
            raise Failure("disposed", "the adapter is disposed")
        session = self.session(opts.session_key)
        if session.current:
            raise Failure("busy", "the session has a live run")
        handle = Handle(self.id, opts.session_key)
        run = session.current = LiveRun(handle, session, self._make_mapper(session.totals))  # taken, also while open waits
        request = {
            "message": f"{opts.context}\n\n{opts.message}" if opts.context else opts.message,
            "model": opts.model or session.model, "agent": opts.agent_id, "resume": session.native, "blocklist": opts.child_tool_blocklist,
        }  # fmt: skip
        try:
            await self._runtime.open(opts.session_key, request, run.frame)
        except BaseException:
            session.current = None
            raise
        handle.live = run
        self._live = {one for one in self._live if not one.mapper.over} | {run}
        return handle

    def events(self, handle):
        run = live(handle)
        return run.feed.subscribe() if run else Ended()

    async def abort(self, handle):
        self._known(handle)
        run = live(handle)
        if run and not run.mapper.over and not run.mapper.aborted:
            await self._abort(run)

    async def set_model(self, handle, model):
        self._known(handle).model = model
        await self._runtime.tell("session.setModel", handle.session_key, {"model": model})

    async def write_context(self, handle, key, value):
        self._known(handle)
        await self._runtime.tell("session.writeContext", handle.session_key, {"key": inside(key), "value": value})

    async def dispose(self):
        self._disposed = True
        runs = [run for run in self._live if not run.mapper.over]
        await asyncio.gather(*map(self._abort, runs), return_exceptions=True)
        await asyncio.gather(*(run.ended.wait() for run in runs))

    def session(self, key):
        return self._sessions.setdefault(key, Session())

    async def _abort(self, run):
        run.mapper.aborted = True
        run.later(GRACE, lambda: run.publish(run.mapper.forced()))
        await self._runtime.cancel(run.handle.session_key)

    def _known(self, handle):
        if handle.session_key not in self._sessions:
            raise Failure("unknown-run", "unknown run")
        return self._sessions[handle.session_key]


class Codec:
    """Writes sessions down and restores them: the native session, and the totals that are billed already."""

    def __init__(self, adapter):
        self._adapter = adapter

    def serialize(self, handle):
        session = self._adapter.session(handle.session_key)
        return json.dumps({"v": 1, "sessionKey": handle.session_key, "session": session.native, "totals": session.totals})

    def restore(self, blob):
        try:
            written = json.loads(blob)
            key, native, totals = written["sessionKey"], written["session"], dict(written["totals"])
            if written["v"] != 1 or not isinstance(key, str) or not key:
                raise ValueError("another version, or no key")
        except (ValueError, TypeError, KeyError):
            raise Failure("invalid-session", "not a session of this adapter") from None
        session = self._adapter.session(key)
        session.native, session.totals = native, totals
        return Handle(self._adapter.id, key)
