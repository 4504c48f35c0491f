package history

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// digest stands for a list of ids whose order does not matter. The zero value is
// that of no list.
type digest [sha256.Size]byte

// digestOf hashes the sorted ids. Each is preceded by its length, so that no id
// can pass for two.
func digestOf(ids []string) digest {
	h := sha256.New()
	var scratch []byte
	for _, id := range slices.Sorted(slices.Values(ids)) {
		scratch = binary.AppendUvarint(scratch[:0], uint64(len(id)))
		scratch = append(scratch, id...)
		h.Write(scratch)
	}
	return digest(h.Sum(nil))
}
