package oneshot

import (
	"io"

	"github.com/adaptercheck/adaptercheck/internal/ndjson"
)

// pieceSize is the longest piece in bytes.
const pieceSize = 32 << 10

// pieces yields output as it comes. It is for one goroutine.
type pieces struct {
	from   io.Reader
	buf    []byte
	number int64
}

// Next returns the next piece, which is valid until the next call. None is blank.
func (p *pieces) Next() (ndjson.Line, error) {
	for {
		n, err := p.from.Read(p.buf)
		if n > 0 {
			// An error that came with it comes again.
			p.number++
			return ndjson.Line{Bytes: p.buf[:n], Number: p.number, Length: int64(n)}, nil
		}
		if err != nil {
			return ndjson.Line{}, err
		}
	}
}
