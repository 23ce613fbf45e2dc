package compressed

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"runtime/debug"
	"testing"

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
