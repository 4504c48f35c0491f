"""The history contract: one instance is one adapter over one fixture."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from . import calls, hostile, raw
from .fields import Fields, has, member
from .rpc import INVALID_PARAMS, METHOD_NOT_FOUND, RpcError
from .threads import in_thread
from .types import Fixture, Ports

Ask = Callable[[str, dict[str, Any]], Awaitable[Any]]


class TransportError(Exception):
    """The suite's transport failed, as a provider may."""


@dataclasses.dataclass(eq=False)
class PrivacyRequest(Fields):
    """What `enforce_privacy` is asked."""

    provider: Any = None
    payload: Any = None


@dataclasses.dataclass(eq=False)
class CompletionRequest(Fields):
    """What `complete` is asked."""

    provider: Any = None
    model: Any = None
    payload: Any = None


class History:
    """Serves the methods of the contract for one adapter."""

    def __init__(self, made: Any) -> None:
        self._made = made
        self._adapter = member(made, "adapter")

    @classmethod
    async def create(cls, factory: Any, instance: str, fixture: dict[str, Any], ask: Ask) -> History:
        """Let the factory build an adapter. Raises what the factory raises."""
        back = CallBack(instance, ask)
        given = Fixture.read({k: v for k, v in fixture.items() if k != "ports"})
        names = fixture.get("ports") or []
        given.ports = Ports(
            embedding=GivenEmbedding(back, fixture.get("embedding") or {}) if "embedding" in names else None,
            local_kv=GivenLocalKV(back) if "local-kv" in names else None,
            idle_local_kv=GivenLocalKV(back) if "local-kv-idle" in names else None,
        )
        return cls(await calls.settled(member(factory, "create")(given, back.transport)))

    def describe(self) -> dict[str, Any]:
        """What the adapter is and where its history lies."""
        out: dict[str, Any] = {}
        try:
            out["identity"] = raw.encode(member(self._adapter, "identity"))
        except AttributeError:
            pass  # undefined: the key is left out
        except Exception:
            out["identity"] = raw.token("throws")
        for key, name in (("expectedProjectRoot", "expected_project_root"), ("historyFile", "history_file")):
            if has(self._made, name):
                value = member(self._made, name)
                out[key] = raw.encode(value.__fspath__() if hasattr(value, "__fspath__") else value)
        out["append"] = has(self._made, "append")
        parts = (("embedding", "embedding_port"), ("local-kv-diagnostics", "local_kv_diagnostics"))
        out["parts"] = [part for part, name in parts if has(self._adapter, name)]
        return out

    async def close(self) -> None:
        """Let the factory clean up."""
        if has(self._made, "cleanup"):
            await calls.settled(member(self._made, "cleanup")())

    def method(self, name: str) -> Callable[[dict[str, Any]], Any] | None:
        """The handler for a method, or None."""
        return getattr(self, "_" + name.removeprefix("history/").lower(), None) if name in METHODS else None

    async def _declarations(self, _: dict[str, Any]) -> Any:
        return calls.plainly(lambda: member(self._adapter, "capability_declarations")())

    async def _negotiate(self, p: dict[str, Any]) -> Any:
        return calls.plainly(lambda: member(self._adapter, "negotiate_capabilities")(p.get("requested", [])))

    async def _diagnostics(self, _: dict[str, Any]) -> Any:
        return calls.plainly(lambda: member(self._adapter, "diagnostics")())

    async def _snapshot(self, _: dict[str, Any]) -> Any:
        return await calls.value(lambda: member(self._adapter, "snapshot_history")())

    async def _rebuild(self, _: dict[str, Any]) -> Any:
        return await calls.value(lambda: member(self._adapter, "rebuild_derived_state")())

    async def _model(self, _: dict[str, Any]) -> Any:
        return await calls.value(lambda: member(self._adapter, "current_model")())

    async def _root(self, _: dict[str, Any]) -> Any:
        return await calls.value(lambda: member(self._adapter, "trusted_project_root")())

    async def _enforceprivacy(self, p: dict[str, Any]) -> Any:
        request = PrivacyRequest(p.get("provider"), hostile.decode(p.get("payload")))
        return await calls.value(lambda: member(self._adapter, "enforce_privacy")(request))

    async def _complete(self, p: dict[str, Any]) -> Any:
        request = CompletionRequest(p.get("provider"), p.get("model"), hostile.decode(p.get("payload")))
        return await calls.value(lambda: _beside(member(self._adapter, "complete"), request))

    async def _append(self, p: dict[str, Any]) -> Any:
        if not has(self._made, "append"):
            raise RpcError(METHOD_NOT_FOUND, "the subject has no append")
        if not isinstance(p.get("message"), dict):
            raise RpcError(INVALID_PARAMS, "message is not an object")
        return await calls.nothing(lambda: member(self._made, "append")(p["message"]))

    async def _shutdown(self, _: dict[str, Any]) -> Any:
        return await calls.nothing(lambda: _beside(member(self._adapter, "shutdown")))

    async def _embeddingidentity(self, _: dict[str, Any]) -> Any:
        port = self._part("embedding_port")
        return calls.plainly(lambda: member(port, "identity"))

    async def _embed(self, p: dict[str, Any]) -> Any:
        port, texts = self._part("embedding_port"), p.get("texts", [])
        return await calls.value(lambda: _beside(member(port, "embed"), texts))

    async def _localkvdiagnostics(self, _: dict[str, Any]) -> Any:
        return calls.plainly(self._part("local_kv_diagnostics"))

    def _part(self, name: str) -> Any:
        if not has(self._adapter, name):
            raise RpcError(METHOD_NOT_FOUND, f"the adapter has no {name}")
        return member(self._adapter, name)


METHODS = frozenset(
    "history/declarations history/negotiate history/snapshot history/rebuild history/model history/root "
    "history/enforcePrivacy history/complete history/diagnostics history/append history/shutdown "
    "history/embeddingIdentity history/embed history/localKvDiagnostics".split()
)


class CallBack:
    """What an adapter may ask the suite. On the event loop a call gives something to await; in a thread it blocks."""

    def __init__(self, instance: str, ask: Ask) -> None:
        self._instance = instance
        self._ask = ask
        self._loop = asyncio.get_running_loop()

    def transport(self, request: Any = None, **named: Any) -> Any:
        """Carry a completion. What is sent is read off the request now, and nothing that is done to it later is sent."""
        params = {}
        for key in ("provider", "model", "destination", "payload"):
            params[key] = raw.encode(named[key] if key in named else member(request, key, None))
        return self.call("transport/complete", params)

    def call(self, method: str, params: dict[str, Any], read: Callable[[Any], Any] = lambda result: result) -> Any:
        async def carry() -> Any:
            try:
                return read(await self._ask(method, {"instance": self._instance, **params}))
            except RpcError as e:
                raise TransportError(str(e)) from None

        try:
            here = asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run_coroutine_threadsafe(carry(), self._loop).result()
        if here is self._loop:
            return carry()
        return asyncio.wrap_future(asyncio.run_coroutine_threadsafe(carry(), self._loop))


class GivenEmbedding:
    """The suite's embedding port."""

    def __init__(self, back: CallBack, identity: dict[str, Any]) -> None:
        self._back = back
        self.identity = identity

    def embed(self, texts: Any) -> Any:
        """One vector per text."""
        return self._back.call("port/embed", {"texts": raw.encode(list(texts))}, lambda result: result["vectors"])


class GivenLocalKV:
    """The suite's local KV port."""

    def __init__(self, back: CallBack) -> None:
        self._back = back

    def try_reuse(self, request: Any) -> Any:
        """Ask for what the port holds of the request's prefix."""
        return self._back.call("port/tryReuse", {"request": raw.encode(request)})

    def full_replay(self, request: Any) -> Any:
        """Let the port run the whole request."""
        return self._back.call("port/fullReplay", {"request": raw.encode(request)})

    def shutdown(self) -> Any:
        """Release the port."""
        return self._back.call("port/shutdown", {})


async def _beside(function: Callable[..., Any], *args: Any) -> Any:
    """Call what may use a call-back: a coroutine function on the loop, a plain one in a thread, as it blocks on it."""
    if inspect.iscoroutinefunction(function):
        return await function(*args)
    return await calls.settled(await in_thread(lambda: function(*args)))
