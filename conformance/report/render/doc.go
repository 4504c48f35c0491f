// Package render writes a report for people and for CI tools: a summary for a
// terminal, Markdown for a comment on a change, a page of HTML, JUnit XML, TAP and JSON.
//
// Every function validates the report first and writes nothing if that fails, so
// that no format can hold what the JSON may not. Nothing is written in part: the
// text is made whole and then given to the writer once.
//
//	write, err := render.ByExtension("report.md", catalog)
//	if err != nil {
//		return err // names the extensions there are
//	}
//	return write(file, r)
//
// The package imports conformance/report and, for color, lipgloss.
package render
