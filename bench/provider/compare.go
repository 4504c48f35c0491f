package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	paceSteps = 100
	planned   = 2000 * time.Millisecond
)

type options struct {
	quick   bool
	aimock  string
	only    string
	program string
}

// server is a server in a process of its own, on one core.
type server struct {
	name string
	url  string
	cmd  *exec.Cmd
	in   io.Closer
}

func start(ctx context.Context, name string, o options) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	argv := []string{"-core", "0", "-serve", name}
	if name == "aimock" {
		dir, err := fixtures()
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		argv = []string{"-core", "0", "--", "node", filepath.Join(o.aimock, "node_modules", "@copilotkit", "aimock", "dist", "cli.js"), "--port", aimockPort, "--fixtures", dir, "--log-level", "silent"}
	}
	cmd := exec.CommandContext(ctx, self, argv...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{name: name, cmd: cmd, in: in}
	if name == "aimock" {
		s.url = "http://127.0.0.1:" + aimockPort
		return s, s.awake(ctx)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("server %s printed no address: %w", name, err)
	}
	s.url = strings.TrimSpace(line)
	return s, nil
}

func (s *server) stop() {
	s.in.Close()
	if s.name == "aimock" {
		_ = s.cmd.Process.Kill()
	}
	_ = s.cmd.Wait()
}

// awake waits until a server that prints no address answers.
func (s *server) awake(ctx context.Context) error {
	for range 200 {
		if c, err := dial(s.url); err == nil {
			_, err = c.do(request("x", askShort, false, 0))
			c.conn.Close()
			if err == nil {
				return nil
			}
			if !strings.Contains(err.Error(), "EOF") {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	return fmt.Errorf("server %s does not answer", s.name)
}

// proc reads a line of /proc/PID/status, in kibibytes; 0 where there is none.
func (s *server) status(key string) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if rest, is := strings.CutPrefix(line, key+":"); is {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n
		}
	}
	return 0
}

// cpu is the time that the server has computed.
func (s *server) cpu() time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond
}

// row is what one server came to, by measure.
type row map[string]string

// Measures, in the order of the table.
const (
	execToAnswer = "exec to first answer, p50"
	shortRate    = "short answers/s, c=16"
	shortCPU     = "CPU per short answer"
	streamRate   = "200-chunk streams/s, c=16"
	streamCPU    = "CPU per such stream"
	longCPU      = "CPU per request of 100 KB"
	openMemory   = "memory with 1,000 open streams"
	deafGrowth   = "growth per client that never reads 4 MB"
	pacedMiddle  = "256 streams planned for 2,000 ms, p50"
	pacedLast    = "256 such streams, last"
	manyRules    = "short answer behind 10,000 rules"
	cutChunks    = "chunks on the wire for \"cut after 3\", of 100"
)

var measures = []string{execToAnswer, shortRate, shortCPU, streamRate, streamCPU, longCPU, openMemory, deafGrowth, pacedMiddle, pacedLast, manyRules, cutChunks}

// compare measures all servers and prints the table.
func compare(ctx context.Context, o options) error {
	names := []string{"raw", "naive", "ours"}
	if o.aimock != "" {
		names = append(names, "aimock")
	}
	if o.only != "" {
		names = []string{o.only}
	}
	rows := map[string]row{}
	for _, name := range names {
		r, err := measure(ctx, name, o)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		rows[name] = r
	}
	fmt.Printf("| measure |")
	for _, name := range names {
		fmt.Printf(" %s |", name)
	}
	fmt.Printf("\n|---|%s\n", strings.Repeat("--:|", len(names)))
	for _, m := range measures {
		fmt.Printf("| %s |", m)
		for _, name := range names {
			fmt.Printf(" %s |", rows[name][m])
		}
		fmt.Println()
	}
	return nil
}

func micro(d time.Duration) string {
	return fmt.Sprintf("%.0f µs", float64(d)/float64(time.Microsecond))
}

func measure(ctx context.Context, name string, o options) (row, error) {
	d := 3 * time.Second
	if o.quick {
		d = 300 * time.Millisecond
	}
	r := row{}
	woken, err := awakening(ctx, name, o)
	if err != nil {
		return nil, err
	}
	r[execToAnswer] = fmt.Sprintf("%.1f ms", float64(woken)/float64(time.Millisecond))
	s, err := start(ctx, name, o)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	if _, err := load(ctx, s, request("x", askShort, false, 0), 16, d/5); err != nil { // warm
		return nil, err
	}
	quick, err := load(ctx, s, request("x", askShort, false, 0), 16, d)
	if err != nil {
		return nil, err
	}
	r[shortRate], r[shortCPU] = fmt.Sprintf("%.0f", quick.perSecond), micro(quick.cpu)
	long, err := load(ctx, s, request("x", askStream, true, 0), 16, d)
	if err != nil {
		return nil, err
	}
	r[streamRate], r[streamCPU] = fmt.Sprintf("%.0f", long.perSecond), micro(long.cpu)
	big, err := load(ctx, s, request("x", askShort, false, 100_000), 16, d)
	if err != nil {
		return nil, err
	}
	r[longCPU] = micro(big.cpu)
	if name != "ours" {
		return r, nil
	}
	if err := behindRules(ctx, o, r, quick.cpu); err != nil {
		return nil, err
	}
	return r, patient(ctx, o, r)
}

// behindRules measures how much longer the right rule is found behind many others.
func behindRules(ctx context.Context, o options, r row, alone time.Duration) error {
	s, err := start(ctx, oursMany, o)
	if err != nil {
		return err
	}
	defer s.stop()
	d := 2 * time.Second
	if o.quick {
		d /= 5
	}
	if _, err := load(ctx, s, request("x", askShort, false, 0), 16, d/5); err != nil {
		return err
	}
	many, err := load(ctx, s, request("x", askShort, false, 0), 16, d)
	if err != nil {
		return err
	}
	r[manyRules] = fmt.Sprintf("×%.2f", float64(many.cpu)/float64(alone))
	return nil
}

// patient measures what needs a server that knows time and gates: ours, each time in a
// process of its own, so that memory is that of the measure.
func patient(ctx context.Context, o options, r row) error {
	alone := func(name string, f func(s *server) error) error {
		s, err := start(ctx, name, o)
		if err != nil {
			return err
		}
		defer s.stop()
		defer letGo()
		return f(s)
	}
	return errors.Join(
		alone("ours", func(s *server) error {
			var err error
			r[cutChunks], err = cutAfter3(s)
			return err
		}),
		alone(oursAlone, func(s *server) error {
			if err := open(s, 1000); err != nil {
				return err
			}
			r[openMemory] = fmt.Sprintf("%.0f MiB", float64(s.status("VmRSS"))/1024)
			return nil
		}),
		alone("ours", func(s *server) error {
			grown, err := deaf(s)
			r[deafGrowth] = fmt.Sprintf("%.2f MiB", grown)
			return err
		}),
		alone(oursAlone, func(s *server) error {
			took, err := pacedStreams(s, 256)
			if err != nil {
				return err
			}
			r[pacedMiddle], r[pacedLast] = took[len(took)/2].Round(100*time.Microsecond).String(), took[len(took)-1].Round(100*time.Microsecond).String()
			return nil
		}))
}

// letGo closes the connections that stayed open.
func letGo() {
	for _, c := range kept {
		c.conn.Close()
	}
	kept = nil
}

// open opens streams that do not end, and reads their beginning.
func open(s *server, n int) error {
	ask := request("x", askOpen, true, 0)
	for range n {
		c, err := dial(s.url)
		if err != nil {
			return err
		}
		if _, err := c.conn.Write(ask); err != nil {
			return err
		}
		if _, _, err := c.head(); err != nil {
			return err
		}
		c.in, c.buf = nil, nil
		kept = append(kept, c)
	}
	return nil
}

var kept []*client // connections that stay open

// deaf lets 32 clients ask for 4 MB and not read, and says by how much the server grew.
func deaf(s *server) (float64, error) {
	const n = 32
	ask := request("x", askBig, true, 0)
	warm, err := dial(s.url)
	if err != nil {
		return 0, err
	}
	defer warm.conn.Close()
	for range 3 { // the answer is rendered once, which is not the clients' doing
		if _, err := warm.do(ask); err != nil {
			return 0, err
		}
	}
	before := s.status("VmRSS")
	for range n {
		c, err := dial(s.url)
		if err != nil {
			return 0, err
		}
		if _, err := c.conn.Write(ask); err != nil {
			return 0, err
		}
		kept = append(kept, c)
	}
	time.Sleep(500 * time.Millisecond) // for what is not read there is no signal
	return max(0, float64(s.status("VmRSS")-before)/1024/n), nil
}

// pacedStreams reads streams that are planned for two seconds, all at once.
func pacedStreams(s *server, n int) ([]time.Duration, error) {
	ask := request("x", askPaced, true, 0)
	var mu sync.Mutex
	var took []time.Duration
	var failed error
	var wg sync.WaitGroup
	clients := make([]*client, n)
	for i := range clients {
		c, err := dial(s.url)
		if err != nil {
			return nil, err
		}
		clients[i] = c
	}
	for _, c := range clients {
		wg.Go(func() {
			defer c.conn.Close()
			begun := time.Now()
			_, err := c.do(ask)
			d := time.Since(begun)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = err
			}
			took = append(took, d)
		})
	}
	wg.Wait()
	slices.Sort(took)
	return took, failed
}
