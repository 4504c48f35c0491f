package hosttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// At says where a host is that somebody started. Only URL is required; what else there
// is lets more of the host be seen.
type At struct {
	// URL is the base of its surface.
	URL string `json:"url"`
	// Outbound is the HOST:PORT at which the host looks for its providers, as
	// [check.HostInstance.Outbound] has them. Nobody listens there yet.
	Outbound string `json:"outbound,omitzero"`
	// Vault lists the files and directories in which it keeps keys.
	Vault []string `json:"vault,omitzero"`
	// Log is the file that it writes about its work to.
	Log string `json:"log,omitzero"`
}

// Validate says what is wrong with it, before anything is called.
func (a At) Validate() error {
	u, err := url.Parse(a.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("the URL of a host is http://HOST:PORT") // not quoted: there may be a secret in it
	}
	if a.Outbound != "" {
		host, port, err := net.SplitHostPort(a.Outbound)
		ip := net.ParseIP(host)
		if err != nil || port == "" || port == "0" || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return fmt.Errorf("address %q of the providers: want HOST:PORT of the loopback interface", a.Outbound)
		}
	}
	if a.Log != "" {
		info, err := os.Stat(a.Log)
		if err != nil {
			return fmt.Errorf("log of the host: %w", err)
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("log of the host: %q is no regular file", a.Log)
		}
	}
	return nil
}

// Subject is the host, for the suite.
func (a At) Subject(name string) check.Subject {
	s := check.Subject{Name: name, Elsewhere: true, Host: a.open}
	if a.Outbound != "" {
		s.Offers = append(s.Offers, fakes.Outbound)
	}
	if len(a.Vault) > 0 {
		s.Offers = append(s.Offers, fakes.Vault)
	}
	if a.Log != "" {
		s.Offers = append(s.Offers, fakes.Logs)
	}
	return s
}

func (a At) open(context.Context) (*check.HostInstance, error) {
	in := &check.HostInstance{URL: strings.TrimRight(a.URL, "/"), Vault: a.Vault}
	if a.Log != "" {
		info, err := os.Stat(a.Log)
		if err != nil {
			return nil, err
		}
		// What was there before was not written about this check.
		in.Logs = func() (string, error) { return since(a.Log, info.Size()) }
	}
	if a.Outbound != "" {
		l, err := net.Listen("tcp", a.Outbound)
		if err != nil {
			return nil, fmt.Errorf("be the providers: %w", err)
		}
		in.Outbound = l
	}
	return in, nil
}

// maxLog bounds what is read of a log for one check, in bytes.
const maxLog = 64 << 20

// since is what a file has from the offset on, or all of it if it is shorter now.
func since(path string, offset int64) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() < offset {
		offset = 0
	}
	data, err := io.ReadAll(io.NewSectionReader(f, offset, maxLog))
	return string(data), err
}
