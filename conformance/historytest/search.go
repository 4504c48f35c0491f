package historytest

import (
	"encoding"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// texts lists every string that can be got out of a value: strings, bytes, keys,
// fields whether exported or not, and what its own methods make of it. It bears
// cycles, any depth, and methods that panic.
func texts(values ...any) []string {
	w := walker{seen: map[visit]bool{}}
	for _, v := range values {
		w.walk(reflect.ValueOf(v))
	}
	return w.out
}

// visit is one place of memory seen as one type; a struct and its first field
// share an address.
type visit struct {
	address uintptr
	length  int
	typ     reflect.Type
}

type walker struct {
	out  []string
	seen map[visit]bool
}

func (w *walker) walk(v reflect.Value) {
	if !v.IsValid() {
		return
	}
	if v.CanInterface() {
		w.speak(v.Interface())
	}
	switch v.Kind() {
	case reflect.String:
		w.out = append(w.out, v.String())
	case reflect.Interface:
		w.walk(v.Elem())
	case reflect.Pointer:
		if !v.IsNil() && w.first(v, 0) {
			w.walk(v.Elem())
		}
	case reflect.Map:
		if v.IsNil() || !w.first(v, 0) {
			return
		}
		for it := v.MapRange(); it.Next(); {
			w.walk(it.Key())
			w.walk(it.Value())
		}
	case reflect.Slice:
		if v.IsNil() || !w.first(v, v.Len()) {
			return
		}
		w.items(v)
	case reflect.Array:
		w.items(v)
	case reflect.Struct:
		for i := range v.NumField() {
			w.walk(v.Field(i))
		}
	}
}

func (w *walker) items(v reflect.Value) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		b := make([]byte, v.Len())
		for i := range b {
			b[i] = byte(v.Index(i).Uint())
		}
		w.out = append(w.out, string(b))
		return
	}
	for i := range v.Len() {
		w.walk(v.Index(i))
	}
}

func (w *walker) first(v reflect.Value, length int) bool {
	at := visit{v.Pointer(), length, v.Type()}
	if w.seen[at] {
		return false
	}
	w.seen[at] = true
	return true
}

// speak adds what a value says of itself: a value may write out at its transport
// what was taken out of it before.
func (w *walker) speak(v any) {
	defer func() { _ = recover() }()
	if m, ok := v.(interface{ MarshalJSON() ([]byte, error) }); ok {
		if b, err := m.MarshalJSON(); err == nil {
			w.out = append(w.out, string(b))
		}
	}
	if m, ok := v.(encoding.TextMarshaler); ok {
		if b, err := m.MarshalText(); err == nil {
			w.out = append(w.out, string(b))
		}
	}
	switch v := v.(type) {
	case error:
		w.out = append(w.out, v.Error())
	case fmt.Stringer:
		if reflect.ValueOf(v).Kind() != reflect.String {
			w.out = append(w.out, v.String())
		}
	}
}

// found returns the first of the needles that is in one of the texts.
func found(in, needles []string) (string, bool) {
	for _, s := range in {
		for _, n := range needles {
			if strings.Contains(s, n) {
				return n, true
			}
		}
	}
	return "", false
}

// onDisk returns the first of the needles that is in a file or a file's name
// below the directory. What cannot be read holds nothing.
func onDisk(dir string, needles []string) (path string, is bool) {
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		in := []string{d.Name()}
		if d.Type().IsRegular() {
			if b, err := os.ReadFile(p); err == nil {
				in = append(in, string(b))
			}
		}
		if _, hit := found(in, needles); hit {
			path, is = p, true
			return fs.SkipAll
		}
		return nil
	})
	return path, is
}
