package fast

import (
	"bytes"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
	"vantage/loaders/jsonscan/strspan"
	"vantage/model"
)

// Reader reads the rows of one file of JSON lines that fit its template.
type Reader struct {
	rowBuilder
	template     template
	failedLearns int    // rows from which a template was learned since the last row that fitted
	sharedPrefix []byte // of the row before, up to the first field that differs within a group; nil if not known
}

// New returns a reader without a template that leaves rows to slow.
func New(slow *decode.RowDecoder) *Reader { return &Reader{rowBuilder: rowBuilder{slow: slow}} }

// BeginBlock starts a block in the memory of old, which nobody may use any more.
func (r *Reader) BeginBlock(old model.Block) {
	r.rowBuilder.BeginBlock(old)
	r.sharedPrefix = nil
}

// AddRecord adds a row that the RowDecoder has read.
func (r *Reader) AddRecord(rec *model.Record) {
	r.rowBuilder.AddRecord(rec)
	r.sharedPrefix = nil
}

// ReadRows reads lines into the block, from the one that begins at p[at] to the first that does not
// fit the template or begins at limit or later. It returns where that begins, and how many lines were
// read. p[0] has the given offset in the file; p must not change before EndBlock.
//
// It does not search for newlines: the bytes between values are compared, texts end at a control
// character, and nothing else can hold one. A row that begins as the one before, as rows of a group
// do, is read from the first byte that may differ.
func (r *Reader) ReadRows(p []byte, at, limit int, offset int64) (end, n int) {
	r.buf = p
	for at < limit && r.template.fields != nil {
		end := r.readRow(p, at, offset+int64(at))
		if end == 0 {
			break
		}
		at, n = end, n+1
	}
	return at, n
}

// readRow reads one line and returns where the next begins, 0 if it does not fit.
func (r *Reader) readRow(p []byte, at int, offset int64) (end int) {
	t := &r.template
	samePrefix := r.sharedPrefix != nil && bytes.HasPrefix(p[at:], r.sharedPrefix)
	afterPrefix := at + len(r.sharedPrefix)
	if !samePrefix {
		r.sharedPrefix = nil
		afterPrefix = r.readValues(p, t.fields[:t.firstOwn], t.before.match(p, at))
	}
	end = r.readValues(p, t.fields[t.firstOwn:], afterPrefix)
	if end == 0 || !r.addRow(offset, samePrefix && t.sharedFirst) {
		r.sharedPrefix = nil
		return 0
	}
	if !samePrefix {
		r.sharedPrefix, r.failedLearns = p[at:afterPrefix], 0
	}
	return end
}

// readValues reads the values of some fields, the first of which begins at at. It returns where the
// value after the last begins, 0 if something does not fit or at is 0.
func (r *Reader) readValues(p []byte, fields []field, at int) int {
	for i := 0; i < len(fields) && at > 0; i++ {
		f, next := &fields[i], 0
		v := &r.spans[f.role]
		if f.kind == jsonscan.Number {
			if next = v.readDecimal(p, at); next > 0 {
				next = f.after.match(p, next)
			}
		}
		if next == 0 {
			next = v.read(p, at, f)
		}
		if f.component >= 0 {
			r.components[f.component] = v.number
		}
		at = next
	}
	return at
}

// read reads a value of any kind and the literal after it, and returns where that ends, 0 if
// something does not fit.
func (v *span) read(p []byte, at int, f *field) (end int) {
	if f.kind == jsonscan.String && !f.isNumber() {
		end = v.readString(p, at)
	} else {
		end = v.scan(p, at, f)
	}
	if end == 0 {
		return 0
	}
	return f.after.match(p, end)
}

// scan reads a value as the RowDecoder does.
func (v *span) scan(p []byte, at int, f *field) (end int) {
	if at < len(p) && p[at] <= ' ' {
		return 0 // the first row has no space there, and the span of a value has none
	}
	s := jsonscan.Scanner{Data: p, Pos: at}
	value, err := s.Value()
	if err != nil || value.Kind != f.kind || hasNewlineOrNUL(p[at:s.Pos]) {
		return 0
	}
	v.from, v.to = at, s.Pos
	if value.Kind == jsonscan.String {
		v.from, v.to = at+1, s.Pos-1
	}
	ok := true
	switch {
	case f.role == decode.RoleAdvantage:
		v.number = value.ToAdvantage()
	case f.isNumber():
		v.number, ok = value.ToFloat()
	}
	if !ok {
		return 0
	}
	return s.Pos
}

// readString measures a string without looking at its characters.
func (v *span) readString(p []byte, at int) (end int) {
	if at == len(p) || p[at] != '"' {
		return 0
	}
	c, ok := strspan.Measure(p[at+1:])
	if !ok {
		return 0
	}
	v.from, v.to, v.number = at+1, at+1+c.Bytes, -1
	if n, ok := c.Characters(); ok {
		v.number = float64(n)
	}
	return v.to + 1
}

// hasNewlineOrNUL reports whether a list or an object continues after its line, or has a NUL.
func hasNewlineOrNUL(raw []byte) bool {
	return bytes.IndexByte(raw, '\n') >= 0 || bytes.IndexByte(raw, 0) >= 0
}
