package observe

import "github.com/adaptercheck/adaptercheck/contract/executor"

// log keeps the events of one run for observers that are yet to come, within bounds:
// text and status go first, oldest first. Once even what must not be lost is more than
// the hard bound, nothing more is kept; an observer that comes then gets what there is
// and overflows by the one event above the bound, as it would have live.
type log struct {
	max       int // droppable events
	events    []executor.Event
	droppable int
	full      bool // what came last is not in it
}

func (l *log) keep(e executor.Event) {
	if l.full {
		return
	}
	l.events = append(l.events, e)
	if isDroppable(e) {
		l.droppable++
	}
	hard := hardness * l.max
	// Half the bound more may gather, so that the log is not moved for every event.
	if l.droppable > l.max+l.max/2 || l.droppable > 0 && len(l.events) > hard {
		l.shrink()
	}
	l.full = len(l.events) > hard
}

func (l *log) shrink() {
	excess := l.droppable - l.max
	if excess <= 0 {
		excess = l.droppable
	}
	kept := l.events[:0]
	for _, e := range l.events {
		if excess > 0 && isDroppable(e) {
			excess--
			l.droppable--
			continue
		}
		kept = append(kept, e)
	}
	clear(l.events[len(kept):])
	l.events = kept
}

func isDroppable(e executor.Event) bool {
	kind := e.Kind()
	return kind == executor.KindTextDelta || kind == executor.KindStatus
}
