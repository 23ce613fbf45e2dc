package loaders

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// Close may be called at any time, also while the next chunk of a packed file is read in the background.
func TestCloseWhileReading(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "rollouts.jsonl.gz")
	h, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	packed := gzip.NewWriter(h)
	for step := range 400 {
		if _, err := packed.Write([]byte(verlStep(step, 50))); err != nil {
			t.Fatal(err)
		}
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		s, err := Open([]string{path}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
