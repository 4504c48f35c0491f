package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// answering is a file of rules with one answer.
const answering = "schema: adaptercheck-provider-v1\nrules:\n  - answer: [final: \"" + text + "\"]\n"

// awakening is how long it takes from exec to the first answer, in the middle of a few
// times. Ours is the whole program where one is given.
func awakening(ctx context.Context, name string, o options) (time.Duration, error) {
	times := 15
	if o.quick || name == "aimock" {
		times = 5
	}
	var took []time.Duration
	for range times {
		begun := time.Now()
		var s *server
		var err error
		if name == "ours" && o.program != "" {
			s, err = startProgram(ctx, o.program)
		} else {
			s, err = start(ctx, name, o)
		}
		if err != nil {
			return 0, err
		}
		c, err := dial(s.url)
		if err == nil {
			_, err = c.do(request("x", askShort, false, 0))
			c.conn.Close()
		}
		took = append(took, time.Since(begun))
		s.stop()
		if err != nil {
			return 0, err
		}
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

// startProgram starts adaptercheck fake provider.
func startProgram(ctx context.Context, program string) (*server, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // it has been read when an address is printed
	file := filepath.Join(dir, "rules.yaml")
	if err := os.WriteFile(file, []byte(answering), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, "fake", "provider", "--script", file)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{name: name(program), cmd: cmd, in: interrupter{cmd}}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("%s printed no address: %w", s.name, err)
	}
	s.url = strings.TrimSpace(line)
	return s, nil
}

func name(program string) string { return filepath.Base(program) }

// interrupter ends a program that does not read its input.
type interrupter struct{ cmd *exec.Cmd }

func (i interrupter) Close() error { return i.cmd.Process.Signal(os.Interrupt) }

// cutAfter3 asks a hundred times for an answer that is cut after three chunks, and says
// how many came.
func cutAfter3(s *server) (string, error) {
	counts := map[int]int{}
	for range 100 {
		c, err := dial(s.url)
		if err != nil {
			return "", err
		}
		_, err = c.conn.Write(request("x", askCut, true, 0))
		if err == nil {
			var got []byte
			got, err = io.ReadAll(c.in)
			counts[bytes.Count(got, []byte("data: "))]++
		}
		c.conn.Close()
		if err != nil {
			return "", err
		}
	}
	var out []string
	for n, times := range counts {
		out = append(out, fmt.Sprintf("%d: %d times", n, times))
	}
	slices.Sort(out)
	return strings.Join(out, ", "), nil
}
