package privacy

import "strings"

// nameStrength says how far a name speaks for a secret.
type nameStrength uint8

const (
	noName nameStrength = iota
	// looseName is used for other things too: what is given to it is a secret if it
	// looks random.
	looseName
	// firmName means a secret, but is often given the name of one.
	firmName
	// plainName means a secret wherever it stands at the end of a name, such as in
	// DB_PASSWORD or x-api-key.
	plainName
)

// secretNames are the names of secrets, the strongest first. Hyphen and underscore
// are the same in them, and case does not matter.
var secretNames = []struct {
	name     string
	strength nameStrength
}{
	{"api_key", plainName}, {"apikey", plainName},
	{"access_token", plainName}, {"accesstoken", plainName},
	{"auth_token", plainName}, {"authtoken", plainName},
	{"client_secret", plainName}, {"clientsecret", plainName},
	{"password", plainName}, {"passwd", plainName}, {"passphrase", plainName},
	{"secret", firmName}, {"secret_key", firmName}, {"secretkey", firmName}, {"pwd", firmName},
	{"access_key", looseName}, {"accesskey", looseName},
	{"private_key", looseName}, {"privatekey", looseName}, {"token", looseName},
}

// secretName judges the name that a text ends with.
func secretName(text string) nameStrength {
	for _, n := range secretNames {
		if endsWithName(text, n.name) && (n.strength == plainName || beginsWord(text, len(text)-len(n.name))) {
			return n.strength
		}
	}
	return noName
}

// beginsWord reports whether a word begins at a place in a name, as in dbSecret,
// db_secret and secret.
func beginsWord(text string, at int) bool {
	return at == 0 || !isAlnum(text[at-1]) || text[at] < 'a'
}

func endsWithName(text, name string) bool {
	n := len(text) - len(name)
	return n >= 0 && isName(text[n:], name)
}

func isName(text, name string) bool {
	for i := range len(name) {
		c := text[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case c == '-':
			c = '_'
		}
		if c != name[i] {
			return false
		}
	}
	return true
}

// namesSecret reports whether an identifier names a secret: one of the names is in
// it as a word of its own, as in user_password, passwordField or dbSecret. A word
// that only has one at its end, as weak passwords do, does not count.
func namesSecret(identifier string) bool {
	for _, n := range secretNames {
		for at := 0; at+len(n.name) <= len(identifier); at++ {
			end := at + len(n.name)
			if isName(identifier[at:], n.name) && beginsWord(identifier, at) && (end == len(identifier) || endsWord(identifier[end])) {
				return true
			}
		}
	}
	return false
}

func endsWord(next byte) bool { return !isAlnum(next) || 'A' <= next && next <= 'Z' }

// speaksOfSecrets reports whether a text of several words is about secrets instead
// of being one: a label, a prompt, a message.
func speaksOfSecrets(text string) bool {
	lower := strings.ToLower(text)
	for _, word := range []string{
		"password", "passwort", "kennwort", "contraseña", "clave", "mot de passe", "passphrase", "passwd",
		"secret", "token", "api key", "credential", "geheim", "schlüssel",
	} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}
