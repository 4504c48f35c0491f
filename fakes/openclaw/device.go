package openclaw

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"
)

// skew is how old a signature may be.
const skew = 2 * time.Minute

// device is what a client shows of the device that it is on.
type device struct {
	ID        string `json:"id"`
	PublicKey string `json:"publicKey"`
	Signature string `json:"signature"`
	SignedAt  int64  `json:"signedAt"`
	Nonce     string `json:"nonce"`
}

// pairing is what the gateway remembers of a device.
type pairing struct {
	scopes []string
	token  string
}

// judge says why a device is refused; nil is that it is what it says.
func (d *device) judge(who *introduction, nonce string) *failure {
	key, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(d.PublicKey, "="))
	if err != nil || len(key) != ed25519.PublicKeySize {
		return refusedDevice("device public key invalid", "DEVICE_AUTH_PUBLIC_KEY_INVALID", "device-public-key")
	}
	if id := sha256.Sum256(key); hex.EncodeToString(id[:]) != d.ID {
		return refusedDevice("device identity mismatch", "DEVICE_AUTH_DEVICE_ID_MISMATCH", "device-id-mismatch")
	}
	if age := time.Since(time.UnixMilli(d.SignedAt)); age.Abs() > skew {
		return refusedDevice("device signature expired", "DEVICE_AUTH_SIGNATURE_EXPIRED", "device-signature-stale")
	}
	if d.Nonce != nonce {
		return refusedDevice("device nonce mismatch", "DEVICE_AUTH_NONCE_MISMATCH", "device-nonce-mismatch")
	}
	signature, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(d.Signature, "="))
	if err != nil || !slices.ContainsFunc(d.texts(who), func(text string) bool { return ed25519.Verify(key, []byte(text), signature) }) {
		return refusedDevice("device signature invalid", "DEVICE_AUTH_SIGNATURE_INVALID", "device-signature")
	}
	return nil
}

// texts are what may have been signed: of version 3 and of version 2.
func (d *device) texts(who *introduction) []string {
	token := who.Auth.Token
	if token == "" {
		token = who.Auth.DeviceToken
	}
	signed := strings.Join([]string{
		d.ID, who.Client.ID, who.Client.Mode, who.Role, strings.Join(who.Scopes, ","), strconv.FormatInt(d.SignedAt, 10), token, d.Nonce,
	}, "|")
	return []string{"v3|" + signed + "|" + who.Client.Platform + "|" + who.Client.DeviceFamily, "v2|" + signed}
}

func refusedDevice(message, code, reason string) *failure {
	f := invalid(message)
	f.details = newObject().str("code", code).str("reason", reason)
	return f
}

// pair remembers a device, as a gateway on the loopback does with one that knows its
// token. It reports whether the device is told its token: when it was not known with
// these scopes.
func (r *Runtime) pair(who *introduction) (token string, told bool) {
	known, is := r.paired[who.Device.ID]
	if is && slices.Equal(known.scopes, who.Scopes) {
		return "", false
	}
	if !is {
		known.token = r.ids.token()
	}
	known.scopes = slices.Clone(who.Scopes)
	r.paired[who.Device.ID] = known
	return known.token, true
}
