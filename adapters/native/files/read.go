package files

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// maxRead is how much of a file is read, in bytes.
const maxRead = 65536

func read(root *os.Root, args arguments) (string, error) {
	name, err := within(args.Path)
	if err != nil {
		return "", err
	}
	content, more, err := readHead(root, name)
	if err != nil {
		return "", failed(name, err)
	}
	if more {
		content = mark(content)
	}
	return content, nil
}

// readHead is the beginning of a file, and whether there is more of it.
func readHead(root *os.Root, name string) (content string, more bool, err error) {
	f, err := root.OpenFile(name, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	if err := sole(f); err != nil {
		return "", false, err
	}
	// A character that begins within the bound ends at most three bytes behind it.
	data, err := io.ReadAll(io.LimitReader(f, maxRead+utf8.UTFMax))
	if err != nil {
		return "", false, err
	}
	kept := cut(string(data), maxRead)
	// A replacement is longer than the byte that it stands for.
	valid := strings.ToValidUTF8(kept, "\uFFFD")
	content = cut(valid, maxRead)
	return content, len(kept) < len(data) || len(content) < len(valid), nil
}

// mark ends a text that was cut.
func mark(text string) string { return fmt.Sprintf("%s\n…[truncated at %d bytes]", text, maxRead) }

// cut is the text, at most limit bytes of it, not ended inside a character.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for back := limit; back > limit-utf8.UTFMax && back > 0; back-- {
		if utf8.RuneStart(text[back]) {
			return text[:back]
		}
	}
	return text[:limit] // no character is that long
}
