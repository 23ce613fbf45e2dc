package writer_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/parquet-go/parquet-go"

	"vantage/loaders/parquet/writer"
)

// Another program's reader finds in a file what was written, of every type, with values missing or not, at the ends of pages and of
// what a type can hold, and in two row groups.
func TestReadByAnotherReader(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	const rows = 20_000 // more than a page
	integers := map[string]func(i int) int64{
		"one":      func(int) int64 { return 7 },
		"line":     func(i int) int64 { return int64(i + 1) },
		"length":   func(int) int64 { return random.Int64N(900) },
		"any":      func(int) int64 { return int64(random.Uint64()) },
		"extremes": func(i int) int64 { return []int64{math.MinInt64, math.MaxInt64, 0, -1}[i%4] },
	}
	numbers := []float64{0, math.Copysign(0, -1), 1, -0.5, math.NaN(), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64}
	var columns []writer.Column
	var cells []writer.Cells
	for _, optional := range []bool{false, true} {
		add := func(name string, of writer.Type, c writer.Cells) {
			for i := range rows {
				c.Missing = append(c.Missing, optional && (name == "none" || i/100%3 == 1 || i%17 == 0))
			}
			columns = append(columns, writer.Column{Name: fmt.Sprint(name, optional), Type: of, Optional: optional})
			cells = append(cells, c)
		}
		for name, of := range integers {
			var c writer.Cells
			for i := range rows {
				c.Integers = append(c.Integers, of(i))
			}
			add(name, writer.Integer, c)
		}
		var c writer.Cells
		for i := range rows {
			c.Numbers = append(c.Numbers, numbers[i%len(numbers)])
			c.Bools = append(c.Bools, random.IntN(2) == 0)
			c.Texts = append(c.Texts, fmt.Sprint("group ", i/16*(1+i%2)))
		}
		add("number", writer.Number, c)
		c.Numbers = nil
		for range rows {
			c.Numbers = append(c.Numbers, float64(random.IntN(3000))/10)
		}
		add("tenth", writer.Number, c) // of which each comes again and again
		c.Numbers = nil
		for range rows {
			c.Numbers = append(c.Numbers, random.NormFloat64())
		}
		add("any number", writer.Number, c)
		add("the same number", writer.Number, c)
		add("bool", writer.Bool, c)
		add("name", writer.Name, c)
		add("text", writer.Text, c)
		add("none", writer.Name, c)
	}
	var file bytes.Buffer
	out, err := writer.New(&file, columns)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := out.Write(out.Encode(cells, rows)); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	read, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if len(read.RowGroups()) != 2 || read.NumRows() != 2*rows {
		t.Fatalf("%d row groups of together %d rows", len(read.RowGroups()), read.NumRows())
	}
	for g, group := range read.RowGroups() {
		for k, chunk := range group.ColumnChunks() {
			values := valuesOf(t, chunk)
			if len(values) != rows {
				t.Fatalf("row group %d, column %s: %d values", g, columns[k].Name, len(values))
			}
			for i, v := range values {
				if !isCell(v, &columns[k], &cells[k], i) {
					t.Fatalf("row group %d, column %s, row %d: %v", g, columns[k].Name, i, v)
				}
			}
		}
	}
}

func valuesOf(t *testing.T, chunk parquet.ColumnChunk) (all []parquet.Value) {
	t.Helper()
	pages := chunk.Pages()
	defer func() { _ = pages.Close() }()
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		values := make([]parquet.Value, page.NumValues())
		if n, err := page.Values().ReadValues(values); n != len(values) || err != nil && !errors.Is(err, io.EOF) {
			t.Fatalf("%d of %d values: %v", n, len(values), err)
		}
		for _, v := range values {
			all = append(all, v.Clone())
		}
	}
}

func isCell(v parquet.Value, column *writer.Column, c *writer.Cells, i int) bool {
	if v.IsNull() || column.Optional && c.Missing[i] {
		return v.IsNull() && column.Optional && c.Missing[i]
	}
	switch column.Type {
	case writer.Integer:
		return v.Int64() == c.Integers[i]
	case writer.Number:
		return math.Float64bits(v.Double()) == math.Float64bits(c.Numbers[i])
	case writer.Bool:
		return v.Boolean() == c.Bools[i]
	default:
		return string(v.ByteArray()) == c.Texts[i]
	}
}

// The footer says the least and the greatest number, by which readers leave out row groups: none where a NaN has no order, and for zero
// the signs that hold both.
func TestBounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		numbers     []float64
		least, most string
	}{
		{[]float64{3, -1, 2}, "-1", "3"},
		{[]float64{0, 0}, "-0", "0"},
		{[]float64{math.Copysign(0, -1)}, "-0", "0"},
		{[]float64{1, math.NaN()}, "<null>", "<null>"},
	} {
		var file bytes.Buffer
		out, err := writer.New(&file, []writer.Column{{Name: "x", Type: writer.Number}})
		if err != nil {
			t.Fatal(err)
		}
		if err := out.Write(out.Encode([]writer.Cells{{Numbers: c.numbers}}, len(c.numbers))); err != nil {
			t.Fatal(err)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		read, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		stats := read.Metadata().RowGroups[0].Columns[0].MetaData.Statistics
		least, most := "<null>", "<null>"
		if stats.MinValue != nil {
			least = fmt.Sprint(parquet.Double.Value(stats.MinValue).Double())
			most = fmt.Sprint(parquet.Double.Value(stats.MaxValue).Double())
		}
		if least != c.least || most != c.most {
			t.Errorf("%v: from %s to %s, want from %s to %s", c.numbers, least, most, c.least, c.most)
		}
	}
}
