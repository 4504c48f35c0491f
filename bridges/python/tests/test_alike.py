"""What both bridges do alike: the tables are read by the tests of each."""

import asyncio
import json
import unittest

from adaptercheck_bridge import features
from adaptercheck_bridge.fields import snake
from adaptercheck_bridge.play import Player
from adaptercheck_bridge.runs import Run

from .client import HERE

TABLES = HERE.parent.parent / "testdata"

# How many of its arguments a frame is compared by.
ARGUMENTS = {"aborted": 0, "toolCall": 3, "toolResult": 3, "init": 2, "failed": 2, "toolCallPart": 2, "unknown": 2, "ask": 2}


def table(name):
    return json.loads((TABLES / name).read_text("utf-8"))


def frame(name, mild):
    if name != "error":
        return lambda *args: [name, *args[: ARGUMENTS.get(name, 1)]]
    if mild:
        return lambda message, *, code=None, fatal: [name, message, code, fatal]
    return lambda message: [name, message]


def harness(row):
    said = []
    frames = {snake(name): frame(name, row.get("mild")) for name in row["frames"]}
    return said, {"frames": frames, "emit": said.append, "recorded_calls": lambda: []}


class Alike(unittest.TestCase):
    def test_features_follow_from_the_frames(self):
        for row in table("features.json"):
            with self.subTest(row["harness"]):
                _, subject = harness(row)
                subject |= {"fault": lambda name, args: True} if row.get("fault") else {}
                subject |= {"features": row["named"]} if "named" in row else {}
                self.assertEqual(sorted(features.of_harness(subject)), sorted(row["want"]))

    def test_words_become_frames(self):
        for row in table("words.json"):
            with self.subTest(row["word"]):
                said, subject = harness(row)
                outcome = asyncio.run(self.emitted(subject, row["steps"]))
                self.assertEqual("unplayable" if outcome.get("unplayable") else said, row["want"])
                if outcome.get("unplayable"):
                    self.assertEqual(said, [])

    async def emitted(self, subject, steps):
        return await Player(subject).emit(steps, Run(None, "s"))


class Wire(unittest.TestCase):
    def test_all_of_the_wire_unless_it_names_less(self):
        self.assertIn("codec", features.of_wire({}))
        self.assertEqual(features.of_wire({"features": ["tools"]}), ["tools"])
        self.assertEqual(features.of_history({}), ["source"])
