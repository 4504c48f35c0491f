package process

import (
	"runtime"
	"slices"
	"strings"
)

// passed names the variables of the host that a child gets without being asked
// for: what a program needs to find its files, its user, its language and its
// certificates. None of them is a place for secrets; proxies are not here because
// their URLs are.
var passed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD",
	"LANG", "LANGUAGE", "LC_*", "TERM", "COLORTERM", "NO_COLOR", "TZ",
	"TMPDIR", "TMP", "TEMP",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR",
	"SSL_CERT_FILE", "SSL_CERT_DIR",
	// Windows programs do not start without these.
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT",
	"USERPROFILE", "USERNAME", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA",
}

// Environ builds a child's environment from that of the host by an allow list: a
// short list of names that programs need (PATH, HOME, LANG, TMPDIR, TERM and the
// like), the names in allow, and then extra, name=value each, which is passed as it
// is and wins. A name in allow may end in * for a prefix. Everything else of the
// host stays with the host, credentials first of all.
func Environ(host, allow, extra []string) []string {
	var env []string
	at := map[string]int{}
	set := func(pair string) {
		name, _, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return
		}
		name = fold(name)
		if i, known := at[name]; known {
			env[i] = pair
			return
		}
		at[name] = len(env)
		env = append(env, pair)
	}
	for _, pair := range host {
		name, _, _ := strings.Cut(pair, "=")
		if matches(passed, name) || matches(allow, name) {
			set(pair)
		}
	}
	for _, pair := range extra {
		set(pair)
	}
	return env
}

// Only returns those variables of an environment whose names are in allow, as
// [Environ] reads it.
func Only(env, allow []string) []string {
	var found []string
	for _, pair := range env {
		if name, _, ok := strings.Cut(pair, "="); ok && matches(allow, name) {
			found = append(found, pair)
		}
	}
	return found
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
			return strings.HasPrefix(fold(name), fold(prefix))
		}
		return fold(name) == fold(pattern)
	})
}

// fold makes names equal that the system takes for equal.
func fold(name string) string {
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}
