package loaders

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"pgregory.net/rapid"

	"vantage/loaders/pages"
	"vantage/model"
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

// madeColumn is a column of a made table.
type madeColumn struct {
	name     string
	optional bool
	values   []any // nil is a null
}

func drawTable(t *rapid.T) (*parquet.Schema, []madeColumn, int) {
	group := parquet.Group{}
	names := rapid.SliceOfNDistinct(rapid.SampledFrom(slices.Sorted(maps.Keys(columnTypes))), 2, 8, rapid.ID[string]).Draw(t, "names")
	rows := rapid.IntRange(0, 60).Draw(t, "rows")
	drawn := map[string]madeColumn{}
	for _, name := range names {
		kind := rapid.SampledFrom(columnTypes[name]).Draw(t, name)
		node := map[string]parquet.Node{
			"double": parquet.Leaf(parquet.DoubleType), "float": parquet.Leaf(parquet.FloatType), "long": parquet.Int(64),
			"int": parquet.Int(32), "bool": parquet.Leaf(parquet.BooleanType), "text": parquet.String(),
		}[kind]
		if kind != "bool" && rapid.Bool().Draw(t, "dictionary") {
			node = parquet.Encoded(node, &parquet.RLEDictionary)
		} else {
			node = parquet.Encoded(node, &parquet.Plain)
		}
		node = parquet.Compressed(node, rapid.SampledFrom(codecs()).Draw(t, "codec"))
		c := madeColumn{name: name, optional: rapid.Bool().Draw(t, "optional"), values: make([]any, rows)}
		if c.optional {
			node = parquet.Optional(node)
		}
		for i := range c.values {
			if !c.optional || rapid.IntRange(0, 5).Draw(t, "null") > 0 {
				c.values[i] = cellValues[kind].Draw(t, "cell")
			}
		}
		group[name], drawn[name] = node, c
	}
	schema := parquet.NewSchema("rows", group)
	var columns []madeColumn
	for _, path := range schema.Columns() {
		columns = append(columns, drawn[path[0]])
	}
	return schema, columns, rows
}

func codecs() []compress.Codec {
	return []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Zstd, &parquet.Gzip}
}

func writeTable(t *rapid.T, schema *parquet.Schema, columns []madeColumn, rows int) []byte {
	var b bytes.Buffer
	w := parquet.NewWriter(&b, schema, parquet.PageBufferSize(rapid.SampledFrom([]int{32, 200, 1 << 20}).Draw(t, "page")),
		parquet.DataPageVersion(rapid.SampledFrom([]int{1, 2}).Draw(t, "version")))
	for i := range rows {
		row := make(parquet.Row, len(columns))
		for k, c := range columns {
			level := 0
			if c.optional && c.values[i] != nil {
				level = 1
			}
			row[k] = parquet.ValueOf(c.values[i]).Level(0, level, k)
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

// readRowByRow reads a table from row first on through parquet-go.
func readRowByRow(t *rapid.T, r *RowDecoder, data []byte, from int64) ([]model.Record, error) {
	table, err := newRowReader(r, bytes.NewReader(data), int64(len(data)), from)
	if err != nil {
		t.Fatal(err)
	}
	var all []model.Record
	for err == nil {
		all, err = table.next(all)
	}
	return all, ignoreEOF(err)
}

// Reading by columns gives the same samples and the same note as reading row by row.
func TestColumnsReadAsRows(t *testing.T) {
	read := 0
	rapid.Check(t, func(t *rapid.T) {
		schema, columns, n := drawTable(t)
		data := writeTable(t, schema, columns, n)
		format := rapid.SampledFrom([]Format{trl(), parquetFile()}).Draw(t, "format")
		slow, fast := format.Decode("completions_00003.parquet").(*RowDecoder), format.Decode("completions_00003.parquet").(*RowDecoder)
		m := &pages.Memory{}
		f, err := pages.Open(bytes.NewReader(data), int64(len(data)), m)
		if err != nil {
			t.Fatal(err)
		}
		newColumnReader(slow, f, 1) // always comes first
		want, err := readRowByRow(t, slow, data, 0)
		if err != nil {
			return // the library writes optional columns wrong in pages of the first version
		}
		s := newColumnReader(fast, f, 2)
		if s == nil {
			return
		}
		var got []model.Record
		for {
			b, err := s.next()
			if errors.Is(err, errNeedsRows) {
				rest, _ := readRowByRow(t, fast, data, s.row)
				got = append(got, rest...)
				break
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			read++
			got = append(got, b.Records()...)
		}
		for i := range want {
			want[i].Line = 0
		}
		for i := range got {
			got[i].Line = 0
			for got[i].Parts != nil && len(got[i].Parts) > len(want[i].Parts) { // met in a later row of the block
				got[i].Parts = got[i].Parts[:len(got[i].Parts)-1]
			}
			if len(got[i].Parts) == 0 {
				got[i].Parts = nil
			}
		}
		if diff := cmp.Diff(want, got, numbers...); diff != "" {
			t.Fatal("-want +got\n" + diff)
		}
		if diff := cmp.Diff(slow.Note(), fast.Note()); diff != "" {
			t.Fatal("-want +got\n" + diff)
		}
	})
	if read == 0 {
		t.Error("no table was read by columns")
	}
}

// A row whose first id column is empty takes its group from the second one, as row by row.
func TestEmptyGroupIDTakesNextColumn(t *testing.T) {
	type ids struct {
		Group  string  `parquet:"group_id"`
		UID    string  `parquet:"uid"`
		Reward float64 `parquet:"reward"`
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, []ids{{"g", "a", 1}, {"", "a", 0}}); err != nil {
		t.Fatal(err)
	}
	w := trainer{t, t.TempDir()}
	w.add("a.parquet", b.String())
	got := readAll(t, w.path("a.parquet"))
	if len(got.Records) != 2 || got.Records[0].Group != "g" || got.Records[1].Group != "a" {
		t.Errorf("%+v", got.Records)
	}
}
