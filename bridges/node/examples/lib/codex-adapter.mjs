// An adapter of `codex exec --json`: one process per run.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";

import { CodexMapper } from "./codex-mapper.mjs";
import { Feed } from "./feed.mjs";

const ID = "example-codex";
/** Between one signal and the next, and what an exit after the result may take. */
const GRACE_MS = 300;
const HEALTH_MS = 1_500;
/** Linux takes no argument of 128 KiB or more. */
const MAX_ARGUMENT = 100_000;
const ENV = ["PATH", "HOME", "LANG", "TMPDIR"];

const ENDED = { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }) };
const withCode = (code, message) => Object.assign(new Error(message), { code });

export class CodexAdapter {
  id = ID;
  /** @type {"agent"} */
  participantKind = "agent";

  #at;
  #sessions = new Map();
  #runs = new WeakMap();
  #live = new Set();
  #disposed = false;

  /** @param {import("../../types/index.d.ts").Endpoint} at */
  constructor(at) {
    this.#at = at;
  }

  capabilities() {
    return { streaming: false, mcp: false, worktrees: false, resume: false, toolApproval: false, models: [] };
  }

  health() {
    return new Promise((resolve) => {
      const down = () => resolve({ ok: false, message: "the codex command did not answer" });
      try {
        const child = this.#spawn(["--version"], "ignore");
        const timer = setTimeout(() => signal(child, "SIGKILL"), HEALTH_MS);
        child.on("error", down);
        child.on("close", (code) => {
          clearTimeout(timer);
          code === 0 ? resolve({ ok: true }) : down();
        });
        child.stdout.resume();
        child.stderr.resume();
      } catch {
        down();
      }
    });
  }

  async start(_task, opts) {
    if (this.#disposed) throw withCode("disposed", "the adapter is disposed");
    const session = this.#session(opts.sessionKey);
    if (session.current) throw withCode("busy", "the session has a live run");
    const handle = { adapterId: ID, sessionKey: opts.sessionKey, runId: null };
    const run = { id: randomUUID(), session, mapper: new CodexMapper(session.totals), feed: new Feed(handle), child: undefined, aborted: false, pushed: false, timers: [] };
    session.current = run;
    const context = session.context.splice(0);
    const prompt = [...context, ...(opts.context ? [opts.context] : []), opts.message].join("\n\n");
    const byStdin = prompt === "-" || Buffer.byteLength(prompt) > MAX_ARGUMENT || prompt.includes("\0");
    const model = opts.model ?? session.model;
    const args = ["exec", "--json", "--skip-git-repo-check", "--sandbox", "workspace-write", ...(model ? ["--model", model] : []), ...(session.thread ? ["resume", session.thread] : [])];
    try {
      run.child = this.#spawn([...args, ...(byStdin ? ["-"] : ["--", prompt])], byStdin ? "pipe" : "ignore");
      await new Promise((resolve, reject) => run.child.once("spawn", resolve).once("error", reject));
    } catch {
      session.current = undefined;
      session.context.unshift(...context);
      throw new Error("the codex command could not be started");
    }
    run.child.stdin?.on("error", () => {}).end(prompt);
    this.#serve(run);
    this.#runs.set(handle, run);
    this.#live.add(run);
    if (this.#disposed) this.#abort(run); // meanwhile, and dispose did not know of it
    return handle;
  }

  events(handle) {
    return this.#runs.get(handle)?.feed.subscribe() ?? ENDED;
  }

  async abort(handle) {
    this.#known(handle);
    const run = this.#runs.get(handle);
    if (run && this.#live.has(run)) this.#abort(run);
  }

  // Both reach the runtime with the session's next run.
  async setModel(handle, model) {
    this.#known(handle).model = model;
  }

  async writeContext(handle, key, value) {
    const session = this.#known(handle);
    if (key === "" || /^([\\/]|[A-Za-z]:)/.test(key) || key.split(/[\\/]/).includes("..")) throw new Error("the key leads out of the context");
    session.context.push(`${key}:\n${value}`);
  }

  async dispose() {
    this.#disposed = true;
    await Promise.all([...this.#live].map((run) => (this.#abort(run), run.gone)));
  }

  #serve(run) {
    const { child, mapper, session } = run;
    let stderr = 0;
    child.stderr.on("data", (chunk) => (stderr += chunk.length)); // read, and no answer
    const read = eachLine(child.stdout, (line) => {
      if (line.trim() === "") return;
      const events = mapper.line(line);
      session.thread = mapper.thread ?? session.thread;
      this.#publish(run, events);
      // A result stands and nothing is announced: the process should exit now.
      const settled = mapper.outcome !== undefined && !mapper.turnOpen;
      if (settled && !run.settling) run.settling = setTimeout(() => this.#push(run), GRACE_MS);
      if (!settled) run.settling = void clearTimeout(run.settling);
    });
    read.then(() => (run.settling ??= setTimeout(() => this.#push(run), GRACE_MS)));
    const exited = new Promise((resolve) => child.once("exit", (code, sig) => resolve(code !== 0 || sig !== null)));
    // What holds the pipe open after the exit must not hold the run.
    exited.then(() => run.timers.push(setTimeout(() => child.stdout.destroy(), GRACE_MS)));
    run.gone = Promise.all([exited, read]).then(([failed]) => {
      for (const timer of [run.settling, ...run.timers]) clearTimeout(timer);
      child.stderr.destroy();
      session.current = undefined; // free before anybody can see the done
      this.#live.delete(run);
      this.#publish(run, mapper.finish({ aborted: run.aborted, failed: failed && !run.pushed }));
      run.feed.end();
    });
  }

  #publish(run, events) {
    run.feed.publish(run.id, run.mapper.thread, events);
  }

  #push(run) {
    run.pushed = true;
    this.#end(run, ["SIGTERM", "SIGKILL"]);
  }

  #abort(run) {
    if (run.aborted) return;
    run.aborted = true;
    this.#end(run, ["SIGINT", "SIGTERM", "SIGKILL"]);
  }

  #end(run, signals) {
    signals.forEach((name, i) => {
      if (i === 0) signal(run.child, name);
      else run.timers.push(setTimeout(() => signal(run.child, name), i * GRACE_MS));
    });
  }

  #spawn(args, stdin) {
    const [command, ...first] = this.#at.command;
    const env = Object.fromEntries(ENV.filter((name) => process.env[name] !== undefined).map((name) => [name, process.env[name]]));
    for (const entry of this.#at.env ?? []) {
      const at = entry.indexOf("=");
      env[entry.slice(0, at)] = entry.slice(at + 1);
    }
    if (this.#at.dir) env.CODEX_HOME = this.#at.dir;
    return spawn(command, [...first, ...args], { cwd: this.#at.dir, env, stdio: [stdin, "pipe", "pipe"], detached: true });
  }

  #session(key) {
    if (!this.#sessions.has(key)) this.#sessions.set(key, { thread: undefined, model: undefined, totals: {}, context: [], current: undefined });
    return this.#sessions.get(key);
  }

  #known(handle) {
    const session = this.#sessions.get(handle?.sessionKey);
    if (!session) throw withCode("unknown-run", "unknown run");
    return session;
  }
}

/**
 * Ends lines at LF alone: node:readline ends them at U+2028 too, which stands in the text
 * of messages. It resolves when the stream has ended.
 *
 * @returns {Promise<void>}
 */
function eachLine(stream, take) {
  let pieces = [];
  stream.setEncoding("utf8").on("data", (chunk) => {
    const [first, ...more] = chunk.split("\n");
    pieces.push(first);
    for (const piece of more) {
      take(pieces.join(""));
      pieces = [piece];
    }
  });
  return new Promise((resolve) => {
    stream.once("close", () => {
      const last = pieces.join("");
      if (last !== "") take(last);
      resolve();
    });
  });
}

// signal reaches the process and the children in its group.
function signal(child, name) {
  try {
    process.kill(-child.pid, name);
  } catch {
    // it is gone
  }
}
