package decode

import (
	"vantage/loaders/jsonscan"
)

// listedTokens returns the number of tokens of the response by their list, without padding: those that the mask next to it counts, or
// all before the id that fills up the lists of this log.
func (r *RowDecoder) listedTokens() (n int, ok bool) {
	ids, mask := r.Values[RoleTokens], r.Values[RoleMask]
	masked, count := countMask(mask)
	switch {
	case ids.Kind != jsonscan.Array:
		return count, count > 0 && r.FieldName(RoleMask) != wholeMask
	case count > 0 && masked == ids.Len():
		return count, true
	}
	if r.Padding == "" {
		return ids.Len(), true
	}
	n, tail, last := tailOf(ids)
	if last == r.Padding {
		n -= tail
	}
	return n, true
}

// countMask returns how many elements a mask has, and how many of them count.
func countMask(mask jsonscan.Value) (elements, count int) {
	mask.EachElement(func(e jsonscan.Value) {
		elements++
		if x, ok := e.ToFloat(); ok && x != 0 {
			count++
		}
	})
	return elements, count
}

// tailOf returns how many elements a list has, and how many at its end are its last one.
func tailOf(list jsonscan.Value) (n, tail int, last string) {
	var previous []byte
	list.EachElement(func(e jsonscan.Value) {
		n++
		if string(previous) != string(e.Raw) {
			tail, previous = 0, e.Raw
		}
		tail++
	})
	return n, tail, string(previous)
}

// PaddedRows is of how many rows the lists of tokens are compared before the padding is decided, and minPaddedRows how many of them a
// short log must have.
const (
	PaddedRows    = 8
	minPaddedRows = 3
)

// MayBePadded reports whether the length of a row would be that of its list of tokens, which may be filled up.
func MayBePadded(f *Fields, record []byte) bool {
	_, ok := tokensIn(f, record)
	return ok
}

// tokensIn returns the list of tokens that is the length of a row; ok is false if it is not.
func tokensIn(f *Fields, record []byte) (ids jsonscan.Value, ok bool) {
	r := NewRowDecoder(f, "")
	r.BeginRow()
	if jsonscan.ScanObject(record, r.Pick) != nil || r.Has(RoleLength) || r.Has(RoleMask) {
		return ids, false
	}
	return r.Values[RoleTokens], r.Values[RoleTokens].Kind == jsonscan.Array
}

// PaddingOf returns the id that fills up the lists of tokens in the first rows of a log: those of one length, of which most end with
// that id, more than once and in different places. It is "" if there is none.
func PaddingOf(f *Fields, rows [][]byte) (id string) {
	length, filled := -1, map[string]int{}
	places := map[int]bool{}
	for i, row := range rows {
		ids, ok := tokensIn(f, row)
		if !ok {
			return ""
		}
		n, tail, last := tailOf(ids)
		if i > 0 && n != length { // of another batch
			rows = rows[:i]
			break
		}
		length, places[n-tail] = n, true
		if tail > 1 {
			filled[last]++
		}
	}
	for last, count := range filled {
		if 2*count > len(rows) && len(places) > 1 && len(rows) >= minPaddedRows {
			return last
		}
	}
	return ""
}
