package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// maxEntries is how many entries of a directory are listed.
const maxEntries = 1000

func list(root *os.Root, args arguments) (string, error) {
	name := "."
	if s, ok := text(args.Path); ok && s != "" {
		var err error
		if name, err = within(args.Path); err != nil {
			return "", err
		}
	}
	lines, err := entries(root, name)
	if err != nil {
		return "", failed(name, err)
	}
	if len(lines) == 0 {
		return "(empty)", nil
	}
	more := len(lines) > maxEntries
	lines = lines[:min(len(lines), maxEntries)]
	slices.Sort(lines)
	if more {
		lines = append(lines, fmt.Sprintf("…[truncated at %d entries]", maxEntries))
	}
	return strings.ToValidUTF8(strings.Join(lines, "\n"), "\uFFFD"), nil
}

// entries is a line for each entry of a directory, in no order, and not many more
// lines than are listed.
func entries(root *os.Root, name string) ([]string, error) {
	dir, err := root.OpenFile(name, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	found, err := dir.ReadDir(maxEntries + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	lines := make([]string, len(found))
	for i, entry := range found {
		kind := "file" // so is a link, be it to a directory: it may lead nowhere
		if entry.IsDir() {
			kind = "dir "
		}
		lines[i] = kind + " " + entry.Name()
	}
	return lines, nil
}
