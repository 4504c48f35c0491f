package responses

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// KeyHeader is the header by which a client says to whom its requests go, see
// [Server.Next].
const KeyHeader = "X-Adaptercheck-Run"

// maxRequest is the longest request that is read, in bytes.
const maxRequest = 64 << 20

// farewell is how long Close lets requests end by themselves that are on their way.
const farewell = time.Second

// ErrClosed is returned by a server after Close.
var ErrClosed = errors.New("closed: the server has ended")

// ErrGone is returned for an exchange whose client has left.
var ErrGone = errors.New("gone: the client has left")

// Server receives requests. Make one with [New] and close it.
type Server struct {
	listen net.Listener
	http   *http.Server
	served sync.WaitGroup
	closed chan struct{}
	once   sync.Once

	mu      sync.Mutex
	waiting map[string]chan *Exchange // by key
}

// New listens on a port of loopback that is free.
func New() (*Server, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("responses server: %w", err)
	}
	s := &Server{listen: l, closed: make(chan struct{}), waiting: map[string]chan *Exchange{}}
	routes := http.NewServeMux()
	routes.HandleFunc("POST /v1/responses", s.answer)
	s.http = &http.Server{Handler: routes, ReadHeaderTimeout: time.Minute}
	s.served.Go(func() { _ = s.http.Serve(l) }) // ends with Close
	return s, nil
}

// URL is the base of the API, as clients are given it.
func (s *Server) URL() string { return "http://" + s.listen.Addr().String() + "/v1" }

// Close ends the server with everything that is open, and waits for it.
func (s *Server) Close() error {
	s.once.Do(func() { close(s.closed) })
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err != nil { // a client that is in the middle of a request, and sends no more
		err = s.http.Close()
	}
	s.served.Wait()
	if err != nil {
		return fmt.Errorf("responses server: close: %w", err)
	}
	return nil
}

// Next returns the next request whose [KeyHeader] has the key. It waits for one or for
// ctx.
func (s *Server) Next(ctx context.Context, key string) (*Exchange, error) {
	select {
	case e := <-s.queue(key):
		return e, nil
	case <-s.closed:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, fmt.Errorf("responses server: no request came: %w", context.Cause(ctx))
	}
}

func (s *Server) queue(key string) chan *Exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	q, ok := s.waiting[key]
	if !ok {
		q = make(chan *Exchange)
		s.waiting[key] = q
	}
	return q
}

// answer hands a request to whoever asks for the next one, and writes what that one
// says.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	var request Request
	if err == nil {
		request, err = read(r.Header, body)
	}
	if err != nil {
		http.Error(w, `{"error":{"message":"the request cannot be read"}}`, http.StatusBadRequest)
		return
	}
	e := &Exchange{Request: request, orders: make(chan order), gone: make(chan struct{})}
	defer close(e.gone)
	select {
	case s.queue(r.Header.Get(KeyHeader)) <- e:
	case <-r.Context().Done():
		return
	case <-s.closed:
		return
	}
	e.serve(w, r.Context(), s.closed)
}
