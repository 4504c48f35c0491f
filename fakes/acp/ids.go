package acp

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// ids makes what a process makes up, the same for a seed and the number of the run.
type ids struct {
	seed, nth uint64
	made      uint64
}

func (m *ids) next() []byte {
	m.made++
	sum := sha256.Sum256(fmt.Appendf(nil, "%d/%d/%d", m.seed, m.nth, m.made))
	return sum[:]
}

// word makes an id with a prefix, as "msg_0f3c…".
func (m *ids) word(prefix string) string { return prefix + "_" + hex.EncodeToString(m.next()[:12]) }

// uuid makes a UUID of version 4.
func (m *ids) uuid() string {
	b := m.next()
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
