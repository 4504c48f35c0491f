"""A small agent runtime in this process, as a fake of a real one. It says what it is told to, and keeps what arrived."""

from __future__ import annotations


class FakeRuntime:
    """Its wire is a function that is called with each frame, and with None when the wire ends."""

    def __init__(self):
        self.calls = []
        self._down = False
        self._refusals = 0
        self._wires = {}  # session: the wire of its latest run
        self._deaf, self._silent = set(), set()
        self._latest = None

    # What the adapter does.

    async def ping(self):
        if self._down:
            raise ConnectionError("the runtime is down")

    async def open(self, session, request, wire):
        """Begin a run."""
        await self.ping()
        if self._refusals:
            self._refusals -= 1
            raise ConnectionError("the runtime refused the start")
        self._record("run.start", session, request)
        self._wires[session] = wire
        self._deaf.discard(session)
        self._silent.discard(session)
        self._latest = session

    async def cancel(self, session):
        await self.ping()
        self._record("run.cancel", session, {})
        if session not in self._deaf:
            self.say({"type": "end", "reason": "aborted"}, session)

    async def tell(self, method, session, params):
        await self.ping()
        self._record(method, session, params)

    # What a test does.

    def say(self, frame, session=None):
        """Let a session's run say a frame."""
        session = session or self._latest
        if session in self._wires and session not in self._silent:
            self._wires[session](frame)

    def fault(self, name, session=None):
        """Misbehave. False: there is no such fault."""
        session = session or self._latest
        if name == "down":
            self._down = True
        elif name == "refuse":
            self._refusals += 1
        elif name == "cut":
            self.say(None, session)
        elif name in ("silent", "deaf", "hold"):
            self._deaf.add(session)
            if name == "silent":
                self._silent.add(session)
        else:
            return False
        return True

    def _record(self, method, session, params):
        self.calls.append({"method": method, "params": {"session": session, **params}})
