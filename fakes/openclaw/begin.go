package openclaw

import "github.com/adaptercheck/adaptercheck/fakes"

// begin says that the run starts, or that an attempt of it does.
func (run *Run) begin(f fakes.Init) {
	v, s := run.voice, run.session
	v.quiet()
	run.alias = f.Run
	run.gateway.lasts(s)
	if f.Session != "" {
		s.id = f.Session
	}
	s.went = true
	provider, model := s.provider, s.model
	if f.Model != "" {
		provider, model = route(f.Model)
	}
	if run.startedAt == 0 {
		v.progress("preparing_workspace")
	}
	v.attempt(provider, model)
}

// attempt says that the model is about to be called.
func (v *voice) attempt(provider, model string) {
	at := now()
	if v.own() && v.run.startedAt == 0 {
		v.run.startedAt = at
	}
	v.progress("preparing_context")
	v.lifecycle(newObject().str("phase", "start").num("startedAt", at))
	v.progress("starting_model")
	v.model(provider, model)
}
