package loaders

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"

	"vantage/model"
)

// numberedRow is a row whose text holds its number.
type numberedRow struct {
	Step     int64    `parquet:"step,dict"`
	Prompt   string   `parquet:"prompt,dict"`
	Response string   `parquet:"completion"`
	Reward   float64  `parquet:"reward"`
	Judge    *float64 `parquet:"judge_score,optional"`
	Tags     []string `parquet:"tags"`
}

func response(n int) string { return fmt.Sprintf("answer %d %s", n, strings.Repeat("x", n%700)) }

func numberedTable(t *testing.T, rows int, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[numberedRow](&b, options...)
	for n := range rows {
		r := numberedRow{Step: int64(n / 64), Prompt: fmt.Sprintf("question %d", n/8), Response: response(n), Reward: float64(n % 2), Tags: []string{"a", fmt.Sprint(n)}}
		if n%3 > 0 {
			judge := float64(n) / 4
			r.Judge = &judge
		}
		if _, err := w.Write([]numberedRow{r}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Several readers at once find the text of any row, in any order.
func TestTextOfEveryTableRow(t *testing.T) {
	t.Parallel()
	w := trainer{t, t.TempDir()}
	w.add("a.parquet", string(numberedTable(t, 5000, parquet.Compression(&parquet.Zstd), parquet.PageBufferSize(3000), parquet.MaxRowsPerRowGroup(900))))
	s, all := openAndRead(t, w.path("a.parquet"))
	if len(all) != 5000 {
		t.Fatalf("%d samples", len(all))
	}
	var readers sync.WaitGroup
	for seed := range uint64(3) {
		readers.Go(func() {
			random := rand.New(rand.NewPCG(seed, 1))
			for range 100 {
				n := random.IntN(len(all))
				got, err := s.Text(context.Background(), model.Place{File: all[n].File, Offset: all[n].Offset})
				if err != nil || got.Prompt != fmt.Sprintf("question %d", n/8) || got.Response != response(n) {
					t.Errorf("row %d: %q, %.40q, %v", n, got.Prompt, got.Response, err)
					return
				}
				want := map[string]string{"judge_score": fmt.Sprint(float64(n) / 4), "reward": fmt.Sprint(n % 2)}
				if n%3 == 0 {
					want["judge_score"] = ""
				}
				for _, f := range got.Fields {
					if x, ok := want[f.Name]; ok && f.Value != x {
						t.Errorf("row %d: %s is %s", n, f.Name, f.Value)
					}
				}
			}
		})
	}
	readers.Wait()
}

// Cached pages of a table are not used after it was rewritten.
func TestTextOfRewrittenTable(t *testing.T) {
	w := trainer{t, t.TempDir()}
	w.add("a.parquet", string(numberedTable(t, 3000)))
	s, all := openAndRead(t, w.path("a.parquet"))
	place := model.Place{File: all[2500].File, Offset: all[2500].Offset}
	if got, err := s.Text(context.Background(), place); err != nil || got.Response != response(2500) {
		t.Fatalf("%.40q, %v", got.Response, err)
	}
	if err := os.WriteFile(w.path("a.parquet"), numberedTable(t, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Text(context.Background(), place); err == nil {
		t.Errorf("%.40q", got.Response)
	}
}
