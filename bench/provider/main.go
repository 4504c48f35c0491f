// Command provider measures the fake provider of models side by side with two servers
// that set its bounds, and with aimock where that is installed: the same load, one run,
// each server alone on one core.
//
//	go run ./bench/provider                  # ours, naive, raw
//	go run ./bench/provider -aimock DIR      # aimock too, from DIR/node_modules
//	./bench/provider/run.sh bin/adaptercheck # with the whole program, and aimock from npm
//
// naive is net/http with a flush for each event, as most people write it. raw answers
// from memory with one write and reads no request: the most that this machine can do.
//
// It imports fakes and fakes/provider.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	role := flag.String("serve", "", "be the server `NAME`: ours, naive or raw")
	pin := flag.Int("core", -1, "run on one `CORE` only")
	quick := flag.Bool("quick", false, "measure a tenth as long")
	aimock := flag.String("aimock", "", "`DIR` with node_modules/@copilotkit/aimock")
	program := flag.String("adaptercheck", "", "`PROGRAM` whose fake provider is started, from exec to its first answer")
	only := flag.String("only", "", "measure only the server `NAME`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	switch {
	case *pin >= 0 && flag.NArg() > 0:
		err = become(*pin, flag.Args())
	case *pin >= 0:
		err = pinTo(*pin)
	}
	switch {
	case err != nil:
	case *role != "":
		err = serve(ctx, *role)
	default:
		err = compare(ctx, options{quick: *quick, aimock: *aimock, only: *only, program: *program})
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}
