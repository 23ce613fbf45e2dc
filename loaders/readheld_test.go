package loaders

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"vantage/model"
)

// A Parquet file reads the same from a stream and from a gzip or zstd file, which has texts too.
func TestParquetInStreamAndCompressed(t *testing.T) {
	t.Parallel()
	plain := string(trlTable(t, []trlRow{{3, "p", "left", 1, 0, 0.5}, {3, "p", "right", 0, 0, -0.5}}))
	for name, data := range map[string]string{"": plain, ".gz": gzipped(t, plain), ".zst": zstdCompressed(t, plain)} {
		s, err := Open([]string{"-"}, Options{Stdin: io.NopCloser(strings.NewReader(data))})
		if err != nil {
			t.Fatal(err)
		}
		got := drain(t, s)
		_ = s.Close()
		if got.rewards() != "1 0" || got.Format != "trl" || got.Records[0].Step != 3 || len(got.Problems) > 0 {
			t.Errorf("a pipe of %q: %s rewards %s, problems %v", name, got.Format, got.rewards(), got.Problems)
		}
		w := trainer{t, t.TempDir()}
		w.add("completions_00003.parquet"+name, data)
		file, all := openAndRead(t, w.dir)
		if len(all) != 2 || all[1].Advantage != -0.5 {
			t.Fatalf("a file %q: %+v", name, all)
		}
		text, err := file.Text(context.Background(), model.Place{File: all[1].File, Offset: all[1].Offset})
		if err != nil || text.Response != "right" {
			t.Errorf("the text of a file %q: %+v, %v", name, text, err)
		}
	}
}

// A table that was cut off is a problem. One that is rewritten while it is followed is read
// again.
func TestParquetInMemoryFails(t *testing.T) {
	t.Parallel()
	one := string(trlTable(t, []trlRow{{1, "p", "a", 1, 0, 0.5}}))
	for name, data := range map[string]string{"a pipe": one[:len(one)-9], "a packed one": gzipped(t, one[:len(one)-9])} {
		s, err := Open([]string{"-"}, Options{Stdin: io.NopCloser(strings.NewReader(data))})
		if err != nil {
			t.Fatal(err)
		}
		if got := drain(t, s); len(got.Problems) != 1 || !strings.Contains(got.Problems[0].Reason, "ends early") {
			t.Errorf("%s: %v", name, got.Problems)
		}
		_ = s.Close()
	}
	w := trainer{t, t.TempDir()}
	w.add("completions_00001.parquet.gz", gzipped(t, one))
	r := follow(t, w.dir, Options{settleTime: time.Hour})
	r.until("the first", hasRewards("1"))
	two := string(trlTable(t, []trlRow{{1, "p", "a", 1, 0, 0.5}, {1, "p", "b", 2, 0, 0.5}}))
	w.replace("completions_00001.parquet.gz", gzipped(t, two))
	r.until("the second", hasRewards("1 2"))
}
