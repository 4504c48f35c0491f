"""What the lines of `codex exec --json` mean.

The wire has whole messages, no increments; it names its threads and not its runs.
"""

from __future__ import annotations

import json
import re


def text(value):
    return value if isinstance(value, str) else ""


def record(value):
    return value if isinstance(value, dict) else {}


def bad(item):
    return item.get("status") in ("failed", "declined")


def shell(item):
    return "shell", {"command": item.get("command")}, text(item.get("aggregated_output")), bad(item) or bool(item.get("exit_code"))


def mcp(item):
    error, blocks = item.get("error"), record(item.get("result")).get("content") or []
    output = text(record(error).get("message")) if error else "\n".join(text(record(block).get("text")) for block in blocks)
    return text(item.get("tool")), item.get("arguments"), output, bad(item) or bool(error)


def patch(item):
    return "apply_patch", {"changes": item.get("changes")}, "", bad(item)


def web_search(item):
    return "web_search", {"query": item.get("query")}, "", bad(item)


TOOLS = {"command_execution": shell, "mcp_tool_call": mcp, "file_change": patch, "web_search": web_search}  # name, input, output, failed


class CodexMapper:
    """The lines of one run."""

    def __init__(self, totals):
        self.thread = None
        self.outcome = None  # "completed" or "failed", once the wire has said so
        self.turn_open = False
        self._totals = totals  # of the thread so far; they are moved on
        self._said, self._last, self._failure = "", "", ""
        self._thought = False
        self._held = None  # a top-level error: the failure that follows may say the same
        self._calls, self._pending = {}, {}  # id: name
        self._usage = None

    def line(self, line):
        try:
            frame = json.loads(line)
        except (ValueError, RecursionError):
            frame = None
        if not isinstance(frame, dict):
            return self._malformed()
        kind = frame.get("type")
        error = frame.get("message") if kind == "error" else frame.get("error")
        message = text(error.get("message") if isinstance(error, dict) else error)
        released = [] if kind == "turn.failed" and message == self._held else self._release()
        self._held = None
        return released + self._frame(kind, frame, message)

    def finish(self, aborted, failed):
        """Close what is open and end the run, once the process is gone."""
        events = self._release()
        for call, name in self._pending.items():
            output = "the run ended before the tool did"
            events.append({"kind": "tool-result", "toolCallId": call, "name": name, "output": output, "isError": True})
        done = {"kind": "done", "reason": "success", "summary": self._last, "costUsd": None}
        if self._usage:
            done["usage"] = self._usage
        if aborted:
            done |= {"reason": "aborted", "summary": self._said}
        elif self.outcome == "failed":
            done["reason"] = "error"
            events.append(failure(self._failure, fatal=True))
        elif self.outcome is None:
            done["reason"] = "error"
            message = "codex ended without saying how the turn ended"
            events.append({"kind": "error", "code": "exit" if failed else "stream-truncated", "message": message, "fatal": True})
        return [*events, done]

    def _frame(self, kind, frame, message):
        match kind:
            case "thread.started":
                self.thread = self.thread or text(frame.get("thread_id")) or None
                return [{"kind": "status", "phase": "init"}]
            case "turn.started":
                self.turn_open = True
                return [{"kind": "status", "phase": "running"}]
            case "turn.completed":
                self.turn_open = False
                self.outcome = self.outcome or "completed"
                return self._spend(frame.get("usage"))
            case "turn.failed":
                self.turn_open = False
                if self.outcome:
                    return [failure(message, fatal=False)]
                self.outcome, self._failure = "failed", message
            case "item.started" | "item.completed":
                return self._item(frame.get("item"), kind == "item.completed")
            case "error":
                if message.startswith("Reconnecting..."):
                    return [{"kind": "status", "phase": "running", "detail": "retry"}]
                self._held = message
        return []

    def _item(self, item, completed):
        if not isinstance(item, dict):
            return self._malformed()
        kind = text(item.get("type"))
        if kind in ("agent_message", "reasoning"):
            if not completed:
                return []
            return self._message(kind, item["text"]) if isinstance(item.get("text"), str) else self._malformed()
        if kind not in TOOLS:
            return []
        call = text(item.get("id"))
        name, given, output, failed = TOOLS[kind](item)
        if not call or not name:
            return self._malformed()
        events = []
        if call not in self._calls:
            if kind == "web_search" and not given["query"] and not completed:
                return []  # announced without its input
            self._calls[call] = self._pending[call] = name
            events.append({"kind": "tool-call", "toolCallId": call, "name": name, "input": given, "partial": False})
        if completed and call in self._pending:
            name = self._pending.pop(call)
            events.append({"kind": "tool-result", "toolCallId": call, "name": name, "output": output, "isError": failed})
        return events

    def _message(self, kind, body):
        """Messages are parted by a blank line: the wire has none between them."""
        if not body:
            return []
        if kind == "reasoning":
            thought, self._thought = "\n\n" + body if self._thought else body, True
            return [{"kind": "text-delta", "text": thought, "channel": "reasoning"}]
        delta = "\n\n" + body if self._said else body
        self._said, self._last = self._said + delta, body
        return [{"kind": "text-delta", "text": delta, "channel": "assistant"}]

    def _spend(self, usage):
        """The wire tells running totals of the thread, cached input within the rest."""
        if not isinstance(usage, dict):
            return []

        def step(key):
            now, before = usage.get(key) or 0, self._totals.get(key, 0)
            self._totals[key] = now
            return now - before if now >= before else now

        given, cached, output = step("input_tokens"), step("cached_input_tokens"), step("output_tokens")
        delta = {"inputTokens": max(0, given - cached), "outputTokens": output, "cachedInputTokens": cached}
        so_far = self._usage or dict.fromkeys(delta, 0)
        self._usage = {key: so_far[key] + n for key, n in delta.items()}
        return [{"kind": "cost", "costUsd": None, "usage": delta, "model": None}]

    def _release(self):
        held, self._held = self._held, None
        return [] if held is None else [failure(held, fatal=False)]

    def _malformed(self):
        message = "a line of the runtime's output could not be read"
        return [{"kind": "error", "code": "malformed-frame", "message": message, "fatal": False}]


def failure(message, fatal):
    limit = re.search("max_output_tokens|context window|context_length", message, re.IGNORECASE)
    code = "token-limit" if limit else "runtime-error"
    return {"kind": "error", "code": code, "message": message or "the runtime reported a failure", "fatal": fatal}
