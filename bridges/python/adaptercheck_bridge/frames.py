"""The words of the scenario language in the frames of a harness.

The suite says what the runtime shall do in words that no runtime owns: `{"delta": "Hel"}`. A harness makes native frames with its
`frames`, and emits them. Five are enough to begin with: delta, tool_call, final, aborted, error. What a harness has no frame for
is unplayable, and the checks that need it are unobserved.

In a harness of five frames `final(summary)` is the end of the run and restates its whole text. A whole message in the middle of a
run has no frame of its own there: what is new in it is said as a delta.
"""

from __future__ import annotations

import base64
import dataclasses
import json
from typing import Any

from . import calls
from .fields import has, member, snake


class Unplayable(Exception):
    """The harness has no form for a word."""


@dataclasses.dataclass
class Said:
    """What a run has said so far."""

    before: str = ""  # whole messages
    message: str = ""  # the one that is being said

    def whole(self) -> str:
        """All of the answer, as a final frame restates it."""
        return self.before + self.message

    def settle(self, message: str) -> str:
        """End a message, and give what of it was not said yet."""
        new = message.removeprefix(self.message)
        self.before, self.message = self.before + message, ""
        return new


class Vocabulary:
    """The frames of one harness."""

    def __init__(self, frames: Any) -> None:
        self._frames = frames

    def has(self, name: str) -> bool:
        """Report whether there is a frame of this name."""
        return has(self._frames, name)

    def says_mild(self) -> bool:
        """Report whether an error frame can say that it is not fatal."""
        return self.has("error") and calls.takes(self._function("error"), "fatal")

    def render(self, word: str, value: Any, said: Said) -> list[Any]:
        """Give the frames for one step, and note in `said` what they say. Raises Unplayable."""
        render = getattr(self, "_say_" + word, None)
        if render is None or (isinstance(value, dict) and value.get("parent")):
            raise Unplayable(word)  # what is of a nested agent: no frame says whose it is
        before, message = said.before, said.message
        try:
            return render(value, said)  # type: ignore[no-any-return]
        except NotImplementedError:
            said.before, said.message = before, message
            raise Unplayable(word) from None

    def _function(self, name: str) -> Any:
        return member(self._frames, name)

    def _make(self, name: str, *args: Any, **named: Any) -> Any:
        if not self.has(name):
            raise Unplayable(name)
        return self._function(name)(*args, **named)

    def _trimmed(self, name: str, *args: Any) -> Any:
        """Call a frame with as many of the arguments as it takes."""
        if not self.has(name):
            raise Unplayable(name)
        function = self._function(name)
        return function(*args[: calls.room(function)])

    # Text.

    def _say_delta(self, value: Any, said: Said) -> list[Any]:
        step = value if isinstance(value, dict) else {"text": value}
        placed = {snake(k): step[k] for k in ("msg", "part", "at", "run") if k in step}
        if placed:  # what says where the text belongs needs a frame that can tell it
            if not calls.takes(self._function("delta") if self.has("delta") else None, *placed):
                raise Unplayable("delta")
            frame = self._make("delta", step["text"], **placed)
        else:
            frame = self._make("delta", step["text"])
        said.message += step["text"]
        return [frame]

    def _say_think(self, value: Any, _: Said) -> list[Any]:
        return [self._make("reasoning", value["text"] if isinstance(value, dict) else value)]

    def _say_snapshot(self, value: Any, said: Said) -> list[Any]:
        step = value if isinstance(value, dict) else {"text": value}
        frame = self._trimmed("snapshot", step["text"], step.get("part", ""))
        said.message = step["text"]
        return [frame]

    def _say_final(self, value: Any, said: Said) -> list[Any]:
        step = value if isinstance(value, dict) else {"text": value}
        if step["text"] is None:
            raise Unplayable("final")
        if self.has("message"):
            frame = self._trimmed("message", step["text"], step.get("msg", ""))
            said.settle(step["text"])
            return [frame]
        if not self.has("delta"):
            raise Unplayable("final")
        new = said.settle(step["text"])
        return [self._make("delta", new)] if new else []

    # Tools.

    def _say_call(self, value: Any, _: Said) -> list[Any]:
        return [self._trimmed("tool_call", value["name"], _value(value, "input", None), value["id"])]

    def _say_callpart(self, value: Any, _: Said) -> list[Any]:
        return [self._trimmed("tool_call_part", value["idx"], value["frag"], value.get("id", ""), value.get("name", ""))]

    def _say_result(self, value: Any, _: Said) -> list[Any]:
        return [self._trimmed("tool_result", value["id"], value["out"], value.get("err", False), value.get("name", ""))]

    # The run.

    def _say_init(self, value: Any, _: Said) -> list[Any]:
        step = value or {}
        return [self._trimmed("init", step.get("run", ""), step.get("session", ""), step.get("model", ""))]

    def _say_usage(self, value: Any, _: Said) -> list[Any]:
        return [self._make("usage", {"kind": "turn", **{snake(key): item for key, item in value.items()}})]

    def _say_turn(self, value: Any, _: Said) -> list[Any]:
        step = value if isinstance(value, dict) else {"state": value}
        return [self._trimmed("turn", step["state"], step.get("text", ""))]

    def _say_ask(self, value: Any, _: Said) -> list[Any]:
        return [self._trimmed("ask", value["id"], value.get("tool", ""))]

    def _say_error(self, value: Any, _: Said) -> list[Any]:
        step = value if isinstance(value, dict) else {"msg": value}
        return [self._error(step["msg"], step.get("code") or None, bool(step.get("fatal", False)))]

    def _say_end(self, value: Any, said: Said) -> list[Any]:
        step = value if isinstance(value, dict) else {"reason": value}
        reason, words = step["reason"], step.get("text", "")
        if step.get("err", False):
            words = words or "the run failed"
            return [self._trimmed("failed", words, reason) if self.has("failed") else self._error(words, None, True)]
        summary = words or said.whole()
        match reason:
            case "ok":
                return [self._make("final", summary)]
            case "aborted":
                return [self._make("aborted")]
            case "max_turns":
                return [self._make("max_turns", summary)]
            case "length":
                return [self._make("token_limit", summary)]
        raise Unplayable("end")

    def _error(self, message: str, code: str | None, fatal: bool) -> Any:
        if not self.has("error") or not (fatal or self.says_mild()):
            raise Unplayable("error")
        function = self._function("error")
        return function(message, **{name: given for name, given in (("code", code), ("fatal", fatal)) if calls.takes(function, name)})

    # The wire.

    def _say_frame(self, value: Any, _: Said) -> list[Any]:
        step = value if isinstance(value, dict) else {"type": value}
        return [self._trimmed("unknown", step["type"], _value(step, "fields", {}))]

    def _say_raw(self, value: Any, _: Said) -> list[Any]:
        step = value if isinstance(value, dict) else {"line": value}
        # Bytes that are no text are handed over one character each.
        line = base64.b64decode(step["base64"]).decode("latin-1") if "base64" in step else step.get("line", "")
        return [self._trimmed("malformed", line)]

    def _say_stderr(self, value: Any, _: Said) -> list[Any]:
        step = value if isinstance(value, dict) else {"text": value}
        return [self._make("stderr", step.get("text") or "x" * step.get("n", 0))]


def _value(step: dict[str, Any], name: str, default: Any) -> Any:
    """A member that may stand as a value or as its JSON text. Raises Unplayable for an input that never became whole."""
    if "json" not in step:
        return step.get(name, default)
    try:
        return json.loads(step["json"])
    except ValueError as e:
        raise Unplayable(name) from e
