// The events of one run, for any number of observers. The first one gets the run from
// its start, also when it is over by then; later ones as long as the run is live.

const droppable = (event) => event.kind === "text-delta" || event.kind === "status";

/** A bounded list: text and status go first, oldest first; nothing else is dropped. */
class Held {
  items = [];
  #droppable = 0;

  constructor(max) {
    this.max = max;
    this.hard = 10 * max;
  }

  /** Adds an event. It reports false once even what must not be lost is too much. */
  push(event) {
    this.items.push(event);
    if (droppable(event)) this.#droppable++;
    // Half the bound more may gather, so that the list is not moved for every event.
    if (this.#droppable > this.max * 1.5) this.#shrink(this.#droppable - this.max);
    if (this.items.length > this.hard) this.#shrink(this.#droppable);
    return this.items.length <= this.hard;
  }

  shift() {
    const event = this.items.shift();
    if (event && droppable(event)) this.#droppable--;
    return event;
  }

  #shrink(excess) {
    this.#droppable -= excess;
    this.items = this.items.filter((event) => !(droppable(event) && excess-- > 0));
  }
}

export class Feed {
  #handle;
  #log;
  #full = false;
  #seq = 0;
  #ended = false;
  #observed = false;
  #observers = new Set();

  constructor(handle, max = 1000) {
    this.#handle = handle;
    this.#log = new Held(max);
  }

  /** Hands events to every observer, numbered and with the time of now. */
  publish(runId, sessionId, events) {
    for (const event of events) {
      const whole = Object.freeze({ runId, sessionId, ts: Date.now(), seq: ++this.#seq, ...event });
      if (!this.#full) this.#full = !this.#log.push(whole);
      for (const observer of this.#observers) observer.push(whole);
    }
  }

  /** Subscribes during the call. */
  subscribe() {
    if (this.#ended && this.#observed) return new Observer(this.#handle, this.#log.max, () => {}).end();
    this.#observed = true;
    const observer = new Observer(this.#handle, this.#log.max, () => this.#observers.delete(observer));
    for (const event of this.#log.items) observer.push(event);
    if (this.#ended) return observer.end();
    this.#observers.add(observer);
    return observer;
  }

  /** Ends every stream after what it was given. */
  end() {
    this.#ended = true;
    for (const observer of this.#observers) observer.end();
    this.#observers.clear();
  }
}

/** One consumer's stream. */
class Observer {
  #handle;
  #held;
  #release;
  #waiting = [];
  #ended = false;
  #closed = false;

  constructor(handle, max, release) {
    this.#handle = handle;
    this.#held = new Held(max);
    this.#release = release;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  push(event) {
    if (this.#ended) return;
    const pull = this.#waiting.shift();
    if (pull) return pull(this.#deliver(event));
    if (this.#held.push(event)) return;
    // It fell too far behind: its stream ends, the run goes on.
    const head = { runId: event.runId, sessionId: event.sessionId, ts: event.ts };
    this.#held.items.push(
      { ...head, seq: event.seq + 1, kind: "error", code: "queue-overflow", message: "the observer fell too far behind", fatal: true },
      { ...head, seq: event.seq + 2, kind: "done", reason: "error", summary: "" },
    );
    this.end();
    this.#release();
  }

  end() {
    this.#ended = true;
    for (const pull of this.#waiting.splice(0)) pull({ done: true, value: undefined });
    return this;
  }

  next() {
    const event = this.#closed ? undefined : this.#held.shift();
    if (event) return Promise.resolve(this.#deliver(event));
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  return() {
    this.#closed = true;
    this.#release();
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  // The handle is bound by the time the first event can be seen, and never again.
  #deliver(event) {
    this.#handle.runId ??= event.runId;
    return { done: false, value: event };
  }
}
