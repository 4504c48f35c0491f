// One adapter of the history contract behind the line.
import { attempt } from "./executor.mjs";
import { readFixture } from "./ports.mjs";
import { decode, encode, encodeProperties } from "./raw.mjs";
import { Code, RpcError } from "./rpc.mjs";

const isFunction = (x) => typeof x === "function";
const text = (x) => (typeof x === "string" && x !== "" ? x : undefined);

/** The methods of a history instance, by their names on the line. */
export class HistoryInstance {
  #made;
  #adapter;

  /**
   * Builds an adapter over the suite's fixture.
   *
   * @param {{create: Function}} factory
   * @param {(method: string, params: object) => Promise<any>} callBack asks the suite
   */
  static async make(factory, fixture, callBack) {
    const transport = (request) => callBack("transport/complete", encodeProperties(request, ["provider", "model", "destination", "payload"]));
    const made = await factory.create(readFixture(fixture, callBack), transport);
    const adapter = made?.adapter;
    if (adapter === null || typeof adapter !== "object") throw new TypeError("create did not return an adapter");
    return new HistoryInstance(made, adapter);
  }

  constructor(made, adapter) {
    this.#made = made;
    this.#adapter = adapter;
  }

  describe() {
    const out = { identity: encodeProperties(this.#adapter, ["identity"]).identity ?? encode(undefined) };
    for (const key of ["expectedProjectRoot", "historyFile"]) {
      if (text(this.#made[key])) out[key] = this.#made[key];
    }
    const parts = [];
    if (isFunction(this.#adapter.embeddingPort?.embed)) parts.push("embedding");
    if (isFunction(this.#adapter.localKvDiagnostics)) parts.push("local-kv-diagnostics");
    return { ...out, append: isFunction(this.#made.append), parts };
  }

  // What the contract has as plain values crosses as it stands, a promise included.
  methods = {
    "history/declarations": () => attempt(() => ({ value: encode(this.#adapter.capabilityDeclarations()) })),
    "history/negotiate": ({ requested }) => attempt(() => ({ value: encode(this.#adapter.negotiateCapabilities(requested)) })),
    "history/diagnostics": () => attempt(() => ({ value: encode(this.#adapter.diagnostics()) })),
    "history/snapshot": () => attempt(async () => ({ value: encode(await this.#adapter.snapshotHistory()) })),
    "history/rebuild": () => attempt(async () => ({ value: encode(await this.#adapter.rebuildDerivedState()) })),
    "history/model": () => attempt(async () => ({ value: encode(await this.#adapter.currentModel()) })),
    "history/root": () => attempt(async () => ({ value: encode(await this.#adapter.trustedProjectRoot()) })),
    "history/enforcePrivacy": ({ provider, payload }) => {
      const real = decode(payload);
      return attempt(async () => ({ value: encode(await this.#adapter.enforcePrivacy({ provider, payload: real })) }));
    },
    "history/complete": ({ provider, model, payload }) => {
      const real = decode(payload);
      return attempt(async () => ({ value: encode(await this.#adapter.complete({ provider, model, payload: real })) }));
    },
    "history/append": ({ message }) => {
      if (!isFunction(this.#made.append)) throw new RpcError(Code.MethodNotFound, "the subject cannot append");
      return attempt(async () => (await this.#made.append(message), {}));
    },
    "history/shutdown": () => attempt(async () => (await this.#adapter.shutdown(), {})),
    "history/embeddingIdentity": () => {
      const port = this.#embedding();
      return attempt(() => ({ value: encode(port.identity) }));
    },
    "history/embed": ({ texts }) => {
      const port = this.#embedding();
      return attempt(async () => ({ value: encode(await port.embed(texts)) }));
    },
    "history/localKvDiagnostics": () => {
      if (!isFunction(this.#adapter.localKvDiagnostics)) throw new RpcError(Code.MethodNotFound, "the adapter has no local KV diagnostics");
      return attempt(() => ({ value: encode(this.#adapter.localKvDiagnostics()) }));
    },
  };

  close() {
    return attempt(async () => (await this.#made.cleanup?.(), {}));
  }

  #embedding() {
    const port = this.#adapter.embeddingPort;
    if (!isFunction(port?.embed)) throw new RpcError(Code.MethodNotFound, "the adapter has no embedding port");
    return port;
  }
}
