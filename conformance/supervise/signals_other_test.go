//go:build !unix

package supervise

import "os"

var stopSignals = []os.Signal{os.Interrupt}

func writeRaw(string) {}
