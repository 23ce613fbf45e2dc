// Package parquettest makes random Parquet files for tests.
package parquettest

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"pgregory.net/rapid"
)

// cellValues draws a value of a type.
var cellValues = map[string]*rapid.Generator[any]{
	"double": rapid.Map(rapid.SampledFrom([]float64{0, 1, 0.5, -1, 2}), func(x float64) any { return x }),
	"float":  rapid.Map(rapid.SampledFrom([]float32{0, 1, 0.25}), func(x float32) any { return x }),
	"long":   rapid.Map(rapid.Int64Range(0, 9), func(x int64) any { return x }),
	"int":    rapid.Map(rapid.Int32Range(1, 5), func(x int32) any { return x }),
	"bool":   rapid.Map(rapid.Bool(), func(x bool) any { return x }),
	"text":   rapid.Map(rapid.SampledFrom([]string{"", "a", "käse", `\frac{1}{2} "x"`, "\xff\n", `[{"role":"user","content":"hé"}]`, strings.Repeat("long ", 40)}), func(s string) any { return s }),
}

// columnTypes are the types that a column of a name may have.
var columnTypes = map[string][]string{
	"step": {"long", "int"}, "epoch": {"double"}, "prompt": {"text"}, "completion": {"text"}, "answer": {"text", "long"},
	"reward": {"double", "float", "bool", "int", "text"}, "score": {"double"}, "format_reward": {"double", "float", "bool", "int"}, "judge_score": {"double"},
	"advantage": {"double", "float"}, "completion_length": {"int", "long", "double"}, "group_id": {"long", "text", "double"}, "uid": {"text"}, "note": {"text", "double"},
}

// Column is a column of a made table.
type Column struct {
	name     string
	optional bool
	Values   []any // nil is a null
}

// Draw draws the columns of a table, and how many rows it has.
func Draw(t *rapid.T) (*parquet.Schema, []Column, int) {
	group := parquet.Group{}
	names := rapid.SliceOfNDistinct(rapid.SampledFrom(slices.Sorted(maps.Keys(columnTypes))), 2, 8, rapid.ID[string]).Draw(t, "names")
	rows := rapid.IntRange(0, 60).Draw(t, "rows")
	drawn := map[string]Column{}
	for _, name := range names {
		kind := rapid.SampledFrom(columnTypes[name]).Draw(t, name)
		node := map[string]parquet.Node{
			"double": parquet.Leaf(parquet.DoubleType), "float": parquet.Leaf(parquet.FloatType), "long": parquet.Int(64),
			"int": parquet.Int(32), "bool": parquet.Leaf(parquet.BooleanType), "text": parquet.String(),
		}[kind]
		switch {
		case kind != "bool" && rapid.Bool().Draw(t, "dictionary"):
			node = parquet.Encoded(node, &parquet.RLEDictionary)
		case kind == "text" && rapid.Bool().Draw(t, "delta"):
			node = parquet.Encoded(node, &parquet.DeltaLengthByteArray)
		default:
			node = parquet.Encoded(node, &parquet.Plain)
		}
		node = parquet.Compressed(node, rapid.SampledFrom(Codecs()).Draw(t, "codec"))
		c := Column{name: name, optional: rapid.Bool().Draw(t, "optional"), Values: make([]any, rows)}
		if c.optional {
			node = parquet.Optional(node)
		}
		for i := range c.Values {
			if !c.optional || rapid.IntRange(0, 5).Draw(t, "null") > 0 {
				c.Values[i] = cellValues[kind].Draw(t, "cell")
			}
		}
		group[name], drawn[name] = node, c
	}
	schema := parquet.NewSchema("rows", group)
	var columns []Column
	for _, path := range schema.Columns() {
		columns = append(columns, drawn[path[0]])
	}
	return schema, columns, rows
}

// Codecs are the codecs of the format that parquet-go writes.
func Codecs() []compress.Codec {
	return []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Zstd, &parquet.Gzip, &parquet.Lz4Raw, &parquet.Brotli}
}

// Write returns a Parquet file.
func Write(t *rapid.T, schema *parquet.Schema, columns []Column, rows int) []byte {
	var b bytes.Buffer
	w := parquet.NewWriter(&b, schema, parquet.PageBufferSize(rapid.SampledFrom([]int{32, 200, 1 << 20}).Draw(t, "page")),
		parquet.DataPageVersion(rapid.SampledFrom([]int{1, 2}).Draw(t, "version")))
	for i := range rows {
		row := make(parquet.Row, len(columns))
		for k, c := range columns {
			level := 0
			if c.optional && c.Values[i] != nil {
				level = 1
			}
			row[k] = parquet.ValueOf(c.Values[i]).Level(0, level, k)
		}
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			t.Fatal(err)
		}
		if rapid.IntRange(0, 30).Draw(t, "group") == 0 {
			_ = w.Flush()
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
