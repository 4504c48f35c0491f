"""Blocking calls beside the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def in_thread(function: Callable[[], T], name: str = "adapter") -> asyncio.Future[T]:
    """Run a function in a thread of its own and give a future of what becomes of it.

    The thread is a daemon: one that never returns does not keep the process alive. Cancelling the future abandons the thread.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(value: T | None, failure: BaseException | None) -> None:
        if future.done():
            return
        if failure is None:
            future.set_result(value)  # type: ignore[arg-type]
        elif isinstance(failure, StopIteration):  # which a future cannot hold
            future.set_exception(StopAsyncIteration())
        else:
            future.set_exception(failure)

    def run() -> None:
        value, failure = None, None
        try:
            value = function()
        except BaseException as e:  # whatever it is, somebody waits for it
            failure = e
        try:
            loop.call_soon_threadsafe(settle, value, failure)
        except RuntimeError:  # the loop is closed: nobody waits any more
            pass

    threading.Thread(target=run, name=name, daemon=True).start()
    return future
