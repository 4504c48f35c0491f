// One adapter of the executor contract behind the line.
import { encode, encodeProperties, rejection } from "./raw.mjs";
import { Code, RpcError } from "./rpc.mjs";

const HANDLE = ["adapterId", "sessionKey", "runId"];
const isFunction = (x) => typeof x === "function";

/** The methods of an instance that the suite calls, by their names on the line. */
export class ExecutorInstance {
  #runs = new Map();
  #streams = new Map();
  #lastRun = 0;
  #lastStream = 0;
  #disposed = false;

  /**
   * @param {object} adapter
   * @param {import("./harness.mjs").HarnessRuntime | undefined} runtime of a harness
   */
  constructor(adapter, runtime) {
    this.adapter = adapter;
    this.runtime = runtime;
  }

  /** What the adapter is, as it stands. */
  describe() {
    const parts = [];
    const codec = this.adapter.sessionCodec;
    if (isFunction(codec?.serialize) && isFunction(codec?.restore)) parts.push("codec");
    if (isFunction(this.adapter.dispose)) parts.push("dispose");
    if (isFunction(this.adapter.approve)) parts.push("approve");
    return { ...this.identity(), parts };
  }

  identity() {
    const { id, participantKind } = encodeProperties(this.adapter, ["id", "participantKind"]);
    return { id: id ?? encode(undefined), participantKind: participantKind ?? encode(undefined) };
  }

  methods = {
    "adapter/id": () => this.identity(),
    "adapter/capabilities": () => attempt(() => ({ value: encode(this.adapter.capabilities()) })),
    "adapter/health": () => attempt(async () => ({ value: encode(await this.adapter.health()) })),
    "adapter/start": ({ task, opts }) => this.#start(task, opts),
    "adapter/abort": (p) => this.#abort(p),
    "adapter/setModel": (p) => this.#control(p, (h) => this.adapter.setModel(h, p.model)),
    "adapter/writeContext": (p) => this.#control(p, (h) => this.adapter.writeContext(h, p.key, p.value)),
    "adapter/approve": (p) => {
      this.#needs("approve", this.adapter.approve);
      return this.#control(p, (h) => this.adapter.approve(h, p.id, p.allow));
    },
    "adapter/dispose": () => {
      this.#needs("dispose", this.adapter.dispose);
      this.#disposed = true;
      return attempt(async () => (await this.adapter.dispose(), {}));
    },
    "codec/serialize": (p) => {
      this.#needs("codec", this.adapter.sessionCodec?.serialize);
      const { handle } = this.#run(p);
      return attempt(async () => ({ value: encode(await this.adapter.sessionCodec.serialize(handle)) }));
    },
    "codec/restore": ({ blob }) => {
      this.#needs("codec", this.adapter.sessionCodec?.restore);
      return attempt(async () => this.#named(await this.adapter.sessionCodec.restore(blob), {}));
    },
    "handle/get": (p) => ({ handle: this.#handle(this.#run(p)) }),
    "stream/open": (p) => this.#open(p),
    "stream/next": (p) => this.#next(p),
    "stream/close": (p) => this.#close(p),
    "harness/emit": (p) => this.#harness().emit(Array.isArray(p.frames) ? p.frames : [p.frame], this.#addressed(p)),
    "harness/fault": (p) => this.#harness().fault(p.fault, p.delay, this.#addressed(p)),
    "harness/calls": () => this.#harness().calls(),
  };

  /** Lets go of everything. The suite has judged dispose by then, if it wanted to. */
  async close() {
    for (const stream of this.#streams.values()) void attempt(() => endOf(stream));
    if (!this.#disposed && isFunction(this.adapter.dispose)) {
      this.#disposed = true;
      await attempt(() => this.adapter.dispose());
    }
    return this.runtime ? attempt(async () => (await this.runtime.close(), {})) : {};
  }

  #start(task, opts) {
    return attempt(async () => {
      const begun = { session: opts?.sessionKey };
      const handle = await (this.runtime ? this.runtime.start(this.adapter, task, opts, begun) : this.adapter.start(task, opts));
      return this.#named(handle, begun);
    });
  }

  // named keeps a handle under a name of its own. ownSession is the session key that the
  // harness starts with instead of the suite's.
  #named(handle, { session, ownSession }) {
    if (handle === null || typeof handle !== "object") return { run: null, handle: encode(handle) };
    // One that was given out before keeps its name: so two runs that share it are seen.
    const name = [...this.#runs.values()].find((run) => run.handle === handle)?.name ?? `run-${++this.#lastRun}`;
    const run = { name, handle, session, ownSession };
    this.#runs.delete(name); // the latest is the last
    this.#runs.set(name, run);
    this.runtime?.began(run);
    return { run: name, handle: this.#handle(run) };
  }

  #abort(p) {
    const run = this.#run(p);
    return attempt(async () => {
      const watch = this.runtime?.beforeAbort(run);
      const aborting = Promise.resolve(this.adapter.abort(run.handle));
      watch?.(aborting);
      await aborting;
      return {};
    });
  }

  #control(p, call) {
    const { handle } = this.#run(p);
    return attempt(async () => (await call(handle), {}));
  }

  #open(p) {
    const run = this.#run(p);
    return attempt(() => {
      const events = this.adapter.events(run.handle);
      const make = events?.[Symbol.asyncIterator] ?? events?.[Symbol.iterator];
      if (!isFunction(make)) throw new TypeError("events did not return an async iterable");
      const name = `stream-${++this.#lastStream}`;
      // The iterator is made with the first pull, as `for await` would if it came then.
      this.#streams.set(name, { run, make: () => make.call(events), iterator: undefined });
      return { stream: name };
    });
  }

  async #next(p) {
    const stream = this.#stream(p);
    try {
      stream.iterator ??= stream.make();
      const result = await stream.iterator.next();
      if (result === null || typeof result !== "object") throw new TypeError("next did not give an iterator result");
      if (result.done) return { end: true, handle: this.#handle(stream.run) };
      const value = result.value;
      const handle = this.#handle(stream.run);
      return { event: this.#suiteSession(encode(value), "sessionId", stream.run), handle };
    } catch (err) {
      return { ...rejection(err), handle: this.#handle(stream.run) };
    }
  }

  #close(p) {
    const stream = this.#stream(p);
    return attempt(async () => (await endOf(stream), {}));
  }

  #run(p) {
    if (p.run === null) return { handle: { ...p.handle }, session: p.handle?.sessionKey };
    const run = this.#runs.get(p.run);
    if (!run) throw new RpcError(Code.InvalidParams, `unknown run: ${p.run}`);
    return run;
  }

  #stream(p) {
    const stream = this.#streams.get(p.stream);
    if (!stream) throw new RpcError(Code.InvalidParams, `unknown stream: ${p.stream}`);
    return stream;
  }

  // addressed is the run that a frame or a fault is for: the one that is named, else the
  // latest of the session, else the latest of all.
  #addressed({ run, session }) {
    if (run !== undefined && run !== null) return this.#run({ run });
    const all = [...this.#runs.values()].filter((r) => session === undefined || session === null || r.session === session);
    return all.at(-1) ?? { session };
  }

  #handle(run) {
    return this.#suiteSession(encodeProperties(run.handle, HANDLE), "sessionKey", run);
  }

  // A harness that starts its runs by itself has a session key of its own. What stands
  // under that key is told under the suite's.
  #suiteSession(raw, key, run) {
    if (run.ownSession !== undefined && raw !== null && typeof raw === "object" && raw[key] === run.ownSession) raw[key] = run.session;
    return raw;
  }

  #harness() {
    if (!this.runtime) throw new RpcError(Code.MethodNotFound, "the subject has no harness: it is in wire mode");
    return this.runtime;
  }

  #needs(part, method) {
    if (!isFunction(method)) throw new RpcError(Code.MethodNotFound, `the adapter has no ${part}`);
  }
}

// endOf ends the iteration as the language does.
function endOf(stream) {
  stream.iterator ??= stream.make();
  return stream.iterator.return?.();
}

/** Runs what may fail on the adapter's side. A failure is a result that says so. */
export async function attempt(call) {
  try {
    return await call();
  } catch (err) {
    if (err instanceof RpcError) throw err;
    return rejection(err);
  }
}
