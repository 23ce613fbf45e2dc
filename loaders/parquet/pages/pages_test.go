package pages

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
)

type sample struct {
	Step     int64    `parquet:"step,dict"`
	Text     *string  `parquet:"text,optional,plain"`
	Same     string   `parquet:"same,dict"`
	Reward   *float64 `parquet:"reward,optional,plain"`
	Right    bool     `parquet:"right,plain"`
	Repeated []int32  `parquet:"repeated"`
}

func pointerTo[T any](x T) *T { return &x }

func sampleRows() []sample {
	return []sample{
		{7, pointerTo("a"), "p", pointerTo(0.5), true, nil},
		{7, nil, "p", nil, false, []int32{1, 2}},
		{8, pointerTo(""), "käse", pointerTo(math.Inf(-1)), true, nil},
		{9, pointerTo("bb"), "p", pointerTo(-1.5), true, nil},
	}
}

func writeFile(tb testing.TB, rows []sample, options ...parquet.WriterOption) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows, options...); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// readColumn returns all values of a column, nil for a null.
func readColumn(f *File, i int) (all []any, err error) {
	for g := range f.Groups {
		r := f.Column(g, i)
		for {
			p, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return all, err
			}
			if all, err = appendValues(&p, f.Columns[i].Kind, f.Buffer(), all); err != nil {
				return all, err
			}
		}
	}
	return all, nil
}

func appendValues(p *Page, k Kind, b *Buffer, all []any) ([]any, error) {
	if k == Text {
		texts, err := p.Texts(b)
		if err != nil {
			return all, err
		}
		for i := range texts.Len() {
			if text, ok := texts.At(i); ok {
				all = append(all, string(text))
			} else {
				all = append(all, nil)
			}
		}
		return all, nil
	}
	numbers, valid, err := p.Numbers(b)
	for i, x := range numbers {
		if valid != nil && valid[i] == 0 {
			all = append(all, nil)
		} else {
			all = append(all, x)
		}
	}
	return all, err
}

// checkCells compares cells at random rows with the values of the column.
func checkCells(t *testing.T, f *File, c *Cells, i int, all []any) {
	t.Helper()
	random := rand.New(rand.NewPCG(uint64(i), 1))
	for range min(len(all), 60) {
		n := random.IntN(len(all))
		group, row := 0, int64(n)
		for ; row >= f.Groups[group].Rows; group++ {
			row -= f.Groups[group].Rows
		}
		var got any
		x, text, ok, err := c.Cell(group, i, row)
		switch {
		case ok && f.Columns[i].Kind == Text:
			got = string(text)
		case ok:
			got = x
		}
		if err != nil || !cmp.Equal(all[n], got, cmpopts.EquateNaNs()) {
			t.Errorf("%s, row %d: %v, %v; in the column it is %v", f.Columns[i].Name, n, got, err, all[n])
		}
	}
}

func TestColumnsOfEachCodec(t *testing.T) {
	want := map[string][]any{
		"step": {7.0, 7.0, 8.0, 9.0}, "text": {"a", nil, "", "bb"}, "same": {"p", "p", "käse", "p"},
		"reward": {0.5, nil, math.Inf(-1), -1.5}, "right": {1.0, 0.0, 1.0, 1.0},
	}
	for name, option := range map[string]parquet.WriterOption{
		"snappy": parquet.Compression(&parquet.Snappy), "gzip": parquet.Compression(&parquet.Gzip), "zstd": parquet.Compression(&parquet.Zstd),
		"lz4": parquet.Compression(&parquet.Lz4Raw), "brotli": parquet.Compression(&parquet.Brotli),
		"plain": parquet.Compression(&parquet.Uncompressed), "version 1": parquet.DataPageVersion(1), "a row a group": parquet.MaxRowsPerRowGroup(1),
	} {
		data := writeFile(t, sampleRows(), option)
		f, err := Open(bytes.NewReader(data), int64(len(data)), &Memory{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, c := range f.Columns {
			if name == "version 1" && c.Optional {
				continue // parquet-go writes these wrong: TestNullsOfV1Pages makes one by hand
			}
			if c.Name == "repeated" {
				if c.Kind != Nested {
					t.Errorf("%s: a repeated column is said to be flat", name)
				}
				continue
			}
			got, err := readColumn(f, i)
			if diff := cmp.Diff(want[c.Name], got, cmpopts.EquateNaNs()); diff != "" || err != nil {
				t.Errorf("%s: %s: %v\n%s", name, c.Name, err, diff)
			}
			checkCells(t, f, NewCells(f, 1<<20), i, got)
		}
	}
}

// A V1 page by the specification: the size of the definition levels, the levels (one packed group:
// valid, null, valid), the values.
func TestNullsOfV1Pages(t *testing.T) {
	data := []byte{2, 0, 0, 0, 3, 0b101}
	for _, x := range []float64{0.5, -2} {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
	}
	p := Page{
		Rows:   3,
		reader: &Reader{f: &File{whole: data}, column: Column{Kind: Number, stored: Number, Optional: true, definition: 1, Number: NumberFormat{physical: typeDouble, width: 8}}},
		header: header{size: len(data), compressedSize: len(data), values: 3},
	}
	got, valid, err := p.Numbers(&Buffer{})
	if err != nil || !slices.Equal(valid, []int32{1, 0, 1}) || got[0] != 0.5 || !math.IsNaN(got[1]) || got[2] != -2 {
		t.Errorf("%v, %v, %v", got, valid, err)
	}
}

// Cells equal the values of their column, in any order, over many pages and row groups, with single
// nulls and with runs of nulls.
func TestCellsEqualTheirColumn(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 3))
	var rows []sample
	for i := range 20_000 {
		s := sample{Step: int64(i / 300), Same: string(rune('a' + i%3)), Right: random.IntN(2) > 0}
		if random.IntN(5) > 0 && i/700%3 > 0 {
			s.Text = pointerTo(strings.Repeat("x", i%50))
			s.Reward = pointerTo(random.Float64())
		}
		rows = append(rows, s)
	}
	for _, codec := range []parquet.WriterOption{parquet.Compression(&parquet.Zstd), parquet.Compression(&parquet.Uncompressed)} {
		data := writeFile(t, rows, codec, parquet.PageBufferSize(4000), parquet.MaxRowsPerRowGroup(7_000))
		f, err := Open(bytes.NewReader(data), int64(len(data)), &Memory{})
		if err != nil {
			t.Fatal(err)
		}
		c := NewCells(f, 100<<10)
		for i := range f.Columns {
			if f.Columns[i].Kind == Nested {
				continue
			}
			all, err := readColumn(f, i)
			if err != nil || len(all) != len(rows) {
				t.Fatalf("%d values, %v", len(all), err)
			}
			checkCells(t, f, c, i, all)
		}
		if c.Size() < 1000 || c.Size() > 400<<10 {
			t.Errorf("%d bytes are kept", c.Size())
		}
	}
}

func TestOpenRefusesFalseSizes(t *testing.T) {
	whole := writeFile(t, sampleRows())
	greedy := bytes.Clone(whole)
	copy(greedy[len(greedy)-8:], "\xff\xff\xff\x7f")
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"nothing": {nil, io.ErrUnexpectedEOF}, "the mark alone": {[]byte("PAR1"), io.ErrUnexpectedEOF},
		"cut off": {whole[:len(whole)-5], io.ErrUnexpectedEOF}, "a greedy footer": {greedy, ErrBroken},
	} {
		if _, err := Open(bytes.NewReader(c.data), int64(len(c.data)), &Memory{}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestIndexLeadsToEveryRow(t *testing.T) {
	var rows []sample
	for i := range 30_000 {
		rows = append(rows, sample{Step: int64(i), Same: string(rune('a' + i%20)), Text: pointerTo(string(rune('A' + i%26)))})
	}
	data := writeFile(t, rows, parquet.PageBufferSize(1000), parquet.MaxRowsPerRowGroup(20_000))
	f, err := Open(bytes.NewReader(data), int64(len(data)), &Memory{})
	if err != nil {
		t.Fatal(err)
	}
	if f.InMemory() {
		t.Fatal("the file is too small for an index")
	}
	if _, err := readColumn(f, 1); err != nil {
		t.Fatal(err)
	}
	again, err := Open(bytes.NewReader(data), int64(len(data)), &Memory{})
	if err != nil {
		t.Fatal(err)
	}
	again.SetIndex(f.Index())
	for _, row := range []int64{0, 1, 499, 9_999, 19_999} {
		r := again.Column(0, 1)
		first, err := r.SeekPage(row)
		if err != nil || first > row || first == 0 && row > 9_000 {
			t.Fatalf("row %d: from %d, %v", row, first, err)
		}
		p, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		texts, err := p.Texts(again.Buffer())
		if err != nil || row-first >= int64(texts.Len()) {
			t.Fatalf("row %d is not in the %d rows from %d: %v", row, texts.Len(), first, err)
		}
		if text, _ := texts.At(int(row - first)); string(text) != *rows[row].Text {
			t.Errorf("row %d: %q", row, text)
		}
	}
}

// Any bytes give an error, or as many values as rows, which equal the cells.
func FuzzOpen(f *testing.F) {
	f.Add(writeFile(f, sampleRows()))
	f.Add(writeFile(f, sampleRows(), parquet.DataPageVersion(1), parquet.Compression(&parquet.Snappy)))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Open(bytes.NewReader(data), int64(len(data)), &Memory{})
		if err != nil {
			return
		}
		for i := range file.Columns {
			if file.Columns[i].Kind == Nested {
				continue
			}
			all, err := readColumn(file, i)
			rows := int64(0)
			for _, g := range file.Groups {
				rows += g.Rows
			}
			if err == nil && int64(len(all)) != rows {
				t.Errorf("%d values in %d rows", len(all), rows)
			}
			if err == nil {
				checkCells(t, file, NewCells(file, 1<<20), i, all)
			}
		}
	})
}

// A page whose compressed data ends early is broken. It is not the end of its column, after which
// nothing would be missed.
func TestPageThatEndsEarly(t *testing.T) {
	for _, codec := range []int{codecSnappy, codecGzip, codecBrotli, codecZstd, codecLZ4} {
		for _, compressed := range []string{"", "\x00", "\x1b", "\x1f\x8b\x08\x00", "\x28\xb5\x2f\xfd"} {
			var b Buffer
			data, err := b.decompress(codec, []byte(compressed), 20)
			if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("codec %d, %q: %q, %v", codec, compressed, data, err)
			}
		}
	}
}
