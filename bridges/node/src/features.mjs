// What a subject can be seen to do, read off what its harness has.
import { LoadError } from "./loaderror.mjs";

/** The features of the executor contract that a wire may have. */
export const WIRE_FEATURES = Object.freeze([
  "native-run-id", "init", "deltas", "reasoning", "tools", "partial-input", "usage", "money", "max-turns", "token-limit",
  "retract", "terminal-frame", "framed", "second-run", "sessions", "start-options", "health-down", "refuse", "silent", "cut",
  "exit-codes", "approvals", "steer", "codec", "process", "observers", "unknown-frames", "mild-errors",
  "live-text", "native-session", "nested", "connected", "reconnect",
]);

/** Those of the history contract. */
const HISTORY_FEATURES = ["source", "append", "ports"];

const FROM_FRAMES = [
  ["deltas", ["delta"]],
  ["live-text", ["delta"]],
  ["live-text", ["message"]],
  ["terminal-frame", ["final"]],
  ["init", ["init"]],
  ["native-session", ["init"]],
  ["reasoning", ["reasoning"]],
  ["tools", ["toolCall", "toolResult"]],
  ["partial-input", ["toolCall", "toolResult", "toolCallPart"]],
  ["usage", ["usage"]],
  ["max-turns", ["maxTurns"]],
  ["token-limit", ["tokenLimit"]],
  ["framed", ["malformed"]],
  ["unknown-frames", ["unknown"]],
  ["approvals", ["ask"]],
];

/** Reports whether the error frame of a harness can say that it is not fatal: it takes more than a message. */
export function saysMild({ frames, features }) {
  return typeof frames?.error === "function" && (frames.error.length >= 2 || features?.includes?.("mild-errors") === true);
}

/** Lists the features of a harness: those that its frames show, and those it names. */
export function harnessFeatures(harness) {
  const has = (name) => typeof harness.frames?.[name] === "function";
  const found = FROM_FRAMES.filter(([, needed]) => needed.every(has)).map(([feature]) => feature);
  if (saysMild(harness)) found.push("mild-errors");
  if (typeof harness.fault !== "function") found.push("silent"); // the bridge holds its frames back
  return [...new Set([...found, ...named(harness, [])])];
}

/** Lists the features of a subject in wire mode: what it names, else all of the wire. */
export function wireFeatures(subject) {
  return named(subject, WIRE_FEATURES);
}

/** Lists the features of a history factory: what it names, else its source. */
export function historyFeatures(factory) {
  return named(factory, ["source"]);
}

// named are the features that a subject lists, in the words that there are.
function named({ features }, otherwise) {
  if (features === undefined || features === null) return [...otherwise];
  if (!Array.isArray(features)) throw new LoadError("features is not a list");
  const words = [...WIRE_FEATURES, ...HISTORY_FEATURES];
  const odd = features.find((word) => !words.includes(word));
  if (odd !== undefined) throw new LoadError(`features has ${JSON.stringify(odd)}, not one of ${words.join(", ")}`);
  return [...new Set(features)];
}

const WORDS = { secondStart: ["queues", "refuses"], queue: ["drop", "block"], blocklist: ["delivered", "undeliverable"] };

/** Takes over what a subject declares, in the words that there are. */
export function declarations(subject) {
  const out = {};
  for (const [key, words] of Object.entries(WORDS)) {
    const value = subject.declares?.[key];
    if (value === undefined) continue;
    if (!words.includes(value)) throw new LoadError(`declares.${key} is ${JSON.stringify(value)}, not one of ${words.join(", ")}`);
    out[key] = value;
  }
  return out;
}
