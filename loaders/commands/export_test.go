package commands

import (
	"bytes"
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"vantage/model"
	"vantage/model/query"
)

// longRun returns a run of steps with 256 samples.
func longRun(steps int) model.Snapshot {
	store := model.NewStore()
	for step := range steps {
		chunk := &model.Chunk{Format: "synthetic", LengthUnit: model.LengthTokens, HasTruth: true}
		for i := range 256 {
			chunk.Records = append(chunk.Records, model.Record{
				Step: int64(step + 1), Prompt: uint64(i/4 + 1), Reward: float64((i * (i + step)) % 3), Advantage: math.NaN(), Length: 10,
			})
		}
		store.Append(chunk)
	}
	return store.Snapshot()
}

// gauge discards what is written, and records the size of the heap.
type gauge struct{ heap []int }

func (g *gauge) Write(p []byte) (int, error) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	g.heap = append(g.heap, int(m.HeapAlloc))
	return len(p), nil
}

// The last of ten row groups of a Parquet file takes no more memory than the first; in
// between the writer's buffers vary.
func TestParquetMemoryDoesNotGrow(t *testing.T) {
	const slack = 1 << 20 // a row group is several times as much
	long, g := longRun(2560), &gauge{}
	if err := writeParquet(context.Background(), g, long, model.DefaultSettings(), query.Query{}, nil); err != nil {
		t.Fatal(err)
	}
	quarter := len(g.heap) / 4
	if grown := slices.Min(g.heap[3*quarter:len(g.heap)-1]) - slices.Min(g.heap[:quarter]); quarter < 4 || grown > slack {
		t.Errorf("%d bytes more are held at the end than at the beginning, by %d writes", grown, len(g.heap))
	}
	runtime.KeepAlive(long)
}

// A Parquet file without its end is an error.
func TestCutParquetIsRefused(t *testing.T) {
	var whole bytes.Buffer
	if err := writeParquet(context.Background(), &whole, longRun(3), model.DefaultSettings(), query.Query{}, nil); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "part.parquet")
	if err := os.WriteFile(path, whole.Bytes()[:whole.Len()-10], 0o600); err != nil {
		t.Fatal(err)
	}
	p := Program{Out: io.Discard, split: "train"}
	if snap, err := p.readAll(context.Background(), []string{path}); err == nil {
		t.Errorf("it is read as %s", snap)
	}
}
