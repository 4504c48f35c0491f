import assert from "node:assert/strict";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import test from "node:test";

import { moduleOf, root, start } from "./client.mjs";

const example = path.join(root, "examples", "history-ok.mjs");
const token = (kind, more) => ({ $adaptercheck: kind, ...more });

function message(entryId, role, ...blocks) {
  return { id: `session:${entryId}`, sourceEntryId: entryId, role, blocks, provenance: { source: "runtime-session", sessionId: "session", entryId, runtimeId: "runtime" }, flags: {} };
}

const four = [
  message("user", "user", { type: "text", text: "Please read." }),
  message("call", "assistant", { type: "toolCall", id: "c1", name: "read", arguments: { path: "a" } }),
  message("result", "tool", { type: "toolResult", toolCallId: "c1", toolName: "read", content: "x", isError: false }),
  message("answer", "assistant", { type: "text", text: "Done." }),
];

// subject makes an instance of a module over a fixture in a directory of its own.
async function subject(t, { module = example, messages = four, answer = () => ({ role: "assistant" }), ports = [], embedding } = {}) {
  const dir = await realpath(await mkdtemp(path.join(os.tmpdir(), "bridge-history-")));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const sent = [];
  const c = start(t, module, {
    callBack: (method, params) => {
      sent.push({ method, params });
      return answer(method, params);
    },
  });
  await c.initialize();
  const model = { provider: "far", id: "m", contextWindow: 1000 };
  const fixture = { runtimeId: "runtime", sessionId: "session", root: dir, dir, model, messages, ports, embedding };
  const made = await c.call("instance/create", { instance: "h", contract: "history", fixture });
  const call = (method, params = {}) => c.call(method, { instance: "h", ...params });
  const complete = async (payload, provider = "far") => (await call("history/complete", { provider, model: "m", payload })).value;
  return { c, dir, made, call, complete, sent, file: made.historyFile };
}

test("every method of the history contract", async (t) => {
  const { c, dir, made, call, complete, sent } = await subject(t);
  assert.deepEqual(made, {
    identity: { runtimeId: "runtime", adapterName: "example-history-adapter", adapterVersion: "1.0.0", contractVersion: "runtime-adapter-v1" },
    expectedProjectRoot: dir, historyFile: path.join(dir, "session.jsonl"), append: true, parts: [],
  });
  assert.equal((await call("history/declarations")).value.length, 4);
  const { value: negotiated } = await call("history/negotiate", { requested: [{ id: "embeddings", required: true }, { id: "nonsense" }] });
  assert.deepEqual(negotiated.disabled, ["embeddings"]);
  assert.deepEqual(negotiated.diagnostics.map((d) => [d.code, d.severity]), [["capability-unsupported", "warning"]]);
  const { value: snapshot } = await call("history/snapshot");
  assert.deepEqual(snapshot.messages, four);
  assert.deepEqual(snapshot.toolAtomicGroups.map((g) => [g.messageIds, g.toolCallIds, g.complete]), [[["session:call", "session:result"], ["c1"], true]]);
  assert.deepEqual((await call("history/rebuild")).value, snapshot);
  assert.equal((await call("history/model")).value.id, "m");
  assert.equal((await call("history/root")).value, dir);
  assert.deepEqual(await call("history/append", { message: message("more", "user", { type: "text", text: "" }) }), {});
  const { value: longer } = await call("history/snapshot");
  assert.equal(longer.messages.length, 5);
  assert.notEqual(longer.revision, snapshot.revision);
  assert.deepEqual(await complete({ messages: [] }), {
    status: "completed", output: { role: "assistant" },
    privacy: { provider: "far", destination: "remote", changed: false, blockedBlocks: 0, secretRedactions: 0 },
  });
  assert.deepEqual(sent, [{ method: "transport/complete", params: { instance: "h", provider: "far", model: "m", destination: "remote", payload: { messages: [] } } }]);
  assert.deepEqual(await call("history/shutdown"), {});
  assert.deepEqual(await call("history/shutdown"), {});
  assert.equal((await complete({})).code, "adapter-closed");
  for (const method of ["snapshot", "rebuild", "model", "root"]) assert.equal((await call(`history/${method}`)).rejected.code, "adapter-closed", method);
  assert.deepEqual((await call("history/diagnostics")).value.map((d) => d.code), ["derived-state-rebuilt", "adapter-closed"]);
  assert.deepEqual(await call("instance/close"), {});
  await assert.rejects(c.call("history/root", { instance: "h" }), { code: -32602 });
});

test("what is private is not sent, and what cannot be screened neither", async (t) => {
  const { call, complete, sent } = await subject(t);
  const screened = async (content) => (await call("history/enforcePrivacy", { provider: "far", payload: { messages: [{ role: "user", content }] } })).value;
  for (const [content, want] of [
    ["a [ds4:local-only]hidden[/ds4:local-only] b", "a [withheld: local-only content] b"],
    ["a [DS4:Internal]b[/ds4:INTERNAL]", "a b"],
    ["[ds4:internal]x[ds4:sensitive]y[/ds4:sensitive][/ds4:internal]z", "[withheld: sensitive content]z"],
    ["key sk-ant-abcdefgh1234, please", "key [redacted-credential], please"],
    ["Authorization: Bearer abcdefgh1234", "Authorization: Bearer [redacted-token]"],
    ['{"password": "hunter2hunter2"}', '{"password": "[redacted-secret]"}'],
    ["api_key=sk-abcdefgh1234", "api_key=[redacted-credential]"],
    ["-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----", "[redacted-private-key]"],
    ["\\[ds4:local-only] as text", "\\[ds4:local-only] as text"],
  ]) {
    const got = await screened(content);
    assert.equal(got.payload.messages[0].content, want);
    assert.equal(got.changed, want !== content);
    const again = await screened(want);
    assert.equal(again.changed, false, want);
  }
  assert.equal((await call("history/enforcePrivacy", { provider: "ollama", payload: ["sk-abcdefgh1234"] })).value.payload[0], "sk-abcdefgh1234");
  assert.deepEqual((await call("history/enforcePrivacy", { provider: "far", payload: { password: "hunter2", "sk-abcdefgh1234": 1 } })).value.payload, { password: "[redacted-secret]", "[redacted-credential]": 1 });
  for (const broken of ["[ds4:local-only] open", "shut [/ds4:normal]", "[ds4:internal]a[/ds4:normal]", "[d\u017F4:local-only]a[/d\u017F4:local-only]", "[d[ds4:internal]s4:internal[/ds4:internal]]"]) {
    assert.equal((await complete({ messages: [{ content: broken }] })).code, "privacy-enforcement-failed", broken);
  }
  for (const kind of ["throws", "cycle", "function", "symbol", "bigint", "map", "set", "date", "buffer", "deep", "promise", "nan"]) {
    assert.deepEqual([kind, (await complete({ messages: [{ content: token(kind) }] })).code], [kind, "privacy-enforcement-failed"]);
  }
  assert.equal((await call("history/enforcePrivacy", { provider: "far", payload: token("throws") })).rejected.name, "PrivacyError");
  assert.deepEqual(sent, []);
});

test("a transport that fails, and answers of every shape", async (t) => {
  let answer = () => {
    throw new Error("provider says no");
  };
  const { call, complete } = await subject(t, { answer: () => answer() });
  assert.deepEqual(await complete({}), { status: "fallback", code: "transport-failed", reason: "the transport failed", retryable: true });
  for (const output of ["text", null, [1, { a: [] }], 0, false]) {
    answer = () => output;
    assert.deepEqual((await complete({})).output, output);
  }
  assert.deepEqual((await call("history/complete", { provider: " ", model: "m", payload: {} })).value.code, "invalid-request");
  assert.deepEqual((await call("history/diagnostics")).value.map((d) => d.code), ["completion-transport-failed", "completion-request-invalid"]);
});

test("a bad source is refused and left alone", async (t) => {
  const { call, file } = await subject(t);
  const good = await readFile(file, "utf8");
  const lines = good.split("\n");
  for (const [name, bad, code] of [
    ["empty", "", "canonical-history-read-failed"],
    ["torn", good.slice(0, -9), "canonical-history-read-failed"],
    ["garbled", good.replaceAll("blocks", '"'), "canonical-history-read-failed"],
    ["bad text", Buffer.from(good.replace("Done", "D\u00ffne"), "latin1"), "canonical-history-read-failed"],
    ["other session", good.replaceAll("session", "another"), "canonical-history-read-failed"],
    ["other root", good.replace('"projectRoot":"', '"projectRoot":"/x'), "canonical-history-identity-mismatch"],
    ["orphan", [lines[0], lines[3], ""].join("\n"), "canonical-history-invalid"],
    ["twice", [lines[0], lines[1], lines[1], ""].join("\n"), "canonical-history-invalid"],
  ]) {
    await writeFile(file, bad);
    const { rejected } = await call("history/snapshot");
    assert.equal(rejected?.code, code, name);
    assert.ok(!rejected.message.includes("Please"), name);
    assert.deepEqual(await readFile(file), Buffer.from(bad), name);
  }
  await rm(file);
  assert.equal((await call("history/rebuild")).rejected.code, "canonical-history-read-failed");
  await writeFile(file, good);
  assert.equal((await call("history/snapshot")).value.messages.length, 4);
});

test("groups", async (t) => {
  const call = (id) => ({ type: "toolCall", id, name: "n", arguments: {} });
  const result = (id) => ({ type: "toolResult", toolCallId: id, toolName: "n", content: "", isError: false });
  const { call: ask } = await subject(t, {
    messages: [message("1", "assistant", call("b"), call("a")), message("2", "user", { type: "text", text: "" }), message("3", "tool", result("b")), message("4", "assistant", call("c")), message("5", "tool", result("a"))],
  });
  const { value } = await ask("history/snapshot");
  assert.deepEqual(value.toolAtomicGroups.map(({ id, ...g }) => g), [
    { messageIds: ["session:1", "session:3", "session:5"], toolCallIds: ["a", "b"], complete: true },
    { messageIds: ["session:4"], toolCallIds: ["c"], complete: false },
  ]);
});

test("a history adapter's raw values, and its ports", async (t) => {
  const module = await moduleOf(t, `
    export default { name: "odd", create: async (fixture, transport) => ({
      adapter: {
        identity: Promise.resolve(),
        diagnostics: async () => [],
        capabilityDeclarations: () => { throw new Error("no") },
        currentModel: async () => undefined,
        complete: async () => [await fixture.ports.embedding.embed(["a"]), await fixture.ports.localKv.tryReuse({ b: 1n }), await transport({ provider: 5, payload: new Map() }), fixture.ports.other],
      },
      expectedProjectRoot: 7, cleanup: () => { throw new Error("left over") } }) };`);
  const { made, call, sent } = await subject(t, { module, ports: ["embedding", "local-kv"], answer: (method) => (method === "port/embed" ? { vectors: [[1]] } : { status: "miss" }) });
  assert.deepEqual(made, { identity: token("promise"), append: false, parts: [] });
  assert.deepEqual(await call("history/diagnostics"), { value: token("promise") });
  assert.deepEqual((await call("history/declarations")).rejected, { name: "Error", message: "no" });
  assert.deepEqual(await call("history/model"), { value: token("undefined") });
  assert.equal((await call("history/snapshot")).rejected.name, "TypeError");
  assert.deepEqual((await call("history/complete", { provider: "p", model: "m", payload: {} })).value, [[[1]], { status: "miss" }, { status: "miss" }, token("undefined")]);
  assert.deepEqual(sent.map((s) => s.params), [
    { instance: "h", texts: ["a"] },
    { instance: "h", request: { b: token("bigint", { value: "1" }) } },
    { instance: "h", provider: 5, payload: token("map") },
  ]);
  await assert.rejects(call("history/append", { message: {} }), { code: -32601 });
  assert.deepEqual((await call("instance/close")).rejected, { name: "Error", message: "left over" });
});

test("the parts that an adapter may have", async (t) => {
  const module = await moduleOf(t, `
    export default { name: "parts", create: (fixture) => ({ adapter: {
      identity: {},
      embeddingPort: fixture.ports.embedding,
      localKvDiagnostics: () => ({ version: "v", hits: 1n }),
      shutdown: () => fixture.ports.localKv.shutdown(),
    }, expectedProjectRoot: fixture.root }) };`);
  const embedding = { provider: "local", model: "lengths", dimensions: 1, destination: "local" };
  const { made, call, sent } = await subject(t, { module, ports: ["embedding", "local-kv"], embedding, answer: (method) => (method === "port/embed" ? { vectors: [[3]] } : {}) });
  assert.deepEqual(made.parts, ["embedding", "local-kv-diagnostics"]);
  assert.deepEqual(await call("history/embeddingIdentity"), { value: embedding });
  assert.deepEqual(await call("history/embed", { texts: ["abc"] }), { value: [[3]] });
  assert.deepEqual(await call("history/localKvDiagnostics"), { value: { version: "v", hits: token("bigint", { value: "1" }) } });
  assert.deepEqual(await call("history/shutdown"), {});
  assert.deepEqual(sent, [{ method: "port/embed", params: { instance: "h", texts: ["abc"] } }, { method: "port/shutdown", params: { instance: "h" } }]);
});

test("an adapter without parts is not asked for them", async (t) => {
  const { call } = await subject(t);
  for (const method of ["history/embeddingIdentity", "history/embed", "history/localKvDiagnostics"]) await assert.rejects(call(method, { texts: [] }), { code: -32601 });
});
