"""Reading lines of any length without blocking the event loop."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from typing import BinaryIO

CHUNK = 1 << 20

Take = Callable[[bytes], None]
End = Callable[[], object]


async def read(file: BinaryIO, take: Take, end: End) -> None:
    """Begin to read: `take` gets each line on the event loop, the last one also without its LF, and `end` follows.

    A pipe is read by the loop itself; what a loop cannot watch, such as a file, or a pipe on Windows, by a thread.
    """
    loop = asyncio.get_running_loop()
    splitter = Splitter(take, end)
    if sys.platform != "win32":
        try:
            await loop.connect_read_pipe(lambda: splitter, file)
            return
        except (ValueError, OSError):
            pass  # a regular file
    threading.Thread(target=_pump, args=(file, splitter, loop), name="rpc-reader", daemon=True).start()


class Splitter(asyncio.Protocol):
    """Splits what comes into lines. A long line is searched once, however many pieces it comes in."""

    def __init__(self, take: Take, end: End) -> None:
        self._take, self._end = take, end
        self._pieces: list[bytes] = []

    def data_received(self, data: bytes) -> None:
        first, *more = data.split(b"\n")
        self._pieces.append(first)
        for piece in more:
            self._flush()
            self._pieces.append(piece)

    def eof_received(self) -> None:
        self._finish()

    def connection_lost(self, exc: Exception | None) -> None:
        self._finish()

    def _finish(self) -> None:
        if any(self._pieces):
            self._flush()
        self._end()

    def _flush(self) -> None:
        line, self._pieces = b"".join(self._pieces), []
        self._take(line)


def _pump(file: BinaryIO, splitter: Splitter, loop: asyncio.AbstractEventLoop) -> None:
    read_some = getattr(file, "read1", file.read)
    try:
        while data := read_some(CHUNK):
            loop.call_soon_threadsafe(splitter.data_received, data)
        loop.call_soon_threadsafe(splitter.eof_received)
    except (OSError, ValueError, RuntimeError):  # closed under our feet, the file or the loop
        pass
