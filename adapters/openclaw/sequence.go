package openclaw

// sequence follows the numbers of a connection's events, which rise by one. Frames
// without a number are outside of it. The zero value has seen none.
type sequence struct {
	last    int64
	missing map[int64]struct{}
}

// maxMissing is how many numbers that did not come are remembered.
const maxMissing = 1024

// next takes a number, 0 for none. It reports whether the frame is a fresh one and not
// the same again, and whether frames before it did not come. What the first number of a
// connection is differs between gateways.
func (s *sequence) next(seq int64) (fresh, gap bool) {
	switch {
	case seq == 0:
		return true, false
	case s.last == 0 || seq == s.last+1:
		s.last = seq
		return true, false
	case seq <= s.last:
		_, late := s.missing[seq]
		delete(s.missing, seq)
		return late, false
	}
	if s.missing == nil {
		s.missing = map[int64]struct{}{}
	}
	for n := s.last + 1; n < seq && len(s.missing) < maxMissing; n++ {
		s.missing[n] = struct{}{}
	}
	s.last = seq
	return true, true
}
