package parquet

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"

	"vantage/loaders/decode"
	"vantage/loaders/formats"
	"vantage/loaders/jsonscan"
	"vantage/loaders/parquet/pages"
	"vantage/model"
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
	r := newRowReader(decode.NewRowDecoder(decode.UsualNames(), ""), table, 0)
	for r.group < len(r.table.Groups) {
		if err := r.openGroup(); err != nil {
			tb.Fatal(err)
		}
		for left := r.left; left > 0; left-- {
			row := map[string]string{}
			for _, c := range r.columns {
				v, err := c.next()
				if err != nil {
					tb.Fatal(err)
				}
				if v.Kind != jsonscan.Null {
					row[string(c.key.Raw)] = string(v.Raw)
				}
			}
			all = append(all, row)
		}
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

// Conversations beside flat columns give the same samples as reading row by row.
func TestConversationsReadAsRows(t *testing.T) {
	type row struct {
		Step       uint32       `parquet:"step"`
		Prompt     []nestedTurn `parquet:"prompt,list"`
		Completion []nestedTurn `parquet:"completion,optional,list"`
		Reward     *float64     `parquet:"reward,optional"`
		Advantage  float32      `parquet:"advantage"`
	}
	random := rand.New(rand.NewPCG(5, 6))
	turns := func() (all []nestedTurn) {
		for range random.IntN(4) {
			x := nestedTurn{Role: []string{"user", "assistant"}[random.IntN(2)]}
			for range random.IntN(3) {
				text := []string{"a", "käse \\n", "\"\n"}[random.IntN(3)]
				x.Content = append(x.Content, nestedPart{&text, "text"})
			}
			all = append(all, x)
		}
		return all
	}
	for _, n := range []int{0, 1, 50, 5000} {
		var rows []row
		prompt := turns()
		for i := range n {
			if i%4 == 0 {
				prompt = turns()
			}
			r := row{Step: math.MaxUint32 - uint32(i/9), Prompt: prompt, Completion: turns(), Advantage: float32(i)}
			if x := random.Float64(); x > 0.1 {
				r.Reward = &x
			}
			rows = append(rows, r)
		}
		var b bytes.Buffer
		if err := parquet.Write(&b, rows, parquet.PageBufferSize(500), parquet.MaxRowsPerRowGroup(1700)); err != nil {
			t.Fatal(err)
		}
		format, _ := formats.Find("trl")
		var samples [2][]model.Record
		var notes [2]decode.Note
		for way := range samples {
			f, err := pages.Open(bytes.NewReader(b.Bytes()), int64(b.Len()), &pages.Memory{})
			if err != nil {
				t.Fatal(err)
			}
			decoder := format.NewDecoder("completions_00003.parquet").(*decode.RowDecoder)
			r := NewReader(decoder, f, 2)
			if !r.ByColumns() {
				t.Fatal("not read by columns")
			}
			if way == 1 {
				r.ReadRows(0)
			}
			for {
				block, records, err := r.Next(nil)
				samples[way] = append(append(samples[way], block.Records()...), records...)
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			for i := range samples[way] {
				samples[way][i].Line = 0
			}
			notes[way] = decoder.Note()
		}
		if len(samples[0]) != n {
			t.Errorf("%d samples of %d", len(samples[0]), n)
		}
		if diff := cmp.Diff(samples[1], samples[0], cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%d rows: -rows +columns\n%.2000s", n, diff)
		}
		if diff := cmp.Diff(notes[1], notes[0]); diff != "" {
			t.Errorf("%d rows: -rows +columns\n%s", n, diff)
		}
	}
}

// A damaged file with nested columns ends in samples or an error, and allocates little.
func TestDamagedNestedColumns(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var rows []nestedRow
	for range 40 {
		rows = append(rows, nestedRows()...)
	}
	type flat struct {
		Prompt []nestedTurn `parquet:"prompt,list"`
		Reward float64      `parquet:"reward"`
	}
	var conversations bytes.Buffer
	flatRows := make([]flat, len(rows))
	for i := range rows {
		flatRows[i] = flat{rows[i].Prompt, float64(i)}
	}
	if err := parquet.Write(&conversations, flatRows, parquet.PageBufferSize(300), parquet.Compression(&parquet.Snappy)); err != nil {
		t.Fatal(err)
	}
	for _, whole := range [][]byte{
		nestedTable(t, rows, parquet.PageBufferSize(300)), nestedTable(t, rows, parquet.PageBufferSize(300), parquet.Compression(&parquet.Snappy)), conversations.Bytes(),
	} {
		if _, err := countRows(whole); err != nil {
			t.Fatal(err)
		}
		damage(t, random, "nested columns", whole, 300)
	}
}
