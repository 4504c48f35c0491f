// The fake runtime that a harness brings, as the suite plays it.
import { readStep, render, Said, UNPLAYABLE } from "./frames.mjs";
import { saysMild } from "./features.mjs";
import { encode, rejection } from "./raw.mjs";
import { Code, RpcError } from "./rpc.mjs";

/** Words of the scenario language that are no frames. */
const FAULTS = new Set(["silent", "cut", "exit"]);
const CANCEL = /abort|cancel|interrupt|stop/i;
const WATCH_EVERY_MS = 5;
const WATCH_MS = 5_000;

/** Plays one harness, which serves one instance. */
export class HarnessRuntime {
  #harness;
  #mild;
  #starting = []; // what the next starts of the adapter are given

  constructor(harness) {
    this.#harness = harness;
    this.#mild = saysMild(harness);
  }

  /** Makes the adapter. */
  async makeAdapter() {
    const adapter = await this.#harness.makeAdapter();
    if (adapter === null || typeof adapter !== "object") throw new TypeError("makeAdapter did not return an adapter");
    if (this.#startsItself()) this.#lead(adapter);
    return adapter;
  }

  /** Starts a run the way the harness does it. What the start was given goes to begun. */
  async start(adapter, task, opts, begun) {
    if (typeof this.#harness.start !== "function") return adapter.start(task, opts);
    if (!this.#startsItself()) return this.#harness.start(adapter, task, opts);
    const given = { task, opts, begun };
    this.#starting.push(given);
    try {
      return await this.#harness.start(adapter, task, opts);
    } finally {
      this.#starting = this.#starting.filter((x) => x !== given); // it never came to the adapter
    }
  }

  /** Takes note of a run that has begun. */
  began(run) {
    run.said = new Said();
  }

  /** Lets the fake say frames, in their order. If it has no form for one of them it says none. */
  async emit(frames, run) {
    const steps = read(frames);
    const said = run.said?.copy() ?? new Said();
    try {
      const rendered = steps.map((step) => (FAULTS.has(step.word) ? undefined : render(this.#harness.frames, step, said, this.#mild)));
      if (rendered.includes(UNPLAYABLE)) return { unplayable: true };
      run.said = said;
      for (const [i, step] of steps.entries()) {
        const outcome = FAULTS.has(step.word) ? await this.#play(step.word, step.args, run) : await this.#say(rendered[i], step, run);
        if (outcome.unplayable) return outcome;
      }
      return {};
    } catch (err) {
      return rejection(err);
    }
  }

  async fault(name, delay, run) {
    try {
      return await this.#play(name, delay === undefined ? {} : { delay }, run);
    } catch (err) {
      return rejection(err);
    }
  }

  async calls() {
    const calls = (await this.#harness.recordedCalls?.()) ?? [];
    return { calls: Array.from(calls, (c) => ({ method: String(c?.method), params: encode(c?.params) })) };
  }

  /**
   * Ends an aborted run as the seed's own suite does: a fake that plays no faults does
   * not react to a cancel, so the bridge says "aborted" once a cancel was recorded. It
   * returns what is to be told of the abort that follows.
   */
  beforeAbort(run) {
    if (typeof this.#harness.fault === "function" || run.ended || !run.said) return undefined;
    const before = this.#cancels();
    return (aborting) => void this.#watch(run, before, aborting).catch(() => {});
  }

  async close() {
    await this.#harness.close?.();
  }

  async #say(native, { word, args }, run) {
    if (word === "init") run.native = args.run ?? run.native;
    if (native === undefined || run.silent) return {};
    if (word === "end" || (word === "error" && args.fatal)) run.ended = true;
    const late = typeof args.run === "string" && word !== "init" ? { run: args.run } : {};
    await this.#harness.emit(native, { ...address(run), ...late });
    return {};
  }

  async #play(name, args, run) {
    if (typeof this.#harness.fault === "function") {
      const played = await this.#harness.fault(name, { ...args, ...address(run) });
      return played === false ? { unplayable: true } : {};
    }
    switch (name) {
      case "silent":
        run.silent = true; // from now on the bridge holds the run's frames back
        return {};
      case "hold":
      case "deaf":
        run.passive = true;
        return {};
      default:
        return { unplayable: true };
    }
  }

  async #watch(run, before, aborting) {
    let settled = false;
    aborting.then(() => (settled = true), () => (settled = true));
    const until = performance.now() + WATCH_MS;
    for (let last = false; !last; ) {
      last = settled || performance.now() > until;
      await new Promise((resolve) => setTimeout(resolve, WATCH_EVERY_MS));
      if (run.silent || run.passive || run.ended) return;
      if (this.#cancels() > before) {
        await this.emit([{ end: "aborted" }], run);
        return;
      }
    }
  }

  #cancels() {
    const calls = this.#harness.recordedCalls?.();
    return Array.isArray(calls) ? calls.filter((c) => CANCEL.test(String(c?.method))).length : 0;
  }

  // The seed's start(adapter) starts a run with options of its own.
  #startsItself() {
    const { start, features } = this.#harness;
    return typeof start === "function" && start.length < 3 && !features?.includes?.("start-options");
  }

  // lead gives the suite's words to the adapter when the harness starts it. The session
  // key stays the harness's: its frames carry it.
  #lead(adapter) {
    const start = adapter.start;
    const starting = () => this.#starting.shift();
    const led = function (task, opts, ...more) {
      const given = starting();
      if (!given) return start.call(this, task, opts, ...more);
      const ownSession = opts?.sessionKey;
      if (ownSession !== undefined && ownSession !== given.opts?.sessionKey) given.begun.ownSession = ownSession;
      const merged = { ...opts, ...given.opts, agentId: opts?.agentId ?? given.opts?.agentId, sessionKey: ownSession ?? given.opts?.sessionKey };
      return start.call(this, { ...task, ...given.task }, merged, ...more);
    };
    try {
      Object.defineProperty(adapter, "start", { value: led, configurable: true, writable: true, enumerable: false });
    } catch {
      // A frozen adapter is started with what the harness gives it.
    }
  }
}

function read(frames) {
  try {
    return frames.map(readStep);
  } catch (err) {
    throw new RpcError(Code.InvalidParams, err.message);
  }
}

function address(run) {
  return { session: run.ownSession ?? run.session, run: run.native, handle: run.handle };
}
