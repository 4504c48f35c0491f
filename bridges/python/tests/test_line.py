"""The line: what is no request, what overlaps, what is long, and the end."""

import json
import subprocess
import sys
import tempfile
import unittest

from .client import EXAMPLES, FIXTURES, HERE, PATIENCE, Bridge, Refused


class Line(unittest.TestCase):
    def test_garbage_is_answered_and_stops_nothing(self):
        with Bridge(FIXTURES / "odd.py") as b:
            for line in ["{", "[1]", "7", "", '"x"', "\x00", "[" * 100_000]:
                b.send(line)
            b.send('{"jsonrpc":"2.0","id":"nobody","result":1}')  # an answer to nothing
            b.send('{"jsonrpc":"2.0","method":"initialize"}')  # a notification
            self.assertEqual(b.create()["id"], 7)
            codes = [json.loads(line)["error"]["code"] for line in b.garbage]
            self.assertEqual(codes, [-32700, -32600, -32600, -32700, -32600, -32700, -32700])
            self.assertTrue(all(json.loads(line)["id"] is None for line in b.garbage))

    def test_requests_that_make_no_sense(self):
        with Bridge(FIXTURES / "odd.py", greet=False) as b:
            self.refused(-32600, b, "instance/create", instance="i", contract="executor")
            b.ask("initialize", protocol="another")
            self.refused(-32600, b, "initialize")
            self.refused(-32602, b, "adapter/id", instance="i")
            self.refused(-32602, b, "instance/create", instance="i", contract="history")
            self.refused(-32602, b, "instance/create", instance=7, contract="executor")
            b.create()
            self.refused(-32602, b, "instance/create", instance="i", contract="executor")
            self.refused(-32601, b, "adapter/nothing", instance="i")
            self.refused(-32601, b, "_identity", instance="i")
            self.refused(-32601, b, "adapter/dispose", instance="i")
            self.refused(-32602, b, "stream/open", instance="i", run="run-9")
            self.refused(-32602, b, "stream/next", instance="i", stream=None)
            self.refused(-32602, b, "adapter/setModel", instance="i", run=None, handle={})
            self.refused(-32602, b, "harness/emit", instance="i", frame={})
            b.send('{"jsonrpc":"2.0","id":77,"method":"initialize","params":[1]}')
            self.assertEqual(b.ask("instance/close", instance="i"), {})
            self.refused(-32602, b, "adapter/id", instance="i")

    def refused(self, code, b, method, **params):
        with self.assertRaises(Refused, msg=method) as caught:
            b.ask(method, **params)
        self.assertEqual(caught.exception.code, code, method)

    def test_requests_overlap(self):
        with Bridge(FIXTURES / "odd.py") as b:
            b.create()
            stream = b.open(b.start(session="generator")["run"])
            waiting = b.begin("stream/next", instance="i", stream=stream)
            many = [b.begin("handle/get", instance="i", run="run-1") for _ in range(50)]
            self.assertEqual({f.result(PATIENCE)["handle"]["sessionKey"] for f in many}, {"generator"})
            self.assertFalse(waiting.done())
            b.ask("harness/emit", instance="i", frame={"delta": "a"})
            self.assertEqual(waiting.result(PATIENCE)["event"], {"text": "a"})

    def test_lines_of_any_length(self):
        with Bridge(FIXTURES / "odd.py") as b:
            b.create()
            stream = b.open(b.start(session="generator")["run"])
            text = "漢字🦜\u2028" * 1_000_000
            b.ask("harness/emit", instance="i", frame={"delta": text})
            self.assertEqual(b.ask("stream/next", instance="i", stream=stream)["event"]["text"], text)

    def test_what_is_printed_goes_to_standard_error(self):
        with Bridge(f"{FIXTURES / 'wire.py'}:mine") as b:
            b.create(endpoint={})
            self.assertEqual(b.ask("adapter/health", instance="i"), {"value": {"ok": True}})
            self.assertEqual(b.close(), 0)
            self.assertEqual(b.garbage, [])
            for words in ["while it is loaded", "to stdout", "more", "past Python", "a child"]:
                self.assertIn(words, b.stderr)

    def test_it_ends_with_its_input(self):
        for session in ["generator", "plain", "endless"]:  # while somebody waits, also in a thread
            with self.subTest(session), Bridge(FIXTURES / "odd.py") as b:
                b.create()
                stream = b.open(b.start(session=session)["run"])
                b.begin("stream/next", instance="i", stream=stream)
                b.ask("handle/get", instance="i", run="run-1")
                self.assertEqual(b.close(), 0)

    def test_input_from_a_file(self):
        with tempfile.TemporaryFile() as file:
            file.write(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}')  # no LF at the end
            file.seek(0)
            command = [sys.executable, str(HERE.parent), str(EXAMPLES / "executor_ok.py")]
            done = subprocess.run(command, stdin=file, capture_output=True, timeout=PATIENCE, check=False)
        [line] = done.stdout.splitlines()
        self.assertEqual((json.loads(line)["id"], done.returncode), (1, 0))

    def test_wrong_use(self):
        missing = tempfile.gettempdir() + "/there-is-no.py"
        for args, code, says in [
            ([], 2, "usage"),
            ([missing], 2, "no such file"),
            (["no_such_module_at_all"], 2, "no such module"),
            ([str(FIXTURES / "wire.py")], 2, "has no subject"),
            ([f"{FIXTURES / 'wire.py'}:os"], 2, "no subject"),
            ([f"{FIXTURES / 'words.py'}:odd_feature"], 2, "features has 'sauce', not one of"),
            ([f"{FIXTURES / 'words.py'}:odd_declaration"], 2, "declares.queue is 'both', not one of drop, block"),
            ([f"{FIXTURES / 'words.py'}:no_adapter"], 2, "words: an executor harness has make_adapter beside emit"),
            ([f"{FIXTURES / 'words.py'}:no_frames"], 2, "words: an executor harness has frames beside emit"),
            ([str(FIXTURES / "broken.py")], 1, "ZeroDivisionError"),
        ]:
            with self.subTest(args):
                command = [sys.executable, str(HERE.parent), *args]
                done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False)
                self.assertEqual((done.returncode, done.stdout), (code, ""))
                self.assertIn(says, done.stderr)
