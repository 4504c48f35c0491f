package reference

import (
	"io/fs"
	"os"
	"testing"
)

// A record that is half there is read again while the file moves, and only then.
func TestReadStill(t *testing.T) {
	h := newHome(t, fixture()...)
	state := func(content string) fs.FileInfo {
		h.write(t, []byte(content))
		info, err := os.Stat(h.path)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	half, whole := state("{}\n{"), state("{}\n{}\n")
	for _, c := range []struct {
		name     string
		readings []reading
		want     string
		reads    int
	}{
		{"whole", []reading{{[]byte("{}\n{}\n"), whole, whole}}, "{}\n{}\n", 1},
		{"half, and stays so", []reading{{[]byte("{}\n{"), half, half}}, "{}\n{", 1},
		{"half, then whole", []reading{{[]byte("{}\n{"), half, whole}, {[]byte("{}\n{}\n"), whole, whole}}, "{}\n{}\n", 2},
		{"grown after the read", []reading{{[]byte("{}\n"), half, whole}, {[]byte("{}\n{}\n"), whole, whole}}, "{}\n{}\n", 2},
		{"never still", []reading{{[]byte("{}\n{"), half, whole}}, "{}\n{", maxReads},
	} {
		reads := 0
		data, _, err := readStill(func() (reading, error) {
			r := c.readings[min(reads, len(c.readings)-1)]
			reads++
			return r, nil
		})
		if err != nil || string(data) != c.want || reads != c.reads {
			t.Errorf("%s: %q after %d reads, error %v; want %q after %d", c.name, data, reads, err, c.want, c.reads)
		}
	}
}
