package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

func stdin() io.Reader { return os.Stdin }

// request is what is asked for, as bytes: the client costs as little as it can.
func request(host, ask string, stream bool, filler int) []byte {
	body := fmt.Sprintf(`{"model":"gpt-4o-mini","stream":%t,"messages":[{"role":"system","content":"You are a measure."},{"role":"user","content":"%s%s"}]}`,
		stream, strings.Repeat("lorem ipsum ", filler/12), ask)
	return fmt.Appendf(nil, "POST /v1/chat/completions HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer sk-measure\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", host, len(body), body)
}

// client is one connection that lives on.
type client struct {
	conn net.Conn
	in   *bufio.Reader
	buf  []byte
}

func dial(base string) (*client, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		return nil, err
	}
	return &client{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), buf: make([]byte, 64<<10)}, nil
}

// do asks and reads the answer to its end. It returns how long the body was.
func (c *client) do(request []byte) (int, error) {
	if _, err := c.conn.Write(request); err != nil {
		return 0, err
	}
	length, chunked, err := c.head()
	if err != nil {
		return 0, err
	}
	if !chunked {
		_, err := c.in.Discard(length)
		return length, err
	}
	total := 0
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return total, err
		}
		n, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 16, 64)
		if err != nil {
			return total, fmt.Errorf("size of a chunk: %w", err)
		}
		if _, err := c.in.Discard(int(n) + 2); err != nil {
			return total, err
		}
		total += int(n)
		if n == 0 {
			return total, nil
		}
	}
}

// head reads a status line and headers.
func (c *client) head() (length int, chunked bool, err error) {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return 0, false, err
	}
	if !bytes.HasPrefix(line, []byte("HTTP/1.1 200 ")) {
		rest, _ := c.in.Peek(min(c.in.Buffered(), 2000))
		return 0, false, fmt.Errorf("answer %q: %s", bytes.TrimSpace(line), rest)
	}
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, false, err
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			return length, chunked, nil
		}
		name, value, _ := bytes.Cut(line, []byte(": "))
		switch {
		case bytes.EqualFold(name, []byte("content-length")):
			if length, err = strconv.Atoi(string(value)); err != nil {
				return 0, false, fmt.Errorf("length of the body: %w", err)
			}
		case bytes.EqualFold(name, []byte("transfer-encoding")):
			chunked = true
		}
	}
}

// rate is what a load came to.
type rate struct {
	perSecond float64
	cpu       time.Duration // of the server, for one request
}

// load asks from many connections at once for a while.
func load(ctx context.Context, s *server, ask []byte, at int, d time.Duration) (rate, error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	var n atomic.Int64
	var wg sync.WaitGroup
	errs := make(chan error, at)
	before, start := s.cpu(), time.Now()
	for range at {
		c, err := dial(s.url)
		if err != nil {
			return rate{}, err
		}
		wg.Go(func() {
			defer c.conn.Close()
			for ctx.Err() == nil {
				if _, err := c.do(ask); err != nil {
					errs <- err
					return
				}
				n.Add(1)
			}
		})
	}
	wg.Wait()
	took, cpu := time.Since(start), s.cpu()-before
	select {
	case err := <-errs:
		return rate{}, err
	default:
	}
	if n.Load() == 0 {
		return rate{}, fmt.Errorf("nothing was answered")
	}
	return rate{float64(n.Load()) / took.Seconds(), cpu / time.Duration(n.Load())}, nil
}
