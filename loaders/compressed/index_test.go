package compressed

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/klauspost/compress/zstd"

	"vantage/internal/testkit/filetest"
	"vantage/loaders/compressed/gzipindex"
)

// Checkpoints stay within their memory limit however much is read.
func TestCheckpointsAreThinned(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(512 << 20))
	point := largeCheckpoint(t)
	var c checkpoints
	spacing := int64(0)
	for range 4 * minMemory / point.Size() {
		spacing = c.add(1, point)
	}
	if c.bytes > minMemory || c.bytes < minMemory/4 || spacing < 4*minSpacing {
		t.Errorf("%d bytes of checkpoints, %d bytes of text between them", c.bytes, spacing)
	}
	c.forget(1)
	if c.bytes != 0 || len(c.files) != 0 {
		t.Errorf("%d bytes of checkpoints of a forgotten file", c.bytes)
	}
}

// largeCheckpoint returns a checkpoint with a window of noise.
func largeCheckpoint(t *testing.T) (point gzipindex.Checkpoint) {
	t.Helper()
	noise := make([]byte, 100<<10)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(noise)
	_ = z.Close()
	r := gzipindex.NewReader(&packed)
	r.OnBlock = func(r *gzipindex.Reader) { point = r.Checkpoint() }
	if _, err := io.Copy(io.Discard, r); err != nil {
		t.Fatal(err)
	}
	return point
}

// Texts far apart that are asked for in their order are found in one pass over a zstd file, and those before again from its start.
func TestTextsInOrderTakeOnePass(t *testing.T) {
	const line = 1 << 10
	text := make([]byte, 24<<20)
	for i := 0; i < len(text); i += line {
		copy(text[i:], fmt.Sprintf("%*d", line, i))
	}
	path := filepath.Join(t.TempDir(), "a.zst")
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := z.EncodeAll(text, nil)
	filetest.Write(t, path, packed)
	var x Index
	read := 0
	for _, offset := range []int{0, 5 << 20, 12 << 20, 12<<20 + line, 23 << 20, 1 << 20} {
		h, err := os.Open(path) // it is opened again for each text
		if err != nil {
			t.Fatal(err)
		}
		if offset == 1<<20 {
			if read > len(packed)+len(packed)/4 {
				t.Errorf("%d bytes were read of a file of %d", read, len(packed))
			}
		}
		in, err := x.TextAt(context.Background(), Zstd, 1, countedFile{h, &read}, int64(offset))
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 3*line) // beyond what is cached as well
		if _, err := io.ReadFull(in, got); err != nil || !bytes.Equal(got, text[offset:offset+len(got)]) {
			t.Errorf("the text at %d is %q: %v", offset, got[line-8:line], err)
		}
		_ = h.Close()
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
