// What the drivers of the SDKs have in common: the fake provider and its journal.

import { serving } from "./fake.mjs";

// provided calls use with the address of a fake provider, and with journal, which tells
// what came and what became of it.
export function provided(use) {
  return serving("provider", "provider", 1, (url) => use(url, async () => (await fetch(`${url}/adaptercheck/journal`)).json()));
}

// collect reads a stream to its end, or to the error in which it ends.
export async function collect(stream) {
  const events = [];
  try {
    for await (const event of await stream) events.push(event);
  } catch (error) {
    return { events, error };
  }
  return { events };
}

// timed says how long something took, in milliseconds.
export async function timed(promise) {
  const begun = performance.now();
  const value = await promise;
  return { value, ms: performance.now() - begun };
}

// heard counts events by their type.
export function heard(types) {
  return [...new Set(types)].map((type) => `${types.filter((one) => one === type).length} ${type}`).join(", ");
}
