package openclaw_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/openclaw"
)

// A gateway is started, and its address given to an adapter.
func ExampleNew() {
	rt, err := openclaw.New(context.Background(), openclaw.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rt.Close()
	end := rt.Endpoint()
	fmt.Println(strings.HasPrefix(end.URL, "ws://127.0.0.1:"), len(end.Env))
	fmt.Println(rt.Features().Has(fakes.Deltas))
	// Output:
	// true 1
	// true
}
