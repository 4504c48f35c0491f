package executortest

import (
	"context"
	"errors"
	"strings"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// codec is the adapter's codec. One that has none is not judged.
func (t *T) codec() executor.SessionCodec {
	c, ok := t.Adapter.(executor.SessionCodec)
	if !ok {
		t.Unobserved(fakes.Codec)
	}
	return c
}

// serialize writes the run's session down.
func (t *T) serialize(ctx context.Context, h *executor.Run) string {
	codec := t.codec()
	blob, err := check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (string, error) { return codec.Serialize(ctx, h) })
	if errors.Is(err, errors.ErrUnsupported) {
		t.Unobserved(fakes.Codec)
	}
	t.Code("serialize-failed").Expect(err).NotTo(HaveOccurred())
	return blob
}

// restore takes a session over from a blob.
func (t *T) restore(ctx context.Context, blob string) *executor.Run {
	codec := t.codec()
	h, err := check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (*executor.Run, error) { return codec.Restore(ctx, blob) })
	t.Code("restore-failed").Expect(err).NotTo(HaveOccurred())
	t.Code("restore-failed").Expect(h).NotTo(BeNil())
	return h
}

// named ends the check where nothing tells the suite what the runtime calls the session.
func (l *Live) named() {
	if own := l.Native.Begun().Session; !l.t.Offers(fakes.InitFrame) && (own == "" || own == l.Handle.SessionKey()) {
		l.t.Unobserved(fakes.NativeSession)
	}
}

func codec() []check.Check {
	needs := []check.Feature{fakes.Codec, fakes.NativeSession}
	return []check.Check{
		// A session that was written down continues in a fresh instance: the runtime is
		// asked for the native session.
		{
			ID: "executor.codec.resumes", Case: "start", Clause: "executor#resume",
			Level: check.Should, Provenance: check.Stated, Needs: needs,
			Codes: []check.Code{"serialize-failed", "restore-failed", "restored-handle-wrong", "session-not-resumed"},
			Title: "continues a restored session in the runtime",
			Run: with(func(ctx context.Context, t *T) {
				live, o := t.speaking(ctx, "s")
				live.named()
				live.Say(ctx, live.Ok())
				o.Done(ctx)
				blob := t.serialize(ctx, live.Handle)

				fresh := t.another(ctx)
				h, err := check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (*executor.Run, error) { return fresh.codec().Restore(ctx, blob) })
				t.Code("restore-failed").Expect(err).NotTo(HaveOccurred())
				t.Code("restored-handle-wrong").Expect(h).NotTo(BeNil())
				t.Code("restored-handle-wrong").Expect([]string{h.AdapterID(), h.SessionKey()}).To(Equal([]string{t.Adapter.ID(), "s"}))
				next := fresh.Start(ctx, fresh.Opts("s"))
				t.Code("session-not-resumed").Expect(next.begun().Resume).To(Equal(live.NativeSession))
			}),
		},
		// A blob that is not a session is an error.
		{
			ID: "executor.codec.corrupt", Case: "start", Clause: "executor#corrupt-blob",
			Level: check.Must, Provenance: check.Implied, Needs: needs,
			Codes: []check.Code{"corrupt-blob-accepted", "serialize-failed"},
			Title: "refuses a blob that is not a session",
			Run: with(func(ctx context.Context, t *T) {
				live, _ := t.speaking(ctx, "s")
				blob := t.serialize(ctx, live.Handle)
				t.Code("serialize-failed").Expect(blob).NotTo(BeEmpty())
				for _, bad := range []string{"", "not json", "[]", "{}", blob[:len(blob)/2]} {
					_, err := check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (*executor.Run, error) { return t.codec().Restore(ctx, bad) })
					t.Code("corrupt-blob-accepted").Expect(err).To(HaveOccurred())
				}
			}),
		},
		// A blob holds no secret and nothing that was said.
		{
			ID: "executor.codec.clean", Case: "start", Clause: "executor#blob-clean",
			Level: check.Must, Provenance: check.Decided, Needs: needs,
			Codes: []check.Code{"blob-leaks", "serialize-failed"},
			Title: "keeps prompts and answers out of a serialized session",
			Run: with(func(ctx context.Context, t *T) {
				secret := "sk-" + t.Word()
				o := t.Opts("s")
				o.Message, o.Context = "use "+secret, "key="+secret
				live := t.Start(ctx, o)
				seen := t.Observe(ctx, live.Handle)
				live.Say(ctx, append(live.Hello(), live.Text(secret))...)
				if !t.Offers(fakes.LiveText) {
					live.Say(ctx, live.Ok()) // nothing comes before it
				}
				seen.Kind(ctx, executor.KindTextDelta)
				blob := t.serialize(ctx, live.Handle)
				t.Code("serialize-failed").Expect(blob).NotTo(BeEmpty())
				t.Code("blob-leaks").Expect(strings.Contains(blob, secret)).To(BeFalse())
			}),
		},
	}
}
