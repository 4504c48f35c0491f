package openclaw_test

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/openclaw"
)

// BenchmarkHandshake dials, is challenged, introduces a device and is let in.
func BenchmarkHandshake(b *testing.B) {
	rt := gateway(b, openclaw.Options{})
	k := newKey(b)
	for b.Loop() {
		c := dial(b, rt)
		c.greet(func(p object) { k.sign("v3", c)(p) })
		_ = c.ws.CloseNow()
	}
}

// crowd is clients that hear everything and look at nothing. It counts what they heard.
func crowd(b *testing.B, rt *openclaw.Runtime, n int) *atomic.Int64 {
	b.Helper()
	var heard atomic.Int64
	var all sync.WaitGroup
	b.Cleanup(all.Wait)
	for range n {
		c := open(b, rt) // its cleanup comes before the wait
		all.Go(func() {
			for {
				_, r, err := c.ws.Reader(context.Background())
				if err != nil {
					return
				}
				if _, err := io.Copy(io.Discard, r); err != nil {
					return
				}
				heard.Add(1)
			}
		})
	}
	return &heard
}

// BenchmarkBroadcast says deltas of messages of a hundred words to clients: two events
// each, in frames of its own for each client. cpu-ns/frame is what the whole process
// takes, so the clients too.
func BenchmarkBroadcast(b *testing.B) {
	for _, clients := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			rt := gateway(b, openclaw.Options{})
			heard := crowd(b, rt, clients)
			driver := open(b, rt, func(p object) { p["caps"] = []any{"session-scoped-events"} })
			run := driver.send(rt, "s", "k")
			said := int64(emit(b, run, fakes.Init{}).Frames * clients)
			frames, began := said, cpuTime()
			for n := 1; b.Loop(); n++ {
				said += int64(emit(b, run, fakes.Delta{Text: "word "}).Frames * clients)
				if n%100 == 0 {
					said += int64(emit(b, run, fakes.Snapshot{}).Frames * clients) // it takes the text back
				}
				for n%16 == 0 && heard.Load() < said { // not so far ahead that clients are let go
					time.Sleep(10 * time.Microsecond)
				}
			}
			b.ReportMetric(float64(cpuTime()-began)/float64(said-frames), "cpu-ns/frame")
		})
	}
}

// BenchmarkSessions keeps 1,000 sessions with a live run each, on 100 connections, and
// reports what all of it holds.
func BenchmarkSessions(b *testing.B) {
	for b.Loop() {
		rt := gateway(b, openclaw.Options{})
		var clients []*client
		for range 100 {
			clients = append(clients, open(b, rt, func(p object) { p["caps"] = []any{"session-scoped-events"} }))
		}
		for i := range 1000 {
			c := clients[i%len(clients)]
			key := fmt.Sprintf("s%d", i)
			c.must("sessions.messages.subscribe", object{"key": key})
			run := c.send(rt, key, "k"+key)
			emit(b, run, fakes.Init{}, fakes.Delta{Text: "Hello from a run that goes on."})
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.Sys)/(1<<20), "MiB-sys")
		b.ReportMetric(float64(m.HeapInuse+m.StackInuse)/(1<<20), "MiB-used")
		for _, c := range clients {
			_ = c.ws.CloseNow()
		}
		_ = rt.Close()
	}
}
