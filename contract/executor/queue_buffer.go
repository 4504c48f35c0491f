package executor

// buffer holds events in order and gives up the oldest droppable one, wherever it
// stands, in constant time: every item is in the line of all items, and the
// droppable ones are in a second line through the first.
type buffer struct {
	first, last         *item
	firstDrop, lastDrop *item
	len, droppable      int
}

type item struct {
	event      Event
	prev, next *item
	droppable  bool
	nextDrop   *item // the next younger droppable item
}

func (b *buffer) push(e Event, droppable bool) {
	it := &item{event: e, prev: b.last, droppable: droppable}
	if b.last == nil {
		b.first = it
	} else {
		b.last.next = it
	}
	b.last = it
	b.len++
	if !droppable {
		return
	}
	if b.lastDrop == nil {
		b.firstDrop = it
	} else {
		b.lastDrop.nextDrop = it
	}
	b.lastDrop = it
	b.droppable++
}

// pop takes the oldest item.
func (b *buffer) pop() (Event, bool) {
	it := b.first
	if it == nil {
		return nil, false
	}
	b.remove(it)
	return it.event, true
}

// dropOldest removes the oldest droppable item and reports whether there was one.
func (b *buffer) dropOldest() bool {
	it := b.firstDrop
	if it == nil {
		return false
	}
	b.remove(it)
	return true
}

// remove unlinks the oldest item or the oldest droppable item. If the oldest item
// is droppable, it is also the oldest droppable one: both lines lose their head.
func (b *buffer) remove(it *item) {
	if it.prev == nil {
		b.first = it.next
	} else {
		it.prev.next = it.next
	}
	if it.next == nil {
		b.last = it.prev
	} else {
		it.next.prev = it.prev
	}
	b.len--
	if !it.droppable {
		return
	}
	b.firstDrop = it.nextDrop
	if b.firstDrop == nil {
		b.lastDrop = nil
	}
	b.droppable--
}
