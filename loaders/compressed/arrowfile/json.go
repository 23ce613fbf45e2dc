package arrowfile

import (
	"math"
	"strconv"

	"vantage/loaders/jsonscan"
)

// writer writes rows as JSON, with NaN and Infinity as they are.
type writer struct {
	out          []byte
	dictionaries map[int64]*array
	work         int // values that may still be written
	err          error
}

// row writes a row of a batch as a line.
func (w *writer) row(columns []*column, arrays []*array, i int) {
	w.spend()
	w.out = append(w.out[:0], '{')
	for k, c := range columns {
		if k > 0 {
			w.out = append(w.out, ',')
		}
		w.out = jsonscan.AppendText(w.out, c.name)
		w.out = append(w.out, ':')
		w.value(arrays[k], int64(i), 0)
	}
	w.out = append(w.out, "}\n"...)
}

// spend counts a row or a value.
func (w *writer) spend() {
	if w.work--; w.work < 0 && w.err == nil {
		w.err = refused("it holds more values than it has room for: it is damaged")
	}
}

// checkSize fails if a row with so many more bytes is too long.
func (w *writer) checkSize(more int64) {
	if int64(len(w.out))+more > maxText && w.err == nil {
		w.err = refused("it holds a row of more than %d MB: it is damaged", maxText>>20)
	}
}

func (w *writer) value(a *array, at int64, depth int) {
	w.spend()
	w.checkSize(0)
	i := int(at)
	switch {
	case w.err != nil:
	case at > maxRows || depth > 2*maxDepth || a.isNull(i):
		w.out = append(w.out, "null"...)
	case a.column.dictionary != noDictionary:
		d := w.dictionaries[a.column.dictionary]
		if d == nil {
			w.err = errBroken
			return
		}
		w.value(d, a.integer(i), depth+1)
	default:
		w.content(a, i, depth)
	}
}

// content writes a value that is not null.
func (w *writer) content(a *array, i, depth int) {
	switch a.column.kind {
	case kindInt:
		if x := a.integer(i); a.column.signed {
			w.out = strconv.AppendInt(w.out, x, 10)
		} else {
			w.out = strconv.AppendUint(w.out, uint64(x), 10)
		}
	case kindFloat:
		w.out = jsonscan.AppendNumber(w.out, a.float(i))
	case kindBool:
		w.out = strconv.AppendBool(w.out, a.data[i/bitsOfByte]>>(i%bitsOfByte)&1 == 1)
	case kindText, kindLargeText:
		from, to := a.span(i)
		if from < 0 || to < from || to > int64(len(a.data)) {
			w.err = errBroken
			return
		}
		if w.checkSize(to - from); w.err == nil {
			w.out = jsonscan.AppendText(w.out, a.data[from:to])
		}
	case kindList, kindLargeList, kindFixedList:
		w.list(a, i, depth)
	case kindStruct:
		w.object(a, i, depth)
	case kindMap:
		w.entries(a, i, depth)
	default:
		w.out = append(w.out, "null"...)
	}
}

// integer returns value i of integers, widened as they are signed or not.
func (a *array) integer(i int) int64 {
	size := a.column.bits / bitsOfByte
	x := uintAt(a.data, i*size, size)
	if shift := 64 - a.column.bits; a.column.signed {
		return int64(x<<shift) >> shift
	}
	return int64(x)
}

func (a *array) float(i int) float64 {
	switch a.column.bits {
	case 16:
		return jsonscan.Float16(uint16(uintAt(a.data, 2*i, 2)))
	case 32:
		return float64(math.Float32frombits(uint32(uintAt(a.data, 4*i, 4))))
	}
	return math.Float64frombits(uintAt(a.data, 8*i, 8))
}

func (w *writer) list(a *array, i, depth int) {
	from, to := a.span(i)
	if from < 0 || to < from || to > int64(a.children[0].length) {
		w.err = errBroken
		return
	}
	w.out = append(w.out, '[')
	for k := from; k < to && w.err == nil; k++ {
		if k > from {
			w.out = append(w.out, ',')
		}
		w.value(a.children[0], k, depth+1)
	}
	w.out = append(w.out, ']')
}

// object writes a struct without its fields that are null: it has the fields of all others.
func (w *writer) object(a *array, i, depth int) {
	w.out = append(w.out, '{')
	first := true
	for k, child := range a.children {
		if child.isNull(i) {
			continue
		}
		if !first {
			w.out = append(w.out, ',')
		}
		first = false
		w.out = jsonscan.AppendText(w.out, a.column.children[k].name)
		w.out = append(w.out, ':')
		w.value(child, int64(i), depth+1)
	}
	w.out = append(w.out, '}')
}

// entries writes a map: a list of structs of a key and a value.
func (w *writer) entries(a *array, i, depth int) {
	pairs := a.children[0]
	from, to := a.span(i)
	if len(pairs.children) != 2 || from < 0 || to < from || to > int64(pairs.length) {
		w.err = errBroken
		return
	}
	w.out = append(w.out, '{')
	for k := from; k < to && w.err == nil; k++ {
		if k > from {
			w.out = append(w.out, ',')
		}
		start := len(w.out)
		w.value(pairs.children[0], k, depth+1)
		if len(w.out) == start || w.out[start] != '"' { // keys of JSON are texts
			w.out = append(append(append(w.out[:start:start], '"'), w.out[start:]...), '"')
		}
		w.out = append(w.out, ':')
		w.value(pairs.children[1], k, depth+1)
	}
	w.out = append(w.out, '}')
}
