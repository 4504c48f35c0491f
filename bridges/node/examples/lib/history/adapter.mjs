// An adapter of the history contract over the file of store.mjs.
import { atomicGroups } from "./groups.mjs";
import { CONTRACT, negotiate } from "./negotiation.mjs";
import { enforce } from "./privacy.mjs";
import { readSession, SourceError } from "./store.mjs";
import { issues, SCHEMA } from "./validate.mjs";

const MAX_DIAGNOSTICS = 100;
const isBlank = (s) => typeof s !== "string" || s.trim() === "";

export class HistoryAdapter {
  #session;
  #file;
  #transport;
  #diagnostics = [];
  #closed = false;

  /**
   * @param {{runtimeId: string, sessionId: string, projectRoot: string, model?: object}} session projectRoot is a real path
   * @param {string} file
   * @param {import("../../../types/index.d.ts").CompletionTransport} transport
   */
  constructor(session, file, transport) {
    this.#session = session;
    this.#file = file;
    this.#transport = transport;
  }

  /** @returns {import("../../../types/index.d.ts").HistoryAdapter["identity"]} */
  get identity() {
    return { runtimeId: this.#session.runtimeId, adapterName: "example-history-adapter", adapterVersion: "1.0.0", contractVersion: CONTRACT };
  }

  capabilityDeclarations() {
    const no = (id, reason) => ({ id, supported: false, reason });
    return [
      no("compaction", "the runtime does not compact its history"),
      no("provider-continuation", "the runtime keeps no handles of its provider"),
      no("embeddings", "no embedding port was given"),
      no("local-kv-reuse", "no local KV port was given"),
    ];
  }

  negotiateCapabilities(requested) {
    return negotiate(this.capabilityDeclarations(), requested);
  }

  diagnostics() {
    return this.#diagnostics.map((d) => ({ ...d }));
  }

  async snapshotHistory() {
    this.#open();
    const { runtimeId, sessionId, projectRoot } = this.#session;
    try {
      const { messages, revision } = await readSession(this.#file, this.#session);
      const found = issues(messages, this.#session);
      if (found > 0) throw new SourceError("canonical-history-invalid", `the canonical history has ${found} issues`);
      this.#open(); // it may have been closed meanwhile
      return { schemaVersion: SCHEMA, runtimeId, sessionId, revision, projectRoot, messages, toolAtomicGroups: atomicGroups(messages) };
    } catch (err) {
      if (err instanceof SourceError) this.#note(err.code, "error", err.message);
      throw err;
    }
  }

  // Nothing is kept beside the source, so there is nothing to drop.
  async rebuildDerivedState() {
    const snapshot = await this.snapshotHistory();
    this.#note("derived-state-rebuilt", "info", "derived state was rebuilt");
    return snapshot;
  }

  async currentModel() {
    this.#open();
    return structuredClone(this.#session.model);
  }

  async trustedProjectRoot() {
    this.#open();
    return this.#session.projectRoot;
  }

  async enforcePrivacy({ provider, payload }) {
    this.#open();
    return this.#enforce(provider, payload);
  }

  async complete(request) {
    if (this.#closed) return fallback("adapter-closed", "the adapter is closed", false);
    const { provider, model } = request;
    if (isBlank(provider) || isBlank(model)) {
      this.#note("completion-request-invalid", "warning", "a completion named no provider or no model");
      return fallback("invalid-request", "the request names no provider or no model", false);
    }
    let screened;
    try {
      screened = this.#enforce(provider, request.payload);
    } catch {
      return fallback("privacy-enforcement-failed", "the payload could not be screened", false);
    }
    const { payload, destination, ...done } = screened;
    try {
      const output = await this.#transport({ provider, model, destination, payload });
      return { status: "completed", output, privacy: { ...done, destination } };
    } catch {
      this.#note("completion-transport-failed", "warning", "the transport failed");
      return fallback("transport-failed", "the transport failed", true);
    }
  }

  async shutdown() {
    if (this.#closed) return;
    this.#closed = true;
    this.#note("adapter-closed", "info", "the adapter was closed");
  }

  #enforce(provider, payload) {
    try {
      return enforce(provider, payload);
    } catch (err) {
      this.#note("privacy-enforcement-failed", "error", "a payload could not be screened");
      throw err;
    }
  }

  #open() {
    if (this.#closed) throw Object.assign(new Error("the adapter is closed"), { code: "adapter-closed" });
  }

  #note(code, severity, message) {
    this.#diagnostics.push({ code, severity, message });
    if (this.#diagnostics.length > MAX_DIAGNOSTICS) this.#diagnostics.shift();
  }
}

const fallback = (code, reason, retryable) => ({ status: "fallback", code, reason, retryable });
