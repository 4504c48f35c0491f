// A right adapter of the executor contract, with a fake of its runtime.
//
//	adaptercheck run --profile executor -- npx adaptercheck-bridge executor-ok.mjs
import { exampleHarness } from "./lib/harness.mjs";

export default () => exampleHarness("example-ok");
