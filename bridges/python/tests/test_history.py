"""The history contract over the line."""

import hashlib
import tempfile
import unittest
from pathlib import Path

from .client import EXAMPLES, FIXTURES, Bridge, Refused

SECRET = "sk-conformance-credential-123456"


class Example(unittest.TestCase):
    def setUp(self):
        self.b = Bridge(EXAMPLES / "history_ok.py")
        self.addCleanup(self.b.close)
        self.b.answer = lambda method, params: {"role": "assistant", "content": "fine"}
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = Path(directory.name).resolve()
        self.model = {"provider": "far", "id": "m", "contextWindow": 1000}
        self.messages = [
            self.message("e1", "user", {"type": "text", "text": "hi"}),
            self.message("e2", "assistant", {"type": "toolCall", "id": "t1", "name": "read", "arguments": {"n": 1.5}}),
            self.message("e3", "tool", {"type": "toolResult", "toolCallId": "t1", "toolName": "read", "content": "A", "isError": False}),
        ]
        fixture = {"runtimeId": "rt", "sessionId": "s", "root": str(self.dir), "dir": str(self.dir), "model": self.model}
        self.made = self.b.create(contract="history", fixture={**fixture, "messages": self.messages, "ports": []})

    def message(self, entry, role, block):
        provenance = {"source": "runtime-session", "sessionId": "s", "entryId": entry, "runtimeId": "rt"}
        return {"id": f"s:{entry}", "sourceEntryId": entry, "role": role, "blocks": [block], "provenance": provenance, "flags": {}}

    def ask(self, method, **params):
        return self.b.ask("history/" + method, instance="i", **params)

    def complete(self, payload, provider="far", model="m"):
        return self.ask("complete", provider=provider, model=model, payload=payload)["value"]

    def test_what_it_is(self):
        self.assertEqual((self.b.hello["contracts"], self.b.hello["features"]), (["history"], ["source", "append"]))
        self.assertEqual(self.made["expectedProjectRoot"], str(self.dir))
        self.assertTrue(self.made["append"])
        self.assertEqual(self.made["identity"]["contractVersion"], "runtime-adapter-v1")

    def test_reading(self):
        snapshot = self.ask("snapshot")["value"]
        self.assertEqual(snapshot["messages"], self.messages)
        self.assertEqual(snapshot["revision"], hashlib.sha256(Path(self.made["historyFile"]).read_bytes()).hexdigest())
        ids = ["s:e2", "s:e3"]
        group = "runtime-tool-group:" + hashlib.sha256("\0".join(ids).encode()).hexdigest()[:16]
        self.assertEqual(snapshot["toolAtomicGroups"], [{"id": group, "messageIds": ids, "toolCallIds": ["t1"], "complete": True}])
        self.assertEqual(self.ask("rebuild")["value"], snapshot)
        self.assertEqual(self.ask("model"), {"value": self.model})
        self.assertEqual(self.ask("root"), {"value": str(self.dir)})
        self.assertEqual(self.ask("append", message=self.message("e4", "user", {"type": "text", "text": "more"})), {})
        self.assertEqual(len(self.ask("snapshot")["value"]["messages"]), 4)
        with open(self.made["historyFile"], "ab") as file:
            file.write(b'{"type":"mess')
        self.assertEqual(self.ask("snapshot")["rejected"]["code"], "canonical-history-read-failed")

    def test_capabilities(self):
        self.assertEqual(len(self.ask("declarations")["value"]), 4)
        answer = self.ask("negotiate", requested=[{"id": "embeddings", "required": True}, {"id": "other"}])["value"]
        self.assertEqual((answer["disabled"], [d["severity"] for d in answer["diagnostics"]]), (["embeddings"], ["warning"]))

    def test_privacy(self):
        text = f"a [ds4:local-only]hidden[/ds4:local-only] b {SECRET} c"
        payload = {"model": "m", "messages": [{"role": "user", "content": text}]}
        got = self.ask("enforcePrivacy", provider="far", payload=payload)["value"]
        self.assertEqual((got["destination"], got["changed"], got["blockedBlocks"], got["secretRedactions"]), ("remote", True, 1, 1))
        content = got["payload"]["messages"][0]["content"]
        self.assertTrue(content.startswith("a ") and content.endswith(" c"), content)
        for private in ("hidden", SECRET, "[ds4"):
            self.assertNotIn(private, content)
        local = self.ask("enforcePrivacy", provider=" OLLAMA ", payload={"messages": [text]})["value"]
        self.assertIn("hidden", local["payload"]["messages"][0])

    def test_completing(self):
        done = self.complete({"messages": [SECRET]})
        self.assertEqual((done["status"], done["output"]["content"]), ("completed", "fine"))
        [(method, params)] = self.b.asked
        self.assertEqual((method, params["instance"], params["destination"]), ("transport/complete", "i", "remote"))
        self.assertNotIn(SECRET, str(params))
        self.assertEqual(self.complete({}, provider=" ")["code"], "invalid-request")

        def fail(method, params):
            raise RuntimeError("provider says no")

        self.b.answer = fail
        failed = self.complete({})
        self.assertEqual((failed["status"], failed["code"], failed["retryable"]), ("fallback", "transport-failed", True))
        self.assertEqual(len(self.b.asked), 2)

    def test_hostile_payloads_are_not_sent(self):
        names = "promise function symbol nan infinity -infinity cycle date map set buffer throws deep".split()
        for name in names:
            for payload in ({"messages": {"$adaptercheck": name}}, {"messages": [{"$adaptercheck": name}]}):
                with self.subTest(name):
                    self.assertEqual(self.complete(payload)["code"], "privacy-enforcement-failed")
        self.assertEqual(self.b.asked, [])
        with self.assertRaises(Refused) as caught:
            self.complete({"messages": {"$adaptercheck": "undefined"}})
        self.assertEqual(caught.exception.code, -32004)
        self.assertEqual(self.complete({"n": {"$adaptercheck": "bigint", "value": "12"}})["status"], "completed")

    def test_closing(self):
        for _ in range(2):
            self.assertEqual(self.ask("shutdown"), {})
        self.assertEqual(self.complete({})["code"], "adapter-closed")
        self.assertIn("rejected", self.ask("snapshot"))
        self.assertEqual([d["code"] for d in self.ask("diagnostics")["value"]], ["adapter-closed"])
        self.assertEqual(self.b.ask("instance/close", instance="i"), {})


class Plain(unittest.TestCase):
    def setUp(self):
        self.b = Bridge(FIXTURES / "plain_history.py")
        self.addCleanup(self.b.close)
        self.made = self.b.create(contract="history", fixture={"root": "/r", "ports": ["embedding", "local-kv"], "embedding": {"dimensions": 1}})

    def test_what_it_is(self):
        self.assertEqual(self.b.hello["name"], "plain-history")
        made = {"identity": {"runtimeId": "r"}, "expectedProjectRoot": "/r", "append": False, "parts": ["embedding"]}
        self.assertEqual(self.made, made)
        self.assertEqual(self.b.ask("history/diagnostics", instance="i"), {"value": {"$adaptercheck": "promise"}})

    def test_a_transport_that_blocks(self):
        self.b.answer = lambda method, params: params["payload"]
        got = self.b.ask("history/complete", instance="i", provider="p", model="m", payload={"a": {"$adaptercheck": "set"}})
        self.assertEqual(got, {"value": {"output": {"a": {"$adaptercheck": "set"}}}})

        def fail(method, params):
            if method == "port/embed":
                return {"vectors": [[len(params["texts"])]]}
            raise RuntimeError("no")

        self.b.answer = fail
        got = self.b.ask("history/complete", instance="i", provider="p", model="m", payload=1)
        self.assertEqual(got, {"value": {"failed": "TransportError: no", "vectors": [[1]]}})

    def test_ports(self):
        self.b.answer = lambda method, params: {"vectors": [[len(params["texts"])]]} if method == "port/embed" else {}
        self.assertEqual(self.b.ask("history/embeddingIdentity", instance="i"), {"value": {"dimensions": 1}})
        self.assertEqual(self.b.ask("history/embed", instance="i", texts=["a", "b"]), {"value": [[2]]})
        self.assertEqual(self.b.ask("history/shutdown", instance="i"), {})
        self.assertEqual([method for method, _ in self.b.asked], ["port/embed", "port/shutdown"])
        with self.assertRaises(Refused):
            self.b.ask("history/localKvDiagnostics", instance="i")

    def test_an_accessor_that_throws(self):
        payload = {"fine": 1, "bad": {"$adaptercheck": "throws"}}
        got = self.b.ask("history/enforcePrivacy", instance="i", provider="p", payload=payload)["value"]
        self.assertEqual(got, {"kind": "ThrowingDict", "looked": "HostileError"})
