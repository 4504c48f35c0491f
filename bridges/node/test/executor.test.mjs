import assert from "node:assert/strict";
import path from "node:path";
import test from "node:test";

import { moduleOf, root, start } from "./client.mjs";

const example = (name) => path.join(root, "examples", `${name}.mjs`);
const kinds = (events) => events.map((e) => e.kind);
const text = (events) => events.filter((e) => e.kind === "text-delta").map((e) => e.text).join("");

test("an extended harness tells what it can show", async (t) => {
  const c = start(t, example("executor-ok"));
  const got = await c.initialize();
  assert.equal(got.protocol, "adaptercheck-subject-v1");
  assert.equal(got.mode, "harness");
  assert.deepEqual(got.contracts, ["executor"]);
  assert.deepEqual(got.declares, { secondStart: "refuses", queue: "drop", blocklist: "delivered" });
  for (const feature of ["deltas", "tools", "init", "usage", "max-turns", "codec"]) assert.ok(got.features.includes(feature), feature);
  assert.ok(!got.features.includes("approvals"));
});

test("every method of the executor contract", async (t) => {
  const c = start(t, example("executor-ok"));
  await c.initialize();
  const x = await c.executor();
  assert.deepEqual(x.made, { id: "example-runtime", participantKind: "agent", parts: ["codec", "dispose"] });
  assert.deepEqual(await x.call("adapter/id"), { id: "example-runtime", participantKind: "agent" });
  assert.equal((await x.call("adapter/capabilities")).value.streaming, true);
  assert.deepEqual(await x.call("adapter/health"), { value: { ok: true } });

  const { run, handle } = await x.start({ context: "before", model: "m1", childToolBlocklist: ["rm"] });
  assert.deepEqual(handle, { adapterId: "example-runtime", sessionKey: "s", runId: null });
  const second = await x.start();
  assert.equal(second.rejected.code, "busy");
  const stream = await x.open(run);
  assert.deepEqual(await x.call("adapter/setModel", { run, model: "m2" }), {});
  assert.deepEqual(await x.call("adapter/writeContext", { run, key: "NOTES.md", value: "v" }), {});
  assert.equal((await x.call("adapter/writeContext", { run, key: "../x", value: "v" })).rejected.name, "Error");
  assert.deepEqual(await x.emit({ init: { run: "R1", session: "N1" } }), {});
  assert.deepEqual((await x.next(stream)).handle, { ...handle, runId: "R1" });
  assert.deepEqual(await x.call("handle/get", { run }), { handle: { ...handle, runId: "R1" } });
  const { value: blob } = await x.call("codec/serialize", { run });
  const restored = await x.call("codec/restore", { blob });
  assert.equal(restored.handle.sessionKey, "s");
  assert.equal((await x.call("codec/restore", { blob: "{" })).rejected.name, "Error");

  assert.deepEqual(await x.call("adapter/abort", { run }), {});
  const done = (await x.read(stream)).at(-1);
  assert.equal(done.reason, "aborted");
  assert.deepEqual(await x.call("stream/close", { stream }), {});
  assert.deepEqual(await x.call("stream/close", { stream }), {});
  assert.deepEqual(await x.call("adapter/dispose"), {});
  assert.equal((await x.start()).rejected.code, "disposed");

  const { calls } = await x.call("harness/calls");
  assert.deepEqual(calls.map((call) => call.method), ["run.start", "session.setModel", "session.writeContext", "run.cancel"]);
  assert.equal(calls[0].params.message, "before\n\nhello");
  assert.deepEqual(await x.call("instance/close"), {});
  await assert.rejects(x.call("adapter/id"), { code: -32602 });
});

test("the right example says everything once, the wrong one doubles", async (t) => {
  for (const [name, want] of [["executor-ok", "Hello world"], ["executor-wrong", "Hello worldHello world"]]) {
    const c = start(t, example(name));
    await c.initialize();
    const x = await c.executor();
    const { run } = await x.start();
    const stream = await x.open(run);
    for (const frame of ["init", { delta: "Hello" }, { final: "Hello world" }, { usage: { in: 3, out: 4, cost: 0.5 } }, { end: "ok" }]) assert.deepEqual(await x.emit(frame), {});
    const events = await x.read(stream);
    assert.equal(text(events), want, name);
    assert.equal(events.at(-1).summary, "Hello world");
    assert.equal((await x.next(stream)).end, true);
  }
});

test("words of the scenario language, in the harness's frames", async (t) => {
  const c = start(t, example("executor-ok"));
  await c.initialize();
  const x = await c.executor();
  const { run } = await x.start();
  const stream = await x.open(run);
  for (const frame of [
    { think: "hm" }, { call: { id: "t1", name: "read", json: '{"p":[1]}' } }, { result: { id: "t1", out: "A", err: true } },
    { error: { msg: "again" } }, { frame: { type: "new", json: '{"x":1}' } }, { raw: { line: "{" } }, { turn: "thinking" },
    { end: { reason: "max_turns" } },
  ]) assert.deepEqual(await x.emit(frame), {}, JSON.stringify(frame));
  const events = await x.read(stream);
  assert.deepEqual(kinds(events), ["text-delta", "tool-call", "tool-result", "error", "status", "done"]);
  assert.deepEqual(events[1].input, { p: [1] });
  assert.equal(events[2].isError, true);
  assert.equal(events[3].fatal, false);
  assert.equal(events[5].reason, "max_turns");
  for (const frame of [{ ask: { id: "q" } }, { callpart: { idx: 0, frag: "{" } }, { snapshot: "x" }, { stderr: { n: 3 } }, "child", { ignore: "INT" }, { exit: 1 }, { end: "tool_use" }]) {
    assert.deepEqual(await x.emit(frame), { unplayable: true }, JSON.stringify(frame));
  }
  await assert.rejects(x.emit({ a: 1, b: 2 }), { code: -32602 });
});

test("faults", async (t) => {
  const c = start(t, example("executor-ok"));
  await c.initialize();
  const x = await c.executor();
  assert.deepEqual(await x.call("harness/fault", { fault: "refuse" }), {});
  assert.ok((await x.start()).rejected);
  const { run } = await x.start();
  const stream = await x.open(run);
  assert.deepEqual(await x.emit("cut", { run }), {});
  assert.deepEqual(kinds(await x.read(stream)), ["error", "done"]);
  assert.deepEqual(await x.call("harness/fault", { fault: "exit" }), { unplayable: true });
  assert.deepEqual(await x.call("harness/fault", { fault: "down" }), {});
  assert.deepEqual(await x.call("adapter/health"), { value: { ok: false, message: "the runtime cannot be reached" } });
});

test("the five frames of the seed work as they are", async (t) => {
  const c = start(t, example("seed-harness"));
  const got = await c.initialize();
  assert.deepEqual(got.features, ["deltas", "live-text", "terminal-frame", "silent"]);
  const x = await c.executor();
  const { run, handle } = await x.start({ sessionKey: "mine", message: "the suite's words", model: "m" });
  assert.equal(handle.sessionKey, "mine", "the harness's own session key is told under the suite's");
  const { calls } = await x.call("harness/calls");
  assert.deepEqual(calls, [{ method: "chat.send", params: { sessionKey: "session-of-the-harness", text: "the suite's words" } }]);
  const stream = await x.open(run);
  for (const frame of [{ delta: "a" }, { delta: "b" }, { final: "abc" }, { call: { id: "x", name: "n", input: 1 } }, { end: "ok" }]) assert.deepEqual(await x.emit(frame), {});
  const events = await x.read(stream);
  assert.equal(text(events), "abc");
  assert.equal(events[0].sessionId, "mine");
  assert.equal(events.at(-1).summary, "abc");
  for (const frame of ["init", { think: "x" }, { result: { id: "x", out: "" } }, { error: { msg: "mild" } }, "cut"]) assert.deepEqual(await x.emit(frame), { unplayable: true });
});

test("an aborted run of a fake that plays no faults is ended by the bridge", async (t) => {
  // This adapter has no grace of its own: without the frame the run would not end.
  const c = start(t, await moduleOf(t, `
    const calls = [], frames = [];
    let more;
    export default { recordedCalls: () => calls, frames: { delta: (text) => ({ text }), aborted: () => ({ kind: "done", reason: "aborted" }) },
      emit: (frame) => { frames.push(frame); more?.(); },
      makeAdapter: () => ({
        start: async () => ({ adapterId: "a", sessionKey: "s", runId: null }),
        abort: async () => void calls.push({ method: "run.interrupt", params: {} }),
        async *events() { for (;;) { while (frames.length) yield frames.shift(); await new Promise((resolve) => (more = resolve)); } },
      }) };`));
  await c.initialize();
  const x = await c.executor();
  const { run } = await x.start();
  const stream = await x.open(run);
  await x.emit({ delta: "part" });
  await x.call("adapter/abort", { run });
  assert.deepEqual(await x.read(stream), [{ text: "part" }, { kind: "done", reason: "aborted" }]);
});

test("a silent run says nothing, aborted or not", async (t) => {
  const c = start(t, example("seed-harness"));
  await c.initialize();
  const x = await c.executor();
  const { run } = await x.start();
  const stream = await x.open(run);
  assert.deepEqual(await x.call("harness/fault", { fault: "silent", run }), {});
  assert.deepEqual(await x.emit({ delta: "lost" }), {});
  await x.call("adapter/abort", { run });
  const events = await x.read(stream);
  assert.deepEqual(kinds(events), ["done"]); // of the adapter's grace
});

test("instances of an object harness do not share their fake", async (t) => {
  const c = start(t, example("seed-harness"));
  await c.initialize();
  const [a, b] = [await c.executor("a"), await c.executor("b")];
  const { run } = await a.start();
  await b.start();
  const stream = await a.open(run);
  await b.emit({ delta: "of b" });
  await a.emit({ delta: "of a" });
  assert.equal((await a.next(stream)).event.text, "of a");
  assert.equal((await b.call("harness/calls")).calls.length, 1);
});

test("a run that was never given out", async (t) => {
  const c = start(t, example("executor-ok"));
  await c.initialize();
  const x = await c.executor();
  const stranger = { run: null, handle: { adapterId: "example-runtime", sessionKey: "nobody", runId: null } };
  const { stream } = await x.call("stream/open", stranger);
  assert.equal((await x.next(stream)).end, true);
  assert.equal((await x.call("adapter/abort", stranger)).rejected.code, "unknown-run");
});

test("wire mode hands over the endpoint", async (t) => {
  const file = await moduleOf(t, `export default { label: "wire one", makeAdapter: (at) => ({ id: at.command.join(" "), participantKind: "agent" }) };`);
  const c = start(t, file);
  const got = await c.initialize();
  assert.equal(got.mode, "wire");
  assert.equal(got.name, "wire-one");
  assert.ok(got.features.includes("process"));
  const x = await c.executor("i", { command: ["codex", "x"], env: [], dir: "/tmp" });
  assert.equal(x.made.id, "codex x");
  await assert.rejects(x.call("harness/calls"), { code: -32601 });
  await assert.rejects(x.call("codec/serialize", { run: null, handle: {} }), { code: -32601 });
});

test("several frames in one request leave in order, or not at all", async (t) => {
  const c = start(t, example("executor-ok"));
  assert.equal((await c.initialize()).batch, true);
  const x = await c.executor();
  const { run } = await x.start();
  const stream = await x.open(run);
  const emit = (...frames) => x.call("harness/emit", { frames, session: "s", run });
  assert.deepEqual(await emit("init", { delta: "lost" }, { stderr: "x" }, { end: "ok" }), { unplayable: true });
  assert.deepEqual(await emit({ delta: "a" }, { delta: "b" }, "cut", { delta: "c" }), {});
  assert.deepEqual((await x.read(stream)).map((e) => e.text ?? e.kind), ["a", "b", "error", "done"]);
  await assert.rejects(emit({ delta: "a" }, { a: 1, b: 2 }), { code: -32602 });
});
