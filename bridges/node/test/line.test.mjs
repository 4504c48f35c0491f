import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { PassThrough } from "node:stream";
import test from "node:test";

import { Server } from "../src/index.mjs";
import { moduleOf, root, start } from "./client.mjs";

const ok = path.join(root, "examples", "executor-ok.mjs");
const lines = (c) => c.lines.map((line) => JSON.parse(line));

test("garbage is answered and never the end", async (t) => {
  const c = start(t, ok);
  for (const line of ["{", "", "   ", "[]", "5", '"x"', '{"jsonrpc":"2.0","id":77}', '{"jsonrpc":"2.0","method":"initialize"}', '{"jsonrpc":"2.0","id":900,"result":{}}', '{"jsonrpc":"2.0","id":78,"method":"x","params":[1]}', "\u0000"]) c.raw(line);
  c.child.stdin.write(Buffer.from([0x22, 0xff, 0x22, 0x0a]));
  assert.equal((await c.initialize()).protocol, "adaptercheck-subject-v1");
  const codes = lines(c).filter((m) => m.error).map((m) => [m.id, m.error.code]);
  assert.deepEqual(codes, [[null, -32700], [null, -32600], [null, -32600], [null, -32600], [77, -32600], [78, -32602], [null, -32700], [null, -32700]]);
  await assert.rejects(c.call("nonsense", { instance: "i" }), { code: -32602 });
  const x = await c.executor();
  await assert.rejects(x.call("constructor"), { code: -32601 });
  await assert.rejects(x.call("adapter/abort", { run: "run-99" }), { code: -32602 });
  await assert.rejects(x.call("stream/next", { stream: "stream-99" }), { code: -32602 });
});

test("order of life", async (t) => {
  const c = start(t, ok);
  await assert.rejects(c.call("instance/create", { instance: "i", contract: "executor" }), { code: -32600 });
  await c.initialize();
  await assert.rejects(c.initialize(), { code: -32600 });
  await assert.rejects(c.call("instance/create", { instance: "i", contract: "history" }), { code: -32602 });
  await c.executor("i");
  await assert.rejects(c.executor("i"), { code: -32602 });
});

test("the end of standard input is the end", async (t) => {
  const c = start(t, await moduleOf(t, `export default { emit() {}, frames: {}, makeAdapter: () => ({ dispose: () => new Promise(() => {}) }), close: () => console.error("closed") };`));
  await c.initialize();
  await c.executor();
  c.child.stdin.end();
  assert.equal(await c.exited, 0);
});

const prints = `
  import { spawnSync } from "node:child_process";
  import fs from "node:fs";
  console.log("while it loads");
  export default { emit() {}, frames: {}, makeAdapter: () => {
    console.log("log"); console.info("info"); process.stdout.write("write without end of line");
    return { id: "a", setModel() { fs.writeSync(1, "descriptor\\n"); spawnSync("echo", ["child"], { stdio: "inherit" }); }, start: () => ({}) };
  } };`;

test("what the adapter prints goes to standard error", async (t) => {
  const c = start(t, await moduleOf(t, prints));
  await c.initialize();
  await c.executor();
  c.child.stdin.end();
  await c.exited;
  for (const word of ["while it loads", "log", "info", "write without"]) assert.ok(c.stderr.includes(word), word);
  assert.equal(c.lines.length, 2);
});

const posix = { skip: process.platform === "win32" && "needs descriptors that can be moved" };

test("so does what is written past console, and by children", posix, async (t) => {
  const c = start(t, await moduleOf(t, prints), { pipes: true });
  await c.initialize();
  const x = await c.executor();
  const { run } = await x.start();
  assert.deepEqual(await x.call("adapter/setModel", { run, model: "m" }), {});
  c.child.stdin.end();
  await c.exited;
  for (const word of ["while it loads", "log", "info", "write without", "descriptor", "child"]) assert.ok(c.stderr.includes(word), word);
  assert.equal(c.lines.length, 4);
});

test("standard input is the protocol's own", posix, async (t) => {
  const c = start(t, await moduleOf(t, `
    import fs from "node:fs";
    export default { emit() {}, frames: {}, makeAdapter: () => ({ id: "read " + fs.readFileSync(0, "utf8") }) };`), { pipes: true });
  await c.initialize();
  assert.equal((await c.executor()).made.id, "read ");
});

test("lines may be huge, in both directions", async (t) => {
  const c = start(t, ok);
  await c.initialize();
  const x = await c.executor();
  const { run } = await x.start({ message: "m".repeat(8 << 20) });
  const stream = await x.open(run);
  await x.emit({ delta: "漢".repeat(2 << 20) });
  assert.equal((await x.next(stream)).event.text.length, 2 << 20);
  assert.equal((await x.call("harness/calls")).calls[0].params.message.length, 8 << 20);
});

test("a line may come in pieces, and several in one", async (t) => {
  const c = start(t, ok);
  const [a, b] = [1, 2].map((id) => Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 100 + id, method: "nö", params: {} }) + "\n"));
  for (const byte of a) c.child.stdin.write(Buffer.from([byte]));
  c.child.stdin.write(Buffer.concat([b, b, b]));
  await c.initialize();
  assert.deepEqual(lines(c).filter((m) => m.error).map((m) => m.id), [101, 102, 102, 102]);
});

test("requests overlap: a pull that waits holds nothing up", async (t) => {
  const c = start(t, ok);
  await c.initialize();
  const x = await c.executor();
  const { run } = await x.start();
  const stream = await x.open(run);
  const pulls = [x.next(stream), x.next(stream)];
  const others = await Promise.all(Array.from({ length: 50 }, () => x.call("adapter/health")));
  assert.ok(others.every((r) => r.value.ok));
  await x.emit({ delta: "a" });
  await x.emit({ delta: "b" });
  assert.deepEqual((await Promise.all(pulls)).map((r) => r.event.text), ["a", "b"]);
});

test("an adapter that throws where nobody waits ends the process", async (t) => {
  for (const [name, what] of [["exception", "setImmediate(() => { throw new Error('too late') })"], ["rejection", "Promise.reject(new Error('too late'))"]]) {
    const c = start(t, await moduleOf(t, `export default { emit() {}, frames: {}, makeAdapter: () => ({ id: "a", setModel: async () => { ${what} } , start: async () => ({}) }) };`));
    await c.initialize();
    const x = await c.executor();
    const { run } = await x.start();
    x.call("adapter/setModel", { run, model: "m" }).catch(() => {});
    assert.equal(await c.exited, 1, name);
    assert.match(c.stderr, /too late/);
  }
});

test("a module that cannot be loaded, or is no subject", async (t) => {
  for (const [source, code, want] of [
    ["export default 5;", 2, /^adaptercheck-bridge: subject\.mjs: .* has none of emit .*\n$/],
    ["export default { emit() {}, frames: {} };", 2, /^adaptercheck-bridge: subject\.mjs: an executor harness has makeAdapter beside emit.*\n$/],
    ["export default { emit() {}, makeAdapter() {} };", 2, /^adaptercheck-bridge: subject\.mjs: an executor harness has frames beside emit.*\n$/],
    ["export default { emit() {}, makeAdapter() {}, frames: {}, declares: { queue: 'both' } };", 2, /^adaptercheck-bridge: declares\.queue .*\n$/],
    ["export default { create() {}, features: ['source', 'sauce'] };", 2, /^adaptercheck-bridge: features has "sauce", not one of .*append.*\n$/],
    ["\nthrow new Error('broken')", 1, /subject\.mjs:2\b[^]*Error: broken/],
    ["\n\nexport default x = = 1", 1, /subject\.mjs:3\n[^]*SyntaxError/],
  ]) {
    const c = start(t, await moduleOf(t, source));
    await assert.rejects(c.initialize(), /the bridge has ended/);
    assert.equal(await c.exited, code, source);
    assert.match(c.stderr, want);
  }
});

test("a module in TypeScript, for a Node that reads none", { skip: Boolean(process.features.typescript) }, async (t) => {
  const file = (await moduleOf(t, "")).replace(/mjs$/, "ts");
  await writeFile(file, "export default (): unknown => 5;");
  const c = start(t, file);
  await assert.rejects(c.initialize(), /the bridge has ended/);
  assert.equal(await c.exited, 2);
  assert.match(c.stderr, /^adaptercheck-bridge: \S+subject\.ts: Node [0-9.]+ reads no TypeScript: compile it.*\n$/);
});

test("a module that is not there", async (t) => {
  const c = start(t, "no-such-module.mjs");
  await assert.rejects(c.initialize(), /the bridge has ended/);
  assert.deepEqual([await c.exited, c.stderr], [2, "adaptercheck-bridge: no-such-module.mjs: no such file\n"]);
});

test("a program of one's own answers for a module that cannot be loaded", async (t) => {
  const told = t.mock.method(process.stderr, "write", () => true);
  const file = await moduleOf(t, "throw new Error('broken')");
  const input = new PassThrough();
  const answer = await new Promise((resolve) => {
    new Server(file, (line) => resolve(JSON.parse(line))).serve(input);
    input.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n');
  });
  input.end();
  assert.deepEqual(answer, { jsonrpc: "2.0", id: 1, error: { code: -32603, message: "the module cannot be loaded" } });
  assert.match(told.mock.calls[0].arguments[0], /broken/);
});

test("an instance that cannot be made is a rejection", async (t) => {
  const c = start(t, await moduleOf(t, `export default { emit() {}, frames: {}, makeAdapter: () => { throw Object.assign(new Error("no"), { code: "x" }) } };`));
  await c.initialize();
  assert.deepEqual(await c.call("instance/create", { instance: "i", contract: "executor" }), { rejected: { name: "Error", message: "no", code: "x" } });
});

test("factories and classes are called anew for every instance", async (t) => {
  for (const form of ["export default () => new H();", "export default async () => new H();", "export default H;"]) {
    const c = start(t, await moduleOf(t, `let n = 0; class H { frames = {}; id = ++n; emit() {} makeAdapter() { return { id: String(this.id) } } } ${form}`));
    await c.initialize();
    assert.deepEqual([(await c.executor("a")).made.id, (await c.executor("b")).made.id], ["2", "3"], form);
  }
});

test("a module that was compiled to CommonJS", async (t) => {
  const file = (await moduleOf(t, "")).replace(/mjs$/, "cjs");
  await writeFile(file, `Object.defineProperty(exports, "__esModule", { value: true });
    exports.default = () => ({ label: "compiled", emit() {}, frames: {}, makeAdapter: () => ({ id: "a" }) });`);
  const c = start(t, file);
  assert.equal((await c.initialize()).name, "compiled");
  assert.equal((await c.executor()).made.id, "a");
});

test("a wrong command line", () => {
  for (const args of [[], ["a", "b"], ["--wrong"]]) {
    const r = spawnSync(process.execPath, [path.join(root, "bin", "bridge.mjs"), ...args], { encoding: "utf8" });
    assert.deepEqual([r.status, r.stdout], [2, ""]);
    assert.match(r.stderr, /usage: adaptercheck-bridge MODULE/);
  }
});
