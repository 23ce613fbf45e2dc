package parquet

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
	"vantage/loaders/parquet/pages"
)

type nestedRow struct {
	Prompt   []nestedTurn       `parquet:"prompt,list"`
	Reward   []float64          `parquet:"reward,list"`
	Metrics  map[string]float64 `parquet:"metrics"`
	Tags     []string           `parquet:"messages"`
	Response *struct {
		Text *string  `parquet:"text,optional"`
		N    []*int32 `parquet:"n,list"`
	} `parquet:"completion,optional"`
}

type nestedTurn struct {
	Role    string       `parquet:"role"`
	Content []nestedPart `parquet:"content,optional,list"`
}

type nestedPart struct {
	Text *string `parquet:"text,optional"`
	Type string  `parquet:"type"`
}

func nestedTable(tb testing.TB, rows []nestedRow, options ...parquet.WriterOption) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows, options...); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func nestedRows() []nestedRow {
	text := "a \"b\"\\\n\x01é"
	rows := []nestedRow{
		{},
		{Prompt: []nestedTurn{{Role: "user"}}, Reward: []float64{0.5}, Metrics: map[string]float64{`k"`: 2}, Tags: []string{"x"}},
		{Prompt: []nestedTurn{{"system", []nestedPart{{nil, "image"}, {&text, "text"}}}, {"user", nil}}, Reward: []float64{1, -2e300}, Tags: []string{"x", "", "z"}},
		{},
	}
	rows[2].Response = &struct {
		Text *string  `parquet:"text,optional"`
		N    []*int32 `parquet:"n,list"`
	}{Text: &text}
	rows[3].Response = &struct {
		Text *string  `parquet:"text,optional"`
		N    []*int32 `parquet:"n,list"`
	}{}
	return rows
}

// readNested returns the JSON of each nested column in each row.
func readNested(tb testing.TB, data []byte) (all []map[string]string) {
	tb.Helper()
	table, err := pages.Open(bytes.NewReader(data), int64(len(data)), &pages.Memory{})
	if err != nil {
		tb.Fatal(err)
	}
	r, err := newRowReader(decode.NewRowDecoder(decode.UsualNames(), ""), table, bytes.NewReader(data), int64(len(data)), 0)
	if err != nil {
		tb.Fatal(err)
	}
	for r.group < len(r.groups) {
		if err := r.openGroup(); err != nil {
			tb.Fatal(err)
		}
		n, err := r.fill()
		if err != nil {
			tb.Fatal(err)
		}
		for range n {
			row := map[string]string{}
			for k, c := range r.values {
				if v := c.next(); v.Kind != jsonscan.Null {
					row[string(r.columns[k].key.Raw)] = string(v.Raw)
				}
			}
			all = append(all, row)
		}
		r.closeGroup()
	}
	return all
}

// Lists, structs and maps become JSON without the fields that are null. pyarrow reads the same of the
// file; parquet-go writes a nil slice as an empty list.
func TestNestedColumnsBecomeJSON(t *testing.T) {
	want := []map[string]string{
		{"prompt": `[]`, "reward": `[]`, "metrics": `{}`, "messages": `[]`},
		{"prompt": `[{"role":"user","content":[]}]`, "reward": `[0.5]`, "metrics": `{"k\"":2}`, "messages": `["x"]`},
		{
			"prompt": `[{"role":"system","content":[{"type":"image"},{"text":"a \"b\"\\\n\u0001é","type":"text"}]},{"role":"user","content":[]}]`,
			"reward": `[1,-2e+300]`, "metrics": `{}`, "messages": `["x","","z"]`, "completion": `{"text":"a \"b\"\\\n\u0001é","n":[]}`,
		},
		{"prompt": `[]`, "reward": `[]`, "metrics": `{}`, "messages": `[]`, "completion": `{"n":[]}`},
	}
	if diff := cmp.Diff(want, readNested(t, nestedTable(t, nestedRows()))); diff != "" {
		t.Error("-want +got\n" + diff)
	}
}

// A damaged file with nested columns ends in samples or an error, and allocates little.
func TestDamagedNestedColumns(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var rows []nestedRow
	for range 40 {
		rows = append(rows, nestedRows()...)
	}
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy} {
		whole := nestedTable(t, rows, parquet.PageBufferSize(300), parquet.Compression(codec))
		if _, err := countRows(whole); err != nil {
			t.Fatal(err)
		}
		for range 300 {
			data := bytes.Clone(whole)
			for range 1 + random.IntN(3) {
				data[4+random.IntN(len(data)-12)] = byte(random.Uint32())
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := countRows(data)
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 32<<20 {
				t.Errorf("%d bytes allocated for %d, %v", n, len(data), err)
			}
		}
	}
}
