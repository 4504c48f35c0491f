package provider

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// Lateness is by how much the events of paced answers left later than planned: of each
// answer the latest.
type Lateness struct {
	Answers       int
	P50, P99, Max time.Duration
}

// MaxLateness is how late one answer in a hundred may be at most, for what was measured
// with the fake to say something about the client and not about the fake.
const MaxLateness = 10 * time.Millisecond

// Err says why figures that were measured meanwhile are no result; nil if they are one.
func (l Lateness) Err() error {
	switch {
	case l.Answers == 0:
		return fmt.Errorf("no result: no paced answer was given")
	case l.P99 > MaxLateness:
		return fmt.Errorf("no result: the fake itself was late, p99 %v, and more than %v is too much", l.P99.Round(time.Microsecond), MaxLateness)
	}
	return nil
}

// String tells the figures.
func (l Lateness) String() string {
	return fmt.Sprintf("%d paced answers, late by p50 %v, p99 %v, max %v", l.Answers, l.P50.Round(time.Microsecond), l.P99.Round(time.Microsecond), l.Max.Round(time.Microsecond))
}

// lateness collects how late answers were.
type lateness struct {
	mu  sync.Mutex
	all []time.Duration
}

func (l *lateness) add(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, d)
}

// Lateness says how late the paced answers of the space were so far, as far as they have
// ended.
func (s *Space) Lateness() Lateness {
	s.late.mu.Lock()
	all := slices.Clone(s.late.all)
	s.late.mu.Unlock()
	if len(all) == 0 {
		return Lateness{}
	}
	slices.Sort(all)
	return Lateness{len(all), all[len(all)/2], all[len(all)*99/100], all[len(all)-1]}
}
