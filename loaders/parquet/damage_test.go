package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/parquettest"
	"vantage/internal/testkit/repotest"
	"vantage/loaders/decode"
	"vantage/loaders/formats"
	"vantage/loaders/parquet/pages"
)

func TestMain(m *testing.M) { repotest.Run(m) }

// A file with wrong bytes ends in samples or an error, and allocates little, whatever it says of
// its own sizes. The files were written by pyarrow, in the codecs and encodings of their names and
// without checksums; a score in a struct, or a conversation, has them read row by row. One has a
// column of nulls without a type.
func TestDamagedFilesAllocateLittle(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.parquet")
	if err != nil || len(paths) == 0 {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, path := range paths {
		whole := filetest.Read(t, path)
		if n, err := countRows(whole); n != 60 || err != nil {
			t.Fatalf("%s: %d rows, %v", path, n, err)
		}
		damage(t, random, path, whole, repotest.Times(100, 500))
	}
}

// damage reads copies of a file with one to three wrong bytes each, and copies that end early: none may
// allocate much.
func damage(t *testing.T, random *rand.Rand, name string, whole []byte, times int) {
	t.Helper()
	for range times {
		data := bytes.Clone(whole)
		for range 1 + random.IntN(3) {
			data[4+random.IntN(len(data)-12)] = byte(random.Uint32())
		}
		readDamaged(t, name, data)
	}
	for range times / 10 {
		readDamaged(t, name, whole[:random.IntN(len(whole))])
	}
}

// readDamaged reads a file of some kilobytes and its cells. It allocates little, and ends soon.
func readDamaged(t *testing.T, name string, data []byte) {
	t.Helper()
	before, start := allocated(), time.Now()
	_, err := countRows(data)
	if n, took := allocated()-before, time.Since(start); n > 48<<20 || took > 10*time.Second {
		t.Errorf("%s: %d bytes allocated for %d in %v, %v", name, n, len(data), took, err)
	}
}

// allocated returns how many bytes have been allocated so far.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// Whatever one number of a file claims, of each codec, encoding and version of pages, little is
// allocated for it.
func TestClaimsAllocateLittle(t *testing.T) {
	repotest.OneGoroutine(t)
	n := 0
	for name, whole := range madeFiles(t) {
		if rows, err := countRows(whole); rows != 60 || err != nil {
			t.Fatalf("%s: %d rows, %v", name, rows, err)
		}
		isSnappy := strings.HasPrefix(name, parquet.Snappy.String()) // other codecs change nothing in the footer
		for what, data := range parquettest.Claims(whole) {
			if n++; n%4 < repotest.Times(1, 4) && (isSnappy || strings.HasPrefix(what, "chunk")) {
				readDamaged(t, name+": "+what, data)
			}
		}
		for what, data := range parquettest.Lengths(whole) {
			if n++; n%4 < repotest.Times(1, 4) && isSnappy {
				readDamaged(t, name+": "+what, data)
			}
		}
	}
}

// madeFiles are small files that parquet-go writes in each codec, encoding and version of pages, flat
// and with conversations.
func madeFiles(t *testing.T) map[string][]byte {
	t.Helper()
	type message struct {
		Role    string  `parquet:"role,dict"`
		Content *string `parquet:"content,optional"`
	}
	type row struct {
		Step     int64     `parquet:"step,delta"`
		Response string    `parquet:"response,delta"`
		Reward   float64   `parquet:"reward,split"`
		Format   *float64  `parquet:"format_reward,optional"`
		UID      string    `parquet:"uid,dict"`
		Prompt   []message `parquet:"prompt,list"`
	}
	type flat struct {
		Step     int64   `parquet:"step"`
		Response string  `parquet:"response"`
		Reward   float64 `parquet:"reward"`
		Prompt   string  `parquet:"prompt,dict"`
	}
	var rows []row
	var flats []flat // parquet-go writes nulls wrong in pages of the first version
	for i := range 60 {
		text, x := strings.Repeat(fmt.Sprintf("text %d ", i), i%7+1), float64(i%2)
		rows = append(rows, row{int64(i / 16), text, x, &x, fmt.Sprint(i / 8), []message{{"user", &text}, {"system", nil}}})
		flats = append(flats, flat{int64(i / 16), text, x, fmt.Sprint(i / 8)})
	}
	rows[7].Format = nil
	files := map[string][]byte{}
	for _, codec := range parquettest.Codecs() {
		files[fmt.Sprint(codec, " nested")] = written(t, rows, parquet.Compression(codec), parquet.PageBufferSize(4000))
		for version := 1; version <= 2; version++ {
			files[fmt.Sprint(codec, " flat, version ", version)] = written(t, flats, parquet.Compression(codec), parquet.DataPageVersion(version), parquet.PageBufferSize(4000))
		}
	}
	return files
}

func written[T any](t *testing.T, rows []T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows, options...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// countRows reads a file to its end, and returns the error that ended it.
func countRows(data []byte) (n int, err error) {
	m := &pages.Memory{}
	f, err := pages.Open(bytes.NewReader(data), int64(len(data)), m)
	if err != nil {
		return 0, err
	}
	format, _ := formats.Find("parquet")
	r := NewReader(format.NewDecoder("a.parquet").(*decode.RowDecoder), f, 1)
	for err == nil {
		b, records, nextErr := r.Next(nil)
		n, err = n+b.Len()+len(records), nextErr
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}
