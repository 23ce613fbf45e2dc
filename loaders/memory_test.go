package loaders

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"vantage/model"
)

// A followed file holds little of what was read of it: 4 KB, and 40 bytes a sample.
func TestFollowedFilesHoldLittleMemory(t *testing.T) {
	const files, rows, text = 200, 40, 4000
	dir := t.TempDir()
	for n := range files {
		var b strings.Builder
		for i := range rows {
			fmt.Fprintf(&b, `{"step": %d, "prompt": "question %d", "response": "%s", "reward": 1}`+"\n", n, i/8, strings.Repeat("x", text))
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.jsonl", n)), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := heap()
	s, err := Open([]string{dir}, Options{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	store, samples := model.NewStore(), 0
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for samples < files*rows {
		chunk, err := s.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		store.Append(chunk)
		samples = store.Snapshot().Rows
	}
	const shared = 3 << 20 // buffers and workers, however many files there are
	if held := heap() - before; held > files*4<<10+samples*40+shared {
		t.Errorf("%d files of %d bytes with %d samples hold %d bytes", files, rows*text, samples, held)
	}
	runtime.KeepAlive(store)
}

// heap returns the bytes that are in use.
func heap() int {
	runtime.GC()
	runtime.GC() // what finalizers held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// Where memory runs out, reading ends with a sentence, and what was read stays.
func TestReadingStopsAtTheMemoryLimit(t *testing.T) {
	w := trainer{t, t.TempDir()}
	for n := range 40 {
		w.add(fmt.Sprintf("%d.jsonl", n), strings.Repeat(row(n, 1), 40_000))
	}
	for _, following := range []bool{false, true} {
		s, err := Open([]string{w.dir}, Options{Follow: following, MemoryLimit: 8 << 20})
		if err != nil {
			t.Fatal(err)
		}
		store := model.NewStore()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		for !strings.Contains(fmt.Sprint(err, store.Snapshot().Run.Notes), "the system leaves no more") {
			var chunk *model.Chunk
			if chunk, err = s.Next(ctx); err == nil {
				store.Append(chunk)
			} else if following || ctx.Err() != nil {
				t.Fatal(err)
			}
		}
		if rows := store.Snapshot().Rows; rows == 0 || rows == 40*40_000 {
			t.Errorf("following %t: %d rows were read", following, rows)
		}
		cancel()
		_ = s.Close()
	}
}

// BenchmarkFollowedMemory measures the bytes per row of a log that grows by 1,000 rows at a time, beside
// the texts of its prompts, which repeat.
func BenchmarkFollowedMemory(b *testing.B) {
	const pieces, rows, stepRows, prompts = 300, 1000, 8192, 1000
	path := filepath.Join(b.TempDir(), "1.jsonl")
	log, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	s, err := Open([]string{path}, Options{Follow: true})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	store, samples, written := model.NewStore(), 0, 0
	grow := func() {
		var text strings.Builder
		for range rows {
			prompt := written / 8 % prompts
			fmt.Fprintf(&text, `{"step": %d, "group_id": %d, "prompt": "question %d", "reward": 0.%d, "length": %d}`+"\n", written/stepRows, prompt, prompt, written%10, written%4096)
			written++
		}
		if _, err := log.WriteString(text.String()); err != nil {
			b.Fatal(err)
		}
		for samples < written {
			chunk, err := s.Next(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			store.Append(chunk)
			samples = store.Snapshot().Rows
		}
	}
	for range prompts * 8 / rows {
		grow()
	}
	for b.Loop() {
		before, first := heap(), samples
		for range pieces {
			grow()
		}
		b.ReportMetric(float64(heap()-before)/float64(samples-first), "B/row")
	}
	runtime.KeepAlive(store)
}
