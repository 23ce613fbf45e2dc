package loaders

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"vantage/loaders/compressed/gzipindex"
	"vantage/model"
)

// A text is found wherever it stands in a large compressed file, before or behind the
// one that was read last.
func TestTextOfCompressed(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	answer := func(i int) string { return fmt.Sprintf("answer %d %s", i, strings.Repeat("x", i%900)) }
	n := 0
	for ; text.Len() < 9<<20; n++ {
		fmt.Fprintf(&text, `{"step":1,"prompt":"%x","response":"%s","reward":1}`+"\n", random.Uint64(), answer(n))
	}
	var zipped, packed bytes.Buffer
	for half := range 2 { // two members
		z := gzip.NewWriter(&zipped)
		_, _ = io.WriteString(z, text.String()[half*text.Len()/2:(half+1)*text.Len()/2])
		_ = z.Close()
	}
	z, err := zstd.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(z, text.String())
	_ = z.Close()
	w := trainer{t, t.TempDir()}
	w.add("a.jsonl.gz", zipped.String())
	w.add("a.jsonl.zst", packed.String())
	for _, name := range []string{"a.jsonl.gz", "a.jsonl.zst"} {
		s, all := places(t, w.path(name))
		if len(all) != n {
			t.Fatalf("%s: %d samples of %d", name, len(all), n)
		}
		at := n / 2
		for range 60 {
			got, err := s.Text(context.Background(), model.Place{File: all[at].File, Offset: all[at].Offset})
			if err != nil || got.Response != answer(at) {
				t.Fatalf("%s, row %d: %.40q, %v", name, at, got.Response, err)
			}
			at = []int{(at + 1) % n, max(0, at-1), random.IntN(n)}[random.IntN(3)]
		}
	}
}

// A row that is longer than what is unpacked at a time is found whole, at the end of the file
// too, and one of a CSV beneath its header.
func TestTextOfCompressedThatIsLong(t *testing.T) {
	long := func(i int) string { return strings.Repeat(fmt.Sprintf("%d words. ", i), 90_000) }
	var lines, grid strings.Builder
	_, _ = grid.WriteString("step,prompt,response,reward\n")
	for i := range 12 {
		_, _ = fmt.Fprintf(&lines, `{"step":1,"prompt":"p","response":"%s","reward":1}`+"\n", long(i))
		_, _ = fmt.Fprintf(&grid, "1,p,\"%s\",1\n", long(i))
	}
	e, err := zstd.NewWriter(nil, zstd.WithWindowSize(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	w := trainer{t, t.TempDir()}
	for name, text := range map[string]string{"a.jsonl.zst": strings.TrimSpace(lines.String()), "a.csv.zst": grid.String()} {
		w.add(name, string(e.EncodeAll([]byte(text), nil)))
		s, all := places(t, w.path(name))
		if len(all) != 12 {
			t.Fatalf("%s: %d samples", name, len(all))
		}
		for _, at := range []int{7, 0, 11, 10, 3} {
			got, err := s.Text(context.Background(), model.Place{File: all[at].File, Offset: all[at].Offset})
			if want := long(at); err != nil || got.Response != want {
				t.Errorf("%s, row %d: %d bytes of %d, %v", name, at, len(got.Response), len(want), err)
			}
		}
	}
}

// Marks stay within their memory however much is read, and the rest is spread evenly.
func TestMarksAreThinned(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(512 << 20))
	r := gzipindex.NewReader(strings.NewReader(""))
	var m marks
	at := int64(0)
	for range 3_000_000 {
		at = m.add(1, r.Checkpoint())
	}
	if m.bytes > leastMarks || m.bytes < leastMarks/4 || at <= leastSpacing {
		t.Errorf("%d bytes of marks, %d bytes of text between them", m.bytes, at)
	}
	m.forget(1)
	if m.bytes != 0 || len(m.files) != 0 {
		t.Errorf("%d bytes of marks are left of a file that is read anew", m.bytes)
	}
}
