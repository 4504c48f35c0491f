"""JSON-RPC 2.0 over lines: requests of the suite are served, and requests of our own are sent back to it.

Lines have any length. Requests overlap: each runs as a task of its own and is answered when it is done.
"""

from __future__ import annotations

import asyncio
import json
import sys
import traceback
from collections.abc import Awaitable, Callable
from typing import Any, BinaryIO

from . import lines, raw, stdio

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UNSUPPORTED_VALUE = -32004


class RpcError(Exception):
    """What the subject answers when it could not do what was asked; also what a call-back fails with."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


_LAST_ANSWERS = 0.1  # seconds

Handler = Callable[[str, dict[str, Any]], Awaitable[Any]]


class Peer:
    """One end of the line. It serves until its input ends."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO, handler: Handler) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._handler = handler
        self._tasks: set[asyncio.Task[None]] = set()
        self._asked: dict[str, asyncio.Future[Any]] = {}
        self._ids = 0
        self._broken = False

    async def serve(self) -> None:
        """Answer requests until the input ends; then drop those that are not answered in a moment."""
        ended = asyncio.get_running_loop().create_future()
        await lines.read(self._incoming, self._take, lambda: ended.done() or ended.set_result(None))
        await ended
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=_LAST_ANSWERS)
        for task in set(self._tasks):
            task.cancel()
        for future in self._asked.values():
            future.cancel()

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """Ask the suite. Raises RpcError if it answers with an error."""
        self._ids += 1
        key = f"s{self._ids}"
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._asked[key] = future
        try:
            self._send({"jsonrpc": "2.0", "id": key, "method": method, "params": params})
            return await future
        finally:
            del self._asked[key]

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            self._fail(None, RpcError(PARSE_ERROR, "not a line of JSON"))
            return
        if not isinstance(message, dict):
            self._fail(None, RpcError(INVALID_REQUEST, "a message is one object"))
        elif "method" not in message:
            self._answered(message)
        elif "id" in message:  # what has no id is a notification; the suite has none
            self._begin(message)

    def _begin(self, message: dict[str, Any]) -> None:
        method, params, key = message["method"], message.get("params", {}), message["id"]
        if not isinstance(method, str) or not isinstance(params, dict):
            self._fail(key, RpcError(INVALID_REQUEST, "method is a string and params an object"))
            return
        task = asyncio.create_task(self._answer(key, method, params), name=method)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, key: Any, method: str, params: dict[str, Any]) -> None:
        try:
            result = await self._handler(method, params)
            self._send({"jsonrpc": "2.0", "id": key, "result": result})
        except RpcError as e:
            self._fail(key, e)
        except Exception as e:  # a mistake of the bridge's own
            traceback.print_exc()
            self._fail(key, RpcError(INTERNAL_ERROR, f"{method}: {type(e).__name__}"))

    def _answered(self, message: dict[str, Any]) -> None:
        future = self._asked.get(message["id"]) if isinstance(message.get("id"), str) else None
        if future is None or future.done():
            print("adaptercheck bridge: an answer to nothing", file=sys.stderr)
        elif isinstance(message.get("error"), dict):
            error = message["error"]
            future.set_exception(RpcError(error.get("code", INTERNAL_ERROR), str(error.get("message", ""))))
        else:
            future.set_result(message.get("result"))

    def _fail(self, key: Any, e: RpcError) -> None:
        self._send({"jsonrpc": "2.0", "id": key, "error": {"code": e.code, "message": str(e)}})

    def _send(self, message: dict[str, Any]) -> None:
        if self._broken:
            return
        try:
            stdio.write_all(self._outgoing, raw.line(message))
        except OSError:  # the suite is gone; the end of the input follows
            self._broken = True
