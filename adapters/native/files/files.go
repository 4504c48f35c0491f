package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	strict "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/adapters/native/tool"
)

// Tools are the file tools of a working directory, none for an empty one. The
// directory need not be there before a tool is called.
func Tools(dir string) []tool.Tool {
	if dir == "" {
		return nil
	}
	return []tool.Tool{
		file{dir, tool.Definition{
			Name:        "read_file",
			Description: "Read a text file of the workspace. Longer files are cut after 65536 bytes.",
			Schema:      json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"Path relative to the workspace."}},"required":["path"]}`),
		}, read},
		file{dir, tool.Definition{
			Name:        "write_file",
			Description: "Write a text file of the workspace, over what was there. Missing directories are made.",
			Schema:      json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"Path relative to the workspace."},"content":{"type":"string","description":"All of the new content."}},"required":["path","content"]}`),
		}, write},
		file{dir, tool.Definition{
			Name:        "list_files",
			Description: "List one directory of the workspace.",
			Schema:      json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"Path relative to the workspace; the workspace itself if absent."}}}`),
		}, list},
	}
}

// file is one of the tools.
type file struct {
	dir        string
	definition tool.Definition
	do         func(*os.Root, arguments) (string, error)
}

// arguments are those of all three tools, as the model wrote them.
type arguments struct {
	Path    jsontext.Value `json:"path"`
	Content jsontext.Value `json:"content"`
}

func (f file) Definition() tool.Definition { return f.definition }

func (f file) Call(ctx context.Context, input json.RawMessage) tool.Result {
	if err := ctx.Err(); err != nil {
		return tool.Error(err.Error())
	}
	var args arguments
	if len(input) > 0 {
		if err := strict.Unmarshal(input, &args); err != nil {
			return tool.Error("invalid args: expected a JSON object")
		}
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return tool.Error("workspace: " + reason(err))
	}
	defer root.Close()
	output, err := f.do(root, args)
	if err != nil {
		return tool.Error(err.Error())
	}
	return tool.Result{Output: output}
}

var (
	errPath = errors.New("path must be a relative path inside the workspace")
	errFile = errors.New("not a file")
	errLink = errors.New("the file has another name (a hard link), which may be outside of the workspace")
)

// within is the path that a model named, cleaned, if that is one inside.
func within(value jsontext.Value) (string, error) {
	name, ok := text(value)
	if !ok || !filepath.IsLocal(name) {
		return "", errPath
	}
	return filepath.Clean(name), nil
}

// text is the string that a JSON value is.
func text(value jsontext.Value) (string, bool) {
	if value.Kind() != '"' {
		return "", false
	}
	var s string
	err := strict.Unmarshal(value, &s)
	return s, err == nil
}

// failed says what failed with a path, as the model knows it. Paths of the host are
// left out.
func failed(name string, err error) error {
	if errors.Is(err, errPath) || errors.Is(err, errFile) || errors.Is(err, errLink) {
		return err
	}
	return fmt.Errorf("%s: %s", filepath.ToSlash(name), reason(err))
}

// reason is an error without the path that it is about.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// sole refuses what is no regular file, and a file that has other names.
func sole(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errFile
	}
	names, err := links(f, info)
	if err != nil {
		return err
	}
	if names > 1 {
		return errLink
	}
	return nil
}
