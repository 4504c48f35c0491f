// What the lines of `codex exec --json` mean. The wire has whole messages, no
// increments; it names its threads and not its runs.

const NONE = Object.freeze([]);
const text = (x) => (typeof x === "string" ? x : "");
const isObject = (x) => x !== null && typeof x === "object" && !Array.isArray(x);

/** Tool items, in the words of the contract. */
const TOOLS = {
  command_execution: (i) => ({ name: "shell", input: { command: i.command }, output: text(i.aggregated_output), failed: bad(i) || (i.exit_code ?? 0) !== 0 }),
  mcp_tool_call: (i) => ({ name: i.tool, input: i.arguments ?? null, output: i.error ? text(i.error.message) : outputOf(i.result), failed: bad(i) || Boolean(i.error) }),
  file_change: (i) => ({ name: "apply_patch", input: { changes: i.changes ?? null }, output: "", failed: bad(i) }),
  web_search: (i) => ({ name: "web_search", input: { query: i.query }, output: "", failed: bad(i), vague: !i.query }),
};
const bad = ({ status }) => status === "failed" || status === "declined";
const outputOf = (result) => (result?.content ?? []).map((block) => text(block?.text)).join("\n");

export class CodexMapper {
  thread = null;
  outcome; // "completed" or "failed", once the wire has said so
  turnOpen = false;

  #totals;
  #said = "";
  #thought = false;
  #last = "";
  #failure = "";
  #held; // a top-level error: the failure that follows may say the same
  #calls = new Map();
  #usage;

  /** @param {object} totals of the thread so far; they are moved on */
  constructor(totals) {
    this.#totals = totals;
  }

  line(line) {
    let frame;
    try {
      frame = JSON.parse(line);
    } catch {
      frame = undefined;
    }
    if (!isObject(frame)) return this.#malformed();
    const message = text(frame.type === "error" ? frame.message : (frame.error?.message ?? frame.error));
    const released = this.#held !== undefined && !(frame.type === "turn.failed" && message === this.#held) ? this.#release() : NONE;
    this.#held = undefined;
    return [...released, ...this.#frame(frame, message)];
  }

  #frame(frame, message) {
    switch (frame.type) {
      case "thread.started":
        this.thread ??= text(frame.thread_id) || null;
        return [{ kind: "status", phase: "init" }];
      case "turn.started":
        this.turnOpen = true;
        return [{ kind: "status", phase: "running" }];
      case "turn.completed":
        this.turnOpen = false;
        this.outcome ??= "completed";
        return this.#spend(frame.usage);
      case "turn.failed":
        this.turnOpen = false;
        if (this.outcome) return [failure(message, false)];
        [this.outcome, this.#failure] = ["failed", message];
        return NONE;
      case "item.started":
      case "item.completed":
        return isObject(frame.item) ? this.#item(frame.item, frame.type === "item.completed") : this.#malformed();
      case "error":
        if (message.startsWith("Reconnecting...")) return [{ kind: "status", phase: "running", detail: "retry" }];
        this.#held = message;
        return NONE;
      default:
        return NONE;
    }
  }

  /** Closes what is open and ends the run, once the process is gone. */
  finish({ aborted, failed }) {
    /** @type {object[]} */
    const events = this.#held === undefined ? [] : this.#release();
    for (const [id, call] of this.#calls) {
      if (!call.done) events.push({ kind: "tool-result", toolCallId: id, name: call.name, output: "the run ended before the tool did", isError: true });
    }
    const done = { kind: "done", reason: "success", summary: this.#last, costUsd: null };
    if (this.#usage) done.usage = this.#usage;
    if (aborted) [done.reason, done.summary] = ["aborted", this.#said];
    else if (this.outcome !== "completed") {
      done.reason = "error";
      if (this.outcome === "failed") events.push(failure(this.#failure, true));
      else events.push({ kind: "error", code: failed ? "exit" : "stream-truncated", message: "codex ended without saying how the turn ended", fatal: true });
    }
    return [...events, done];
  }

  #item(item, completed) {
    if (item.type === "agent_message" || item.type === "reasoning") {
      if (!completed) return NONE;
      return typeof item.text === "string" ? this.#message(item.type, item.text) : this.#malformed();
    }
    if (!Object.hasOwn(TOOLS, item.type)) return NONE;
    const tool = TOOLS[item.type](item);
    if (!text(item.id) || !text(tool.name)) return this.#malformed();
    const events = [];
    if (!this.#calls.has(item.id)) {
      if (tool.vague && !completed) return NONE; // announced without its input
      this.#calls.set(item.id, { name: tool.name, done: false });
      events.push({ kind: "tool-call", toolCallId: item.id, name: tool.name, input: tool.input, partial: false });
    }
    const call = this.#calls.get(item.id);
    if (completed && !call.done) {
      call.done = true;
      events.push({ kind: "tool-result", toolCallId: item.id, name: call.name, output: tool.output, isError: tool.failed });
    }
    return events;
  }

  // Messages are parted by a blank line: the wire has none between them.
  #message(type, body) {
    if (body === "") return NONE;
    if (type === "reasoning") {
      const thought = this.#thought ? `\n\n${body}` : body;
      this.#thought = true;
      return [{ kind: "text-delta", text: thought, channel: "reasoning" }];
    }
    const delta = this.#said === "" ? body : `\n\n${body}`;
    this.#said += delta;
    this.#last = body;
    return [{ kind: "text-delta", text: delta, channel: "assistant" }];
  }

  // The wire tells running totals of the thread, cached input within the rest.
  #spend(usage) {
    if (!isObject(usage)) return NONE;
    const step = (key) => {
      const now = usage[key] ?? 0;
      const before = this.#totals[key] ?? 0;
      this.#totals[key] = now;
      return now >= before ? now - before : now;
    };
    const [input, cached, output] = [step("input_tokens"), step("cached_input_tokens"), step("output_tokens")];
    const delta = { inputTokens: Math.max(0, input - cached), outputTokens: output, cachedInputTokens: cached };
    this.#usage ??= { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
    for (const key of Object.keys(delta)) this.#usage[key] += delta[key];
    return [{ kind: "cost", costUsd: null, usage: delta, model: null }];
  }

  #release() {
    const held = this.#held;
    this.#held = undefined;
    return [failure(held, false)];
  }

  #malformed() {
    return [{ kind: "error", code: "malformed-frame", message: "a line of the runtime's output could not be read", fatal: false }];
  }
}

function failure(message, fatal) {
  const code = /max_output_tokens|context window|context_length/i.test(message) ? "token-limit" : "runtime-error";
  return { kind: "error", code, message: message || "the runtime reported a failure", fatal };
}
