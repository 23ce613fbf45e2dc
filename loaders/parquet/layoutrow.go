package parquet

import (
	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

// layoutRow decodes a row that may hold several samples: as the JSON object that its cells make, which is
// what a [decode.Layout] reads. Its memory is reused.
type layoutRow struct{ record []byte }

func (l *layoutRow) begin() { l.record = append(l.record[:0], '{') }

func (l *layoutRow) add(name, v jsonscan.Value) {
	if len(l.record) > 1 {
		l.record = append(l.record, ',')
	}
	l.record = append(jsonscan.AppendText(l.record, name.Raw), ':')
	if v.Kind == jsonscan.Array || v.Kind == jsonscan.Object {
		l.record = append(l.record, v.Raw...)
		return
	}
	l.record = appendJSON(l.record, v)
}

func (l *layoutRow) decode(decoder *decode.RowDecoder, dst []model.Record) ([]model.Record, error) {
	l.record = append(l.record, '}')
	return decoder.Decode(dst, l.record)
}

// nextSeveral is the part of next that reads a row of several samples. A row that cannot be read is kept
// as a problem.
func (r *rowReader) nextSeveral(dst []model.Record) []model.Record {
	r.whole.begin()
	for k, c := range r.values {
		r.whole.add(r.columns[k].key, c.next())
	}
	r.row++
	before := len(dst)
	dst, err := r.whole.decode(r.decoder, dst)
	if err != nil {
		r.problems = append(r.problems, model.Problem{Line: r.row, Reason: err.Error()})
	}
	for i := before; i < len(dst); i++ {
		dst[i].Line, dst[i].Offset, dst[i].IndexInLine = r.row, r.row-1, int32(i-before)
	}
	return dst
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
