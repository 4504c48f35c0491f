package render

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// formats lists what ByExtension knows, in the order in which errors name them.
func formats(catalog report.Catalog) []format {
	html := func(w io.Writer, r report.Report) error { return HTML(w, r, catalog) }
	sarif := func(w io.Writer, r report.Report) error { return SARIF(w, r, catalog) }
	return []format{{".json", JSON}, {".md", Markdown}, {".xml", JUnit}, {".tap", TAP}, {".html", html}, {".sarif", sarif}}
}

type format struct {
	extension string
	write     func(io.Writer, report.Report) error
}

// ByExtension returns the writer for a file of that name: .json for [JSON], .md for
// [Markdown], .xml for [JUnit], .tap for [TAP], .html for [HTML] and .sarif for
// [SARIF], in either case. For any other extension the error names the known ones. The
// catalog is for those that say what a check wants.
func ByExtension(path string, catalog report.Catalog) (func(io.Writer, report.Report) error, error) {
	extension := filepath.Ext(path)
	var known []string
	for _, f := range formats(catalog) {
		if strings.EqualFold(f.extension, extension) {
			return f.write, nil
		}
		known = append(known, f.extension)
	}
	what := fmt.Sprintf("unknown extension %q", extension)
	if extension == "" {
		what = "no extension"
	}
	return nil, fmt.Errorf("report file %q: %s, want one of %s", filepath.Base(path), what, strings.Join(known, ", "))
}

// JSON writes what [report.Marshal] returns.
func JSON(w io.Writer, r report.Report) error {
	data, err := report.Marshal(r)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// Reproducible returns the report without everything that differs from run to run.
// The original keeps its timing.
func Reproducible(r report.Report) report.Report {
	r.Timing = nil
	return r
}
