// Package supervise runs subjects in processes of their own, one worker per subject
// and profile, so that whatever a subject does to its process is a finding about it
// and not the end of the run.
//
// Both ends are here. The parent's is [Supervise]: it starts the workers, keeps the
// deadlines, passes on an interrupt, reaps everything, and alone says what a run
// came to. The child's is [Worker]: it reads one job from stdin, runs the suite, and
// writes one JSON message per line to stdout. Neither prints anything else.
//
//	results := supervise.Supervise(ctx, []supervise.Job{
//		{Subject: "memory", Profile: report.Executor, Seed: 7},
//	}, supervise.Options{})
//	for _, r := range results {
//		run := check.Judge(r.Job.Profile, subject, conformance.Checks(r.Job.Profile), r.Outcomes, r.Cut)
//		…
//	}
//
// A subject that is a process of its own has a worker too, see [Process]. One more
// process stands between then, but deadlines, signals and ends are the same for all
// subjects, and all of them can run side by side. A check that was running when the
// subject's process ended has no judgement.
//
// What a worker leaves out is never a pass: a worker that dies, stops answering,
// writes something else, or finishes without a word about a selected check cuts the
// run, and a check that was running then is inconclusive.
//
// The package imports conformance, conformance/check, conformance/remote,
// conformance/report, fakes and internal.
package supervise
