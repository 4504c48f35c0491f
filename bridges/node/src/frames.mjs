// The words of the scenario language, said in the frames that a harness has. The table
// stands in README.md.

const SCALAR = { delta: "text", think: "text", snapshot: "text", final: "text", end: "reason", error: "msg", turn: "state", frame: "type", raw: "line", stderr: "text", exit: "code", ignore: "signal" };

/** What a word becomes when the harness has no frame for it. */
export const UNPLAYABLE = Symbol("unplayable");

/**
 * Reads one step of the scenario language, in its short and its long form.
 *
 * @returns {{word: string, args: Record<string, any>}}
 */
export function readStep(step) {
  if (typeof step === "string") return { word: step, args: {} };
  const [word, ...more] = step && typeof step === "object" && !Array.isArray(step) ? Object.keys(step) : [];
  if (word === undefined || more.length > 0) throw new TypeError("a frame is an object with one word");
  const given = step[word];
  let args = {};
  if (given !== null && typeof given === "object") args = { ...given };
  else if (SCALAR[word] !== undefined && (given !== null || word === "final")) args = { [SCALAR[word]]: given };
  if (typeof args.json === "string") {
    args[word === "frame" ? "fields" : "input"] = parsed(args.json);
    delete args.json;
  }
  if (typeof args.base64 === "string") {
    args[SCALAR[word]] = Buffer.from(args.base64, "base64").toString("latin1");
    delete args.base64;
  }
  return { word, args };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return UNPLAYABLE; // an input that never became whole: a harness is given values
  }
}

/** What a run has said so far, as far as the bridge must know it to say the rest. */
export class Said {
  /** The messages that are whole. */
  before = "";
  /** The text of the message that is not whole yet. */
  open = "";

  /** All of the answer, as a terminal frame may restate it. */
  get text() {
    return this.before + this.open;
  }

  delta(text) {
    this.open += text;
  }

  /** The whole text of the open message so far. */
  snapshot(text) {
    this.open = text;
  }

  /** Notes of its own, for words that may not be said after all. */
  copy() {
    return Object.assign(new Said(), this);
  }

  /** Ends a message. It returns what of it was not said yet. */
  message(whole) {
    const rest = whole.startsWith(this.open) ? whole.slice(this.open.length) : whole;
    this.before += whole;
    this.open = "";
    return rest;
  }
}

/**
 * Renders a word. The result is the harness's own frame, or UNPLAYABLE, or undefined if
 * there is nothing to say. A frame maker that returns undefined or null has no such
 * frame.
 *
 * @param {Record<string, Function>} frames
 * @param {{word: string, args: Record<string, any>}} step
 * @param {Said} said
 * @param {boolean} mild whether an error frame can say that it is not fatal
 */
export function render(frames, { word, args }, said, mild) {
  const make = (name, ...values) => {
    if (typeof frames?.[name] !== "function") return UNPLAYABLE;
    return frames[name](...values) ?? UNPLAYABLE;
  };
  if (args.parent) return UNPLAYABLE; // of a nested agent: no frame says whose it is
  switch (word) {
    case "init":
      return make("init", args.run, args.session, { model: args.model, cwd: args.cwd });
    case "delta": {
      const frame = make("delta", args.text, { msg: args.msg, part: args.part, at: args.at });
      if (frame !== UNPLAYABLE) said.delta(args.text);
      return frame;
    }
    case "think":
      return make("reasoning", args.text);
    case "snapshot": {
      const frame = make("snapshot", args.text, { part: args.part });
      if (frame !== UNPLAYABLE) said.snapshot(args.text);
      return frame;
    }
    case "final":
      return wholeMessage(frames, args, said, make);
    case "call":
      return args.input === UNPLAYABLE ? UNPLAYABLE : make("toolCall", args.name, args.input ?? null, args.id);
    case "callpart":
      return make("toolCallPart", args.idx, args.frag, { id: args.id, name: args.name });
    case "result":
      return make("toolResult", args.id, args.out, args.err === true, args.name);
    case "usage":
      return make("usage", { kind: "turn", ...args });
    case "end":
      return terminal(args, said, make);
    case "error":
      if (args.fatal === true) return make("error", args.msg, { code: args.code ?? null, fatal: true });
      return mild ? make("error", args.msg, { code: args.code ?? null, fatal: false }) : UNPLAYABLE;
    case "turn":
      return make("turn", args.state, args.text);
    case "ask":
      return make("ask", args.id, args.tool);
    case "frame":
      return args.fields === UNPLAYABLE ? UNPLAYABLE : make("unknown", args.type, args.fields ?? {});
    case "raw":
      return make("malformed", args.line ?? "");
    case "stderr":
      return make("stderr", args.text ?? "x".repeat(args.n ?? 0));
    default:
      return UNPLAYABLE; // child, ignore, and words of a later language
  }
}

// A runtime without a frame for whole messages says one as an increment: what of it is
// not said yet.
function wholeMessage(frames, args, said, make) {
  if (typeof frames?.message === "function") {
    const frame = make("message", args.text, { msg: args.msg });
    if (frame !== UNPLAYABLE && args.text !== null) said.message(args.text);
    return frame;
  }
  if (args.text === null || typeof frames?.delta !== "function") return UNPLAYABLE;
  const rest = said.message(args.text);
  return rest === "" ? undefined : make("delta", rest, {});
}

function terminal(args, said, make) {
  const summary = args.text || said.text;
  if (args.err === true) {
    const message = args.text || "the run failed";
    const frame = make("failed", message, args.reason);
    return frame === UNPLAYABLE ? make("error", message, { code: null, fatal: true }) : frame;
  }
  switch (args.reason) {
    case "ok":
      return make("final", summary);
    case "aborted":
      return make("aborted");
    case "max_turns":
      return make("maxTurns", summary);
    case "length":
      return make("tokenLimit", summary);
    default:
      return UNPLAYABLE;
  }
}
