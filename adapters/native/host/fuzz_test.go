package host_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/adapters/native/host"
)

// Whatever is sent, the answer is JSON, the host does not fail, and what it refuses it
// does not repeat.
func FuzzBody(f *testing.F) {
	h, err := host.New(host.Options{Home: f.TempDir(), Env: func(string) string { return "" }, BaseURLs: host.Everywhere("http://127.0.0.1:1")})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = h.Close() })
	paths := []string{
		routes + "healthcheck", routes + "connect", routes + "disconnect", routes + "run", "/api/onboarding/seed-native-team", "/api/runtimes/x/connect",
	}
	for i := range paths {
		for _, body := range []string{
			"", "{}", "null", "[]", `{"provider":"anthropic","apiKey":"k"}`, `{"taskId":"t","assigneeAgentId":"../x"}`, `{"provider":"ollama"}`,
			`{"provider":"nobody"}`, `{"apiKey":1}`, `{"apiKey":"a","apiKey":"b"}`, `{"a":`, "\xff", `{"maxRotations":1e99}`, `{"model":"\ud800"}`,
		} {
			f.Add(byte(i), body)
		}
	}
	const mark = "canary-Zq7"
	f.Fuzz(func(t *testing.T, n byte, body string) {
		path := paths[int(n)%len(paths)]
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(strings.ReplaceAll(body, "k", mark)))
		r.Host = "127.0.0.1"
		w := httptest.NewRecorder()
		h.Handler().ServeHTTP(w, r)
		var m map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil || w.Code >= 500 {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
		if strings.Contains(w.Body.String(), mark) {
			t.Errorf("%s: repeats its body: %d %s", path, w.Code, w.Body)
		}
	})
}
