package bucket_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"vantage/internal/testkit/buckettest"
	"vantage/loaders"
	"vantage/loaders/storage"
	"vantage/model"
)

// useKeys sets the environment that the program reads: the keys of a person who may read one bucket, and a place of its own for
// what it keeps.
func useKeys(t *testing.T, endpoint string) {
	t.Helper()
	for _, name := range []string{"AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL_S3", "AWS_CA_BUNDLE"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("AWS_ENDPOINT_URL", endpoint)
	t.Setenv("AWS_ACCESS_KEY_ID", buckettest.ReaderKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", buckettest.ReaderSecret)
}

// step is the log of a step: groups of 4 with rewards that differ by step, group and place.
func step(number, groups, length int) string {
	var b strings.Builder
	for g := range groups {
		for i := range 4 {
			fmt.Fprintf(&b, `{"input":"prompt %d of %d","output":"%s","gts":"4","score":%d.0,"advantages":0.5,"step":%d}`+"\n", g, number, answer(g, i, length), (g*i+number)%3%2, number)
		}
	}
	return b.String()
}

func answer(g, i, length int) string {
	return fmt.Sprintf("answer %d of %d ", i, g) + strings.Repeat("x", length)
}

// write writes the files of a run to a folder of this machine.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, at := t.TempDir(), time.Now()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil { // written in the order of their steps
			t.Fatal(err)
		}
	}
	return dir
}

// run200 is a run of 200 steps, a file each.
func run200() map[string]string {
	files := map[string]string{}
	for s := 1; s <= 200; s++ {
		files[fmt.Sprintf("%d.jsonl", s)] = step(s, 6, 800)
	}
	return files
}

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

// tableRow is a row of a Parquet file as TRL writes it.
type tableRow struct {
	Step       int64   `parquet:"step"`
	Prompt     string  `parquet:"prompt,dict"`
	Completion string  `parquet:"completion,plain"`
	Length     int64   `parquet:"response_length,optional"`
	Reward     float64 `parquet:"accuracy"`
	Advantage  float64 `parquet:"advantage"`
}

// table is a Parquet file with several groups of rows and long texts that cannot be compressed.
func table(t *testing.T, rows, length int) string {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[tableRow](&b, parquet.MaxRowsPerRowGroup(int64(rows/4)))
	text := make([]byte, length)
	state := uint32(1)
	for i := range rows {
		for k := range text {
			state = state*1664525 + 1013904223
			text[k] = 'a' + byte(state>>24)%26
		}
		r := tableRow{7, fmt.Sprintf("prompt %d", i/8), string(text), int64(length), float64(i % 3 % 2), 0}
		if _, err := w.Write([]tableRow{r}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// open opens paths, with a cache on the disk if there is a directory for it.
func open(t *testing.T, o loaders.Options, paths ...string) *loaders.Source {
	t.Helper()
	s, err := loaders.Open(paths, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// read reads until so many rows have come, or to the end if rows is 0.
func read(t *testing.T, s *loaders.Source, store *model.Store, rows int) model.Snapshot {
	t.Helper()
	late := time.AfterFunc(time.Minute, func() { _ = s.Close() })
	defer late.Stop()
	for {
		chunk, err := s.Next(t.Context())
		if errors.Is(err, io.EOF) && rows == 0 {
			return store.Snapshot()
		}
		if err != nil {
			t.Fatalf("%v, with %d rows and %v", err, store.Snapshot().Rows, store.Snapshot().Run.Problems)
		}
		store.Append(chunk)
		if snap := store.Snapshot(); rows > 0 && snap.Rows >= rows {
			return snap
		}
	}
}

func readAll(t *testing.T, o loaders.Options, path string) model.Snapshot {
	t.Helper()
	return read(t, open(t, o, path), model.NewStore(), 0)
}

// same compares two runs.
func same(t *testing.T, want, got model.Snapshot) {
	t.Helper()
	if want.Rows == 0 || want.Rows != got.Rows || len(want.Steps) != len(got.Steps) {
		t.Fatalf("%d rows in %d steps, want %d in %d; problems: %v", got.Rows, len(got.Steps), want.Rows, len(want.Steps), got.Run.Problems)
	}
	for i := range want.Steps {
		if d := cmp.Diff(want.Steps[i].Rewards, got.Steps[i].Rewards); d != "" {
			t.Errorf("step %d: %s", want.Steps[i].Number, d)
		}
	}
}

// A run in a bucket has the numbers of the same files in a folder of this machine: read the first time, and again from what was
// kept.
func TestBucketIsReadAsAFolder(t *testing.T) {
	server := buckettest.Start(t)
	proxy := buckettest.NewProxy(t, server.Host)
	for name, files := range map[string]map[string]string{
		"lines":  run200(),
		"packed": {"1.jsonl.gz": gzipped(step(1, 20, 3000)), "2.jsonl.gz": gzipped(step(2, 20, 3000))},
		"table":  {"completions_00007.parquet": table(t, 4000, 2000)},
		"large":  {"all.jsonl": step(1, 600, 2000) + step(2, 600, 2000)},
	} {
		t.Run(name, func(t *testing.T) {
			useKeys(t, proxy.URL)
			dir := write(t, files)
			server.PutFolder(t, "runs", "same/"+name, dir)
			want := readAll(t, loaders.Options{}, dir)
			o := loaders.Options{Storage: storage.Options{CacheDir: t.TempDir()}}
			path := "s3://runs/same/" + name
			proxy.Take()
			same(t, want, readAll(t, o, path))
			asked, bytes := proxy.Take()
			same(t, want, readAll(t, o, path))
			again, bytesAgain := proxy.Take()
			t.Logf("%d requests and %d bytes, again %d and %d", len(asked), bytes, len(again), bytesAgain)
			if len(again) > 2 {
				t.Errorf("%d requests for what was kept: %v", len(again), again)
			}
			same(t, want, readAll(t, loaders.Options{}, path)) // nothing is kept
		})
	}
}

// The times in a bucket are those of uploads, in whatever order: they make no second attempt of a run, though a doubt.
func TestUploadsInAnyOrder(t *testing.T) {
	server := buckettest.Start(t)
	useKeys(t, "http://"+server.Host)
	for _, s := range []int{7, 8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6} {
		if s == 1 {
			time.Sleep(3 * time.Second)
		}
		server.Put(t, "runs", fmt.Sprintf("order/%d.jsonl", s), step(s, 2, 10))
	}
	snap := readAll(t, loaders.Options{}, "s3://runs/order")
	if a := snap.Run.Attempts; snap.Rows != 12*8 || a.Count > 1 || len(a.Doubts) == 0 {
		t.Errorf("%d rows, %+v", snap.Rows, a)
	}
}

// A slow link does not keep a person waiting: nothing is asked for before the first frame, and the newest step of a run of 200
// waits for no other.
func TestSlowLink(t *testing.T) {
	server := buckettest.Start(t)
	proxy := buckettest.NewProxy(t, server.Host)
	useKeys(t, proxy.URL)
	server.PutFolder(t, "runs", "slow", write(t, run200()))
	proxy.SetDelay(50 * time.Millisecond)
	start := time.Now()
	s := open(t, loaders.Options{Follow: true}, "s3://runs/slow")
	opened := time.Since(start)
	if asked, _ := proxy.Take(); len(asked) > 0 {
		t.Errorf("%v is asked for before the first frame", asked)
	}
	others := make(chan struct{})
	proxy.SetAnswer(func(r buckettest.Request) (int, string) {
		if r.Range != "" && !strings.HasSuffix(r.Path, "/200.jsonl") {
			<-others
		}
		return 0, ""
	})
	store := model.NewStore()
	snap := read(t, s, store, 1)
	first := time.Since(start)
	close(others)
	if newest := snap.Steps[len(snap.Steps)-1].Number; newest != 200 {
		t.Errorf("step %d came first", newest)
	}
	read(t, s, store, 4800)
	asked, bytes := proxy.Take()
	t.Logf("opened after %v, first group after %v, all after %v with %d requests and %d bytes", opened, first, time.Since(start), len(asked), bytes)
	if len(asked) > 205 {
		t.Errorf("%d requests", len(asked))
	}
}

// Of a Parquet file whose lengths are logged only its end and the columns of numbers and prompts are read, and the text of one sample by its
// range.
func TestParquetColumnsByRange(t *testing.T) {
	server := buckettest.Start(t)
	proxy := buckettest.NewProxy(t, server.Host)
	useKeys(t, proxy.URL)
	text := table(t, 8000, 4000)
	server.Put(t, "runs", "table/completions_00007.parquet", text)
	s := open(t, loaders.Options{}, "s3://runs/table")
	snap := read(t, s, model.NewStore(), 0)
	asked, bytes := proxy.Take()
	t.Logf("%d of %d bytes with %d requests", bytes, len(text), len(asked))
	if snap.Rows != 8000 || bytes > int64(len(text))/10 {
		t.Errorf("%d rows with %d bytes", snap.Rows, bytes)
	}
	place := snap.Steps[0].Place(5000)
	if got, err := s.Text(t.Context(), place); err != nil || len(got.Response) != 4000 {
		t.Errorf("%d bytes of text, %v", len(got.Response), err)
	}
	asked, bytes = proxy.Take()
	t.Logf("a text: %d bytes with %d requests", bytes, len(asked))
}
