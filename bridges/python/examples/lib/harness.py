"""The harness of the example runtime, in the extended shape."""

from __future__ import annotations

from .adapter import Adapter
from .mapper import Mapper
from .runtime import FakeRuntime


class Frames:
    """Frames of the fake runtime's wire. Five are enough to begin with."""

    def delta(self, text):
        return {"type": "text", "text": text}

    def tool_call(self, name, input, id):
        return {"type": "call", "id": id, "name": name, "input": input}

    def final(self, summary):
        return {"type": "end", "reason": "ok", "text": summary}

    def aborted(self):
        return {"type": "end", "reason": "aborted"}

    def error(self, message, *, code=None, fatal=True):
        return {"type": "error", "message": message, "code": code, "fatal": fatal}

    # The rest lets the suite see more.

    def init(self, run_id, native_session, model):
        return {"type": "hello", "run": run_id, "session": native_session, "model": model}

    def reasoning(self, text):
        return {"type": "thought", "text": text}

    def message(self, text):
        return {"type": "message", "text": text}

    def tool_result(self, id, output, is_error):
        return {"type": "result", "id": id, "output": output, "failed": is_error}

    def usage(self, numbers):
        return {"type": "usage", "usage": numbers}

    def turn(self, state):
        return {"type": "turn", "state": state}

    def max_turns(self, summary):
        return {"type": "end", "reason": "max_turns", "text": summary}

    def token_limit(self, summary):
        return {"type": "end", "reason": "length", "text": summary}

    def failed(self, message):
        return {"type": "end", "reason": "ok", "text": message, "failed": True}

    def unknown(self, type, fields):
        return {**fields, "type": f"new-{type}"}

    def malformed(self, line):
        return line


class Harness:
    """What the suite drives. One serves one check."""

    name = "python-example"
    frames = Frames()
    features = [
        "native-run-id", "money", "second-run", "sessions", "start-options", "observers", "codec", "steer",
        "health-down", "refuse", "silent", "cut",
    ]  # fmt: skip
    declares = {"second_start": "refuses", "queue": "drop", "blocklist": "delivered"}
    make_mapper = Mapper

    def __init__(self):
        self._runtime = FakeRuntime()

    def make_adapter(self):
        return Adapter(self._runtime, self.make_mapper)

    async def start(self, adapter, task, opts):
        return await adapter.start(task, opts)

    def emit(self, frame, session=None):
        self._runtime.say(frame, session)

    def fault(self, name, args):
        return self._runtime.fault(name, args.get("session"))

    def recorded_calls(self):
        return self._runtime.calls
