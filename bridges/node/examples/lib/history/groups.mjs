// Which messages can only be kept or dropped together.
import { createHash } from "node:crypto";

const byUnit = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** The atomic groups of tool calls, in the order of their first messages. */
export function atomicGroups(messages) {
  const parent = messages.map((_, i) => i);
  const find = (i) => {
    while (parent[i] !== i) i = parent[i] = parent[parent[i]];
    return i;
  };
  const uses = new Map(); // tool call id → {calls, results}, each a list of message indices
  const touched = new Map(); // message index → ids
  const note = (id, kind, i) => {
    if (!uses.has(id)) uses.set(id, { calls: [], results: [] });
    uses.get(id)[kind].push(i);
    if (!touched.has(i)) touched.set(i, new Set());
    touched.get(i).add(id);
  };
  messages.forEach((m, i) => {
    for (const b of m.blocks) {
      if (b.type === "toolCall") note(b.id, "calls", i);
      if (b.type === "toolResult") note(b.toolCallId, "results", i);
    }
  });
  for (const { calls, results } of uses.values()) {
    if (calls.length === 0) continue; // a result without a call joins nothing
    for (const i of [...calls, ...results]) parent[find(i)] = find(calls[0]);
  }
  const groups = new Map();
  for (const i of [...touched.keys()].sort((a, b) => a - b)) {
    const top = find(i);
    if (!groups.has(top)) groups.set(top, { messages: [], ids: new Set() });
    const group = groups.get(top);
    group.messages.push(i);
    for (const id of touched.get(i)) group.ids.add(id);
  }
  return [...groups.values()].map((group) => {
    const messageIds = group.messages.map((i) => messages[i].id);
    const inside = new Set(group.messages);
    const whole = (id) => {
      const { calls, results } = uses.get(id);
      return calls.length === 1 && results.length > 0 && [...calls, ...results].every((i) => inside.has(i));
    };
    const toolCallIds = [...group.ids].sort(byUnit);
    return {
      id: `runtime-tool-group:${createHash("sha256").update(messageIds.join("\0")).digest("hex").slice(0, 16)}`,
      messageIds,
      toolCallIds,
      complete: toolCallIds.every(whole),
    };
  });
}
