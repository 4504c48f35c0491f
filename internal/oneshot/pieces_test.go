package oneshot

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestPiecesAreAllThatWasPrinted(t *testing.T) {
	want := "\r\n a\n\n" + strings.Repeat("x", 3*pieceSize) + "\u2028 \n"
	broken := errors.New("broken")
	for name, from := range map[string]io.Reader{
		"whole":          strings.NewReader(want),
		"byte by byte":   iotest.OneByteReader(strings.NewReader(want)),
		"with the error": iotest.DataErrReader(io.MultiReader(strings.NewReader(want), iotest.ErrReader(broken))),
	} {
		t.Run(name, func(t *testing.T) {
			p := &pieces{from: from, buf: make([]byte, pieceSize)}
			var got strings.Builder
			for number := int64(1); ; number++ {
				piece, err := p.Next()
				if err != nil {
					if !errors.Is(err, io.EOF) && !errors.Is(err, broken) {
						t.Errorf("ended with %v", err)
					}
					break
				}
				if piece.Number != number || piece.Length != int64(len(piece.Bytes)) || piece.Blank || piece.TooLong {
					t.Errorf("piece %+v", piece)
				}
				got.Write(piece.Bytes)
			}
			if got.String() != want {
				t.Errorf("%d bytes came, want %d", got.Len(), len(want))
			}
		})
	}
}
