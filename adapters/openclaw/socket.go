package openclaw

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/coder/websocket"
)

// socket is a WebSocket that carries frames. One goroutine reads, one writes.
type socket struct {
	ws  *websocket.Conn
	max int64 // the longest frame that is read
	buf bytes.Buffer
}

// keptBuffer is how large a buffer may be that is kept for the next frame.
const keptBuffer = 1 << 20

// dial opens a socket. ctx bounds it and nothing that comes later.
func dial(ctx context.Context, o *Options) (*socket, error) {
	ws, _, err := websocket.Dial(ctx, o.URL, &websocket.DialOptions{
		// An own transport, as a shared one would keep connections of failed attempts.
		HTTPClient: &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}},
	})
	if err != nil {
		return nil, unreachable(err)
	}
	ws.SetReadLimit(-1) // see readFrame
	return &socket{ws: ws, max: o.MaxFrame}, nil
}

// errUnreachable is in the error of a gateway that cannot be connected to.
var errUnreachable = errors.New("the gateway cannot be reached")

// unreachable leaves out of an error where the gateway is: the URL may hold a secret.
func unreachable(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return fmt.Errorf("%w: %w", errUnreachable, op.Err)
	}
	for _, known := range []error{context.DeadlineExceeded, context.Canceled, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, known) {
			return fmt.Errorf("%w: %w", errUnreachable, known)
		}
	}
	return fmt.Errorf("%w: it does not speak WebSocket at this address", errUnreachable)
}

// readFrame returns the next frame, or nil for one that cannot be read: too long, or
// no JSON object of a type. Any error ends the socket, that of ctx too.
func (s *socket) readFrame(ctx context.Context) (*frame, error) {
	kind, r, err := s.ws.Reader(ctx)
	if err != nil {
		return nil, err
	}
	if s.buf.Cap() > keptBuffer {
		s.buf = bytes.Buffer{}
	}
	s.buf.Reset()
	n, err := s.buf.ReadFrom(io.LimitReader(r, s.max+1))
	if err != nil {
		return nil, err
	}
	if n > s.max {
		_, err := io.Copy(io.Discard, r)
		return nil, err
	}
	var f frame
	if kind != websocket.MessageText || !read(s.buf.Bytes(), &f) || f.Type == "" {
		return nil, nil
	}
	return &f, nil
}

// write sends a text. An error ends the socket, that of ctx too.
func (s *socket) write(ctx context.Context, text []byte) error {
	return s.ws.Write(ctx, websocket.MessageText, text)
}

// close says goodbye and waits a moment for the other side to say it too.
func (s *socket) close(within time.Duration) {
	said := make(chan struct{})
	go func() {
		defer close(said)
		_ = s.ws.Close(websocket.StatusNormalClosure, "") // whatever the answer, it is over
	}()
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-said:
	case <-timer.C:
		_ = s.ws.CloseNow()
		<-said
	}
}
