"""A tiny suite: it drives a bridge over pipes, as the real one does."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from concurrent.futures import Future
from pathlib import Path

HERE = Path(__file__).parent
FIXTURES = HERE / "fixtures"
EXAMPLES = HERE.parent / "examples"
PATIENCE = 20  # seconds; nothing here should take long, but machines are busy


class Refused(Exception):
    """The subject answered with a JSON-RPC error."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


class Bridge:
    """One bridge process and the client's end of its line."""

    def __init__(self, module, greet=True):
        command = [sys.executable, str(HERE.parent), str(module)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.garbage = []  # lines that were no answer
        self.asked = []  # call-backs of the subject
        self.answer = lambda method, params: None
        self._ids = 0
        self._waiting = {}
        self._lock = threading.Lock()
        self._stderr = []
        self._threads = [threading.Thread(target=self._read), threading.Thread(target=self._drain)]
        for thread in self._threads:
            thread.start()
        self.hello = self.ask("initialize", protocol="adaptercheck-subject-v1", suite={"name": "t", "version": "0"}) if greet else None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def begin(self, method, **params):
        """Send a request, and give a future of its result."""
        with self._lock:
            self._ids += 1
            future = self._waiting[self._ids] = Future()
            self.send(json.dumps({"jsonrpc": "2.0", "id": self._ids, "method": method, "params": params}))
        return future

    def ask(self, method, **params):
        """Send a request and wait for its result."""
        return self.begin(method, **params).result(PATIENCE)

    def send(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def create(self, instance="i", contract="executor", **more):
        return self.ask("instance/create", instance=instance, contract=contract, **more)

    def start(self, instance="i", session="s", **opts):
        opts = {"agentId": "a", "sessionKey": session, "message": "hello", **opts}
        return self.ask("adapter/start", instance=instance, task={}, opts=opts)

    def open(self, run, instance="i"):
        return self.ask("stream/open", instance=instance, run=run)["stream"]

    def drain(self, stream, instance="i"):
        """Pull until the end, and give the events."""
        events = []
        while "event" in (reply := self.ask("stream/next", instance=instance, stream=stream)):
            events.append(reply["event"])
        return events

    def close(self):
        """End the input and wait for the process. Gives its exit code."""
        if not self.process.stdin.closed:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass
        code = self.process.wait(PATIENCE)
        for thread in self._threads:
            thread.join(PATIENCE)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    @property
    def stderr(self):
        """What the process has printed; all of it once it was closed."""
        return b"".join(self._stderr).decode()

    def _read(self):
        for line in self.process.stdout:
            try:
                message = json.loads(line)
                future = self._waiting.pop(message["id"], None) if "method" not in message else None
            except (ValueError, KeyError, TypeError):
                self.garbage.append(line)
                continue
            if "method" in message:
                self._call_back(message)
            elif future is None:
                self.garbage.append(line)
            elif "error" in message:
                future.set_exception(Refused(message["error"]))
            else:
                future.set_result(message["result"])
        for future in self._waiting.values():
            future.set_exception(EOFError("the bridge is gone"))

    def _call_back(self, message):
        self.asked.append((message["method"], message["params"]))
        try:
            body = {"result": self.answer(message["method"], message["params"])}
        except Exception as e:
            body = {"error": {"code": -32000, "message": str(e)}}
        with self._lock:
            self.send(json.dumps({"jsonrpc": "2.0", "id": message["id"], **body}))

    def _drain(self):
        for chunk in iter(lambda: self.process.stderr.read1(65536), b""):
            self._stderr.append(chunk)
