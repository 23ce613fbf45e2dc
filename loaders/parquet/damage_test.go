package parquet

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"vantage/loaders/decode"
	"vantage/loaders/formats"
	"vantage/loaders/parquet/pages"
)

// A file with wrong bytes ends in samples or an error, and allocates little, whatever it says of
// its own sizes. The files were written by pyarrow, in the codecs and encodings of their names and
// without checksums; a score in a struct has them read row by row.
func TestDamagedFilesAllocateLittle(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.parquet")
	if err != nil || len(paths) == 0 {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, path := range paths {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := countRows(whole); n != 60 || err != nil {
			t.Fatalf("%s: %d rows, %v", path, n, err)
		}
		damage(t, random, path, whole, 500)
	}
}

// damage reads copies of a file with one to three wrong bytes each: none may allocate much.
func damage(t *testing.T, random *rand.Rand, name string, whole []byte, times int) {
	t.Helper()
	for range times {
		data := bytes.Clone(whole)
		for range 1 + random.IntN(3) {
			data[4+random.IntN(len(data)-12)] = byte(random.Uint32())
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := countRows(data)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 32<<20 {
			t.Errorf("%s: %d bytes allocated for %d, %v", name, n, len(data), err)
		}
	}
}

// countRows reads a file to its end, and returns the error that ended it.
func countRows(data []byte) (n int, err error) {
	m := &pages.Memory{}
	defer m.Close()
	f, err := pages.Open(bytes.NewReader(data), int64(len(data)), m)
	if err != nil {
		return 0, err
	}
	format, _ := formats.Find("parquet")
	r, err := NewReader(format.NewDecoder("a.parquet").(*decode.RowDecoder), bytes.NewReader(data), int64(len(data)), f, 1)
	for err == nil {
		b, records, nextErr := r.Next(nil)
		n, err = n+b.Len()+len(records), nextErr
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}
