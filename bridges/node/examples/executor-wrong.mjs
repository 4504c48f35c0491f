// The adapter of executor-ok.mjs with one small mistake: it takes the summary of the
// terminal frame for text that nobody has heard yet. Hosts then show the answer twice.
// The suite says so: text-doubled.
import { exampleHarness } from "./lib/harness.mjs";
import { Mapper } from "./lib/mapper.mjs";

class DoublingMapper extends Mapper {
  frame(f) {
    const again = !this.over && f?.type === "end" && f.text && !f.failed ? [{ kind: "text-delta", text: f.text, channel: "assistant" }] : [];
    return [...again, ...super.frame(f)];
  }
}

export default () => exampleHarness("example-wrong", { makeMapper: (totals) => new DoublingMapper(totals) });
