package host

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// RuntimeID is the native runtime's.
const RuntimeID = "clawboo-native"

// Handler is the surface.
func (h *Host) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, seen := h.o.Now(), &status{ResponseWriter: w}
		route := h.serve(seen, r)
		// The route is a word of ours and never the path, which anyone can put anything into.
		h.o.Log.Info("request", "route", route, "status", seen.code, "took", h.o.Now().Sub(began).Round(time.Millisecond))
	})
}

// status remembers the status of an answer.
type status struct {
	http.ResponseWriter
	code int
}

func (s *status) WriteHeader(code int) {
	if s.code == 0 {
		s.code = code
	}
	s.ResponseWriter.WriteHeader(code)
}

// Unwrap is for [http.ResponseController].
func (s *status) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// serve answers one request and says what it was.
func (h *Host) serve(w http.ResponseWriter, r *http.Request) string {
	if !ourName(r.Host) || !ourOrigin(r.Header.Get("Origin")) {
		refuse(w, http.StatusForbidden, "requests of other sites are refused")
		return "foreign"
	}
	// The path is taken as it was sent: nothing is unescaped, cleaned or redirected.
	path := r.URL.EscapedPath()
	switch path {
	case "/api/runtimes":
		return h.by(w, r, http.MethodGet, "runtimes", h.runtimes)
	case "/api/onboarding/seed-native-team":
		return h.by(w, r, http.MethodPost, "seed-native-team", h.seedTeam)
	}
	rest, ok := strings.CutPrefix(path, "/api/runtimes/")
	id, name, two := strings.Cut(rest, "/")
	routes := map[string]http.HandlerFunc{"healthcheck": h.healthcheck, "connect": h.connect, "disconnect": h.disconnect, "run": h.run}
	do, known := routes[name]
	switch {
	case !ok || !two || !known:
		refuse(w, http.StatusNotFound, "no such route")
		return "none"
	case id != RuntimeID && name == "healthcheck":
		refuse(w, http.StatusBadRequest, "healthcheck is only supported for the native runtime")
		return "other-runtime"
	case id != RuntimeID:
		refuse(w, http.StatusNotFound, "unknown runtime; this host runs "+RuntimeID)
		return "other-runtime"
	}
	return h.by(w, r, http.MethodPost, name, do)
}

// by answers requests with one method and refuses all others.
func (h *Host) by(w http.ResponseWriter, r *http.Request, method, name string, do http.HandlerFunc) string {
	if r.Method != method {
		w.Header().Set("Allow", method)
		refuse(w, http.StatusMethodNotAllowed, "want "+method)
		return name
	}
	do(w, r)
	return name
}

// ourName reports whether a request was sent to this machine by an address or by the name
// localhost. A page of another site can point a name of its own here, but no address.
func ourName(host string) bool {
	name := host
	if n, _, err := net.SplitHostPort(host); err == nil {
		name = n
	}
	return name == "localhost" || net.ParseIP(strings.Trim(name, "[]")) != nil
}

// ourOrigin reports whether a page of this machine sent the request, or none did.
func ourOrigin(origin string) bool {
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
