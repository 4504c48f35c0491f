// A subject on a line: the life of its instances, and who answers what.
import { ExecutorInstance } from "./executor.mjs";
import { HarnessRuntime } from "./harness.mjs";
import { HistoryInstance } from "./history.mjs";
import { Module } from "./load.mjs";
import { rejection } from "./raw.mjs";
import { Code, Peer, RpcError } from "./rpc.mjs";

/** The version of the subject protocol that this bridge speaks. */
export const PROTOCOL = "adaptercheck-subject-v1";

/** How long instances may take to close when the suite has gone. */
const CLOSE_MS = 1_000;

/** Serves one module. */
export class Server {
  #module;
  #peer;
  #described;
  #greeted = false;
  #instances = new Map();

  /**
   * @param {string} file the module
   * @param {(line: string) => void} write takes one line of the answer
   */
  constructor(file, write) {
    this.#module = new Module(file);
    this.#peer = new Peer(write, (method, params) => this.#handle(method, params));
  }

  /**
   * Loads the module. It rejects with what the module throws, or says why that is no
   * subject; where nobody has called it, the answer to `initialize` does.
   */
  async load() {
    this.#described ??= this.#module.describe();
    await this.#described;
  }

  /** Reads lines until the stream ends, and closes what is open then. */
  async serve(input) {
    await new Promise((resolve) => {
      input.on("data", (chunk) => this.#peer.feed(chunk));
      input.once("end", resolve);
      input.once("close", resolve);
      input.once("error", resolve);
    });
    this.#peer.end();
    const closing = [...this.#instances.values()].map((instance) => instance.close());
    let timer;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_MS)));
    await Promise.race([Promise.allSettled(closing), late]);
    clearTimeout(timer);
  }

  #handle(method, params) {
    switch (method) {
      case "initialize":
        return this.#initialize(params);
      case "instance/create":
        return this.#create(params);
      case "instance/close":
        return this.#close(params);
    }
    const instance = this.#instance(params);
    const call = Object.hasOwn(instance.methods, method) ? instance.methods[method] : undefined;
    if (!call) throw new RpcError(Code.MethodNotFound, `unknown method: ${method}`);
    return call(params);
  }

  async #initialize({ protocol }) {
    if (this.#greeted) throw new RpcError(Code.InvalidRequest, "initialize comes once");
    this.#greeted = true;
    if (protocol !== undefined && protocol !== PROTOCOL) {
      process.stderr.write(`adaptercheck-bridge: the suite speaks ${protocol}, this bridge ${PROTOCOL}\n`);
    }
    await this.load().catch((err) => {
      process.stderr.write(`adaptercheck-bridge: the module cannot be loaded: ${err?.stack ?? err}\n`);
      throw new RpcError(Code.Internal, "the module cannot be loaded");
    });
    return { protocol: PROTOCOL, ...(await this.#described) };
  }

  async #create({ instance: name, contract, endpoint, fixture }) {
    if (!this.#greeted) throw new RpcError(Code.InvalidRequest, "initialize comes first");
    if (typeof name !== "string" || this.#instances.has(name)) throw new RpcError(Code.InvalidParams, "the instance has no name, or one that is in use");
    const { contracts } = await this.#described;
    if (!contracts.includes(contract)) throw new RpcError(Code.InvalidParams, `the subject does not implement ${contract}`);
    let instance;
    try {
      instance = await this.#make(name, contract, endpoint, fixture);
    } catch (err) {
      return rejection(err);
    }
    this.#instances.set(name, instance);
    return instance.describe();
  }

  async #make(name, contract, endpoint, fixture) {
    const subject = await this.#module.fresh();
    if (contract === "history") {
      return HistoryInstance.make(subject, fixture, (method, params) => this.#peer.call(method, { instance: name, ...params }));
    }
    if (typeof subject.emit === "function") {
      const runtime = new HarnessRuntime(subject);
      return new ExecutorInstance(await runtime.makeAdapter(), runtime);
    }
    const adapter = await subject.makeAdapter(endpoint ?? {});
    if (adapter === null || typeof adapter !== "object") throw new TypeError("makeAdapter did not return an adapter");
    return new ExecutorInstance(adapter, undefined);
  }

  async #close(params) {
    const instance = this.#instance(params);
    this.#instances.delete(params.instance);
    return instance.close();
  }

  #instance({ instance: name }) {
    const instance = this.#instances.get(name);
    if (!instance) throw new RpcError(Code.InvalidParams, `unknown instance: ${name}`);
    return instance;
  }
}
