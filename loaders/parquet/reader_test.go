package parquet

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"vantage/internal/testkit/parquettest"
	"vantage/loaders/decode"
	"vantage/loaders/formats"
	"vantage/loaders/parquet/pages"
	"vantage/model"
)

// readRowByRow reads a table from row first on.
func readRowByRow(t *rapid.T, r *decode.RowDecoder, data []byte, from int64) ([]model.Record, error) {
	f, err := pages.Open(bytes.NewReader(data), int64(len(data)), &pages.Memory{})
	if err != nil {
		t.Fatal(err)
	}
	table := newRowReader(r, f, from)
	var all []model.Record
	for err == nil {
		all, err = table.next(all)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return all, err
}

// Reading by columns gives the same samples and the same note as reading row by row.
func TestColumnsReadAsRows(t *testing.T) {
	read := 0
	check := func(t *rapid.T) {
		schema, columns, n := parquettest.Draw(t)
		data := parquettest.Write(t, schema, columns, n)
		name := rapid.SampledFrom([]string{"trl", "parquet"}).Draw(t, "format")
		format, _ := formats.Find(name)
		slow, fast := format.NewDecoder("completions_00003.parquet").(*decode.RowDecoder), format.NewDecoder("completions_00003.parquet").(*decode.RowDecoder)
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
			for got[i].Components != nil && len(got[i].Components) > len(want[i].Components) { // met in a later row of the block
				got[i].Components = got[i].Components[:len(got[i].Components)-1]
			}
			if len(got[i].Components) == 0 {
				got[i].Components = nil
			}
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
			t.Fatal("-want +got\n" + diff)
		}
		if diff := cmp.Diff(slow.Note(), fast.Note()); diff != "" {
			t.Fatal("-want +got\n" + diff)
		}
	}
	for tries := 0; read == 0; tries++ { // one table in nine is read by columns, and with -short a check draws twenty
		if tries == 10 {
			t.Fatal("no table was read by columns")
		}
		rapid.Check(t, check)
	}
}
