package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

func (sys system) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of the program, the suite and its catalogs",
		Args:  nothing,
		RunE: func(*cobra.Command, []string) error {
			w := sys.stdout
			fmt.Fprintf(w, "adaptercheck %s %s %s/%s\n", toolVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			fmt.Fprintf(w, "suite %s, %s, %s\n", check.SuiteVersion, report.Schema, report.CatalogSchema)
			for _, p := range report.Profiles() {
				if checks := conformance.Checks(p); len(checks) > 0 {
					fmt.Fprintf(w, "%-8s  %3d checks  %s\n", p, len(checks), check.Digest(checks))
				}
			}
			return nil
		},
	}
}

// toolVersion is the module's version, or dev for a build from a working tree.
func toolVersion() report.Name {
	info, ok := debug.ReadBuildInfo()
	if ok {
		if v := report.Name(strings.TrimPrefix(info.Main.Version, "v")); v.Valid() {
			return v
		}
	}
	return "dev"
}
