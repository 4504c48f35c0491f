package host

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// object is the body of an answer.
type object map[string]any

// answer writes one value.
func answer(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v, json.Deterministic(true))
	if err != nil { // of words, numbers and flags: there is none
		status, data = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be written"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // the client may be gone
}

// refuse says why not. The reason is the host's own words.
func refuse(w http.ResponseWriter, status int, reason string) {
	answer(w, status, object{"ok": false, "error": reason})
}

// The words of refusals that several routes have.
const (
	notObject = "the body is not the JSON object that this route takes"
	noKey     = "apiKey is required"
	failed    = "the host cannot do this now; its log says why"
)

// read reads the object that a request sends; no body is an empty one. If it cannot, it
// has answered and returns false. Nothing of a body is in an answer, as there may be a
// key in it.
func (h *Host) read(w http.ResponseWriter, r *http.Request, into any) bool {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTimeout)) // a recorder of a test has none
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.o.MaxBody))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		refuse(w, http.StatusRequestEntityTooLarge, "the body is too long")
		return false
	case err != nil:
		refuse(w, http.StatusBadRequest, "the body did not arrive")
		return false
	}
	_ = control.SetReadDeadline(time.Time{}) // or it would end a long run
	text := strings.TrimSpace(string(data))
	if text == "" {
		return true
	}
	if text[0] != '{' || json.Unmarshal(data, into) != nil {
		refuse(w, http.StatusBadRequest, notObject)
		return false
	}
	return true
}
