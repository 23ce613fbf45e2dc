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

	"vantage/loaders/inflate"
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

// Marks stay within their memory however much is read, and the rest is spread evenly.
func TestMarksAreThinned(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(512 << 20))
	r := inflate.NewReader(strings.NewReader(""))
	m := marks[inflate.Mark]{spacing: gzipSpacing}
	at := int64(0)
	for range 3_000_000 {
		at = m.add(1, r.Mark())
	}
	if m.bytes > leastMarks || m.bytes < leastMarks/4 || at <= gzipSpacing {
		t.Errorf("%d bytes of marks, %d bytes of text between them", m.bytes, at)
	}
	m.forget(1)
	if m.bytes != 0 || len(m.files) != 0 {
		t.Errorf("%d bytes of marks are left of a file that is read anew", m.bytes)
	}
}
