package main

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/mutants"
)

// killed is a matrix in which everything is as it should be, but for what spoil does.
func killed(spoil func(*mutants.Matrix)) mutants.Matrix {
	m := mutants.Matrix{
		Schema: mutants.Schema, Seed: 5,
		Mutants: []mutants.Kill{
			{ID: "history-a", Profile: report.History, Check: "history.identity.stable", Code: "identity-changes", Killed: true, State: report.Failed, Codes: []report.Name{"identity-changes"}, Seed: 5},
			{ID: "history-b", Profile: report.History, Check: "history.privacy.summary", Code: "secret-sent", Killed: true, State: report.Failed, Codes: []report.Name{"secret-sent"}, Seed: 6},
		},
		Right: []mutants.Trial{{ID: "history-right-c", Profile: report.History, Seed: 7, Seeds: 3}},
	}
	spoil(&m)
	return m
}

func TestMutants(t *testing.T) {
	for name, c := range map[string]struct {
		args   []string
		spoil  func(*mutants.Matrix)
		err    error
		want   mutants.Options
		code   int
		stdout string
		stderr string
	}{
		"all is well": {
			args:   []string{"--profile", "history", "--seed", "5"},
			want:   mutants.Options{Profiles: []report.Profile{report.History}, Seed: 5, Seeds: 50},
			stdout: "history: 2 of 2 mutants killed, ALL of ALL checks exercised, 0 of 1 right adapters accused, 3 seeds\n",
			stderr: "seed 5\n",
		},
		"everything is wrong": {
			args: []string{"--seed", "5", "--seeds", "3", "--timeout", "2.5"},
			spoil: func(m *mutants.Matrix) {
				m.Mutants[0].Killed, m.Mutants[0].State, m.Mutants[0].Codes = false, report.Passed, nil
				m.Mutants[1].Killed, m.Mutants[1].Codes = false, []report.Name{"privacy-hung", "privacy-threw"}
				m.Survivors, m.WrongCode = []report.Name{"history-a"}, []report.Name{"history-b"}
				m.Unexercised = []report.Name{"history.identity.root-real"}
				m.Right[0].Seeds = 1
				m.Accused = []mutants.Accusation{
					{ID: "history-right-c", Profile: report.History, Check: "history.identity.root-real", State: report.Failed, Codes: []report.Name{"root-foreign"}, Seed: 7},
					{ID: "history-right-c", Profile: report.History, Check: "history.identity.stable", State: report.InconclusiveCheck, Seed: 8},
				}
			},
			want: mutants.Options{Profiles: mutants.Profiles(), Seed: 5, Seeds: 3, Timeout: 2.5},
			code: 1,
			stdout: `history: 0 of 2 mutants killed, SOME of ALL checks exercised, 1 of 1 right adapters accused, 1 seed

survived: the check did not fail
  history-a  history.identity.stable  passed  want identity-changes  under seed 5

caught by a wrong code
  history-b  history.privacy.summary  failed privacy-hung, privacy-threw  want secret-sent  under seed 6

checks that catch none of their mutants
  history.identity.root-real

right adapters that were accused
  history-right-c  history.identity.root-real  failed root-foreign  under seed 7
  history-right-c  history.identity.stable     inconclusive         under seed 8
`,
			stderr: "seed 5\n",
		},
		"full": {
			args: []string{"--full", "--seed", "5"},
			spoil: func(m *mutants.Matrix) {
				m.Full = true
				m.Mutants[0].Also = []mutants.Catch{{Check: "history.privacy.summary", Codes: []report.Name{"secret-sent"}}}
			},
			want: mutants.Options{Profiles: mutants.Profiles(), Seed: 5, Seeds: 50, Full: true},
			stdout: `history: 2 of 2 mutants killed, ALL of ALL checks exercised, 0 of 1 right adapters accused, 3 seeds

check                    must catch  catches
history.identity.stable  1           1
history.privacy.summary  1           2
`,
			stderr: "seed 5\n",
		},
		"interrupted": {
			args:   []string{"--seed", "5", "--json"},
			err:    context.Canceled,
			want:   mutants.Options{Profiles: mutants.Profiles(), Seed: 5, Seeds: 50},
			code:   3,
			stderr: "seed 5\nadaptercheck: interrupted: there is no matrix\n",
		},
		"broken": {
			args:   []string{"--seed", "5"},
			err:    errors.New("mutant x: there is no check"),
			want:   mutants.Options{Profiles: mutants.Profiles(), Seed: 5, Seeds: 50},
			code:   2,
			stderr: "seed 5\nadaptercheck: mutant x: there is no check\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			sys := system{stdout: &stdout, stderr: &stderr, mutants: func(_ context.Context, o mutants.Options) (mutants.Matrix, error) {
				if o.Progress != nil {
					t.Error("progress is shown where there is no terminal")
				}
				if diff := cmp.Diff(c.want, o); diff != "" {
					t.Errorf("options (-want +got):\n%s", diff)
				}
				if c.err != nil {
					return mutants.Matrix{}, c.err
				}
				if c.spoil == nil {
					c.spoil = func(*mutants.Matrix) {}
				}
				return killed(c.spoil), nil
			}}
			if got := run(append([]string{"mutants"}, c.args...), sys); got != c.code {
				t.Errorf("exit code %d, want %d", got, c.code)
			}
			all := len(conformance.Checks(report.History))
			want := strings.NewReplacer("ALL", strconv.Itoa(all), "SOME", strconv.Itoa(all-1)).Replace(c.stdout)
			if diff := cmp.Diff(want, stdout.String()); diff != "" {
				t.Errorf("stdout (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.stderr, stderr.String()); diff != "" {
				t.Errorf("stderr (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMutantsJSON(t *testing.T) {
	var stdout, stderr bytes.Buffer
	m := killed(func(m *mutants.Matrix) { m.Survivors = []report.Name{"history-a"} })
	sys := system{stdout: &stdout, stderr: &stderr, mutants: func(context.Context, mutants.Options) (mutants.Matrix, error) { return m, nil }}
	if got := run([]string{"mutants", "--json"}, sys); got != 1 {
		t.Errorf("exit code %d for a survivor", got)
	}
	want, err := mutants.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), stdout.String()); diff != "" {
		t.Errorf("stdout (-want +got):\n%s", diff)
	}
}
