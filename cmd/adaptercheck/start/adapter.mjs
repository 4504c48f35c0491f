// An adapter of the executor contract to start from, with a fake of its runtime.
//
//   adaptercheck run
//
// Put your adapter in the place of Adapter and Run, and the fake that your own tests
// use in the place of FakeRuntime. The default export at the end is what adaptercheck
// drives: five frames are enough; each further one, listed in the README of the
// bridge, lets it see more.
import { randomUUID } from "node:crypto";

/** How long a cancelled run may go on, in milliseconds. */
const GRACE = 300;

/** How many events wait for an observer that does not read. */
const BOUND = 1000;

/** The runtime: it says frames to whoever runs, and keeps what reached it. */
class FakeRuntime {
  calls = [];
  run = null;

  tell(method, params) {
    this.calls.push({ method, params });
  }

  say(frame) {
    this.run?.frame(frame);
  }
}

/** Drives the runtime, one run at a time. */
class Adapter {
  id = "my-adapter";
  participantKind = "agent";
  #runtime;

  constructor(runtime) {
    this.#runtime = runtime;
  }

  capabilities() {
    return { streaming: true, mcp: false, worktrees: false, resume: false, toolApproval: false, models: [] };
  }

  async health() {
    return { ok: true };
  }

  async start(_task, { sessionKey, message, context }) {
    if (this.#runtime.run && !this.#runtime.run.over) throw Object.assign(new Error("there is a live run"), { code: "busy" });
    const run = new Run({ adapterId: this.id, sessionKey, runId: null });
    this.#runtime.run = run;
    this.#runtime.tell("start", { sessionKey, message: context ? `${context}\n\n${message}` : message });
    return run.handle;
  }

  events(handle) {
    return this.#find(handle)?.observe() ?? new Stream(() => {}).end();
  }

  async abort(handle) {
    const run = this.#find(handle);
    if (!run || run.over || run.aborted) return;
    this.#runtime.tell("cancel", { sessionKey: handle.sessionKey });
    run.abort();
  }

  async setModel(handle, model) {
    this.#runtime.tell("setModel", { sessionKey: handle.sessionKey, model });
  }

  async writeContext(handle, key, value) {
    if (/(^|[\\/])\.\.([\\/]|$)|^[\\/]/.test(key)) throw new Error("the key leads out of its place");
    this.#runtime.tell("writeContext", { sessionKey: handle.sessionKey, key, value });
  }

  #find(handle) {
    return this.#runtime.run?.handle === handle ? this.#runtime.run : null;
  }
}

/** One run: what its frames mean, and who watches. */
class Run {
  over = false;
  aborted = false;
  #id = `run-${randomUUID()}`;
  #text = "";
  #calls = [];
  #seq = 0;
  #log = [];
  #streams = new Set();
  #observed = false;

  constructor(handle) {
    this.handle = handle;
  }

  frame({ type, ...f }) {
    if (this.over) return;
    if (type === "delta") {
      this.#text += f.text;
      this.#emit({ kind: "text-delta", text: f.text });
    } else if (type === "tool") {
      const call = { toolCallId: `call-${this.#calls.length + 1}`, name: f.name };
      this.#calls.push(call);
      this.#emit({ kind: "tool-call", ...call, input: f.input, partial: false });
    } else if (type === "final") {
      this.#end("success", f.summary || this.#text);
    } else if (type === "aborted") {
      this.#end("aborted", this.#text);
    } else if (type === "error") {
      this.#end("error", this.#text, f.message);
    }
  }

  /** Ends the run, whether or not the runtime heeds. */
  abort() {
    this.aborted = true;
    setTimeout(() => this.#end("aborted", this.#text), GRACE);
  }

  /** Subscribes during the call. The first observer gets the run from its start. */
  observe() {
    const stream = new Stream(() => this.#streams.delete(stream));
    if (!this.over || !this.#observed) for (const event of this.#log) stream.push(event);
    this.#observed = true;
    if (this.over) return stream.end();
    this.#streams.add(stream);
    return stream;
  }

  #end(reason, summary, failure) {
    if (this.over) return;
    for (const call of this.#calls) this.#emit({ kind: "tool-result", ...call, output: "", isError: true });
    if (failure !== undefined && !this.aborted) this.#emit({ kind: "error", code: null, message: failure, fatal: true });
    this.#emit({ kind: "done", reason: this.aborted ? "aborted" : reason, summary });
    this.over = true;
    for (const stream of this.#streams) stream.end();
  }

  #emit(event) {
    this.handle.runId ??= this.#id;
    const whole = { runId: this.#id, sessionId: this.handle.sessionKey, ts: Date.now(), seq: ++this.#seq, ...event };
    hold(this.#log, whole);
    for (const stream of this.#streams) stream.push(whole);
  }
}

/** Adds an event; where too many wait, the oldest text goes, and nothing else. */
function hold(list, event) {
  list.push(event);
  if (list.length <= BOUND) return;
  const oldest = list.findIndex(({ kind }) => kind === "text-delta");
  if (oldest >= 0) list.splice(oldest, 1);
}

/** What one observer reads. */
class Stream {
  #held = [];
  #pulls = [];
  #ended = false;
  #release;

  constructor(release) {
    this.#release = release;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  push(event) {
    const pull = this.#pulls.shift();
    if (pull) pull({ done: false, value: event });
    else hold(this.#held, event);
  }

  end() {
    this.#ended = true;
    for (const pull of this.#pulls.splice(0)) pull({ done: true, value: undefined });
    return this;
  }

  async next() {
    if (this.#held.length > 0) return { done: false, value: this.#held.shift() };
    if (this.#ended) return { done: true, value: undefined };
    return new Promise((resolve) => this.#pulls.push(resolve));
  }

  async return() {
    this.#release();
    this.#held = [];
    this.end();
    return { done: true, value: undefined };
  }
}

/** What adaptercheck drives: called anew for each check. */
export default () => {
  const runtime = new FakeRuntime();
  return {
    label: "my-adapter",
    makeAdapter: () => new Adapter(runtime),
    emit: (frame) => runtime.say(frame),
    recordedCalls: () => runtime.calls,
    frames: {
      delta: (text) => ({ type: "delta", text }),
      toolCall: (name, input) => ({ type: "tool", name, input }),
      final: (summary) => ({ type: "final", summary }),
      aborted: () => ({ type: "aborted" }),
      error: (message) => ({ type: "error", message }),
    },
    declares: { secondStart: "refuses", queue: "drop" },
  };
};
