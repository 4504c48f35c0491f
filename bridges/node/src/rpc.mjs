// JSON-RPC 2.0, one message per line, both ways.

/** Error codes of JSON-RPC, and of the subject protocol: a value that the language does not have. */
export const Code = Object.freeze({
  Parse: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  Internal: -32603,
  UnsupportedValue: -32004,
});

/** What the bridge itself could not do. It leaves a check without a judgement. */
export class RpcError extends Error {
  constructor(code, message) {
    super(message);
    this.name = "RpcError";
    this.code = code;
  }
}

/**
 * One end of the line. Requests are handed to `handle` in the order of their lines;
 * what it does before its first await is done before the next line is looked at.
 */
export class Peer {
  #write;
  #handle;
  #pieces = [];
  #pending = new Map();
  #lastId = 0;
  #ended = false;
  #decoder = new TextDecoder("utf-8", { fatal: true });

  /**
   * @param {(line: string) => void} write takes one line, LF included
   * @param {(method: string, params: object) => Promise<unknown>} handle
   */
  constructor(write, handle) {
    this.#write = write;
    this.#handle = handle;
  }

  /** Takes bytes as they come. Lines may be of any length. */
  feed(chunk) {
    for (let at = 0; at < chunk.length; ) {
      const end = chunk.indexOf(10, at);
      if (end < 0) {
        this.#pieces.push(chunk.subarray(at));
        return;
      }
      this.#pieces.push(chunk.subarray(at, end));
      const line = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
      this.#pieces = [];
      at = end + 1;
      this.#line(line);
    }
  }

  /** Says that no line comes any more: what waits for an answer fails. */
  end() {
    this.#ended = true;
    for (const { reject } of this.#pending.values()) reject(new Error("the suite has gone"));
    this.#pending.clear();
  }

  /** Asks the other end. It rejects with the other end's error. */
  call(method, params) {
    if (this.#ended) return Promise.reject(new Error("the suite has gone"));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#send({ jsonrpc: "2.0", id, method, params });
    });
  }

  #line(bytes) {
    let message;
    try {
      const text = this.#decoder.decode(bytes);
      if (text.trim() === "") return;
      message = JSON.parse(text);
    } catch {
      return this.#fail(null, new RpcError(Code.Parse, "the line is not JSON"));
    }
    if (message === null || typeof message !== "object" || Array.isArray(message)) {
      return this.#fail(null, new RpcError(Code.InvalidRequest, "the line is not a request"));
    }
    if (!("method" in message) && ("result" in message || "error" in message)) return this.#answered(message);
    const id = message.id;
    const named = typeof id === "number" || typeof id === "string";
    if (typeof message.method !== "string" || message.jsonrpc !== "2.0") {
      return this.#fail(named ? id : null, new RpcError(Code.InvalidRequest, "the line is not a JSON-RPC 2.0 request"));
    }
    if (!named) return; // a notification: there are none in this protocol, and none is answered
    const params = message.params ?? {};
    if (typeof params !== "object" || Array.isArray(params)) {
      return this.#fail(id, new RpcError(Code.InvalidParams, "params is not an object"));
    }
    this.#serve(id, message.method, params);
  }

  async #serve(id, method, params) {
    let result;
    try {
      result = await this.#handle(method, params);
    } catch (err) {
      return this.#fail(id, err);
    }
    this.#send({ jsonrpc: "2.0", id, result });
  }

  #answered({ id, result, error }) {
    const waiting = this.#pending.get(id);
    if (!waiting) return;
    this.#pending.delete(id);
    if (error) waiting.reject(Object.assign(new Error(String(error.message ?? "the call-back failed")), { rpcCode: error.code }));
    else waiting.resolve(result);
  }

  #fail(id, err) {
    const known = err instanceof RpcError;
    if (!known) process.stderr.write(`adaptercheck-bridge: ${err?.stack ?? err}\n`);
    this.#send({ jsonrpc: "2.0", id, error: { code: known ? err.code : Code.Internal, message: known ? err.message : "the bridge failed" } });
  }

  #send(message) {
    if (!this.#ended) this.#write(JSON.stringify(message) + "\n");
  }
}
