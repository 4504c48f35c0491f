// The canonical history of this example's runtime: a file of JSON lines. The first names
// the session, every other one holds a message. The adapter only reads it.
import { createHash } from "node:crypto";
import { appendFile, readFile, writeFile } from "node:fs/promises";

const TYPE = "example-session-v1";

/** Says what is wrong with a source. It quotes nothing of it. */
export class SourceError extends Error {
  name = "SourceError";
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const unreadable = (why) => new SourceError("canonical-history-read-failed", `the canonical history cannot be read: ${why}`);
const line = (value) => JSON.stringify(value) + "\n";

/** Writes a new session, as the runtime does it. */
export function createSession(file, { runtimeId, sessionId, projectRoot, messages }) {
  const lines = [{ type: TYPE, runtimeId, sessionId, projectRoot }, ...messages.map((message) => ({ type: "message", message }))];
  return writeFile(file, lines.map(line).join(""), { flag: "wx", mode: 0o600 });
}

/** Adds a message, as the runtime does it. */
export function appendMessage(file, message) {
  return appendFile(file, line({ type: "message", message }));
}

/** Reads a session whole, or not at all. */
export async function readSession(file, expected) {
  let bytes;
  try {
    bytes = await readFile(file);
  } catch {
    throw unreadable("the file cannot be opened");
  }
  const [header, ...records] = parse(bytes);
  if (header?.type !== TYPE) throw unreadable("the first line is no header");
  for (const key of ["runtimeId", "sessionId", "projectRoot"]) {
    if (header[key] !== expected[key]) throw new SourceError("canonical-history-identity-mismatch", `the canonical history is of another ${key}`);
  }
  if (records.some((r) => r?.type !== "message")) throw unreadable("a line is no message");
  return { messages: records.map((r) => r.message), revision: createHash("sha256").update(bytes).digest("hex") };
}

function parse(bytes) {
  let all;
  try {
    all = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw unreadable("it is not valid UTF-8");
  }
  if (!all.endsWith("\n")) throw unreadable("its last line is torn");
  return all.slice(0, -1).split("\n").map((text) => {
    try {
      return JSON.parse(text);
    } catch {
      throw unreadable("a line is not JSON");
    }
  });
}
