// Package localkv decides whether a completion may reuse the KV state that a local
// runtime holds of a prompt's prefix, and drives the port that does it.
//
// [Eligible] is a pure function: it refuses an [Input] with a closed reason, or
// identifies its prefix by hashes. A [Controller] puts it before a
// [history.LocalKVPort], tries to reuse, replays the whole prompt where that fails,
// and counts. Nothing is kept but numbers; no handle to KV state crosses the port.
//
//	c := localkv.NewController(port)
//	out, err := c.Complete(ctx, localkv.Input{...}, payload)
//	switch {
//	case err != nil:            // the port failed: complete in the native way
//	case out.Refusal != "":     // not eligible: the port was not touched
//	default:                    // out.Output, and out.Use about it
//	}
//
// It imports contract/history, the standard library and a strict JSON codec,
// nothing else, and compiles for wasm.
package localkv
