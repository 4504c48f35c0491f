"""A right history adapter over a file of JSON lines.

The file is the runtime's own record: a header, then one message per line. The adapter reads it anew for every snapshot and keeps
nothing, so there is nothing to go stale.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
from collections import deque

from history_privacy import screen

CAPABILITIES = ["compaction", "provider-continuation", "embeddings", "local-kv-reuse"]
ROLES = {"system", "user", "assistant", "tool", "custom"}
BLOCKS = {  # the fields of each type that are required, and their types
    "text": {"text": str},
    "thinking": {"thinking": str},
    "toolCall": {"id": str, "name": str},
    "toolResult": {"toolCallId": str, "toolName": str, "content": str, "isError": bool},
    "image": {},
    "fileReference": {"path": str},
    "artifactReference": {"artifactId": str},
    "summaryReference": {"summaryId": str},
    "opaqueProvider": {"value": object},
}
SEVERITY = {
    "derived-state-rebuilt": "info",
    "adapter-closed": "info",
    "completion-request-invalid": "warning",
    "completion-transport-failed": "warning",
}  # all others are errors
MESSAGES = {
    "canonical-history-read-failed": "the history cannot be read",
    "canonical-history-identity-mismatch": "the history is that of another session, runtime or project",
    "canonical-history-invalid": "the history is not valid",
    "derived-state-rebuilt": "derived state was rebuilt from the history",
    "privacy-enforcement-failed": "a payload could not be screened",
    "completion-request-invalid": "a request named no provider or no model",
    "completion-transport-failed": "the transport failed",
    "adapter-closed": "the adapter was closed",
}
FALLBACKS = {
    "adapter-closed": "the adapter is closed",
    "invalid-request": "a request needs a provider and a model",
    "privacy-enforcement-failed": "the payload could not be screened",
    "transport-failed": "the provider could not be reached",
}


def refuse(_):
    raise ValueError("not a number")


DECODER = json.JSONDecoder(parse_constant=refuse)


class HistoryError(Exception):
    """A read that is refused. It says what is wrong and quotes nothing."""

    def __init__(self, code):
        super().__init__(MESSAGES[code])
        self.code = code


class Source:
    """The runtime's file."""

    def __init__(self, path, runtime_id, session_id, root):
        self.path = path
        self.header = {"type": "example-session-v1", "runtimeId": runtime_id, "sessionId": session_id, "projectRoot": root}

    def create(self, messages):
        fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(fd, "wb") as file:
            for record in [self.header, *({"type": "message", "message": m} for m in messages)]:
                file.write(json.dumps(record).encode() + b"\n")

    def append(self, message):
        with open(self.path, "ab") as file:
            file.write(json.dumps({"type": "message", "message": message}).encode() + b"\n")

    def read(self):
        """Give the messages and the revision. Raises HistoryError."""
        try:
            with open(self.path, "rb") as file:
                data = file.read()
            if not data.endswith(b"\n"):
                raise ValueError("the last record is not ended")
            header, *records = [DECODER.decode(line) for line in data.decode("utf-8").split("\n")[:-1]]
            if not isinstance(header, dict) or header.get("type") != self.header["type"]:
                raise ValueError("no header")
            messages = [message_of(record) for record in records]
        except (OSError, ValueError, RecursionError):
            raise HistoryError("canonical-history-read-failed") from None
        if any(header.get(key) != value for key, value in self.header.items()):
            raise HistoryError("canonical-history-identity-mismatch")
        if any(m["provenance"]["sessionId"] != self.header["sessionId"] for m in messages):
            raise HistoryError("canonical-history-identity-mismatch")
        return messages, hashlib.sha256(data).hexdigest()


def message_of(record):
    """Read one record. Raises ValueError for one that is no message."""
    message = record.get("message") if isinstance(record, dict) and record.get("type") == "message" else None
    if not isinstance(message, dict):
        raise ValueError("no message")
    provenance, blocks = message.get("provenance"), message.get("blocks")
    sound = (
        all(isinstance(message.get(key), str) for key in ("id", "sourceEntryId"))
        and message.get("role") in ROLES
        and isinstance(message.get("flags"), dict)
        and isinstance(provenance, dict)
        and provenance.get("source") in ("runtime-session", "pi-session")
        and all(isinstance(provenance.get(key), str) for key in ("sessionId", "entryId"))
        and isinstance(blocks, list)
    )
    if not sound or not all(sound_block(block) for block in blocks):
        raise ValueError("no message")
    return message


def sound_block(block):
    fields = BLOCKS.get(block.get("type")) if isinstance(block, dict) and isinstance(block.get("type"), str) else None
    return fields is not None and all(key in block and isinstance(block[key], kind) for key, kind in fields.items())


def tool_uses(messages):
    """The places of calls and of results, by call id."""
    calls, results = {}, {}
    for i, message in enumerate(messages):
        for block in message["blocks"]:
            if block["type"] == "toolCall":
                calls.setdefault(block["id"], []).append(i)
            elif block["type"] == "toolResult":
                results.setdefault(block["toolCallId"], []).append(i)
    return calls, results


def atomic_groups(messages):
    """The sets of messages that can only be kept or dropped together."""
    calls, results = tool_uses(messages)
    parent = {i: i for places in [*calls.values(), *results.values()] for i in places}

    def root(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for call, places in calls.items():
        for i in [*places, *results.get(call, [])]:
            parent[root(i)] = root(places[0])
    members, ids = {}, {}
    for i in sorted(parent):
        members.setdefault(root(i), []).append(i)
    for call in {**calls, **results}:
        for i in {root(i) for i in [*calls.get(call, []), *results.get(call, [])]}:
            ids.setdefault(i, []).append(call)
    groups = []
    for top, places in members.items():
        message_ids = [messages[i]["id"] for i in places]
        digest = hashlib.sha256("\0".join(message_ids).encode()).hexdigest()
        groups.append(
            {
                "id": f"runtime-tool-group:{digest[:16]}",
                "messageIds": message_ids,
                "toolCallIds": sorted(ids[top], key=lambda call: call.encode("utf-16-be")),
                "complete": all(len(calls.get(call, [])) == 1 and call in results for call in ids[top]),
            }
        )
    return groups


def valid(messages, runtime_id):
    """Report whether ids, provenance, calls and results fit together."""
    calls, results = tool_uses(messages)
    ids = [m["id"] for m in messages]
    return (
        len(set(ids)) == len(ids)
        and all(i.strip() for i in [*ids, *calls])
        and all(fits(m, runtime_id) for m in messages)
        and all(len(places) == 1 for places in calls.values())
        and all(call in calls for call in results)
    )


def fits(message, runtime_id):
    provenance = message["provenance"]
    return (
        provenance["entryId"].strip() != ""
        and message["sourceEntryId"] == provenance["entryId"]
        and (provenance["source"] != "runtime-session" or provenance.get("runtimeId") == runtime_id)
    )


def negotiate(declarations, requested):
    """Answer a request for capabilities, in the order of the registry."""
    required = {}
    for request in requested:
        if request.get("id") in CAPABILITIES:
            required[request["id"]] = required.get(request["id"], False) or request.get("required") is True
    statuses, diagnostics = [], []
    for declared in declarations:
        id, asked = declared["id"], declared["id"] in required
        status = {"id": id, "supported": declared["supported"], "requested": asked, "required": required.get(id, False)}
        statuses.append({**status, "enabled": asked and declared["supported"], "reason": declared["reason"]})
        if asked and not declared["supported"]:
            kind = "Required" if required[id] else "Optional"
            diagnostics.append(
                {
                    "code": "capability-unsupported",
                    "severity": "warning" if required[id] else "info",
                    "message": f"{kind} capability {id} is not supported: {declared['reason']}",
                    "capability": id,
                }
            )
    return {
        "contractVersion": "runtime-adapter-v1",
        "statuses": statuses,
        "enabled": [s["id"] for s in statuses if s["enabled"]],
        "disabled": [s["id"] for s in statuses if s["requested"] and not s["enabled"]],
        "diagnostics": diagnostics,
    }


class Adapter:
    """The adapter of one session."""

    def __init__(self, source, model, transport):
        self._source, self._model, self._transport = source, model, transport
        self._closed = False
        self._diagnostics = deque(maxlen=100)

    @property
    def identity(self):
        return {
            "runtimeId": self._source.header["runtimeId"],
            "adapterName": "python-history-example",
            "adapterVersion": "1.0.0",
            "contractVersion": "runtime-adapter-v1",
        }

    def capability_declarations(self):
        return [{"id": id, "supported": False, "reason": "this example keeps no state beside the history"} for id in CAPABILITIES]

    def negotiate_capabilities(self, requested):
        return negotiate(self.capability_declarations(), requested)

    async def snapshot_history(self):
        self._open()
        try:
            messages, revision = self._source.read()
            if not valid(messages, self._source.header["runtimeId"]):
                raise HistoryError("canonical-history-invalid")
        except HistoryError as e:
            self._note(e.code)
            raise
        return {
            "schemaVersion": "runtime-history-v1",
            "runtimeId": self._source.header["runtimeId"],
            "sessionId": self._source.header["sessionId"],
            "revision": revision,
            "projectRoot": self._source.header["projectRoot"],
            "messages": messages,
            "toolAtomicGroups": atomic_groups(messages),
        }

    async def rebuild_derived_state(self):
        snapshot = await self.snapshot_history()  # there is no derived state to drop
        self._note("derived-state-rebuilt")
        return snapshot

    async def current_model(self):
        self._open()
        return copy.deepcopy(self._model)

    async def trusted_project_root(self):
        self._open()
        return self._source.header["projectRoot"]

    async def enforce_privacy(self, request):
        self._open()
        if blank(request.provider):
            raise ValueError("a request needs a provider")
        screened = self._screen(request)
        return {"payload": screened.payload, **summary(request.provider, screened)}

    async def complete(self, request):
        if self._closed:
            return fallback("adapter-closed")
        if blank(request.provider) or blank(request.model):
            self._note("completion-request-invalid")
            return fallback("invalid-request")
        try:
            screened = self._screen(request)
        except Exception:
            return fallback("privacy-enforcement-failed")
        privacy = summary(request.provider, screened)
        try:
            output = await self._transport(
                {
                    "provider": request.provider,
                    "model": request.model,
                    "destination": screened.destination,
                    "payload": screened.payload,
                }
            )
        except Exception:
            self._note("completion-transport-failed")
            return fallback("transport-failed")
        return {"status": "completed", "output": output, "privacy": privacy}

    def diagnostics(self):
        return [dict(d) for d in self._diagnostics]

    async def shutdown(self):
        if not self._closed:
            self._closed = True
            self._note("adapter-closed")

    def _screen(self, request):
        try:
            return screen(request.provider, request.payload)
        except Exception:
            self._note("privacy-enforcement-failed")
            raise

    def _open(self):
        if self._closed:
            raise HistoryError("adapter-closed")

    def _note(self, code):
        self._diagnostics.append({"code": code, "severity": SEVERITY.get(code, "error"), "message": MESSAGES[code]})


def blank(name):
    return not isinstance(name, str) or not name.strip()


def fallback(code):
    return {"status": "fallback", "code": code, "reason": FALLBACKS[code], "retryable": code == "transport-failed"}


def summary(provider, screened):
    return {
        "provider": provider,
        "destination": screened.destination,
        "changed": screened.changed,
        "blockedBlocks": screened.blocked,
        "secretRedactions": screened.secrets,
    }


class Factory:
    """Makes an adapter over a file of its own, with the fixture's history in it."""

    name = "python-history-ok"
    features = ["source", "append"]

    def create(self, fixture, transport):
        root = os.path.realpath(fixture.root)
        path = os.path.join(fixture.dir, "history.jsonl")
        source = Source(path, fixture.runtime_id, fixture.session_id, root)
        source.create(fixture.messages)
        adapter = Adapter(source, fixture.model, transport)
        return {
            "adapter": adapter,
            "expected_project_root": root,
            "history_file": path,
            "append": source.append,
            "cleanup": adapter.shutdown,
        }


subject = Factory()
