// The smallest harness that there is: five frames, one object, no options. What five
// frames cannot show is unobserved.
import { randomUUID } from "node:crypto";

import { Feed } from "./lib/feed.mjs";

const GRACE_MS = 300;

/** The runtime's side: it hands frames to whoever listens, and keeps what arrived. */
const fake = { listeners: new Set(), calls: [] };

class FiveFrameAdapter {
  id = "five-frames";
  /** @type {"agent"} */
  participantKind = "agent";
  #run;

  capabilities() {
    return { streaming: true, mcp: false, worktrees: false, resume: false, toolApproval: false, models: [] };
  }

  async health() {
    return { ok: true };
  }

  async start(_task, opts) {
    if (this.#run && !this.#run.over) throw Object.assign(new Error("the session has a live run"), { code: "busy" });
    const handle = { adapterId: this.id, sessionKey: opts.sessionKey, runId: null };
    this.#run = new Run(handle);
    const text = opts.context ? `${opts.context}\n\n${opts.message}` : opts.message;
    fake.calls.push({ method: "chat.send", params: { sessionKey: opts.sessionKey, text } });
    return handle;
  }

  events(handle) {
    return this.#of(handle)?.feed.subscribe() ?? ended();
  }

  async abort(handle) {
    const run = this.#of(handle);
    if (!run || run.over) return;
    fake.calls.push({ method: "chat.abort", params: { sessionKey: handle.sessionKey } });
    run.abort();
  }

  async setModel(handle, model) {
    fake.calls.push({ method: "sessions.setModel", params: { sessionKey: handle.sessionKey, model } });
  }

  async writeContext(handle, key, value) {
    if (/(^|[\\/])\.\.([\\/]|$)|^[\\/]/.test(key)) throw new Error("the key leads out of the context directory");
    fake.calls.push({ method: "context.write", params: { sessionKey: handle.sessionKey, key, value } });
  }

  #of(handle) {
    return this.#run?.handle === handle ? this.#run : undefined;
  }
}

const ended = async function* () {};

/** One run: it listens to the fake and says what the frames mean. */
class Run {
  over = false;
  #id = `run-${randomUUID()}`;
  #text = "";
  #calls = 0;
  #open = [];
  #aborted = false;

  constructor(handle) {
    this.handle = handle;
    this.feed = new Feed(handle);
    fake.listeners.add(this.#listen);
  }

  #listen = ({ type, ...f }) => {
    switch (type) {
      case "delta":
        this.#text += f.text;
        return this.#say({ kind: "text-delta", text: f.text });
      case "tool": {
        const toolCallId = `call-${++this.#calls}`;
        this.#open.push({ toolCallId, name: f.name });
        return this.#say({ kind: "tool-call", toolCallId, name: f.name, input: f.input, partial: false });
      }
      case "final":
        return this.#end("success", f.summary);
      case "aborted":
        return this.#end("aborted", this.#text);
      case "error":
        return this.#end("error", this.#text, f.message);
    }
  };

  abort() {
    this.#aborted = true;
    setTimeout(() => this.#end("aborted", this.#text), GRACE_MS);
  }

  #end(reason, summary, failure) {
    if (this.over) return;
    this.over = true;
    fake.listeners.delete(this.#listen);
    for (const call of this.#open) this.#say({ kind: "tool-result", ...call, output: "no answer", isError: true });
    if (failure !== undefined && !this.#aborted) this.#say({ kind: "error", code: null, message: failure, fatal: true });
    this.#say({ kind: "done", reason: this.#aborted ? "aborted" : reason, summary });
    this.feed.end();
  }

  #say(event) {
    this.feed.publish(this.#id, this.handle.sessionKey, [event]);
  }
}

/** @type {import("../types/index.d.ts").SeedHarness} */
export default {
  label: "five-frames",
  makeAdapter: () => new FiveFrameAdapter(),
  start: (adapter) => adapter.start({ taskId: "task-1" }, { agentId: "agent-1", sessionKey: "session-of-the-harness", message: "go" }),
  emit: (frame) => {
    for (const listener of fake.listeners) listener(frame);
  },
  frames: {
    delta: (text) => ({ type: "delta", text }),
    toolCall: (name, input) => ({ type: "tool", name, input }),
    final: (summary) => ({ type: "final", summary }),
    aborted: () => ({ type: "aborted" }),
    error: (message) => ({ type: "error", message }),
  },
  recordedCalls: () => fake.calls,
};
