package remote

import (
	"io"
	"maps"
	"strconv"
	"sync"
	"time"

	"github.com/creachadair/jrpc2/channel"

	"github.com/adaptercheck/adaptercheck/internal/ndjson"
)

// maxLine bounds a line of the subject's, in bytes.
const maxLine = 128 << 20

// exitWait is how long a process may take to be gone after its output has ended: a
// dying process closes it first.
const exitWait = 250 * time.Millisecond

// lines is the channel under the JSON-RPC library. It sees every line first: what
// is no message of the protocol is counted and goes no further.
type lines struct {
	src   *ndjson.Reader
	out   *outbox
	trace *trace

	mu      sync.Mutex
	pending map[int64]struct{} // requests without an answer
	last    int64              // the latest request
	order   map[string]uint64  // when an answer came, by id
	clock   uint64
	count   map[Breach]int
	early   bool // the output ended before the process did

	exited <-chan struct{} // closed when the process has ended
}

var _ channel.Channel = (*lines)(nil)

func newLines(r io.Reader, w io.WriteCloser, exited <-chan struct{}, t *trace) *lines {
	return &lines{
		src: ndjson.NewReader(r, ndjson.Options{MaxLine: maxLine}), out: newOutbox(w), trace: t, exited: exited,
		pending: map[int64]struct{}{}, order: map[string]uint64{}, count: map[Breach]int{},
	}
}

// Send queues a message.
func (l *lines) Send(b []byte) error {
	line := append(append(make([]byte, 0, len(b)+1), b...), '\n')
	l.trace.line('>', b)
	if n, ok := requestID(b); ok {
		l.mu.Lock()
		l.pending[n], l.last = struct{}{}, max(l.last, n)
		l.mu.Unlock()
	}
	return l.out.put(line)
}

// Recv returns the next message that is one.
func (l *lines) Recv() ([]byte, error) {
	for {
		line, err := l.src.Next()
		if err != nil {
			l.over()
			return nil, io.EOF // whatever it was: the output is over
		}
		l.trace.line('<', line.Bytes)
		if record := l.take(line); record != nil {
			return record, nil
		}
	}
}

// over looks whether the process has ended with its output. The library closes the
// input next, at which many a process ends.
func (l *lines) over() {
	timer := time.NewTimer(exitWait)
	defer timer.Stop()
	select {
	case <-l.exited:
	case <-timer.C:
		l.mu.Lock()
		l.early = true
		l.mu.Unlock()
	}
}

// endedEarly reports whether the output ended before the process did.
func (l *lines) endedEarly() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.early
}

// take judges a line and returns what the library shall see of it.
func (l *lines) take(line ndjson.Line) []byte {
	switch {
	case line.TooLong:
		l.breach(LineTooLong)
		return nil
	case line.Blank:
		l.breach(LineBlank)
		return nil
	}
	if line.Unterminated {
		l.breach(LineUnterminated)
	}
	m, bad := readMessage(line.Bytes)
	if bad != "" {
		l.breach(bad)
		return nil
	}
	if m.method != nil {
		return l.takeCall(m)
	}
	n, ok := m.number()
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, waits := l.pending[n]; !ok || !waits {
		if ok && n >= 1 && n <= l.last {
			l.count[AnswerRepeated]++
		} else {
			l.count[AnswerUnknownID]++
		}
		return nil
	}
	if !m.version || (m.result == nil) == (m.failure == nil) {
		l.count[AnswerMalformed]++
	}
	if m.result == nil && m.failure == nil {
		m.failure = []byte(`{"code":-32603,"message":"neither result nor error"}`)
	}
	delete(l.pending, n)
	if m.failure == nil { // nobody asks when a failure came
		l.clock++
		l.order[strconv.FormatInt(n, 10)] = l.clock
	}
	return m.answer()
}

func (l *lines) takeCall(m message) []byte {
	switch m.id.Kind() {
	case '"', '0':
	case 0, 'n':
		l.breach(Notification)
		return nil
	default:
		l.breach(CallMalformed)
		return nil
	}
	if m.method.Kind() != '"' || m.result != nil || m.failure != nil {
		l.breach(CallMalformed)
		return nil
	}
	if !isCallback(textOf(m.method)) {
		l.breach(CallUnknown) // and it is answered so
	}
	return m.call()
}

// Close ends the subject's input. Its output ends with the process.
func (l *lines) Close() error {
	l.out.close()
	return nil
}

func (l *lines) breach(b Breach) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count[b]++
}

// came says when an answer came, in the order of all answers, and forgets it.
func (l *lines) came(id string) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.order[id]
	delete(l.order, id)
	return n
}

// breaches is a copy of the counts.
func (l *lines) breaches() map[Breach]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.count)
}
