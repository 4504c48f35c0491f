"""What an author writes, as types: the executor adapter and its harness, the wire factory, the history factory.

Everything is structural: nothing has to inherit from anything here. Names are in snake_case; where a member takes or gives a
record of the wire (an event, capabilities, a snapshot), that record is a dict with the names of the wire, in camelCase.
Members marked "or plain" may be coroutine functions or plain ones; a plain one is called on the event loop and should not block.
"""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from .fields import Fields, camel

Event = Mapping[str, Any]
"""One event as on the wire: `{"kind": "text-delta", "runId": …, "sessionId": …, "ts": …, "seq": …, "text": …}`."""


def _read(cls: type[Any], value: Any) -> Any:
    """Make a record of the wire's object. What is absent has the field's default; unknown members are left out."""
    source = value if isinstance(value, dict) else {}
    return cls(**{f.name: source[camel(f.name)] for f in dataclasses.fields(cls) if camel(f.name) in source})


@dataclasses.dataclass(eq=False)
class Task(Fields):
    """What a run is for. Both ids may be None."""

    task_id: str | None = None
    team_id: str | None = None

    @classmethod
    def read(cls, value: Any) -> Task:
        return _read(cls, value)  # type: ignore[no-any-return]


@dataclasses.dataclass(eq=False)
class StartOptions(Fields):
    """What a host asks for when it starts a run. Read as `opts.session_key` or as `opts["sessionKey"]`."""

    agent_id: str = ""
    session_key: str = ""
    message: str = ""
    model: str | None = None
    context: str | None = None
    child_tool_blocklist: list[str] = dataclasses.field(default_factory=list)

    @classmethod
    def read(cls, value: Any) -> StartOptions:
        return _read(cls, value)  # type: ignore[no-any-return]


@dataclasses.dataclass(eq=False)
class StrangerHandle(Fields):
    """A handle that the adapter never gave out."""

    adapter_id: str = ""
    session_key: str = ""
    run_id: str | None = None

    @classmethod
    def read(cls, value: Any) -> StrangerHandle:
        return _read(cls, value)  # type: ignore[no-any-return]


@dataclasses.dataclass(eq=False)
class Endpoint(Fields):
    """How to reach the suite's fake runtime in wire mode. Fields that a wire does not have are empty."""

    command: list[str] = dataclasses.field(default_factory=list)
    url: str = ""
    env: list[str] = dataclasses.field(default_factory=list)
    dir: str = ""

    @classmethod
    def read(cls, value: Any) -> Endpoint:
        return _read(cls, value)  # type: ignore[no-any-return]


class RunHandle(Protocol):
    """The handle of a run, the adapter's own object. A dict with the wire's names is as good.

    The adapter sets `run_id` when the runtime has named the run; until then it is None.
    """

    adapter_id: str
    session_key: str
    run_id: str | None


class SessionCodec(Protocol):
    """Writes sessions down and restores them in a later process. Or plain."""

    async def serialize(self, run: Any) -> str: ...

    async def restore(self, blob: str) -> Any: ...


class ExecutorAdapter(Protocol):
    """An adapter of the executor contract. It may also have `session_codec`, `dispose()` and `approve(run, id, allow)`."""

    @property
    def id(self) -> str: ...

    @property
    def participant_kind(self) -> str:
        """`agent` or `human`."""
        ...

    def capabilities(self) -> Mapping[str, Any]:
        """Static, and not a coroutine."""
        ...

    async def health(self) -> Mapping[str, Any]:
        """`{"ok": …, "message"?: …}`. Or plain. Never raises."""
        ...

    async def start(self, task: Task, opts: StartOptions) -> Any:
        """Give a RunHandle, or raise. An exception with a string `code` is told with it. Or plain."""
        ...

    def events(self, run: Any) -> AsyncIterable[Event] | Iterable[Event]:
        """Subscribe now, and give the events.

        Not a coroutine. The body of an async generator function does not run before its first pull: subscribe in a plain
        function and return the generator from there.
        """
        ...

    async def abort(self, run: Any) -> None: ...

    async def set_model(self, run: Any, model: str) -> None: ...

    async def write_context(self, run: Any, key: str, value: str) -> None: ...


class Frames(Protocol):
    """Makes native frames of the author's fake. These five are enough.

    More, each optional: `init(run_id, native_session, model)`, `reasoning(text)`, `tool_call(name, input, id)`,
    `tool_result(id, output, is_error, name)`, `usage(numbers)`, `error(message, *, code, fatal)`, `max_turns(summary)`,
    `unknown(type, fields)`, `malformed(line)`; and beyond those `message(text, msg)`, `token_limit(summary)`,
    `failed(message, label)`, `tool_call_part(index, fragment, id, name)`, `snapshot(text, part)`, `turn(state, text)`,
    `ask(id, tool)`, `stderr(text)`.
    Each is called with as many arguments as it takes. One that raises NotImplementedError is not there.
    """

    def delta(self, text: str) -> Any: ...

    def tool_call(self, name: str, input: Any) -> Any: ...

    def final(self, summary: str) -> Any:
        """The whole answer, and the end of the run."""
        ...

    def aborted(self) -> Any: ...

    def error(self, message: str) -> Any:
        """A failure that ends the run."""
        ...


class Harness(Protocol):
    """An adapter with a fake runtime of the author's own.

    More, each optional: `name`, `features` (beside those that follow from the frames), `declares`,
    `start(adapter, task, opts)`, `emit(frame, session=None, run=None, handle=None)`, `fault(name, args)` (a fake with faults
    reacts to a cancel by itself), and `close()`.
    Export a class or a function that makes the harness, so that each check has one of its own.
    """

    frames: Frames

    def make_adapter(self) -> ExecutorAdapter:
        """A fresh adapter over the fake. Or a coroutine function."""
        ...

    async def start(self, adapter: Any) -> Any:
        """Start a run and give its handle. Or plain."""
        ...

    def emit(self, frame: Any) -> None:
        """Let the fake say a frame. It raises nothing if the run is over. Or a coroutine function."""
        ...

    def recorded_calls(self) -> Sequence[Any]:
        """What reached the fake, in order: `{"method": …, "params": …}`."""
        ...


class WireFactory(Protocol):
    """Makes adapters for the suite's own fake. It may also have `name`, `declares` and `features`: what can be seen, if not all."""

    def make_adapter(self, endpoint: Endpoint) -> ExecutorAdapter: ...


Transport = Callable[[Mapping[str, Any]], Awaitable[Any]]
"""Carries a completion: `await transport({"provider": …, "model": …, "destination": …, "payload": …})`.

It raises if the provider failed. In a plain `complete`, `shutdown` or `embed`, which run in a thread, it blocks and gives the answer
itself.
"""


class EmbeddingPort(Protocol):
    """Makes vectors. One that is given in the fixture is called as the transport is: awaited, or blocking in a thread."""

    identity: Mapping[str, Any]
    """`{"provider": …, "model": …, "dimensions": …, "destination": …}`."""

    def embed(self, texts: Sequence[str]) -> Any:
        """One vector per text. Or a coroutine function."""
        ...


class LocalKVPort(Protocol):
    """A local KV port of the suite's, called as the transport is. It raises if it failed."""

    def try_reuse(self, request: Mapping[str, Any]) -> Any: ...

    def full_replay(self, request: Mapping[str, Any]) -> Any: ...

    def shutdown(self) -> Any: ...


@dataclasses.dataclass(eq=False)
class Ports(Fields):
    """The ports that may be called back; None is not given."""

    embedding: EmbeddingPort | None = None
    local_kv: LocalKVPort | None = None
    idle_local_kv: LocalKVPort | None = None
    """To be given to the adapter without being enabled; nobody may call it."""


@dataclasses.dataclass(eq=False)
class Fixture(Fields):
    """What a history adapter is built over."""

    runtime_id: str = ""
    session_id: str = ""
    root: str = ""
    """The project's directory; it may lead through a symbolic link."""
    dir: str = ""
    """An empty directory for the subject's own files."""
    model: Mapping[str, Any] | None = None
    """The model that is selected, in its JSON form, or None."""
    messages: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    """The messages in their JSON form."""
    ports: Ports = dataclasses.field(default_factory=Ports)

    @classmethod
    def read(cls, value: Any) -> Fixture:
        return _read(cls, value)  # type: ignore[no-any-return]


class HistoryAdapter(Protocol):
    """An adapter of the history contract. Requests are records: `request.provider` or `request["provider"]`.

    It may also have `embedding_port`, an EmbeddingPort, and `local_kv_diagnostics()`.
    """

    identity: Mapping[str, Any]

    def capability_declarations(self) -> Sequence[Mapping[str, Any]]: ...

    def negotiate_capabilities(self, requested: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]: ...

    async def snapshot_history(self) -> Mapping[str, Any]: ...

    async def rebuild_derived_state(self) -> Mapping[str, Any]: ...

    async def current_model(self) -> Mapping[str, Any] | None: ...

    async def trusted_project_root(self) -> str: ...

    async def enforce_privacy(self, request: Any) -> Mapping[str, Any]: ...

    async def complete(self, request: Any) -> Mapping[str, Any]: ...

    def diagnostics(self) -> Sequence[Mapping[str, Any]]: ...

    async def shutdown(self) -> None: ...


@runtime_checkable
class HistoryFactory(Protocol):
    """Makes history adapters. It may also have `name` and `features`: what can be seen; without it `source`.

    `create` gives a record with `adapter`, `expected_project_root`, and optionally `history_file`, `append(message)` and
    `cleanup()`: a dict or an object. It may be a coroutine function.
    """

    def create(self, fixture: Fixture, transport: Transport) -> Any: ...
