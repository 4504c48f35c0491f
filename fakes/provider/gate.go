package provider

import "sync"

// Gate holds answers at an event until it is opened.
//
//	gate := provider.NewGate()
//	s.Add(provider.Rule{Frames: frames, Holds: []provider.Hold{{Event: 3, Gate: gate}}})
//	…
//	<-gate.Reached() // three events have left, the rest has not
//	gate.Open()
type Gate struct {
	reach, open     sync.Once
	reached, opened chan struct{}
}

// NewGate returns a gate that is shut.
func NewGate() *Gate { return &Gate{reached: make(chan struct{}), opened: make(chan struct{})} }

// Open lets everything through, now and later. It may be called any number of times.
func (g *Gate) Open() { g.open.Do(func() { close(g.opened) }) }

// Reached is closed when the first answer stands before the gate: what comes before has
// been written to its connection.
func (g *Gate) Reached() <-chan struct{} { return g.reached }

func (g *Gate) arrive() { g.reach.Do(func() { close(g.reached) }) }

// Hold is where an answer stands still: before the event of that index, from 0. As many
// as there are events is the end of the answer.
type Hold struct {
	Event int
	Gate  *Gate
	// Name of a gate of the space, in the place of Gate.
	Name string
}
