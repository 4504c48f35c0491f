"""What README.md shows is what an author copies: it must work as it stands."""

import re
import tempfile
import unittest
from pathlib import Path

from .client import HERE, Bridge

MINE = """
import asyncio

class FakeRuntime:
    class Frames:
        def delta(self, text): return {"text": text}
        def tool_call(self, name, input): return {"call": name}
        def final(self, summary): return {"summary": summary}
        def aborted(self): return {}
        def error(self, message): return {"message": message}
    def __init__(self): self.calls, self.said = [], asyncio.Queue()
    def say(self, frame): self.said.put_nowait(frame)

class Adapter:
    id, participant_kind = "mine", "agent"
    def __init__(self, runtime): self.runtime = runtime
    async def start(self, task, opts):
        self.runtime.calls.append({"method": "start", "params": {"message": opts.message}})
        return {"adapterId": "mine", "sessionKey": opts.session_key, "runId": None}
    async def events(self, run):
        while True: yield await self.runtime.said.get()
"""


class Readme(unittest.TestCase):
    def test_five_minutes(self):
        readme = (HERE.parent / "README.md").read_text("utf-8")
        module = re.search(r"```python\n(# (check_mine\.py)\n.*?)```", readme, re.DOTALL)
        with tempfile.TemporaryDirectory() as directory:
            Path(directory, "mine.py").write_text(MINE, "utf-8")
            path = Path(directory, module[2])
            path.write_text(module[1], "utf-8")
            with Bridge(path) as b:
                self.assertEqual((b.hello["name"], b.hello["features"]), ("check_mine", ["deltas", "live-text", "terminal-frame", "silent"]))
                b.create()
                run = b.start(message="hello")["run"]
                stream = b.open(run)
                b.ask("harness/emit", instance="i", frame={"delta": "hi"})
                self.assertEqual(b.ask("stream/next", instance="i", stream=stream)["event"], {"text": "hi"})
                calls = b.ask("harness/calls", instance="i")["calls"]
                self.assertEqual(calls, [{"method": "start", "params": {"message": "hello"}}])

    def test_its_examples_are_there(self):
        readme = (HERE.parent / "README.md").read_text("utf-8")
        names = set(re.findall(r"`((?:executor|history|wire)_\w+\.py)`", readme))
        self.assertEqual(len(names), 4)
        for name in names:
            self.assertTrue((HERE.parent / "examples" / name).is_file(), name)
