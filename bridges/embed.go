package bridges

import (
	"embed"
	"io/fs"
)

//go:embed node/package.json node/bin/*.mjs node/src/*.mjs
var node embed.FS

//go:embed python/__main__.py python/adaptercheck_bridge/*.py
var python embed.FS

// Node is the program of the bridge for JavaScript: node bin/bridge.mjs MODULE.
func Node() fs.FS { return below(node, "node") }

// Python is the program of the bridge for Python: python3 . MODULE.
func Python() fs.FS { return below(python, "python") }

func below(files fs.FS, dir string) fs.FS {
	sub, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // the name is a constant
	}
	return sub
}
