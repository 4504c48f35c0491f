package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
)

// Server is the fake. It is a [Space] itself, the one at its address.
type Server struct {
	*Space
	options  Options
	listener net.Listener
	http     *http.Server
	cancel   context.CancelFunc
	serving  sync.WaitGroup
	served   error // what Serve said, when it is over
	closing  atomic.Bool

	mu     sync.Mutex
	spaces map[string]*Space
}

// New starts a server. It serves until ctx ends or Close is called.
func New(ctx context.Context, o Options) (*Server, error) {
	o = o.withDefaults()
	s := &Server{options: o, listener: o.Listener, spaces: map[string]*Space{}}
	s.Space = newSpace(s, "")
	s.Limit(o.Limit)
	if err := s.Add(o.Rules...); err != nil {
		return nil, err
	}
	if s.listener == nil {
		err := loopback(o.Listen)
		if err == nil {
			s.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", o.Listen)
		}
		if err != nil {
			return nil, fmt.Errorf("fake provider: %w", err)
		}
	}
	ctx, s.cancel = context.WithCancel(ctx)
	s.http = &http.Server{ // without time limits: they cost more than an answer, and nobody is far
		Handler:     http.HandlerFunc(s.serve),
		ErrorLog:    log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		ConnState: func(c net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				s.serving.Add(1) // the server's own goroutine calls this, and is counted itself
			case http.StateIdle:
				c.(*conn).left()
			case http.StateClosed:
				c.(*conn).left()
				s.serving.Done()
			}
		},
	}
	s.serving.Go(func() {
		if err := s.http.Serve(listener{s.listener}); !errors.Is(err, http.ErrServerClosed) {
			s.served = err
		}
	})
	context.AfterFunc(ctx, func() { _ = s.http.Close() }) // a listener that does not close has nobody to tell
	return s, nil
}

// Close ends the server: what is being answered is broken off. It waits for all of it.
func (s *Server) Close() error {
	s.closing.Store(true)
	s.cancel()
	err := s.http.Close()
	s.serving.Wait()
	if err == nil {
		err = s.served
	}
	if err != nil {
		return fmt.Errorf("fake provider: close: %w", err)
	}
	return nil
}

// base is the server's address.
func (s *Server) base() string { return "http://" + s.listener.Addr().String() }

const spacesPath = "/spaces/"

// Isolated returns the space of a name, and makes it if there is none: its own rules,
// numbers, limit and journal, at an address of its own. Its answers depend on nothing
// that happens in other spaces. Keys and models are the server's.
func (s *Server) Isolated(name string) *Space {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spaces[name] == nil {
		s.spaces[name] = newSpace(s, name)
	}
	return s.spaces[name]
}

// find finds the space of a path, and the path in it; nil if there is none.
func (s *Server) find(path string) (*Space, string) {
	rest, is := strings.CutPrefix(path, spacesPath)
	if !is {
		return s.Space, path
	}
	escaped, rest, _ := strings.Cut(rest, "/")
	name, err := url.PathUnescape(escaped)
	if err != nil {
		return nil, ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spaces[name], "/" + rest
}

// serve answers one request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	space, path := s.find(r.URL.EscapedPath())
	if space == nil {
		http.Error(w, fmt.Sprintf("adaptercheck: there is no space at %s", r.URL.Path), http.StatusNotFound)
		return
	}
	space.serve(w, r, path)
}
