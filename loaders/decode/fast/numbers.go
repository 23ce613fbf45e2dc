package fast

import (
	"slices"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

// numbers are the fields of rows that have nothing but numbers after what the rows of a group share, as
// those of a log without texts. Of such a group all rows but the first are read at once.
type numbers struct {
	columns []numberColumn // one for each field; nil if there are other values
	fields  []field
	room    int     // how many bytes are read for them at most, beyond the row too
	unused  []int32 // for numbers of tokens that are only checked
	misses  int     // how many times in a row no row was read in this block
}

// maxMisses is after how many misses the rest of a block is read row by row: rows need not be sorted by group, and numbers may be longer.
const maxMisses = 64

// numberColumn is where the values of a field go, and what follows each. readNumberRows knows the order of its fields, and those of
// literal.
type numberColumn struct {
	after  literal
	floats *float64 // where the value of the first row goes; nil if nowhere
	counts *int32   // the same of a field whose values must be whole and positive
}

// numbersOf returns what reads some fields, without columns if a row may have other values in them.
func numbersOf(fields []field) numbers {
	n := numbers{fields: fields, room: twoWords}
	for _, f := range fields {
		isPlain := f.role == noRole || f.role == decode.RoleReward || f.role == decode.RoleAdvantage || isTokenCount(f.role)
		if f.kind != jsonscan.Number || !isPlain || f.status != "" || len(f.after.text) > 2*twoWords {
			return numbers{}
		}
		n.columns = append(n.columns, numberColumn{after: f.after})
		n.room += twoWords + len(f.after.text)
	}
	return n
}

// readNumbers reads the rows from p[at] on that begin as the row before, as readRow does, up to one that is written in another way.
func (r *Reader) readNumbers(p []byte, at, limit int, offset int64) (end, n int) {
	columns, b := r.template.numbers.columns, &r.block
	limit = min(limit, len(p)-len(r.sharedPrefix)-r.template.numbers.room)
	if columns == nil || at >= limit || len(r.sharedPrefix) < twoWords || r.template.numbers.misses == maxMisses {
		return at, 0
	}
	if b.n == len(b.Reward) {
		b.grow(b.n + b.n/2 + 64)
	}
	if !r.placeColumns(columns) {
		return at, 0
	}
	n, end = readNumberRows(p, at, limit, r.sharedPrefix, columns, b.Offset[b.n:], offset)
	if r.template.numbers.misses++; n > 0 {
		r.template.numbers.misses = 0
		r.repeat(n)
	}
	return end, n
}

// placeColumns says where in the block the values of the next rows go. It returns false if the block has no place for some.
func (r *Reader) placeColumns(columns []numberColumn) bool {
	b, t := &r.block, &r.template.numbers
	for i, f := range t.fields {
		c := &columns[i]
		switch {
		case f.role == decode.RoleReward:
			c.floats = &b.Reward[b.n]
		case f.role == decode.RoleAdvantage:
			if b.Advantage == nil {
				return false
			}
			c.floats = &b.Advantage[b.n]
		case f.role == decode.RoleLength && r.slow.LengthUnit == model.LengthTokens:
			c.counts = &b.Length[b.n]
		case isTokenCount(f.role):
			t.unused = slices.Grow(t.unused[:0], len(b.Reward)-b.n)
			c.counts = &t.unused[:1][0]
		case f.component >= 0:
			c.floats = &b.Components[f.component][b.n]
		}
	}
	return true
}

// repeat adds n rows, whose numbers are in the block: the others are those of the row before.
func (r *Reader) repeat(n int) {
	b := &r.block
	from, to := b.n, b.n+n
	repeat(b.Step, from, to)
	repeat(b.Prompt, from, to)
	repeat(b.Group, from, to)
	repeat(b.Rollout, from, to)
	repeat(b.Status, from, to)
	if r.slow.LengthUnit != model.LengthTokens {
		repeat(b.Length, from, to)
	}
	if r.spans[decode.RoleAdvantage].kind == jsonscan.Absent {
		repeat(b.Advantage, from, to)
	}
	for k, column := range b.Components {
		if !slices.ContainsFunc(r.template.numbers.fields, func(f field) bool { return f.component == k }) {
			repeat(column, from, to)
		}
	}
	b.n = to
}

// repeat sets rows [from, to) of a column to the value before; nil stays nil.
func repeat[T any](column []T, from, to int) {
	if column == nil {
		return
	}
	before, rows := column[from-1], column[from:to]
	for i := range rows {
		rows[i] = before
	}
}
