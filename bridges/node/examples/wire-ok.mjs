// A right adapter in wire mode: adaptercheck plays the runtime, as a command that behaves
// like the real one.
//
//	adaptercheck run --profile executor --fake codex -- npx adaptercheck-bridge wire-ok.mjs
import { CodexAdapter } from "./lib/codex-adapter.mjs";

/** @type {import("../types/index.d.ts").WireSubject} */
export default {
  label: "example-codex",
  // What the adapter leaves out is not listed: it keeps no sessions over a restart, and
  // does not look for tool processes outside its own process group.
  features: ["init", "reasoning", "tools", "usage", "token-limit", "terminal-frame", "framed", "second-run", "sessions", "start-options", "health-down", "silent", "cut", "observers", "unknown-frames", "live-text"],
  declares: { secondStart: "refuses", queue: "drop", blocklist: "undeliverable" },
  makeAdapter: (endpoint) => new CodexAdapter(endpoint),
};
