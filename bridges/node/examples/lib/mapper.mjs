// What the frames of one run mean. A mapper returns what the frames say and does
// nothing else.
//
// The rule of this wire: increments of a message come first, the whole message may
// follow, and the terminal frame may say everything again.

const NONE = Object.freeze([]);
const known = (n) => typeof n === "number";

export class Mapper {
  /** Native run and session id, once the runtime has told them. */
  run;
  session = null;
  over = false;

  #model = null;
  #text = ""; // of the whole run
  #open = ""; // of the message that is not whole yet
  #last = ""; // the last message
  #calls = new Map();
  #spent; // what done restates
  #totals; // of the session, from before this run on
  #aborted = false;

  constructor(totals) {
    this.#totals = totals;
  }

  /** From now on every end is an aborted one. */
  abort() {
    this.#aborted = true;
  }

  frame(f) {
    if (this.over || f === null || typeof f !== "object") return NONE;
    switch (f.type) {
      case "hello":
        this.run ??= f.run;
        this.session = f.session ?? this.session;
        this.#model = f.model ?? this.#model;
        return [{ kind: "status", phase: "init", ...(f.model ? { model: f.model } : {}) }];
      case "text":
        this.#open += f.text;
        return this.#say(f.text);
      case "thought":
        return f.text === "" ? NONE : [{ kind: "text-delta", text: f.text, channel: "reasoning" }];
      case "message":
        return typeof f.text === "string" ? this.#message(f.text) : NONE;
      case "call":
        return this.#call(f);
      case "result":
        return this.#result(f);
      case "usage":
        return this.#usage(f);
      case "turn":
        return this.#turn(f);
      case "error":
        if (f.fatal) return this.#fail(f.code ?? null, f.message);
        return [{ kind: "error", code: f.code ?? null, message: f.message, fatal: false }];
      case "end":
        return this.#end(f);
      default:
        return NONE; // a frame that nobody knows yet
    }
  }

  /** The wire ended without a terminal frame. */
  lost() {
    return this.over ? NONE : this.#fail("stream-truncated", "the stream ended without a terminal frame");
  }

  /** The run ends as aborted although the runtime says nothing. */
  forced() {
    return this.over ? NONE : this.#finish("aborted", "");
  }

  #say(text) {
    if (text === "") return NONE;
    this.#text += text;
    return [{ kind: "text-delta", text, channel: "assistant" }];
  }

  // A whole message restates its increments: only what is new in it is said.
  #message(text) {
    const open = this.#open;
    this.#open = "";
    this.#last = text;
    if (text.startsWith(open)) return this.#say(text.slice(open.length));
    return [{ kind: "status", phase: "running", detail: "text-restarted" }, ...this.#say(text)];
  }

  #call({ id, name, input }) {
    id ||= `call-${this.#calls.size + 1}`;
    if (this.#calls.has(id)) return NONE;
    this.#calls.set(id, { name, open: true });
    return [{ kind: "tool-call", toolCallId: id, name, input: input ?? null, partial: false }];
  }

  #result({ id, output, failed }) {
    const call = this.#calls.get(id);
    if (!call?.open) return NONE; // of no call, or the second one
    call.open = false;
    return [{ kind: "tool-result", toolCallId: id, name: call.name, output, isError: failed === true }];
  }

  #usage(f) {
    const total = f.kind === "total" ? f : f.kind === "last" && known(f.totalIn) ? { in: f.totalIn, out: f.totalOut, cacheRead: f.cacheRead, cost: f.cost } : undefined;
    const now = total ? this.#totals.step(total) : f;
    if (!now) return NONE;
    const usage = { inputTokens: now.in ?? 0, outputTokens: now.out ?? 0 };
    if (known(now.cacheRead)) usage.cachedInputTokens = now.cacheRead;
    const costUsd = known(now.cost) ? now.cost : null;
    this.#spend(usage, costUsd);
    return [{ kind: "cost", costUsd, usage, model: f.model ?? this.#model }];
  }

  #spend(usage, costUsd) {
    const s = (this.#spent ??= { usage: { inputTokens: 0, outputTokens: 0 }, costUsd: 0 });
    s.usage.inputTokens += usage.inputTokens;
    s.usage.outputTokens += usage.outputTokens;
    if (known(usage.cachedInputTokens)) s.usage.cachedInputTokens = (s.usage.cachedInputTokens ?? 0) + usage.cachedInputTokens;
    s.costUsd = costUsd === null || s.costUsd === null ? null : s.costUsd + costUsd;
  }

  #turn({ state }) {
    switch (state) {
      case "thinking":
      case "turn-complete":
        return [{ kind: "status", phase: state }];
      case "retry":
        return [{ kind: "status", phase: "running", detail: "retry" }];
      default:
        return [{ kind: "status", phase: "running" }];
    }
  }

  #end({ reason, text = "", failed }) {
    if (failed) return this.#fail("runtime-error", text || "the runtime reported a failure");
    switch (reason) {
      case "ok":
        return this.#finish("success", text);
      case "max_turns":
        return this.#finish("max_turns", text);
      case "aborted":
        return this.#finish("aborted", text);
      case "length":
        return this.#fail("token-limit", "the answer was cut by a length limit");
      default:
        return NONE;
    }
  }

  #fail(code, message) {
    return this.#finish("error", "", { kind: "error", code, message, fatal: true });
  }

  // Closes the open calls and ends the run. The host's abort beats what the runtime
  // says.
  #finish(reason, summary, failure) {
    this.over = true;
    const events = [];
    for (const [id, call] of this.#calls) {
      if (call.open) events.push({ kind: "tool-result", toolCallId: id, name: call.name, output: "the run ended before the tool answered", isError: true });
    }
    if (this.#aborted) reason = "aborted";
    else if (failure) events.push(failure);
    const done = { kind: "done", reason, summary: summary || this.#open || this.#last || this.#text };
    if (this.#spent) Object.assign(done, { usage: this.#spent.usage, costUsd: this.#spent.costUsd });
    events.push(done);
    return events;
  }
}

/** Turns the running totals of a session into increments. */
export class Totals {
  constructor(seen = {}) {
    this.seen = seen;
  }

  /** What is new in a total; undefined if nothing is. */
  step(total) {
    const now = {};
    let any = false;
    for (const key of ["in", "out", "cacheRead", "cost"]) {
      if (!known(total[key])) continue;
      const before = this.seen[key] ?? 0;
      now[key] = total[key] >= before ? total[key] - before : total[key]; // it began anew
      this.seen[key] = total[key];
      any ||= now[key] > 0;
    }
    return any ? now : undefined;
  }
}
