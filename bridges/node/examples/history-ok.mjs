// A right adapter of the history contract over a file of JSON lines.
//
//	adaptercheck run --profile history -- npx adaptercheck-bridge history-ok.mjs
import { realpath } from "node:fs/promises";
import path from "node:path";

import { HistoryAdapter } from "./lib/history/adapter.mjs";
import { appendMessage, createSession } from "./lib/history/store.mjs";

/** @type {import("../types/index.d.ts").HistoryFactory} */
export default {
  name: "example-history",
  features: ["source", "append"],
  async create(fixture, transport) {
    const { runtimeId, sessionId, messages, model, dir } = fixture;
    const projectRoot = await realpath(fixture.root);
    const historyFile = path.join(dir, "session.jsonl");
    await createSession(historyFile, { runtimeId, sessionId, projectRoot, messages });
    return {
      adapter: new HistoryAdapter({ runtimeId, sessionId, projectRoot, model }, historyFile, transport),
      expectedProjectRoot: projectRoot,
      historyFile,
      append: (message) => appendMessage(historyFile, message),
    };
  },
};
