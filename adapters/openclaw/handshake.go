package openclaw

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// connectParams is what the first request of a connection says.
type connectParams struct {
	MinProtocol int      `json:"minProtocol"`
	MaxProtocol int      `json:"maxProtocol"`
	Client      client   `json:"client"`
	Role        string   `json:"role"`
	Scopes      []string `json:"scopes"`
	Caps        []string `json:"caps"`
	Auth        auth     `json:"auth,omitzero"`
	Device      device   `json:"device"`
}

// client says what program connects. The gateway knows a closed set of ids and modes.
type client struct {
	ID       string `json:"id"`
	Version  string `json:"version"`
	Platform string `json:"platform"`
	Mode     string `json:"mode"`
}

type auth struct {
	Token string `json:"token"`
}

// The protocols that the adapter speaks.
const (
	minProtocol = 3
	maxProtocol = 4
)

// connecting is the connect request of this adapter, without its device. Admin is for
// the files of agents and the configuration.
func connecting(o *Options) *connectParams {
	return &connectParams{
		MinProtocol: minProtocol, MaxProtocol: maxProtocol,
		Client: client{ID: "gateway-client", Version: clientVersion, Platform: runtime.GOOS, Mode: "backend"},
		Role:   "operator",
		Scopes: []string{"operator.read", "operator.write", "operator.admin", "operator.approvals"},
		Caps:   []string{"tool-events", "approvals", "exec-approvals"},
		Auth:   auth{Token: o.Token},
	}
}

// clientVersion is what the adapter calls its own version; the gateway wants one.
const clientVersion = "1.0.0"

// hello is the gateway's answer to a connect request.
type hello struct {
	Type     text             `json:"type"`
	Protocol number           `json:"protocol"`
	Server   object[server]   `json:"server"`
	Snapshot object[snapshot] `json:"snapshot"`
	Policy   object[policy]   `json:"policy"`
}

type server struct {
	Boot text `json:"bootId"`
}

type snapshot struct {
	Uptime number `json:"uptimeMs"`
}

type policy struct {
	Tick number `json:"tickIntervalMs"`
}

// errHandshake is in the error of a gateway that does not speak the protocol.
var errHandshake = errors.New("not an OpenClaw gateway of protocol 3 or 4")

// shake makes a fresh connection one that takes requests: it waits for the challenge,
// answers it, and reads the hello. ctx bounds it.
func shake(ctx context.Context, s *socket, o *Options, id identity) (*hello, error) {
	nonce, err := challenge(ctx, s)
	if err != nil {
		return nil, err
	}
	p := connecting(o)
	p.Device = id.sign(p, nonce, time.Now().UnixMilli())
	text, err := json.Marshal(request{Type: "req", ID: "connect", Method: "connect", Params: p})
	if err != nil {
		return nil, err
	}
	if err := s.write(ctx, text); err != nil {
		return nil, err
	}
	for {
		f, err := s.readFrame(ctx)
		if err != nil {
			return nil, err
		}
		if f == nil || f.Type != "res" || f.ID != "connect" {
			continue
		}
		if !f.OK {
			return nil, o.refused("connect", f.Error)
		}
		var h hello
		if !read(f.Payload, &h) || h.Type != "hello-ok" {
			return nil, fmt.Errorf("connect: the answer is no hello: %w", errHandshake)
		}
		if h.Protocol != 0 && (h.Protocol < minProtocol || h.Protocol > maxProtocol) {
			return nil, fmt.Errorf("connect: the gateway answered with protocol %d: %w", h.Protocol, errHandshake)
		}
		return &h, nil
	}
}

// challenge waits for the nonce that the gateway sends first.
func challenge(ctx context.Context, s *socket) (string, error) {
	for {
		f, err := s.readFrame(ctx)
		if err != nil {
			return "", err
		}
		if f == nil || f.Type != "event" || f.Event != "connect.challenge" {
			continue
		}
		var c struct {
			Nonce text `json:"nonce"`
		}
		if read(f.Payload, &c) && c.Nonce != "" {
			return string(c.Nonce), nil
		}
	}
}

// GatewayError is a request that the gateway refused.
type GatewayError struct {
	// Method of the request.
	Method string
	// Code is the gateway's, as INVALID_REQUEST; empty where it gave none.
	Code string
	// Reason is the code that it gave in the details, as AUTH_TOKEN_MISMATCH; empty where
	// it gave none.
	Reason string
	// Message is the gateway's, without secrets.
	Message string
	// Retryable: the gateway says that the same request may work later.
	Retryable bool
}

// Error names the method, and says what the gateway said.
func (e *GatewayError) Error() string {
	text := "the gateway refused " + e.Method
	if e.Code != "" {
		text += " (" + e.Code + ")"
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// refused makes the error of a refusal.
func (o *Options) refused(method string, v jsontext.Value) *GatewayError {
	var p problem
	read(v, &p)
	var d struct {
		Code text `json:"code"`
	}
	read(p.Details, &d)
	return &GatewayError{Method: method, Code: string(p.Code), Reason: string(d.Code), Message: o.clean(string(p.Message)), Retryable: bool(p.Retryable)}
}
