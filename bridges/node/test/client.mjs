// A tiny client of the subject protocol: the bridge as a process, over pipes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const bridge = path.join(root, "bin", "bridge.mjs");
const MOST_MS = 60_000;

/**
 * Starts the bridge on a module; t ends it. Node gives its children sockets; with pipes,
 * which is what the suite gives them, the shell stands between.
 */
export function start(t, module, { callBack = () => null, pipes = false } = {}) {
  const stdio = ["pipe", "pipe", "pipe"];
  const child = pipes
    ? spawn("/bin/sh", ["-c", '{ cat | "$0" "$1" "$2" 2>&1 >&3 | cat >&2; } 3>&1 | cat', process.execPath, bridge, module], { stdio })
    : spawn(process.execPath, [bridge, module], { stdio });
  const client = new Client(child, callBack);
  const late = setTimeout(() => client.kill(), MOST_MS); // a bridge that hangs fails its test
  t.after(() => {
    clearTimeout(late);
    return client.kill();
  });
  return client;
}

/** Writes a module from source, for one test. */
export async function moduleOf(t, source) {
  const dir = await mkdtemp(path.join(os.tmpdir(), "bridge-test-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const file = path.join(dir, "subject.mjs");
  await writeFile(file, source);
  return file;
}

class Client {
  lines = [];
  stderr = "";
  #id = 0;
  #waiting = new Map();

  constructor(child, callBack) {
    this.child = child;
    let pieces = [];
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      const [first, ...more] = chunk.split("\n");
      pieces.push(first);
      for (const piece of more) {
        this.#line(pieces.join(""), callBack);
        pieces = [piece];
      }
    });
    child.stderr.setEncoding("utf8").on("data", (chunk) => (this.stderr += chunk));
    this.exited = once(child, "close").then(([code]) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`the bridge has ended: ${this.stderr}`));
      return code;
    });
  }

  async #line(line, callBack) {
    this.lines.push(line);
    const message = JSON.parse(line);
    if (message.method !== undefined) {
      let answer;
      try {
        answer = { result: await callBack(message.method, message.params) };
      } catch (err) {
        answer = { error: { code: -32000, message: err.message } };
      }
      return this.raw(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer }));
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error) waiting?.reject(Object.assign(new Error(message.error.message), { code: message.error.code }));
    else waiting?.resolve(message.result);
  }

  raw(line) {
    this.child.stdin.write(line + "\n");
  }

  call(method, params = {}) {
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.raw(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  initialize() {
    return this.call("initialize", { protocol: "adaptercheck-subject-v1", suite: { name: "test", version: "1" } });
  }

  /** Makes an instance of the executor contract and returns calls bound to it. */
  async executor(instance = "i1", endpoint = undefined) {
    const made = await this.call("instance/create", { instance, contract: "executor", endpoint });
    const call = (method, params = {}) => this.call(method, { instance, ...params });
    return {
      made,
      call,
      start: (opts = {}) => call("adapter/start", { task: { taskId: "t" }, opts: { agentId: "a", sessionKey: "s", message: "hello", ...opts } }),
      open: async (run) => (await call("stream/open", { run })).stream,
      next: (stream) => call("stream/next", { stream }),
      emit: (frame, to = {}) => call("harness/emit", { frame, ...to }),
      /** Pulls to the done, or to the end. */
      read: async (stream) => {
        const events = [];
        for (;;) {
          const got = await call("stream/next", { stream });
          if (got.end || got.rejected) return events;
          events.push(got.event);
          if (got.event.kind === "done") return events;
        }
      },
    };
  }

  kill() {
    this.child.stdin.destroy();
    this.child.kill("SIGKILL");
    return this.exited;
  }
}
