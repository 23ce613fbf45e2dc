package loaders

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"

	"vantage/model"
)

// BenchmarkLoad reads the log named by VANTAGE_BENCH_LOG into a store, as the
// program does: .ci/bench/load makes such logs and sets it against others' readers.
func BenchmarkLoad(b *testing.B) {
	path := os.Getenv("VANTAGE_BENCH_LOG")
	if path == "" {
		b.Skip("no log to read")
	}
	for b.Loop() {
		s, err := Open([]string{path}, Options{})
		if err != nil {
			b.Fatal(err)
		}
		store := model.NewStore()
		for {
			chunk, err := s.Next(context.Background())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			store.Append(chunk)
			b.SetBytes(chunk.Progress.BytesRead)
		}
		_ = s.Close()
	}
}
