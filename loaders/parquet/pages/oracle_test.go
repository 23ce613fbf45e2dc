package pages

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"vantage/internal/testkit/parquettest"
)

// Columns hold the values of the rows that parquet-go reads, in tables of any types, encodings, codecs
// and pages.
func FuzzColumns(f *testing.F) {
	for seed := range uint64(20) {
		data := make([]byte, 4<<10)
		_, _ = rand.NewChaCha8([32]byte{byte(seed)}).Read(data)
		f.Add(data)
	}
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { compareColumns(t) }))
}

// The tables of the fuzzing are not refused by one of the two.
func TestColumns(t *testing.T) {
	tables, compared := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		tables++
		compared += compareColumns(t)
	})
	if compared < tables {
		t.Errorf("%d columns were compared of %d tables", compared, tables)
	}
}

// compareColumns draws a table, and returns how many columns it compared.
func compareColumns(t *rapid.T) int {
	schema, columns, n := parquettest.Draw(t)
	data := parquettest.Write(t, schema, columns, n)
	want, err := libraryColumns(data, len(columns), plainValue)
	if err != nil {
		return 0 // the library writes optional columns wrong in pages of the first version
	}
	m := &Memory{}
	file, err := Open(bytes.NewReader(data), int64(len(data)), m)
	if err != nil {
		t.Fatal(err)
	}
	for i := range file.Columns {
		got, err := readColumn(file, i)
		if diff := cmp.Diff(want[i], got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Fatalf("%s, %v: -parquet-go +got\n%s", file.Columns[i].Name, err, diff)
		}
	}
	return len(columns)
}

type oracleTurn struct {
	Role    string   `parquet:"role,dict"`
	Content *string  `parquet:"content,optional"`
	Tokens  []int64  `parquet:"tokens,list"`
	Scores  []*int32 `parquet:"scores,list"`
}

// Values and levels of columns of lists, structs and maps are those that parquet-go reads, in any codec, also of rows on several pages.
func TestNestedColumns(t *testing.T) {
	type row struct {
		Turns []oracleTurn       `parquet:"turns,list"`
		Tags  map[string]float64 `parquet:"tags"`
		ID    [16]byte           `parquet:"id,uuid"`
		Step  int32              `parquet:"step,delta"`
		Right []bool             `parquet:"right"`
	}
	random := rand.New(rand.NewPCG(7, 8))
	var rows []row
	for i := range 300 {
		r := row{Step: int32(random.Uint32()), ID: [16]byte{byte(i), 1}, Tags: map[string]float64{}}
		for n := range random.IntN(5) {
			turn, text := oracleTurn{Role: []string{"user", "tool"}[random.IntN(2)]}, strings.Repeat("käse ", random.IntN(9))
			if random.IntN(3) > 0 {
				turn.Content = &text
			}
			for range random.IntN(6) {
				x := int32(i)
				turn.Tokens, turn.Scores = append(turn.Tokens, random.Int64N(1<<40)), append(turn.Scores, []*int32{&x, nil}[random.IntN(2)])
			}
			r.Turns, r.Right, r.Tags[strconv.Itoa(n)] = append(r.Turns, turn), append(r.Right, n > 2), random.Float64()
		}
		rows = append(rows, r)
	}
	for _, codec := range parquettest.Codecs() {
		var b bytes.Buffer
		if err := parquet.Write(&b, rows, parquet.Compression(codec), parquet.PageBufferSize(300), parquet.MaxRowsPerRowGroup(170)); err != nil {
			t.Fatal(err)
		}
		m := &Memory{}
		file, err := Open(bytes.NewReader(b.Bytes()), int64(b.Len()), m)
		if err != nil {
			t.Fatal(err)
		}
		want, err := libraryColumns(b.Bytes(), len(file.Columns), func(v parquet.Value) any {
			return withLevels(plainValue(v), v.RepetitionLevel(), v.DefinitionLevel())
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range file.Columns {
			var got []any
			for g := range file.Groups {
				r := file.Column(g, i)
				for {
					p, err := r.Next()
					if errors.Is(err, io.EOF) {
						break
					}
					v, valuesErr := p.Values(file.Buffer())
					if err != nil || valuesErr != nil {
						t.Fatal(file.Columns[i].Name, err, valuesErr)
					}
					got = append(got, leveled(&v)...)
				}
			}
			if diff := cmp.Diff(want[i], got); diff != "" {
				t.Fatalf("%s, %v: -parquet-go +got\n%.2000s", file.Columns[i].Name, codec, diff)
			}
		}
	}
}

// leveled returns the values of a page as plainValue does, with their levels.
func leveled(v *Values) (all []any) {
	valid := 0
	for i := range v.Len() {
		var value any
		repetition, definition, ok := v.Levels(i)
		if ok {
			kind, x, text := v.At(valid)
			if valid++; kind == Text {
				value = string(text)
			} else {
				value = x
			}
		}
		all = append(all, withLevels(value, repetition, definition))
	}
	return all
}

func withLevels(value any, repetition, definition int) any {
	if repetition+definition == 0 {
		return value
	}
	return fmt.Sprint(repetition, definition, value)
}

// libraryColumns reads a file row by row with parquet-go, and returns the values of each column.
func libraryColumns(data []byte, columns int, value func(parquet.Value) any) (all [][]any, err error) {
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	all = make([][]any, columns)
	rows := make([]parquet.Row, 7)
	for _, group := range file.RowGroups() {
		r := group.Rows()
		for {
			n, err := r.ReadRows(rows)
			for _, row := range rows[:n] {
				for _, v := range row {
					all[v.Column()] = append(all[v.Column()], value(v))
				}
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, errors.Join(err, r.Close())
			}
		}
		if err := r.Close(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// plainValue is a value as readColumn returns it.
func plainValue(v parquet.Value) any {
	switch {
	case v.IsNull():
		return nil
	case v.Kind() == parquet.Boolean && v.Boolean():
		return 1.0
	case v.Kind() == parquet.Boolean:
		return 0.0
	case v.Kind() == parquet.Int32:
		return float64(v.Int32())
	case v.Kind() == parquet.Int64:
		return float64(v.Int64())
	case v.Kind() == parquet.Float:
		return float64(v.Float())
	case v.Kind() == parquet.Double:
		return v.Double()
	}
	return string(v.ByteArray())
}
