// What a history must be before anybody is given it.

export const SCHEMA = "runtime-history-v1";

const text = (x) => typeof x === "string";
const filled = (x) => text(x) && x.trim() !== "";
const ROLES = new Set(["system", "user", "assistant", "tool", "custom"]);
const optional = (x, is) => x === undefined || is(x);
const BLOCKS = {
  text: (b) => text(b.text),
  thinking: (b) => text(b.thinking),
  toolCall: (b) => filled(b.id) && text(b.name),
  toolResult: (b) => filled(b.toolCallId) && text(b.toolName) && text(b.content) && typeof b.isError === "boolean",
  image: (b) => optional(b.mimeType, text) && optional(b.data, text),
  fileReference: (b) => text(b.path),
  artifactReference: (b) => text(b.artifactId),
  summaryReference: (b) => text(b.summaryId),
  opaqueProvider: (b) => optional(b.originalType, text) && "value" in b,
};

/** Counts what is wrong with the messages of a session. */
export function issues(messages, { runtimeId, sessionId }) {
  let count = 0;
  const check = (ok) => void (ok || count++);
  const [ids, calls] = [new Set(), new Set()];
  for (const m of messages) {
    if (!shaped(m)) return count + 1; // nothing else can be said of it
    check(filled(m.id) && !ids.has(m.id));
    ids.add(m.id);
    const p = m.provenance;
    check(p.sessionId === sessionId && filled(p.entryId) && p.entryId === m.sourceEntryId);
    check(p.source === "pi-session" || (p.source === "runtime-session" && p.runtimeId === runtimeId));
    for (const b of m.blocks) {
      if (b.type !== "toolCall") continue;
      check(!calls.has(b.id));
      calls.add(b.id);
    }
  }
  for (const m of messages) {
    for (const b of m.blocks) check(b.type !== "toolResult" || calls.has(b.toolCallId));
  }
  return count;
}

function shaped(m) {
  const object = (x) => x !== null && typeof x === "object" && !Array.isArray(x);
  if (!object(m) || !text(m.id) || !text(m.sourceEntryId) || !ROLES.has(m.role) || !object(m.flags) || !object(m.provenance) || !Array.isArray(m.blocks)) return false;
  return m.blocks.every((b) => object(b) && Object.hasOwn(BLOCKS, b.type) && BLOCKS[b.type](b));
}
