package acp

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"
)

// maxFile is the longest file that is read or written for an agent, in bytes.
const maxFile = 10 << 20

// files are what an agent may read and write through this host: those in a directory.
type files struct{ dir, may string }

// serve does what the method asks. What is not declared is not known.
func (f files) serve(method string, params jsontext.Value) (any, *sdk.RequestError) {
	switch {
	case method == sdk.ClientMethodFsReadTextFile && f.may != FilesNone:
		var r sdk.ReadTextFileRequest
		if decode(params, &r) != nil {
			return nil, sdk.NewInvalidParams(nil)
		}
		text, err := f.read(r)
		if err != nil {
			return nil, refusal(err)
		}
		return sdk.ReadTextFileResponse{Content: text}, nil
	case method == sdk.ClientMethodFsWriteTextFile && f.may == FilesWrite:
		var r sdk.WriteTextFileRequest
		if decode(params, &r) != nil {
			return nil, sdk.NewInvalidParams(nil)
		}
		if err := f.write(r); err != nil {
			return nil, refusal(err)
		}
		return sdk.WriteTextFileResponse{}, nil
	}
	return nil, sdk.NewMethodNotFound(method)
}

var (
	errOutside = errors.New("the path is not an absolute one in the session's directory")
	errKind    = errors.New("the path is not that of a regular file")
	errSize    = errors.New("the file is too long")
)

// refusal is what the agent is told of an error.
func refusal(err error) *sdk.RequestError {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &sdk.RequestError{Code: codeNotFound, Message: "Resource not found"}
	case errors.Is(err, errOutside), errors.Is(err, errKind), errors.Is(err, errSize):
		return sdk.NewInvalidParams(map[string]any{"error": err.Error()})
	}
	return sdk.NewInternalError(map[string]any{"error": "the file cannot be read or written"})
}

// enter opens the directory and finds the path in it. Links do not lead out of it.
func (f files) enter(path string) (root *os.Root, name string, err error) {
	name, err = f.within(path)
	if err != nil {
		return nil, "", err
	}
	if root, err = os.OpenRoot(f.dir); err != nil {
		return nil, "", err
	}
	info, err := root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		root.Close()
		return nil, "", err
	case !info.Mode().IsRegular(): // one that is no file could make this host wait
		root.Close()
		return nil, "", errKind
	}
	return root, name, nil
}

// within is the path below the directory, be that named as it is or as its links lead.
func (f files) within(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", errOutside
	}
	dirs := []string{f.dir}
	if real, err := filepath.EvalSymlinks(f.dir); err == nil {
		dirs = append(dirs, real)
	}
	for _, dir := range dirs {
		if name, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(name) && name != "." {
			return name, nil
		}
	}
	return "", errOutside
}

func (f files) read(r sdk.ReadTextFileRequest) (string, error) {
	root, name, err := f.enter(r.Path)
	if err != nil {
		return "", err
	}
	defer root.Close()
	file, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return "", err
	}
	if len(data) > maxFile {
		return "", errSize
	}
	return lines(string(data), r.Line, r.Limit), nil
}

// lines are those from a line on, which count from 1, and not more than a limit.
func lines(text string, from, limit *int) string {
	all := strings.SplitAfter(text, "\n")
	if from != nil && *from > 1 {
		all = all[min(*from-1, len(all)):]
	}
	if limit != nil && *limit >= 0 {
		all = all[:min(*limit, len(all))]
	}
	return strings.Join(all, "")
}

func (f files) write(r sdk.WriteTextFileRequest) error {
	if len(r.Content) > maxFile {
		return errSize
	}
	root, name, err := f.enter(r.Path)
	if err != nil {
		return err
	}
	defer root.Close()
	if dir := filepath.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	return root.WriteFile(name, []byte(r.Content), 0o600)
}
