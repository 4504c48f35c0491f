"""The events of one run, for any number of observers.

The first observer gets the run from its start, also when it is over by then; later ones as long as it is live.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import deque

DROPPABLE = 1000  # text deltas and status held for an observer that does not read
HARD = 10 * DROPPABLE  # everything else that is held


class Mailbox:
    """What is held for one observer. Text and status beyond the bound are dropped, the oldest first; nothing else is."""

    def __init__(self):
        self.light, self.heavy = deque(), deque()
        self.overflowed = False

    def put(self, event):
        if self.overflowed:
            return
        if event["kind"] in ("text-delta", "status"):
            self.light.append(event)
            if len(self.light) > DROPPABLE:
                self.light.popleft()
            return
        self.heavy.append(event)
        if len(self.heavy) > HARD:
            self._overflow(event)

    def take(self):
        """The oldest event, None if there is none."""
        held = [queue for queue in (self.light, self.heavy) if queue]
        return min(held, key=lambda queue: queue[0]["seq"]).popleft() if held else None

    def copy(self):
        other = Mailbox()
        other.light, other.heavy, other.overflowed = self.light.copy(), self.heavy.copy(), self.overflowed
        return other

    def _overflow(self, last):
        """The observer fell too far behind: its stream ends here, and says why."""
        self.overflowed = True
        head = {key: last[key] for key in ("runId", "sessionId", "ts")}
        message = "the observer fell too far behind"
        error = {"kind": "error", "code": "queue-overflow", "message": message, "fatal": True}
        self.heavy.append({**head, "seq": last["seq"] + 1, **error})
        self.heavy.append({**head, "seq": last["seq"] + 2, "kind": "done", "reason": "error", "summary": ""})


class Feed:
    """Hands the events of a run to its observers, numbered and with the time of now."""

    def __init__(self, handle):
        self.handle = handle
        self.observers = set()
        self.ended = False
        self._observed = False
        self._log = Mailbox()  # for observers that come later
        self._seq = itertools.count(1)

    def publish(self, run_id, session_id, events):
        for event in events:
            whole = {"runId": run_id, "sessionId": session_id, "ts": int(time.time() * 1000), "seq": next(self._seq), **event}
            for box in [self._log, *(observer.box for observer in self.observers)]:
                box.put(whole)
        self._wake()

    def subscribe(self):
        """An observer from now on; of a run that is over only the first one is given what was."""
        gone = self.ended and self._observed
        self._observed = True
        observer = Observer(self, Mailbox() if gone else self._log.copy())
        if not self.ended:
            self.observers.add(observer)
        return observer

    def end(self):
        """End every stream after what it was given."""
        self.ended = True
        self._wake()
        self.observers.clear()

    def _wake(self):
        for observer in self.observers:
            observer.wake()


class Observer:
    """One stream."""

    def __init__(self, feed, box):
        self.box = box
        self._feed = feed
        self._waiting = set()
        self._closed = False

    def wake(self):
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)

    def __aiter__(self):
        return self

    async def __anext__(self):
        while self._closed or (event := self.box.take()) is None:
            if self._closed or self._feed.ended or self.box.overflowed:
                raise StopAsyncIteration
            waiter = asyncio.get_running_loop().create_future()
            self._waiting.add(waiter)
            try:
                await waiter
            finally:
                self._waiting.discard(waiter)
        handle = self._feed.handle  # bound by the time its first event can be seen, and never again
        handle.run_id = handle.run_id or event["runId"]
        return event

    async def aclose(self):
        self._closed = True
        self._feed.observers.discard(self)
        self.wake()


class Ended:
    """The stream of a run that nobody knows."""

    def __aiter__(self):
        return self

    async def __anext__(self):
        raise StopAsyncIteration
