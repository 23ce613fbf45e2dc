package pages

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
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
	want, err := libraryColumns(data, len(columns))
	if err != nil {
		return 0 // the library writes optional columns wrong in pages of the first version
	}
	m := &Memory{}
	defer m.Close()
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

// libraryColumns reads a file row by row with parquet-go, and returns the values of each column.
func libraryColumns(data []byte, columns int) (all [][]any, err error) {
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
				for i, v := range row {
					all[i] = append(all[i], plainValue(v))
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
