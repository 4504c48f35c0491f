"""What the frames of one run mean. A mapper returns what the frames say and does nothing else.

The rule of this wire: increments of a message come first, the whole message may follow, and the terminal frame may say everything
again.
"""

from __future__ import annotations


class Mapper:
    """The frames of one run."""

    def __init__(self, totals):
        self.run, self.session = None, None  # native ids, once the runtime has told them
        self.over = self.aborted = False
        self._totals = totals  # of the session, from before this run on
        self._model = None
        self._text, self._open, self._last = "", "", ""  # of the run, of the message that is not whole yet, of the last message
        self._calls = {}  # id: name; those without a result are in _pending too
        self._pending = {}
        self._usage, self._cost = None, 0  # what done restates

    def frame(self, frame):
        """Give the events of one frame; of None, which is the end of the wire, too."""
        if self.over:
            return []
        if frame is None:
            return self._fail("stream-truncated", "the stream ended without a terminal frame")
        meaning = getattr(self, f"_on_{frame.get('type')}", None) if isinstance(frame, dict) else None
        return meaning(frame) if meaning else []  # what nobody knows yet is skipped

    def forced(self):
        """End the run as aborted although the runtime says nothing."""
        return [] if self.over else self._finish("aborted")

    def _on_hello(self, frame):
        self.run, self.session = self.run or frame.get("run"), frame.get("session") or self.session
        self._model = frame.get("model") or self._model
        return [{"kind": "status", "phase": "init", **({"model": self._model} if self._model else {})}]

    def _on_text(self, frame):
        self._open += frame["text"]
        return self._say(frame["text"])

    def _on_thought(self, frame):
        return [{"kind": "text-delta", "text": frame["text"], "channel": "reasoning"}] if frame["text"] else []

    def _on_message(self, frame):
        """A whole message restates its increments: only what is new in it is said."""
        text, said, self._open, self._last = frame["text"], self._open, "", frame["text"]
        if text.startswith(said):
            return self._say(text.removeprefix(said))
        return [{"kind": "status", "phase": "running", "detail": "text-restarted"}, *self._say(text)]

    def _on_call(self, frame):
        call = frame.get("id") or f"call-{len(self._calls) + 1}"
        if call in self._calls:
            return []
        self._calls[call] = self._pending[call] = frame["name"]
        return [{"kind": "tool-call", "toolCallId": call, "name": frame["name"], "input": frame["input"], "partial": False}]

    def _on_result(self, frame):
        if frame["id"] not in self._pending:
            return []  # of no call, or the second one
        return [self._result(frame["id"], frame["output"], frame["failed"])]

    def _on_usage(self, frame):
        spent = self._spent(frame["usage"])
        if not any(spent.values()):
            return []
        usage = {"inputTokens": spent.get("in", 0), "outputTokens": spent.get("out", 0)}
        if "cache_read" in spent:
            usage["cachedInputTokens"] = spent["cache_read"]
        cost, so_far = spent.get("cost"), self._usage or {}
        self._usage = {key: usage.get(key, 0) + so_far.get(key, 0) for key in {**so_far, **usage}}
        self._cost = None if cost is None or self._cost is None else self._cost + cost
        return [{"kind": "cost", "costUsd": cost, "usage": usage, "model": frame["usage"].get("model") or self._model}]

    def _on_turn(self, frame):
        known = frame["state"] in ("thinking", "turn-complete")
        return [{"kind": "status", "phase": frame["state"] if known else "running"}]

    def _on_error(self, frame):
        if frame["fatal"]:
            return self._fail(frame.get("code"), frame["message"])
        return [{"kind": "error", "code": frame.get("code"), "message": frame["message"], "fatal": False}]

    def _on_end(self, frame):
        reason, text = frame["reason"], frame.get("text", "")
        if frame.get("failed"):  # the flag beats the label
            return self._fail("runtime-error", text or "the runtime reported a failure")
        if reason == "length":
            return self._fail("token-limit", "the answer was cut by a length limit")
        return self._finish("success" if reason == "ok" else reason, text)

    def _say(self, text):
        self._text += text
        return [{"kind": "text-delta", "text": text, "channel": "assistant"}] if text else []

    def _result(self, call, output, failed):
        name = self._pending.pop(call)
        return {"kind": "tool-result", "toolCallId": call, "name": name, "output": output, "isError": failed}

    def _spent(self, usage):
        """What a usage frame adds: all of it, or of a running total what is new to its session."""
        count = {key: usage[key] for key in ("in", "out", "cache_read", "cost") if key in usage}
        if usage["kind"] == "turn":
            return count
        if usage["kind"] == "last":  # the total stands beside the last call
            count |= {key: usage[f"total_{key}"] for key in ("in", "out") if f"total_{key}" in usage}
        before = {key: self._totals.get(key, 0) for key in count}
        self._totals |= count
        return {key: n - before[key] if n >= before[key] else n for key, n in count.items()}  # a smaller one began anew

    def _fail(self, code, message):
        return self._finish("error", "", {"kind": "error", "code": code, "message": message, "fatal": True})

    def _finish(self, reason, summary="", failure=None):
        """Close the open calls and end the run. The host's abort beats what the runtime says."""
        self.over = True
        events = [self._result(call, "the run ended before the tool answered", True) for call in list(self._pending)]
        if self.aborted:
            reason = "aborted"
        elif failure:
            events.append(failure)
        done = {"kind": "done", "reason": reason, "summary": summary or self._open or self._last or self._text}
        if self._usage is not None:
            done |= {"usage": self._usage, "costUsd": self._cost}
        return [*events, done]
