"""The subject: initialize, the life of instances, and which instance a request is for."""

from __future__ import annotations

import asyncio
from typing import Any, BinaryIO

from . import calls
from .executor import Executor
from .fields import member
from .history import History
from .hostile import Unsupported
from .loading import Subject
from .rpc import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, UNSUPPORTED_VALUE, Peer, RpcError
from .types import Endpoint

PROTOCOL = "adaptercheck-subject-v1"
_GOODBYE = 1.0  # seconds that all instances together have to close when the input has ended


class Server:
    """Serves one subject."""

    def __init__(self, subject: Subject, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._subject = subject
        self._peer = Peer(incoming, outgoing, self._handle)
        self._instances: dict[str, Executor | History] = {}
        self._taken: set[str] = set()
        self._initialized = False

    async def serve(self) -> None:
        """Serve until the input ends, then close what is open."""
        await self._peer.serve()
        if self._instances:
            goodbyes = [asyncio.ensure_future(calls.attempt(i.close)) for i in self._instances.values()]
            await asyncio.wait(goodbyes, timeout=_GOODBYE)

    async def _handle(self, method: str, params: dict[str, Any]) -> Any:
        if method == "initialize":
            return self._initialize()
        if not self._initialized:
            raise RpcError(INVALID_REQUEST, "initialize comes first")
        if method == "instance/create":
            return await self._create(params)
        instance = self._instances.get(_name(params))
        if instance is None:
            raise RpcError(INVALID_PARAMS, f"unknown instance {params.get('instance')!r}")
        if method == "instance/close":
            del self._instances[_name(params)]
            _, rejected = await calls.attempt(instance.close)
            return {} if rejected is None else {"rejected": rejected}
        handler = instance.method(method)
        if handler is None:
            raise RpcError(METHOD_NOT_FOUND, f"unknown method {method}")
        try:
            return await handler(params)
        except Unsupported as e:
            raise RpcError(UNSUPPORTED_VALUE, f"unsupported value: {e}") from None

    def _initialize(self) -> Any:
        if self._initialized:
            raise RpcError(INVALID_REQUEST, "initialize comes once")
        self._initialized = True
        # The suite judges the version: it is told ours, whatever it asked for.
        return {"protocol": PROTOCOL, **self._subject.describe()}

    async def _create(self, params: dict[str, Any]) -> Any:
        name, contract = _name(params), params.get("contract")
        if name in self._taken:
            raise RpcError(INVALID_PARAMS, f"instance {name!r} exists")
        if contract not in self._subject.describe()["contracts"]:
            raise RpcError(INVALID_PARAMS, f"the subject does not implement {contract!r}")
        self._taken.add(name)
        made, rejected = await calls.attempt(lambda: self._make(name, params))
        if rejected is not None:
            self._taken.discard(name)
            return {"rejected": rejected}
        self._instances[name] = made
        return made.describe()

    async def _make(self, name: str, params: dict[str, Any]) -> Executor | History:
        source = self._subject.take()
        if self._subject.kind == "history":
            fixture = params.get("fixture")
            return await History.create(source, name, fixture if isinstance(fixture, dict) else {}, self._peer.request)
        if self._subject.kind == "wire":
            return Executor(await calls.settled(member(source, "make_adapter")(Endpoint.read(params.get("endpoint")))))
        return Executor(await calls.settled(member(source, "make_adapter")()), source)


def _name(params: dict[str, Any]) -> str:
    name = params.get("instance")
    if not isinstance(name, str):
        raise RpcError(INVALID_PARAMS, "instance is not a string")
    return name
