package arrowfile

import (
	"math"
	"strconv"

	"vantage/loaders/jsonscan"
)

// writeRow writes a row of a batch as a line of JSON, with NaN and Infinity as they are.
func (r *reader) writeRow(arrays []*array, i int) {
	r.spend()
	r.out = append(r.out[:0], '{')
	for _, a := range arrays {
		r.field(a.column.name, a, i, 0)
	}
	r.out = append(jsonscan.AppendEnd(r.out, '}'), '\n')
}

func (r *reader) field(name string, a *array, i, depth int) {
	r.out = append(jsonscan.AppendText(r.out, name), ':')
	r.value(a, int64(i), depth)
	r.out = append(r.out, ',')
}

func (r *reader) spend() {
	if r.work--; r.work < 0 {
		r.fail(refused("it holds more values than it has room for: it is damaged"))
	}
}

// checkSize fails if a row with so many more bytes is too long.
func (r *reader) checkSize(more int64) {
	if int64(len(r.out))+more > maxText {
		r.fail(refused("it holds a row of more than %d MB: it is damaged", maxText>>20))
	}
}

func (r *reader) value(a *array, at int64, depth int) {
	r.spend()
	r.checkSize(0)
	i := int(at)
	switch {
	case r.err != nil:
	case at > maxRows || depth > 2*maxDepth || a.isNull(i):
		r.out = append(r.out, "null"...)
	case a.column.dictionary == noDictionary:
		r.content(a, i, depth)
	case r.dictionaries[a.column.dictionary] == nil:
		r.err = errBroken
	default:
		r.value(r.dictionaries[a.column.dictionary], a.integer(i), depth+1)
	}
}

// content writes a value that is not null. A struct has no fields that are null, since it has the fields of all others.
func (r *reader) content(a *array, i, depth int) {
	switch c := a.column; c.form {
	case asInteger:
		if c.signed {
			r.out = strconv.AppendInt(r.out, a.integer(i), 10)
		} else {
			r.out = strconv.AppendUint(r.out, uint64(a.integer(i)), 10)
		}
	case asFloat:
		bits := uint64(a.integer(i))
		switch c.bits {
		case 16:
			r.out = jsonscan.AppendNumber(r.out, jsonscan.Float16(uint16(bits)))
		case 32:
			r.out = jsonscan.AppendNumber(r.out, float64(math.Float32frombits(uint32(bits))))
		default:
			r.out = jsonscan.AppendNumber(r.out, math.Float64frombits(bits))
		}
	case asBool:
		r.out = strconv.AppendBool(r.out, a.data[i/8]>>(i%8)&1 == 1)
	case asText:
		from, to, ok := a.span(i, len(a.data))
		r.check(ok)
		if r.checkSize(to - from); r.err == nil {
			r.out = jsonscan.AppendText(r.out, a.data[from:to])
		}
	case asList, asMap:
		r.elements(a, i, depth)
	case asObject:
		r.out = append(r.out, '{')
		for k, child := range a.children {
			if !child.isNull(i) {
				r.field(c.children[k].name, child, i, depth+1)
			}
		}
		r.out = jsonscan.AppendEnd(r.out, '}')
	default:
		r.out = append(r.out, "null"...)
	}
}

// elements writes a list, or a map: a list of structs of a key and a value.
func (r *reader) elements(a *array, i, depth int) {
	of, isMap, brackets := a.children[0], a.column.form == asMap, "[]"
	from, to, ok := a.span(i, of.length)
	if r.check(ok && (!isMap || len(of.children) == 2)); r.err != nil {
		return
	}
	if isMap {
		brackets = "{}"
	}
	r.out = append(r.out, brackets[0])
	for k := from; k < to && r.err == nil; k++ {
		if !isMap {
			r.value(of, k, depth+1)
		} else {
			start := len(r.out)
			r.value(of.children[0], k, depth+1)
			if len(r.out) == start || r.out[start] != '"' { // keys of JSON are texts
				r.out = append(append(append(r.out[:start:start], '"'), r.out[start:]...), '"')
			}
			r.out = append(r.out, ':')
			r.value(of.children[1], k, depth+1)
		}
		r.out = append(r.out, ',')
	}
	r.out = jsonscan.AppendEnd(r.out, brackets[1])
}
