package openclaw

import (
	"context"
	"net"
	"sync"
)

// socket is the TCP connection under a WebSocket. What is written to it can be held,
// and let go with others, in part, or in pieces.
type socket struct {
	net.Conn

	mu    sync.Mutex
	holds bool
	held  []byte
	piece int // bytes of one write; 0 is all
}

// Write takes bytes of whole WebSocket frames.
func (s *socket) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holds {
		s.held = append(s.held, p...)
		return len(p), nil
	}
	if err := s.leave(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// leave writes to the network. The lock is held.
func (s *socket) leave(p []byte) error {
	for len(p) > 0 {
		n := len(p)
		if s.piece > 0 {
			n = min(n, s.piece)
		}
		if _, err := s.Conn.Write(p[:n]); err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}

// hold keeps what is written until it is released.
func (s *socket) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds = true
}

// release lets go of what is held, and holds no more.
func (s *socket) release() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds = false
	err := s.leave(s.held)
	s.held = s.held[:0]
	if cap(s.held) > keep {
		s.held = nil
	}
	return err
}

// keep is how large a buffer may be that is kept for the next time.
const keep = 64 << 10

// size is how many bytes are held.
func (s *socket) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.held)
}

// cut forgets what is held beyond the first n bytes.
func (s *socket) cut(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = s.held[:min(n, len(s.held))]
}

// tear makes everything from here on leave in pieces.
func (s *socket) tear(piece int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.piece = piece
}

// reset ends the connection as a killed process does.
func (s *socket) reset() {
	if tcp, is := s.Conn.(*net.TCPConn); is {
		_ = tcp.SetLinger(0) // a closed socket has none
	}
	_ = s.Conn.Close()
}

// listener hands out sockets, while it is up.
type listener struct {
	net.Listener

	mu   sync.Mutex
	down bool
}

// Accept returns the next connection. While the gateway is down each one is reset.
func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		s := &socket{Conn: conn}
		l.mu.Lock()
		down := l.down
		l.mu.Unlock()
		if !down {
			return s, nil
		}
		s.reset()
	}
}

func (l *listener) set(down bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = down
}

type socketKey struct{}

// withSocket puts the socket of an HTTP request where its handler finds it.
func withSocket(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, socketKey{}, c)
}

func socketOf(ctx context.Context) *socket {
	s, _ := ctx.Value(socketKey{}).(*socket)
	return s
}
