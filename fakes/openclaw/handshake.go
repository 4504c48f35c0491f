package openclaw

import (
	"crypto/subtle"
	"net/url"
	"slices"

	"github.com/coder/websocket"
)

// The closed sets of who a client may be.
var (
	clientIDs = []string{
		"webchat-ui", "openclaw-control-ui", "openclaw-browser-copilot", "openclaw-tui", "webchat", "cli", "gateway-client",
		"openclaw-macos", "openclaw-linux", "openclaw-ios", "openclaw-watchos", "openclaw-android", "node-host",
		"openclaw-worker", "test", "fingerprint", "openclaw-probe",
	}
	clientModes = []string{"webchat", "cli", "ui", "backend", "node", "worker", "probe", "test"}
)

var connectShape = shape{
	required: []string{"minProtocol", "maxProtocol", "client"},
	members: map[string]rule{
		"minProtocol": isNumber, "maxProtocol": isNumber,
		"client": shape{
			required: []string{"id", "version", "platform", "mode"},
			members: map[string]rule{
				"id": oneOf(clientIDs...), "mode": oneOf(clientModes...), "version": filled, "platform": filled,
				"displayName": isText, "deviceFamily": isText, "modelIdentifier": isText, "instanceId": isText,
			},
		}.nested,
		"device": shape{
			required: []string{"id", "publicKey", "signature", "signedAt", "nonce"},
			members:  map[string]rule{"id": filled, "publicKey": filled, "signature": filled, "signedAt": isNumber, "nonce": filled},
		}.nested,
		"auth": shape{members: map[string]rule{
			"token": isText, "bootstrapToken": isText, "deviceToken": isText, "password": isText,
		}}.nested,
		"role": isText, "scopes": isTexts, "caps": isTexts, "commands": isTexts, "permissions": isObject,
		"pathEnv": isText, "locale": isText, "userAgent": isText,
	},
}

// introduction is the parameters of connect.
type introduction struct {
	MinProtocol int `json:"minProtocol"`
	MaxProtocol int `json:"maxProtocol"`
	Client      struct {
		ID           string `json:"id"`
		Mode         string `json:"mode"`
		Platform     string `json:"platform"`
		DeviceFamily string `json:"deviceFamily"`
	} `json:"client"`
	Role   string   `json:"role"`
	Scopes []string `json:"scopes"`
	Caps   []string `json:"caps"`
	Auth   struct {
		Token       string `json:"token"`
		DeviceToken string `json:"deviceToken"`
	} `json:"auth"`
	Device *device `json:"device"`
}

// challenge is the first frame of a connection.
func (r *Runtime) challenge(nonce string) []byte {
	payload := newObject().str("nonce", nonce).num("ts", now())
	if r.version.modern {
		payload.list("capabilities", []string{"model-catalog-snapshot"})
	}
	return newObject().str("type", "event").str("event", "connect.challenge").obj("payload", payload).end()
}

// connect judges who wants to be let in.
func (r *Runtime) connect(q *request) {
	if problem := connectShape.problemOf(q.params); problem != "" {
		r.breach(BreachHandshake)
		r.refuseConnect(q, invalid("invalid connect params: "+problem), websocket.StatusPolicyViolation)
		return
	}
	var who introduction
	read(q.params, &who)
	if who.Role == "" {
		who.Role = "operator"
	}
	if f, status := r.judge(q.conn, &who); f != nil {
		r.breach(BreachHandshake)
		r.refuseConnect(q, f, status)
		return
	}
	c := q.conn
	c.known, c.client, c.mode = true, who.Client.ID, who.Client.Mode
	c.scopes, c.caps = setOf(who.Scopes), setOf(who.Caps)
	c.ws.SetReadLimit(maxPayload)
	q.ok(r.hello(c, &who))
}

// judge says why a client is refused; nil is that it is let in.
func (r *Runtime) judge(c *conn, who *introduction) (*failure, websocket.StatusCode) {
	const violation = websocket.StatusPolicyViolation
	if who.MinProtocol > r.version.protocol || who.MaxProtocol < r.version.protocol {
		return r.mismatch(who), websocket.StatusProtocolError
	}
	if who.Role != "operator" && who.Role != "node" {
		return invalid("invalid role"), violation
	}
	if who.Client.ID == "openclaw-control-ui" && !r.allowed(c.origin) {
		f := invalid("origin not allowed (open the Control UI from the gateway host or allow it in gateway.controlUi.allowedOrigins)")
		f.details = newObject().str("code", "CONTROL_UI_ORIGIN_NOT_ALLOWED").str("reason", "origin missing or invalid")
		return f, violation
	}
	if who.Device != nil {
		if f := who.Device.judge(who, c.nonce); f != nil {
			return f, violation
		}
	}
	return r.unauthorized(who), violation
}

// mismatch refuses a range without the gateway's protocol.
func (r *Runtime) mismatch(who *introduction) *failure {
	f := invalid("protocol mismatch")
	f.details = newObject()
	if r.version.probe > 0 {
		f.details.str("code", "PROTOCOL_MISMATCH").num("clientMinProtocol", int64(who.MinProtocol)).num("clientMaxProtocol", int64(who.MaxProtocol))
	}
	f.details.num("expectedProtocol", int64(r.version.protocol))
	if r.version.probe > 0 {
		f.details.num("minimumProbeProtocol", int64(r.version.probe))
	}
	return f
}

// allowed reports whether a browser's page may connect: one of this host.
func (r *Runtime) allowed(origin string) bool {
	page, err := url.Parse(origin)
	return err == nil && slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, page.Hostname())
}

// unauthorized refuses a client that does not know the token, nor one that it was given
// for its device.
func (r *Runtime) unauthorized(who *introduction) *failure {
	shown := who.Auth.Token
	if shown == "" {
		shown = who.Auth.DeviceToken
	}
	message, code, reason, step := "token mismatch", "AUTH_TOKEN_MISMATCH", "token_mismatch", "retry_with_device_token"
	switch {
	case shown == "":
		message, code, reason, step = "token missing", "AUTH_TOKEN_MISSING", "token_missing", "update_auth_configuration"
	case same(shown, r.token):
		return nil
	case who.Device != nil && same(shown, r.paired[who.Device.ID].token):
		return nil
	}
	f := invalid("unauthorized: gateway " + message + " (provide gateway auth token)")
	f.details = newObject().str("code", code).str("authReason", reason).
		flag("canRetryWithDeviceToken", shown != "").str("recommendedNextStep", step)
	return f
}

func same(shown, secret string) bool {
	return secret != "" && subtle.ConstantTimeCompare([]byte(shown), []byte(secret)) == 1
}

// refuseConnect answers and closes with the message as the reason.
func (r *Runtime) refuseConnect(q *request, f *failure, status websocket.StatusCode) {
	q.fail(f)
	q.conn.post(parcel{close: status, reason: f.message})
}
