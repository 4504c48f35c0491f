package hosttest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/onsi/gomega"
	gtypes "github.com/onsi/gomega/types"

	"github.com/adaptercheck/adaptercheck/conformance/check"
)

// nativePath is where the native runtime is.
const nativePath = "/api/runtimes/clawboo-native"

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 1 << 20

// object is the body of a request.
type object map[string]any

// answer is what the host said.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// String is for the local trace.
func (a answer) String() string { return fmt.Sprintf("%d %.300s", a.status, a.body) }

// fields are the members of the body, nil if it is no JSON object.
func (a answer) fields() map[string]any {
	var m map[string]any
	if json.Unmarshal(a.body, &m) != nil {
		return nil
	}
	return m
}

// text is a member that is a string, else empty.
func (a answer) text(name string) string {
	s, _ := a.fields()[name].(string)
	return s
}

// ok reports whether the answer says ok: true.
func (a answer) ok() bool { return a.fields()["ok"] == true }

// refused reports whether the answer is a refusal: ok is not true, and error says why.
func (a answer) refused() bool {
	return a.fields()["ok"] != true && strings.TrimSpace(a.text("error")) != ""
}

// parses reports whether the body is one JSON value.
func (a answer) parses() bool {
	var v any
	return json.Unmarshal(a.body, &v) == nil
}

// isJSON reports whether the answer says that it is JSON.
func (a answer) isJSON() bool {
	kind, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// all is everything that the answer holds, its header included.
func (a answer) all() string {
	var b strings.Builder
	_ = a.header.Write(&b) // a Builder takes everything
	b.Write(a.body)
	return b.String()
}

func beOK() gtypes.GomegaMatcher { return gomega.Equal(http.StatusOK) }

// newClient talks to a host: no proxy stands between, and a redirect is an answer.
func newClient() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: 16},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// send sends bytes and reads the answer.
func (t *T) send(ctx context.Context, method, path, kind string, body []byte, change ...func(*http.Request)) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, t.Host.URL+path, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if body != nil {
		req.Header.Set("Content-Type", kind)
	}
	for _, c := range change {
		c(req)
	}
	resp, err := t.client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if len(data) > maxAnswer {
		err = errors.New("the answer is longer than a mebibyte")
	}
	return answer{resp.StatusCode, resp.Header, data}, err
}

// within is send for a request that must be answered in the time.
func (t *T) within(ctx context.Context, limit time.Duration, method, path string, body []byte, change ...func(*http.Request)) answer {
	return check.Call(ctx, t.C, "", limit, func(ctx context.Context) (answer, error) {
		return t.send(ctx, method, path, "application/json", body, change...)
	})
}

// raw posts bytes that say they are JSON.
func (t *T) raw(ctx context.Context, path string, body string) answer {
	return t.within(ctx, t.Budgets.Call, http.MethodPost, path, []byte(body))
}

// post posts an object.
func (t *T) post(ctx context.Context, path string, body object, change ...func(*http.Request)) answer {
	data, err := json.Marshal(body)
	if err != nil {
		t.Cannot(fmt.Errorf("write a request: %w", err))
	}
	return t.within(ctx, t.Budgets.Call, http.MethodPost, path, data, change...)
}

// get asks for a page.
func (t *T) get(ctx context.Context, path string) answer {
	return t.within(ctx, t.Budgets.Call, http.MethodGet, path, nil)
}

// healthcheck asks whether the provider takes the key; no key is given where it is empty.
func (t *T) healthcheck(ctx context.Context, provider, key string) answer {
	return t.post(ctx, nativePath+"/healthcheck", t.body(provider, key))
}

// connect gives the host a key. A provider or a key that is empty is left out.
func (t *T) connect(ctx context.Context, provider, key string) answer {
	return t.post(ctx, nativePath+"/connect", t.body(provider, key))
}

// connected is connect that must succeed.
func (t *T) connected(ctx context.Context, provider, key string) answer {
	a := t.connect(ctx, provider, key)
	t.Expect(a.status).To(beOK(), "connect %s: %s", provider, a)
	return a
}

func (t *T) body(provider, key string) object {
	o := object{}
	if provider != "" {
		o["provider"] = provider
	}
	if key != "" {
		o["apiKey"] = key
	}
	return o
}

// holdsKey reports whether the host has a key of the provider: connecting without one
// succeeds where there is one already, and changes nothing.
func (t *T) holdsKey(ctx context.Context, provider string) bool {
	a := t.connect(ctx, provider, "")
	held := a.status == http.StatusOK && a.ok()
	t.Expect(held || a.status == http.StatusBadRequest && a.refused()).To(gomega.BeTrue(), "connect %s without a key: %s", provider, a)
	return held
}

// works looks whether keys come and go at all: a host that does nothing leaks nothing.
func (t *T) works(ctx context.Context) {
	for _, held := range []bool{false, true, false} {
		if held {
			t.connected(ctx, openrouter, t.key())
		} else {
			t.forget(ctx)
		}
		t.Expect(t.holdsKey(ctx, openrouter)).To(gomega.Equal(held), "whether there is a key")
	}
}

// demand ends the check with the code unless the condition holds.
func (t *T) demand(holds bool, code check.Code, format string, args ...any) {
	if !holds {
		t.Fail(code, format, args...)
	}
}

// clientError reports whether the status blames the request.
func clientError(status int) bool { return status >= 400 && status < 500 }
