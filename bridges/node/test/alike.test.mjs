// What both bridges do alike: the tables are read by the tests of each.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import test from "node:test";

import { harnessFeatures } from "../src/features.mjs";
import { HarnessRuntime } from "../src/harness.mjs";
import { root } from "./client.mjs";

const table = async (name) => JSON.parse(await readFile(path.join(root, "..", "testdata", name), "utf8"));

/** How many of its arguments a frame is compared by. */
const ARGUMENTS = { aborted: 0, toolCall: 3, toolResult: 3, init: 2, failed: 2, toolCallPart: 2, unknown: 2, ask: 2 };

function harnessOf({ frames: names, mild }) {
  const said = [];
  const frames = Object.fromEntries(names.map((name) => [name, (...args) => [name, ...args.slice(0, ARGUMENTS[name] ?? 1)]]));
  if (mild) frames.error = (message, { code, fatal }) => ["error", message, code, fatal];
  return { said, frames, emit: (frame) => void said.push(frame), recordedCalls: () => [] };
}

test("features follow from the frames", async () => {
  for (const { harness, fault, named, want, ...row } of await table("features.json")) {
    const subject = { ...harnessOf(row), ...(fault ? { fault: () => true } : {}), ...(named ? { features: named } : {}) };
    assert.deepEqual(harnessFeatures(subject).sort(), want.sort(), harness);
  }
});

test("words become frames", async () => {
  for (const { word, steps, want, ...row } of await table("words.json")) {
    const harness = harnessOf(row);
    const outcome = await new HarnessRuntime(harness).emit(steps, { session: "s" });
    assert.deepEqual(outcome.unplayable ? "unplayable" : harness.said, want, word);
    if (outcome.unplayable) assert.deepEqual(harness.said, [], word);
  }
});
