// What a subject can be seen to do, read off what its harness has.

/** The features of the executor contract that a wire may have. */
export const WIRE_FEATURES = Object.freeze([
  "native-run-id", "init", "deltas", "reasoning", "tools", "partial-input", "usage", "money", "max-turns", "token-limit",
  "retract", "terminal-frame", "framed", "second-run", "sessions", "start-options", "health-down", "refuse", "silent", "cut",
  "exit-codes", "approvals", "steer", "codec", "process", "observers", "unknown-frames",
]);

const FROM_FRAMES = [
  ["deltas", ["delta"]],
  ["terminal-frame", ["final"]],
  ["init", ["init"]],
  ["reasoning", ["reasoning"]],
  ["tools", ["toolCall", "toolResult"]],
  ["partial-input", ["toolCall", "toolResult", "toolCallPart"]],
  ["usage", ["usage"]],
  ["max-turns", ["maxTurns"]],
  ["token-limit", ["tokenLimit"]],
  ["unknown-frames", ["unknown"]],
  ["approvals", ["ask"]],
];

const BEYOND_FIVE = ["init", "reasoning", "toolResult", "usage", "maxTurns", "unknown", "malformed", "message", "failed", "tokenLimit", "turn", "ask", "snapshot", "toolCallPart", "stderr"];

/** Reports whether a harness knows more than the five frames of the seed. */
export function isExtended(harness) {
  return Array.isArray(harness.features) || BEYOND_FIVE.some((name) => typeof harness.frames?.[name] === "function");
}

/** Lists the features of a harness: those that its frames show, and those it names. */
export function harnessFeatures(harness) {
  const has = (name) => typeof harness.frames?.[name] === "function";
  const found = FROM_FRAMES.filter(([, needed]) => needed.every(has)).map(([feature]) => feature);
  if (typeof harness.fault !== "function") found.push("silent"); // the bridge holds its frames back
  return union(found, harness.features);
}

/** Lists the features of a subject in wire mode: what it names, else all of the wire. */
export function wireFeatures(subject) {
  return union([], subject.features ?? WIRE_FEATURES);
}

/** Lists the features of a history factory: what it names, else its source. */
export function historyFeatures(factory) {
  return union([], factory.features ?? ["source"]);
}

function union(a, b) {
  const named = Array.isArray(b) ? b.filter((x) => typeof x === "string") : [];
  return [...new Set([...a, ...named])];
}

const WORDS = { secondStart: ["queues", "refuses"], queue: ["drop", "block"], blocklist: ["delivered", "undeliverable"] };

/** Takes over what a subject declares, in the words that there are. */
export function declarations(subject) {
  const out = {};
  for (const [key, words] of Object.entries(WORDS)) {
    const value = subject.declares?.[key];
    if (value === undefined) continue;
    if (!words.includes(value)) throw new TypeError(`declares.${key} is ${JSON.stringify(value)}, not one of ${words.join(", ")}`);
    out[key] = value;
  }
  return out;
}
