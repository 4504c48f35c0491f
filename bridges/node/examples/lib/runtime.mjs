// A small agent runtime that lives in this process, as a fake of a real one. It says
// what it is told to, and keeps what arrived.

export class FakeRuntime {
  /** Everything that arrived, in order. */
  calls = [];

  #down = false;
  #refusals = 0;
  #current = new Map(); // the latest connection of each session
  #latest;

  // What the adapter does.

  async ping() {
    if (this.#down) throw new Error("runtime down");
  }

  /** Begins a run. Frames come through onFrame until onEnd. */
  async open(request, onFrame, onEnd) {
    await this.ping();
    if (this.#refusals > 0) {
      this.#refusals--;
      throw new Error("the runtime refused the start");
    }
    this.#record("run.start", request);
    const connection = { session: request.session, onFrame, onEnd, open: true, silent: false, passive: false };
    this.#current.set(request.session, connection);
    this.#latest = connection;
    return {
      cancel: async () => {
        await this.ping();
        this.#record("run.cancel", { session: request.session });
        if (!connection.passive) queueMicrotask(() => this.#say(connection, { type: "end", reason: "aborted" }));
      },
      close: () => {
        connection.open = false;
      },
    };
  }

  async setModel(session, model) {
    await this.ping();
    this.#record("session.setModel", { session, model });
  }

  async writeContext(session, key, value) {
    await this.ping();
    this.#record("session.writeContext", { session, key, value });
  }

  // What a test does.

  /**
   * Lets a session's run say a frame.
   *
   * @param {any} frame
   * @param {{session?: string}} [to]
   */
  say(frame, { session } = {}) {
    this.#say(this.#of(session), frame);
  }

  /**
   * Misbehaves. It returns false for a fault that it cannot play.
   *
   * @param {string} name
   * @param {{session?: string}} [to]
   */
  fault(name, { session } = {}) {
    const connection = this.#of(session);
    switch (name) {
      case "down":
        this.#down = true;
        return true;
      case "refuse":
        this.#refusals++;
        return true;
      case "silent":
        if (connection) connection.silent = connection.passive = true;
        return true;
      case "hold":
      case "deaf":
        if (connection) connection.passive = true;
        return true;
      case "cut":
        if (connection?.open) connection.onEnd();
        return true;
      default:
        return false;
    }
  }

  #of(session) {
    return session === undefined ? this.#latest : this.#current.get(session);
  }

  #say(connection, frame) {
    if (connection?.open && !connection.silent) connection.onFrame(frame);
  }

  #record(method, params) {
    this.calls.push({ method, params: structuredClone(params) });
  }
}
