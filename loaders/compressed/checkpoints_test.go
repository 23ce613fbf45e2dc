package compressed

import (
	"runtime/debug"
	"strings"
	"testing"

	"vantage/loaders/compressed/gzipindex"
)

// Checkpoints stay within their memory limit however much is read.
func TestCheckpointsAreThinned(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(512 << 20))
	r := gzipindex.NewReader(strings.NewReader(""))
	var c checkpoints
	spacing := int64(0)
	for range 3_000_000 {
		spacing = c.add(1, r.Checkpoint())
	}
	if c.bytes > minMemory || c.bytes < minMemory/4 || spacing <= minSpacing {
		t.Errorf("%d bytes of checkpoints, %d bytes of text between them", c.bytes, spacing)
	}
	c.forget(1)
	if c.bytes != 0 || len(c.files) != 0 {
		t.Errorf("%d bytes of checkpoints of a forgotten file", c.bytes)
	}
}
