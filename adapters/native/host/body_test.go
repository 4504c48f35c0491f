package host_test

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/adapters/native/host"
)

// Whatever is sent, the answer is JSON, the host does not fail, and it repeats nothing.
// This is no fuzz target, as instrumenting the clients of the providers takes minutes;
// the bodies are spoiled from a seed instead.
func TestBodies(t *testing.T) {
	h, err := host.New(host.Options{Home: t.TempDir(), Env: func(string) string { return "" }, BaseURLs: host.Everywhere("http://127.0.0.1:1")})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	const mark = "canary-Zq7"
	send := func(path, body string) {
		t.Helper()
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		r.Host = "127.0.0.1"
		w := httptest.NewRecorder()
		h.Handler().ServeHTTP(w, r)
		var m map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil || w.Code >= 500 {
			t.Errorf("%s %q: %d %s", path, body, w.Code, w.Body)
		}
		if strings.Contains(w.Body.String(), mark) {
			t.Errorf("%s %q: repeats its body: %d %s", path, body, w.Code, w.Body)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, path := range []string{
		routes + "healthcheck", routes + "connect", routes + "disconnect", routes + "run", "/api/onboarding/seed-native-team", "/api/runtimes/x/connect",
	} {
		for _, body := range []string{
			"", "{}", "null", "[]", `{"provider":"anthropic","apiKey":"` + mark + `"}`, `{"taskId":"` + mark + `","assigneeAgentId":"../` + mark + `"}`,
			`{"taskId":"t","repoPath":"` + mark + `","maxRotations":1e99}`, `{"provider":"` + mark + `"}`, `{"provider":"ollama"}`, `{"apiKey":1}`,
			`{"apiKey":"a","apiKey":"` + mark + `"}`, `{"a":`, "\xff" + mark, `{"model":"\ud800"}`, strings.Repeat(`{"a":`, 20000), strings.Repeat("[", 20000),
		} {
			send(path, body)
			for range 5 {
				spoiled := []byte(body)
				for range 1 + random.IntN(3) {
					if len(spoiled) > 0 {
						spoiled[random.IntN(len(spoiled))] = byte(random.IntN(256))
					}
				}
				send(path, string(spoiled[:random.IntN(len(spoiled)+1)]))
			}
		}
	}
}
