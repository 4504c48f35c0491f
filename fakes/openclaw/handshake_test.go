package openclaw_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes/openclaw"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

func scopes(names ...any) func(object) {
	return func(p object) { p["scopes"] = names }
}

func caps(names ...any) func(object) {
	return func(p object) { p["caps"] = names }
}

// A device is let in by both versions of the signed text, and by no other.
func TestDeviceSignatures(t *testing.T) {
	for version, want := range map[string]bool{"v2": true, "v3": true, "v1": false} {
		t.Run(version, func(t *testing.T) {
			c := dial(t, gateway(t, openclaw.Options{}))
			c.challenged()
			params := c.introduction()
			newKey(t).sign(version, c)(params)
			if res := c.call("connect", params); res["ok"] != want {
				t.Errorf("%v", res)
			}
		})
	}
}

// A device is told a token of its own, which lets it in where the gateway's is not
// known, and no other device.
func TestDeviceToken(t *testing.T) {
	rt := gateway(t, openclaw.Options{Token: "mine"})
	first, k := dial(t, rt), newKey(t)
	hello := first.greet(func(p object) { k.sign("v3", first)(p) })
	token, _ := hello["auth"].(object)["deviceToken"].(string)
	if token == "" {
		t.Fatal("no token for a new device")
	}
	for name, c := range map[string]struct {
		key  key
		want bool
	}{"the same": {k, true}, "another": {newKey(t), false}} {
		second := dial(t, rt)
		second.token = token
		second.challenged()
		params := second.introduction()
		c.key.sign("v3", second)(params)
		if res := second.call("connect", params); res["ok"] != c.want {
			t.Errorf("%s device: %v", name, res)
		}
	}
}

// A signature is for one challenge.
func TestSignatureOfAnotherConnection(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	one, two, k := dial(t, rt), dial(t, rt), newKey(t)
	one.challenged()
	two.challenged()
	params := two.introduction()
	k.sign("v3", one)(params)
	if got := two.refused("connect", params); got != "device nonce mismatch" {
		t.Error(got)
	}
	if status, reason := two.closed(); status != 1008 || reason != "device nonce mismatch" {
		t.Errorf("%d %q", status, reason)
	}
	if b := rt.Breaches(); len(b) != 1 || b[0].Code != openclaw.BreachHandshake {
		t.Errorf("breaches %+v", b)
	}
}

// Versions agree on the protocol, or refuse.
func TestProtocols(t *testing.T) {
	for _, c := range []struct {
		version  string
		min, max int
		want     float64 // 0 is refused
		details  string
	}{
		{"2026.9.6", 3, 4, 4, ""},
		{"2026.9.6", 3, 3, 0, "minimumProbeProtocol:3"},
		{"2026.5.28", 4, 4, 4, ""},
		{"2026.5.28", 3, 3, 0, "minimumProbeProtocol:4"},
		{"2026.4.29", 3, 4, 3, ""},
		{"2026.4.29", 4, 4, 0, "expectedProtocol:3"},
	} {
		rt := gateway(t, openclaw.Options{Version: c.version})
		client := dial(t, rt)
		client.challenged()
		params := client.introduction()
		params["minProtocol"], params["maxProtocol"] = c.min, c.max
		res := client.call("connect", params)
		if c.want > 0 {
			if res["ok"] != true || res["payload"].(object)["protocol"] != c.want {
				t.Errorf("%s, %d to %d: %v", c.version, c.min, c.max, res)
			}
			continue
		}
		if res["ok"] != false || !strings.Contains(sprint(res["error"]), c.details) {
			t.Errorf("%s, %d to %d: %v", c.version, c.min, c.max, res)
		}
		if status, reason := client.closed(); status != 1002 || reason != "protocol mismatch" {
			t.Errorf("%s: %d %q", c.version, status, reason)
		}
	}
}

// A frame before the client is known may not be long.
func TestLongIntroduction(t *testing.T) {
	c := dial(t, gateway(t, openclaw.Options{}))
	c.challenged()
	params := c.introduction()
	params["userAgent"] = strings.Repeat("x", 64<<10)
	c.ask("connect", params)
	if status, _ := c.closed(); status != 1009 {
		t.Errorf("closed with %d", status)
	}
}

// Each method wants its scope; an admin has all, and who writes reads.
func TestScopes(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	calls := map[string]object{
		"chat.history": {"sessionKey": "s"}, "chat.send": {"sessionKey": "s", "message": "m", "idempotencyKey": "k"},
		"sessions.patch": {"key": "s"}, "exec.approval.list": {},
	}
	for scope, may := range map[string]string{
		"operator.read": "chat.history", "operator.write": "chat.history chat.send",
		"operator.admin":     "chat.history chat.send sessions.patch exec.approval.list",
		"operator.approvals": "exec.approval.list",
	} {
		c := open(t, rt, scopes(scope))
		for method, params := range calls {
			res := c.call(method, params)
			if want := strings.Contains(may, method); res["ok"] != want {
				t.Errorf("%s by %s: %v", method, scope, res)
			}
			if res["ok"] == false && res["error"].(object)["code"] != "FORBIDDEN" {
				t.Errorf("%s by %s: %v", method, scope, res)
			}
		}
	}
}

// An older gateway says what the device was once allowed, and holds to what was asked.
func TestOldGatewayShowsTheWholeGrant(t *testing.T) {
	rt := gateway(t, openclaw.Options{Version: "2026.5.28"})
	k := newKey(t)
	first := dial(t, rt)
	first.greet(func(p object) { k.sign("v2", first)(p) })
	second := dial(t, rt)
	hello := second.greet(scopes("operator.read"), func(p object) { k.sign("v2", second)(p) })
	if got := sprint(hello["auth"].(object)["scopes"]); !strings.Contains(got, "operator.write") {
		t.Errorf("scopes %s", got)
	}
	if got := second.refused("chat.send", object{"sessionKey": "s", "message": "m", "idempotencyKey": "k"}); got != "missing scope: operator.write" {
		t.Error(got)
	}
}

// What is known and not played is said so; what nobody knows is a breach.
func TestMethodsThatAreNotPlayed(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	c := open(t, rt)
	if got := c.refused("cron.list", object{}); got != "cron.list is not played by this fake" {
		t.Error(got)
	}
	c.refused("no.such", object{})
	if b := rt.Breaches(); len(b) != 1 || b[0].Code != openclaw.BreachMethod {
		t.Errorf("breaches %+v", b)
	}
}

// The gateway says that it can do what the real one says.
func TestMethodList(t *testing.T) {
	passed, err := fixtures.LoadExchange(recorded, "connect-ok-device")
	if err != nil {
		t.Fatal(err)
	}
	var want []any
	for _, p := range passed {
		var f object
		if p.Dir == fixtures.FromServer && json.Unmarshal(p.Frame, &f) == nil && f["type"] == "res" {
			want = f["payload"].(object)["features"].(object)["methods"].([]any)
		}
	}
	c := dial(t, gateway(t, openclaw.Options{}))
	got := c.greet()["features"].(object)["methods"]
	if diff := cmp.Diff(any(want), got); diff != "" || len(want) < 400 {
		t.Errorf("%d methods recorded (-recorded +fake):\n%s", len(want), diff)
	}
}

// What is no request is answered where it has an id, and ends nothing.
func TestOddFrames(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	c := open(t, rt)
	for _, odd := range []string{
		"null", "[]", "1", `"text"`, "{", "", `{}`, `{"type":"res","id":"a","ok":true}`, `{"type":"req","id":"a"}`, `{"type":"req","id":7,"method":"health"}`,
		`{"type":"req","id":"a","method":"health","params":[]}`, `{"type":"req","id":"a","method":"chat.send","params":"x"}`,
		`{"type":"req","id":"a","method":"sessions.patch","params":{"key":"s","model":7}}`, `{"type":"req","id":"a","method":"agents.files.set","params":{"agentId":null}}`,
		`{"type":"req","id":"a","method":"config.patch","params":{"raw":"[","baseHash":"x"}}`, `{"type":"req","id":"a","method":"agents.create","params":{"name":"漢"}}`,
	} {
		c.write(odd)
	}
	if got := c.must("health", object{}); got["ok"] != true {
		t.Errorf("%v", got)
	}
	for _, f := range c.heard {
		if f["type"] != "res" || f["ok"] != false || f["id"] == nil {
			t.Errorf("%v", f)
		}
	}
	if len(c.heard) != 9 {
		t.Errorf("%d answers: %v", len(c.heard), c.heard)
	}
}
