package script

import (
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/internal/yamltree"
)

// Steps reads a list of frames that stands in a document of another schema, under a key.
// Files is as in [Source]. The mistakes have their places in that document.
func Steps(n *yamltree.Node, key string, files func(name string) ([]byte, error)) ([]fakes.Frame, []*yamltree.Error) {
	r := reader{files: files}
	var frames []fakes.Frame
	for _, s := range r.list(n, key, "step", frameWords) {
		frames = append(frames, s.build().(fakes.Frame))
	}
	return frames, r.problems
}
