// An adapter of the executor contract for the runtime of runtime.mjs.
import { randomUUID } from "node:crypto";

import { Feed } from "./feed.mjs";
import { Mapper, Totals } from "./mapper.mjs";

const ID = "example-runtime";

/** How long a cancelled run may take to end before the adapter ends it. */
const GRACE_MS = 300;
/** How long what a runtime says before it names the run waits for that name. */
const HOLD_MS = 100;
/** What a health check may take. */
const HEALTH_MS = 1_000;

const withCode = (code, message) => Object.assign(new Error(message), { code });
const ENDED = { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }) };

export class ExampleAdapter {
  id = ID;
  /** @type {"agent"} */
  participantKind = "agent";
  sessionCodec = { serialize: async (run) => this.#serialize(run), restore: async (blob) => this.#restore(blob) };

  #runtime;
  #sessions = new Map();
  #runs = new WeakMap();
  #live = new Set();
  #disposed = false;

  constructor(runtime, { makeMapper = (totals) => new Mapper(totals) } = {}) {
    this.#runtime = runtime;
    this.makeMapper = makeMapper;
  }

  /** @returns {import("../../types/index.d.ts").Capabilities} */
  capabilities() {
    return {
      streaming: true,
      mcp: false,
      worktrees: false,
      resume: true,
      toolApproval: false,
      models: ["example-small", "example-large"],
      steerable: true,
      contextWindowTokens: 200_000,
      runtimeClass: "native",
    };
  }

  async health() {
    let timer;
    const late = new Promise((_, reject) => (timer = setTimeout(reject, HEALTH_MS, new Error("late"))));
    try {
      await Promise.race([this.#runtime.ping(), late]);
      return { ok: true };
    } catch {
      return { ok: false, message: "the runtime cannot be reached" };
    } finally {
      clearTimeout(timer);
    }
  }

  async start(_task, opts) {
    if (this.#disposed) throw withCode("disposed", "the adapter is disposed");
    const session = this.#session(opts.sessionKey);
    if (session.current) throw withCode("busy", "the session has a live run");
    const handle = { adapterId: ID, sessionKey: opts.sessionKey, runId: null };
    const run = { session, mapper: this.makeMapper(session.totals), feed: new Feed(handle), name: `run-${randomUUID()}`, held: [], holding: undefined, connection: undefined, grace: undefined, ended: undefined };
    run.ended = new Promise((resolve) => (run.end = resolve));
    session.current = run; // taken from here on, also while open waits
    const request = {
      session: opts.sessionKey,
      message: opts.context ? `${opts.context}\n\n${opts.message}` : opts.message,
      model: opts.model ?? session.model,
      agent: opts.agentId,
      resume: session.native,
      blocklist: opts.childToolBlocklist ?? [],
    };
    try {
      run.connection = await this.#runtime.open(
        request,
        (frame) => this.#publish(run, run.mapper.frame(frame)),
        () => this.#publish(run, run.mapper.lost()),
      );
    } catch {
      session.current = undefined;
      throw new Error("the runtime did not take the start");
    }
    this.#runs.set(handle, run);
    this.#live.add(run);
    return handle;
  }

  events(handle) {
    return this.#runs.get(handle)?.feed.subscribe() ?? ENDED;
  }

  async abort(handle) {
    const run = this.#known(handle) && this.#runs.get(handle);
    if (!run || run.mapper.over || run.grace) return;
    await this.#abort(run);
  }

  async setModel(handle, model) {
    this.#known(handle).model = model;
    await this.#runtime.setModel(handle.sessionKey, model);
  }

  async writeContext(handle, key, value) {
    this.#known(handle);
    const parts = key.split(/[\\/]/);
    if (key === "" || /^([\\/]|[A-Za-z]:)/.test(key) || key.includes("\0") || parts.includes("..")) throw new Error("the key leads out of the context directory");
    await this.#runtime.writeContext(handle.sessionKey, key, value);
  }

  async dispose() {
    this.#disposed = true;
    await Promise.all([...this.#live].map((run) => Promise.all([this.#abort(run).catch(() => {}), run.ended])));
  }

  async #abort(run) {
    run.mapper.abort();
    run.grace ??= setTimeout(() => this.#publish(run, run.mapper.forced()), GRACE_MS);
    await run.connection.cancel();
  }

  #publish(run, events) {
    const { mapper, session } = run;
    session.native = mapper.session ?? session.native;
    run.held.push(...events);
    if (mapper.run === undefined && !mapper.over) {
      if (run.held.length > 0) run.holding ??= setTimeout(() => this.#release(run), HOLD_MS);
      return;
    }
    this.#release(run);
  }

  #release(run) {
    const { mapper, session } = run;
    if (mapper.over) {
      // The session is free before anybody can see the done.
      clearTimeout(run.grace);
      clearTimeout(run.holding);
      session.current = undefined;
      this.#live.delete(run);
      run.connection?.close();
    }
    mapper.run ??= run.name; // a runtime that does not name its run
    run.feed.publish(mapper.run, mapper.session, run.held.splice(0));
    if (mapper.over) {
      run.feed.end();
      run.end();
    }
  }

  #session(key) {
    if (!this.#sessions.has(key)) this.#sessions.set(key, { native: undefined, model: undefined, totals: new Totals(), current: undefined });
    return this.#sessions.get(key);
  }

  #known(handle) {
    const session = this.#sessions.get(handle?.sessionKey);
    if (!session) throw withCode("unknown-run", "unknown run");
    return session;
  }

  #serialize(handle) {
    const { native, totals } = this.#known(handle);
    return JSON.stringify({ v: 1, sessionKey: handle.sessionKey, session: native ?? null, totals: totals.seen });
  }

  #restore(blob) {
    let b;
    try {
      b = JSON.parse(blob);
    } catch {
      throw new Error("not a session of this adapter");
    }
    if (b === null || typeof b !== "object" || b.v !== 1 || typeof b.sessionKey !== "string" || b.sessionKey === "") throw new Error("not a session of this adapter");
    const session = this.#session(b.sessionKey);
    session.native = b.session ?? undefined;
    session.totals = new Totals({ ...b.totals });
    return { adapterId: ID, sessionKey: b.sessionKey, runId: null };
  }
}
