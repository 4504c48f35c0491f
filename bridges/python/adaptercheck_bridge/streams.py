"""One iteration over the events of a run, pulled one at a time.

`events(run)` may give an asynchronous generator, any other asynchronous iterable, or a plain iterable, whose `next` runs in a
thread as it may wait. A generator refuses to be pulled twice at once, and every consumer in Python waits its turn; so pulls of a
generator wait their turn here. Any other asynchronous iterator gets every pull when it comes.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Iterator
from typing import Any

from .calls import settled
from .threads import in_thread


class Stream:
    """The iteration behind `stream/open`. Nothing is pulled before `next`."""

    def __init__(self, events: Any) -> None:
        if hasattr(type(events), "__aiter__"):
            self._async: AsyncIterator[Any] | None = aiter(events)
            self._plain: Iterator[Any] | None = None
            self._waits = inspect.isasyncgen(self._async)
        elif not inspect.isawaitable(events) and not isinstance(events, (str, bytes)):
            self._async, self._plain, self._waits = None, iter(events), True
        else:
            if inspect.iscoroutine(events):
                events.close()
            raise TypeError(f"events() gave a {type(events).__name__}, which is no iterable of events")
        self._turn = asyncio.Lock()
        self._pulls: dict[asyncio.Task[Any], asyncio.Future[None]] = {}  # each with what is done when the pull is over
        self._closed = False

    async def next(self) -> Any:
        """Make one pull. Raises StopAsyncIteration at the end, and what the adapter raises."""
        if not self._waits:
            return await self._pull()
        async with self._turn:
            return await self._pull()

    async def close(self) -> None:
        """End the iteration as the language does: a consumer that waits is cancelled, then comes `aclose()`.

        The pulls of an iterator that is no generator are its own affair, if it has an `aclose`: they are not cancelled.
        """
        self._closed = True
        end = getattr(self._async if self._plain is None else self._plain, "aclose" if self._plain is None else "close", None)
        busy = bool(self._pulls)
        if self._waits or end is None:
            await self._drop()
        if self._plain is not None:
            if end is not None and not busy:  # a generator that runs in a thread cannot be closed
                await in_thread(end, "events")
        elif end is not None:
            await settled(end())

    async def _pull(self) -> Any:
        if self._closed and (self._plain is not None or not hasattr(self._async, "aclose")):
            raise StopAsyncIteration  # nobody iterates any more, and nothing could tell the iterator
        task = asyncio.current_task()
        assert task is not None
        over = self._pulls[task] = asyncio.get_running_loop().create_future()
        try:
            return await self._step()
        except asyncio.CancelledError:
            if self._closed and task.cancelling() and task in self._pulls:
                task.uncancel()
                raise StopAsyncIteration from None
            raise
        finally:
            del self._pulls[task]
            over.set_result(None)

    def _step(self) -> Awaitable[Any]:
        if self._plain is not None:
            plain = self._plain
            return in_thread(lambda: next(plain), "events")
        assert self._async is not None
        return anext(self._async)

    async def _drop(self) -> None:
        pulls = dict(self._pulls)
        for pull in pulls:
            pull.cancel()
        if pulls:
            await asyncio.wait(pulls.values())
