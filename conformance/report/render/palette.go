package render

import (
	"charm.land/lipgloss/v2"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// palette colors words, or leaves them as they are. It uses the terminal's own
// sixteen colors, which follow the user's theme.
type palette struct {
	good, bad, warn, strong, dim func(string) string
}

func newPalette(color bool) palette {
	if !color {
		plain := func(s string) string { return s }
		return palette{plain, plain, plain, plain, plain}
	}
	style := func(s lipgloss.Style) func(string) string {
		return func(text string) string { return s.Render(text) }
	}
	return palette{
		good:   style(lipgloss.NewStyle().Foreground(lipgloss.Green)),
		bad:    style(lipgloss.NewStyle().Foreground(lipgloss.Red).Bold(true)),
		warn:   style(lipgloss.NewStyle().Foreground(lipgloss.Yellow)),
		strong: style(lipgloss.NewStyle().Bold(true)),
		dim:    style(lipgloss.NewStyle().Faint(true)),
	}
}

// verdict is green for a full pass only.
func (p palette) verdict(run report.Run) func(string) string {
	switch {
	case run.Verdict == report.Fails:
		return p.bad
	case run.Verdict == report.Conforms && !run.Partial:
		return p.good
	default:
		return p.warn
	}
}
