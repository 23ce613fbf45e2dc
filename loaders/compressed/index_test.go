package compressed

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"vantage/internal/testkit/filetest"
)

// Texts far apart that are asked for in their order are found in one pass over a gzip or zstd file, and those before again from its start.
func TestTextsInOrderTakeOnePass(t *testing.T) {
	const line = 1 << 10
	text := make([]byte, 24<<20)
	for i := 0; i < len(text); i += line {
		copy(text[i:], fmt.Sprintf("%*d", line, i))
	}
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for packing, packed := range map[Packing][]byte{Zstd: z.EncodeAll(text, nil), Gzip: gzipped(t, text)} {
		path := filepath.Join(t.TempDir(), "a")
		filetest.Write(t, path, packed)
		var x Index
		read := 0
		for _, offset := range []int{0, 5 << 20, 12 << 20, 12<<20 + line, 23 << 20, 1 << 20} {
			h, err := os.Open(path) // it is opened again for each text
			if err != nil {
				t.Fatal(err)
			}
			if offset == 1<<20 && read > len(packed)+len(packed)/4 {
				t.Errorf("%s: %d bytes were read of a file of %d", packing, read, len(packed))
			}
			in, err := x.TextAt(context.Background(), packing, 1, countedFile{h, &read}, int64(offset))
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, 3*line) // beyond what is cached as well
			if _, err := io.ReadFull(in, got); err != nil || !bytes.Equal(got, text[offset:offset+len(got)]) {
				t.Errorf("%s: the text at %d is %q: %v", packing, offset, got[line-8:line], err)
			}
			_ = h.Close()
		}
	}
}

// countedFile counts the bytes that are read.
type countedFile struct {
	*os.File
	read *int
}

func (f countedFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(p, at)
	*f.read += n
	return n, err
}
