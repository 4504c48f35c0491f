package oneshot

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// mute is a wire that says nothing.
type mute struct{}

func (mute) Line(int64, []byte) []executor.Event   { return nil }
func (mute) TooLong(int64, int64) []executor.Event { return nil }
func (mute) Session() string                       { return "" }
func (mute) Rest() time.Duration                   { return 0 }
func (mute) ToolsOpen() bool                       { return false }
func (mute) Keep(*note)                            {}
func (mute) Finish(Ending) []executor.Event        { return nil }

func host() *Host[note, mute] { return New[note, mute](Options{ID: "mute"}) }

func known(h *Host[note, mute]) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.handles)
}

// note is the state of a mute session.
type note struct {
	N int `json:"n"`
}

func restored(t *testing.T, h *Host[note, mute], key string, n int) *executor.Run {
	t.Helper()
	run, err := h.Restore(fmt.Sprintf(`{"v":1,"sessionKey":%q,"n":%d}`, key, n), func(note) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestHandlesAreForgottenWithTheirOwner(t *testing.T) {
	h := host()
	for i := range 50 {
		restored(t, h, fmt.Sprintf("s%d", i), i)
	}
	for range 1000 {
		if known(h) == 0 {
			return
		}
		runtime.GC()
		runtime.Gosched()
	}
	t.Errorf("%d handles are kept", known(h))
}

func TestRestoredSessionsKeepTheirState(t *testing.T) {
	h := host()
	run := restored(t, h, "s", 7)
	if blob, err := h.Serialize(run); blob != `{"v":1,"sessionKey":"s","n":7}` || err != nil {
		t.Errorf("%s %v", blob, err)
	}
	if run.AdapterID() != "mute" || run.SessionKey() != "s" {
		t.Errorf("handle of %q, session %q", run.AdapterID(), run.SessionKey())
	}
	if _, live, err := h.Wire(run); live || err != nil {
		t.Errorf("live=%v, %v", live, err)
	}
	if err := h.Abort(run); err != nil {
		t.Error(err)
	}
	if err := h.Dispose(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := h.Restore(`{"v":1,"sessionKey":"s","n":8}`, func(note) error { return nil }); !errors.Is(err, executor.ErrDisposed) {
		t.Errorf("after dispose: %v", err)
	}
	runtime.KeepAlive(run)
}

func TestStrangersAreUnknown(t *testing.T) {
	h := host()
	for _, run := range []*executor.Run{nil, executor.NewRun("mute", "s")} {
		_, blob := h.Serialize(run)
		_, _, wire := h.Wire(run)
		for what, err := range map[string]error{
			"abort": h.Abort(run), "model": h.SetModel(run, "m", nil), "context": h.WriteContext(run, "k", "v", nil), "serialize": blob, "wire": wire,
		} {
			if !errors.Is(err, executor.ErrUnknownRun) {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}

func TestPiecesAreReplacedByKeyAndPutBeforeTheMessage(t *testing.T) {
	pieces := put(put(put(nil, piece{"a", "1"}), piece{"b", "2"}), piece{"a", "3"})
	if d := cmp.Diff("a:\n3\n\nb:\n2\n\nctx\n\nmsg", prompt(pieces, "ctx", "msg")); d != "" {
		t.Error(d)
	}
	if got := prompt(nil, "", "msg"); got != "msg" {
		t.Errorf("%q", got)
	}
}

func TestKeysAndModels(t *testing.T) {
	for _, key := range []string{"", "..", "../x", "/etc/x", "a/../../x", `..\x`, "a\nb", "a\x00b"} {
		if CheckKey(key) == nil {
			t.Errorf("key %q was taken", key)
		}
	}
	for _, key := range []string{"NOTES.md", "a/b.md", "a/../b"} {
		if err := CheckKey(key); err != nil {
			t.Errorf("key %q: %v", key, err)
		}
	}
	if CheckModel("--yolo") == nil || CheckModel("a\x00") == nil || CheckModel("") != nil || CheckModel("opus") != nil {
		t.Error("models are judged wrongly")
	}
}

func TestBlobsThatAreNone(t *testing.T) {
	odd := errors.New("field n: odd")
	for name, blob := range map[string]string{
		"empty": "", "no JSON": "x", "null": "null", "an array": "[]", "two values": `{"v":1,"sessionKey":"s","n":0}{}`,
		"no version": `{"sessionKey":"s","n":0}`, "another version": `{"v":2,"sessionKey":"s","n":0}`, "no session": `{"v":1,"n":0}`,
		"a key twice": `{"v":1,"v":1,"sessionKey":"s"}`, "an unknown key": `{"v":1,"sessionKey":"s","more":1}`, "odd state": `{"v":1,"sessionKey":"s","n":1}`,
	} {
		run, err := host().Restore(blob, func(s note) error {
			if s.N%2 == 1 {
				return odd
			}
			return nil
		})
		if run != nil || err == nil {
			t.Errorf("%s: taken", name)
		}
		if name == "odd state" && !errors.Is(err, odd) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if IsUUID("last") || IsUUID("") || !IsUUID("01890a5d-ac96-774b-bcce-b302099a8057") {
		t.Error("ids are judged wrongly")
	}
}
