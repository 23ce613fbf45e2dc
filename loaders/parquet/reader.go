package parquet

import (
	"errors"
	"fmt"

	"vantage/loaders/decode"
	"vantage/loaders/parquet/pages"
	"vantage/model"
)

// Reader reads the samples of a Parquet file by columns, or row by row from the first
// block on that needs it.
type Reader struct {
	Decoder *decode.RowDecoder
	table   *pages.File
	columns *columnReader // nil once rows are read one by one
	rows    *rowReader
}

// NewReader reads an open Parquet file into the decoder's terms.
func NewReader(decoder *decode.RowDecoder, f *pages.File, workers int) *Reader {
	r := &Reader{Decoder: decoder, table: f, columns: newColumnReader(decoder, f, workers)}
	if r.columns == nil {
		r.ReadRows(0)
	}
	return r
}

// ReadRows continues row by row from row first on.
func (r *Reader) ReadRows(first int64) {
	r.columns, r.rows = nil, newRowReader(r.Decoder, r.table, first)
}

// Next returns the next samples, as a block or appended to records; there may be none yet.
// It returns io.EOF after the last.
func (r *Reader) Next(records []model.Record) (b model.Block, _ []model.Record, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a page is broken: %v", p)
		}
	}()
	if r.columns != nil {
		b, err = r.columns.next()
		if !errors.Is(err, errNeedsRows) {
			return b, records, err
		}
		r.ReadRows(r.columns.row)
	}
	records, err = r.rows.next(records)
	return b, records, err
}

// ByColumns reports whether the file is read by columns.
func (r *Reader) ByColumns() bool { return r.columns != nil }

// NextBlock is Next for a file that is read by columns, and stays so.
func (r *Reader) NextBlock() (model.Block, error) { return r.columns.next() }

// AtEOF reports whether a file that is read by columns has been read to its end.
func (r *Reader) AtEOF() bool { return r.columns.atEOF() }

// Fits reports whether Reset can make r read another file: its columns mean the same. A nil
// Reader fits none.
func (r *Reader) Fits(f *pages.File) bool { return r != nil && r.columns.fits(f) }

// Reset makes r read another file that it fits.
func (r *Reader) Reset(name string, f *pages.File) {
	r.table = f
	r.columns.reset(name, f)
}

// TakeProblems returns the rows since the last call that could not be read.
func (r *Reader) TakeProblems() []model.Problem {
	if r.rows == nil {
		return nil
	}
	problems := r.rows.problems
	r.rows.problems = nil
	return problems
}

// Index returns where the pages read so far begin, nil if rows are read one by one.
func (r *Reader) Index() pages.Index {
	if r.columns == nil {
		return nil
	}
	return r.columns.file.Index()
}

// ResponseHash is a hash of the responses of the last block of a file that is read by columns,
// 0 if they were not hashed.
func (r *Reader) ResponseHash() uint64 {
	if c := r.columns.numbers[decode.RoleResponse]; c != nil {
		return c.hash
	}
	return 0
}
