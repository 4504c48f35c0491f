"""The executor contract over the line, and streams as the language has them."""

import json
import unittest

from .client import EXAMPLES, FIXTURES, PATIENCE, Bridge, Refused


class Raw(unittest.TestCase):
    def setUp(self):
        self.b = Bridge(FIXTURES / "odd.py")
        self.addCleanup(self.b.close)
        self.made = self.b.create()

    def test_initialize(self):
        hello = self.b.hello
        self.assertEqual(hello["protocol"], "adaptercheck-subject-v1")
        self.assertEqual(hello["name"], "odd")  # the module's, as its own is not in the alphabet
        self.assertEqual((hello["contracts"], hello["mode"]), (["executor"], "harness"))
        self.assertEqual(hello["features"], ["deltas", "live-text", "silent", "codec"])
        self.assertEqual(hello["declares"], {"secondStart": "queues"})

    def test_identity_as_it_stands(self):
        self.assertEqual(self.made, {"id": 7, "participantKind": {"$adaptercheck": "throws"}, "parts": []})
        self.assertEqual(self.b.ask("adapter/id", instance="i"), {"id": 7, "participantKind": {"$adaptercheck": "throws"}})

    def test_something_to_await_where_a_value_belongs(self):
        self.assertEqual(self.b.ask("adapter/capabilities", instance="i"), {"value": {"$adaptercheck": "promise"}})

    def test_failures_are_results(self):
        rejected = {"name": "Coded", "message": "down", "code": "busy"}
        self.assertEqual(self.b.ask("adapter/health", instance="i"), {"rejected": rejected})
        self.assertEqual(self.b.start(session="refuse", message="m")["rejected"]["message"], "busy: m")
        self.assertEqual(self.b.start(session="exit")["rejected"]["name"], "SystemExit")
        self.assertEqual(self.b.start(session="cancel")["rejected"]["name"], "CancelledError")
        handle = {"adapterId": "x", "sessionKey": "nobody", "runId": None}
        self.assertEqual(self.b.ask("stream/open", instance="i", run=None, handle=handle)["rejected"]["message"], "no stream")
        missing = self.b.ask("adapter/setModel", instance="i", run=None, handle=handle, model="m")
        self.assertEqual(missing["rejected"]["name"], "AttributeError")

    def test_handles(self):
        self.assertEqual(self.b.start(session="none"), {"run": None, "handle": None})
        self.assertEqual(self.b.start(session="a")["handle"], {"adapterId": 7, "sessionKey": "a", "runId": None})

    def test_calls_in_any_shape(self):
        run = self.b.start(session="a")["run"]
        self.assertEqual(self.b.ask("adapter/writeContext", instance="i", run=run, key="k", value="v"), {})
        calls = self.b.ask("harness/calls", instance="i")["calls"]
        self.assertEqual(calls[0], {"method": "write", "params": ["k", "v"]})  # what was before the instance is left out

    def test_values(self):
        stream = self.b.open(self.b.start(session="values")["run"])
        got, *others = self.b.drain(stream)
        self.assertEqual(others, ["no event", 3])
        deep, depth = got.pop("deep"), 0
        while isinstance(deep, list):
            deep, depth = deep[0], depth + 1
        self.assertEqual((deep, depth), ({"$adaptercheck": "deep"}, 63))
        token = lambda name, **more: {"$adaptercheck": name, **more}  # noqa: E731
        self.assertEqual(
            got,
            {
                "none": None, "text": "é\u2028", "surrogate": "🦜\ufffd", "int": 1 << 60, "float": 1.5, "tuple": [1, 2],
                "nan": token("nan"), "infinity": token("infinity"), "minus": token("-infinity"), "function": token("function"),
                "type": token("function"), "bytes": token("buffer"), "date": token("date"), "set": token("set"),
                "map": token("map", value=[[1, "a"]]), "proxy": {"a": 1}, "cycle": [token("cycle")],
                "dataclass": {"costUsd": None, "inputTokens": 3}, "object": {"shown": 1}, "nothing": token("symbol"),
                "throws": {"a": token("throws")}, "huge": token("bigint"),
            },
        )  # fmt: skip


class Streams(unittest.TestCase):
    def setUp(self):
        self.b = Bridge(FIXTURES / "odd.py")
        self.addCleanup(self.b.close)
        self.b.create()

    def stream(self, session):
        return self.b.open(self.b.start(session=session)["run"])

    def next(self, stream):
        return self.b.begin("stream/next", instance="i", stream=stream)

    def end(self, stream):
        return self.b.ask("stream/close", instance="i", stream=stream)

    def say(self, text):
        return self.b.ask("harness/emit", instance="i", frame={"delta": text})

    def log(self):
        return [call["params"] for call in self.b.ask("harness/calls", instance="i")["calls"] if call["method"] == "log"]

    def test_nothing_is_pulled_before_it_is_asked_for(self):
        stream = self.stream("generator")
        self.say("a")
        self.say("b")
        self.assertEqual(self.log(), [])
        reply = self.next(stream).result(PATIENCE)
        self.assertEqual(reply, {"event": {"text": "a"}, "handle": {"adapterId": 7, "sessionKey": "generator", "runId": "R"}})
        self.assertEqual(self.log(), ["begun", "pulled"])
        self.next(stream).result(PATIENCE)
        self.assertEqual(self.log(), ["begun", "pulled", "pulled"])

    def test_pulls_of_a_generator_wait_their_turn(self):
        stream = self.stream("generator")
        pulls = [self.next(stream) for _ in range(3)]
        for text in "abc":
            self.say(text)
        self.assertEqual([pull.result(PATIENCE)["event"]["text"] for pull in pulls], ["a", "b", "c"])

    def test_pulls_of_another_iterator_are_made_at_once(self):
        stream = self.stream("iterator")
        pulls = [self.next(stream) for _ in range(3)]
        for text in "abc":
            self.say(text)
        self.assertEqual([pull.result(PATIENCE)["event"]["text"] for pull in pulls], ["c", "b", "a"])

    def test_closing_a_generator_that_is_waited_for(self):
        stream = self.stream("generator")
        pulls = [self.next(stream) for _ in range(2)]
        self.b.ask("handle/get", instance="i", run="run-1")
        self.assertEqual(self.end(stream), {})
        self.assertEqual([pull.result(PATIENCE).get("end") for pull in pulls], [True, True])
        self.assertEqual(self.end(stream), {})
        self.assertEqual(self.next(stream).result(PATIENCE).get("end"), True)
        self.assertEqual(self.log(), ["begun", "pulled", "closed"])

    def test_closing_other_iterators(self):
        for session, log in [("iterator", ["next", "aclose"]), ("endless", ["next"])]:
            with self.subTest(session):
                before = len(self.log())
                stream = self.stream(session)
                pull = self.next(stream)
                self.b.ask("adapter/id", instance="i")
                self.assertEqual(self.end(stream), {})
                self.assertEqual(pull.result(PATIENCE).get("end"), True)
                self.assertEqual(self.log()[before:], log)

    def test_plain_iterators_wait_in_a_thread(self):
        stream = self.stream("plain")
        pull = self.next(stream)
        self.assertEqual(self.b.ask("adapter/id", instance="i")["id"], 7)  # nobody else is held up
        self.say("a")
        self.assertEqual(pull.result(PATIENCE)["event"], {"text": "a"})
        self.say("stop")
        self.assertEqual(self.next(stream).result(PATIENCE).get("end"), True)
        waiting = self.next(busy := self.stream("plain"))
        self.b.ask("adapter/id", instance="i")
        self.assertEqual(self.end(busy), {})
        self.assertEqual(waiting.result(PATIENCE).get("end"), True)

    def test_streams_that_fail(self):
        stream = self.stream("fails")
        self.assertEqual(self.next(stream).result(PATIENCE)["event"], 1)
        self.assertEqual(self.next(stream).result(PATIENCE)["rejected"], {"name": "Coded", "message": "broke", "code": "busy"})
        opened = self.b.ask("stream/open", instance="i", run=self.b.start(session="coroutine")["run"])
        self.assertEqual(opened["rejected"]["name"], "TypeError")


class Harness(unittest.TestCase):
    def test_a_frame_that_is_not_there(self):
        with Bridge(FIXTURES / "odd.py") as b:
            b.create()
            for frame in [{"think": "x"}, {"end": "aborted"}, {"call": {"id": "t", "name": "n"}}, {"stderr": "x"}, {"brand-new": 1}]:
                self.assertEqual(b.ask("harness/emit", instance="i", frame=frame), {"unplayable": True}, frame)
            self.assertEqual(b.ask("harness/fault", instance="i", fault="down"), {"unplayable": True})
            failed = b.ask("harness/emit", instance="i", frame={"delta": "raise"})
            self.assertEqual(failed["rejected"]["message"], "cannot")

    def test_five_frames(self):
        with Bridge(FIXTURES / "seed_harness.py") as b:
            self.assertEqual(b.hello["name"], "seed")
            self.assertEqual(b.hello["features"], ["deltas", "live-text", "terminal-frame", "silent"])
            b.create()
            started = b.start(session="asked", message="mine")
            self.assertEqual(started["handle"]["sessionKey"], "asked")  # the harness's own is told under the suite's
            stream = b.open(started["run"])
            for frame in [{"delta": "Hel"}, {"final": "Hello"}, {"call": {"id": "t", "name": "n", "input": {"a": 1}}}, {"end": "ok"}]:
                self.assertEqual(b.ask("harness/emit", instance="i", frame=frame, session="asked", run=started["run"]), {})
            events = b.drain(stream)
            self.assertEqual([e.get("text") or e.get("summary") or e["name"] for e in events], ["Hel", "lo", "n", "Hello"])
            self.assertEqual({e["sessionId"] for e in events}, {"asked"})
            calls = b.ask("harness/calls", instance="i")["calls"]
            self.assertEqual(calls, [{"method": "start", "params": {"session": "fixed-session", "message": "mine"}}])

    def test_a_passive_fake_is_told_of_its_abort(self):
        with Bridge(FIXTURES / "seed_harness.py") as b:
            for fault, ends in [(None, True), ("hold", False), ("deaf", False), ("silent", False)]:
                instance = f"i-{fault}"
                b.create(instance)
                run = b.start(instance)["run"]
                stream = b.open(run, instance)
                if fault:
                    self.assertEqual(b.ask("harness/fault", instance=instance, fault=fault, session="s", run=run), {})
                pull = b.begin("stream/next", instance=instance, stream=stream)
                self.assertEqual(b.ask("adapter/abort", instance=instance, run=run), {})
                if ends:
                    self.assertEqual(pull.result(PATIENCE)["event"]["reason"], "aborted")
                else:
                    b.ask("harness/calls", instance=instance)
                    self.assertFalse(pull.done(), fault)
                if fault == "silent":
                    b.ask("harness/emit", instance=instance, frame={"delta": "late"}, session="s", run=run)
                    b.ask("harness/calls", instance=instance)
                    self.assertFalse(pull.done())

    def test_instances_are_apart(self):
        with Bridge(EXAMPLES / "executor_ok.py") as b:
            for instance in ("one", "two"):
                b.create(instance)
                b.start(instance, message=instance)
            for instance in ("one", "two"):
                calls = b.ask("harness/calls", instance=instance)["calls"]
                self.assertEqual([c["params"]["message"] for c in calls], [instance])


class Batch(unittest.TestCase):
    def test_frames_leave_in_order_or_not_at_all(self):
        with Bridge(EXAMPLES / "executor_ok.py") as b:
            self.assertTrue(b.hello["batch"])
            b.create()
            run = b.start()["run"]
            stream = b.open(run)
            emit = lambda *frames: b.ask("harness/emit", instance="i", frames=frames, session="s", run=run)  # noqa: E731
            self.assertEqual(emit({"delta": "lost"}, {"stderr": "x"}, {"end": "ok"}), {"unplayable": True})
            self.assertEqual(emit({"delta": "a"}, {"delta": "b"}, {"cut": None}, {"delta": "c"}), {})
            events = b.drain(stream)
            self.assertEqual([e.get("text", e["kind"]) for e in events], ["a", "b", "error", "done"])


class Wire(unittest.TestCase):
    def test_endpoint_parts_and_strangers(self):
        with Bridge(f"{FIXTURES / 'wire.py'}:mine") as b:
            self.assertEqual((b.hello["name"], b.hello["mode"]), ("wire", "wire"))
            self.assertIn("cut", b.hello["features"])
            endpoint = {"command": ["codex"], "url": "u", "env": ["A=b"], "dir": "/d"}
            self.assertEqual(b.create(endpoint=endpoint)["parts"], ["codec", "dispose", "approve"])
            self.assertEqual(b.ask("adapter/capabilities", instance="i")["value"]["models"], [["codex"], "u", ["A=b"], "/d"])
            self.assertEqual(b.create("broken", endpoint={"url": "broken"})["rejected"]["name"], "ValueError")
            handle = {"adapterId": "wire", "sessionKey": "nobody", "runId": None}
            blob = b.ask("codec/serialize", instance="i", run=None, handle=handle)
            self.assertEqual(blob, {"value": "blob of nobody"})
            restored = b.ask("codec/restore", instance="i", blob="x")
            self.assertEqual(restored["handle"], {"adapterId": "wire", "sessionKey": "x", "runId": None})
            self.assertEqual(b.ask("adapter/dispose", instance="i")["rejected"]["message"], "no")
            answered = b.ask("adapter/approve", instance="i", run=None, handle=handle, id="q", allow=True)
            self.assertEqual(answered["rejected"]["message"], "('nobody', 'wire', 'q', True)")
            with self.assertRaises(Refused):
                b.ask("harness/calls", instance="i")


class Examples(unittest.TestCase):
    FRAMES = (
        {"init": {"run": "R1", "session": "N1"}}, {"think": "hm"}, {"delta": "Hel"}, {"final": {"text": "Hello", "msg": "m"}},
        {"call": {"id": "t1", "name": "read", "json": '{"p": "a"}'}}, {"result": {"id": "t1", "out": "A"}},
        {"usage": {"kind": "turn", "in": 3, "out": 2, "cacheRead": 1, "cost": 0.5}}, {"error": {"msg": "again", "code": "503"}},
        {"turn": "thinking"}, {"frame": {"type": "new", "fields": {"x": 1}}}, {"raw": "{"}, {"end": "ok"}, {"delta": "late"},
    )  # fmt: skip

    def kinds(self, module):
        with Bridge(EXAMPLES / module) as b:
            b.create()
            run = b.start()["run"]
            stream = b.open(run)
            for frame in self.FRAMES:
                self.assertEqual(b.ask("harness/emit", instance="i", frame=frame, session="s", run=run), {}, json.dumps(frame))
            events = b.drain(stream)
            self.assertEqual(b.ask("handle/get", instance="i", run=run)["handle"]["runId"], "R1")
            return [e["kind"] for e in events]

    def test_right(self):
        want = ["status", "text-delta", "text-delta", "text-delta", "tool-call", "tool-result", "cost", "error", "status", "done"]
        self.assertEqual(self.kinds("executor_ok.py"), want)

    def spent(self, module):
        """What the second run of a session is billed for, whose running total went from 5000 to 5400."""
        with Bridge(EXAMPLES / module) as b:
            b.create()
            for total in (5000, 5400):
                run = b.start()["run"]
                stream = b.open(run)
                frames = [{"init": {"run": f"R{total}", "session": "N"}}, {"usage": {"kind": "total", "in": total}}, {"end": "ok"}]
                self.assertEqual(b.ask("harness/emit", instance="i", frames=frames, session="s", run=run), {})
                events = b.drain(stream)
            return [e["usage"]["inputTokens"] for e in events if e["kind"] == "cost"]

    def test_the_wrong_one_bills_twice(self):
        self.assertEqual(self.spent("executor_ok.py"), [400])
        self.assertEqual(self.spent("executor_wrong.py"), [5400])
