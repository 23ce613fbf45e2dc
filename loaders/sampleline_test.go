package loaders

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"vantage/model"
)

// The line of a sample is that of its record, in whatever order samples are asked for, in files of several
// megabytes, packed or not, and in rows of a table.
func TestLine(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	var want []int64
	random := rand.New(rand.NewPCG(1, 2))
	line := int64(1)
	for log.Len() < 3*markDistance {
		fmt.Fprintf(&log, `{"step":1,"prompt":"%s","response":"x","reward":1}`+"\n", strings.Repeat("p", 1+random.IntN(4000)))
		want = append(want, line)
		line++
		if random.IntN(10) == 0 {
			log.WriteString("\n")
			line++
		}
	}
	w := trainer{t, t.TempDir()}
	w.add("a.jsonl", log.String())
	w.add("b.jsonl.gz", gzipped(t, log.String()))
	for _, name := range []string{"a.jsonl", "b.jsonl.gz"} {
		s, all := openAndRead(t, w.path(name))
		if len(all) != len(want) {
			t.Fatalf("%s: %d samples of %d", name, len(all), len(want))
		}
		order := random.Perm(len(all))[:50]
		for i := range all {
			order = append(order, i)
		}
		for _, i := range order {
			got, err := s.Line(context.Background(), model.Place{File: all[i].File, Offset: all[i].Offset})
			if err != nil || got != want[i] {
				t.Fatalf("%s: sample %d is in line %d, want %d: %v", name, i, got, want[i], err)
			}
		}
	}
}

// Lines of two files are counted on when samples alternate between them; a shortened file is an error.
func TestLineOfSeveralFiles(t *testing.T) {
	t.Parallel()
	w := trainer{t, t.TempDir()}
	row := `{"step":1,"prompt":"p","response":"x","reward":1}` + "\n"
	w.add("a.jsonl", strings.Repeat(row, 20))
	w.add("b.jsonl", "\n"+strings.Repeat(row, 20))
	s, all := openAndRead(t, w.path(""))
	if len(all) != 40 {
		t.Fatalf("%d samples", len(all))
	}
	for i := range 20 {
		for k, want := range []int{i + 1, i + 2} {
			r := all[20*k+i]
			if got, err := s.Line(context.Background(), model.Place{File: r.File, Offset: r.Offset}); err != nil || got != int64(want) {
				t.Fatalf("sample %d of file %d is in line %d, want %d: %v", i, k, got, want, err)
			}
		}
	}
	if err := os.Truncate(w.path("a.jsonl"), 100); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Line(context.Background(), model.Place{File: all[10].File, Offset: all[10].Offset}); err == nil || err.Error() != "a.jsonl cannot be read again: it ends before the sample" {
		t.Errorf("a line of a file that was shortened: %v", err)
	}
}
