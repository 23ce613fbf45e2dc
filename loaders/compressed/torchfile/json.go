package torchfile

import (
	"strconv"

	"vantage/loaders/jsonscan"
)

// writer writes values as JSON, as Python's json.dumps does: NaN and Infinity as they are.
type writer struct {
	out  []byte
	work int // values and keys that may still be looked at
	err  error
}

func (w *writer) value(v any, depth int) {
	switch {
	case depth > maxDepth:
		w.err = refused("it holds dicts or lists more than %d deep: it is damaged", maxDepth)
		return
	case len(w.out) > maxText:
		w.err = refused("it holds a sample of more than %d MB: it is damaged", maxText>>20)
		return
	case w.err != nil:
		return
	case w.work < 0:
		w.err = tooMuch("values")
		return
	}
	w.work--
	switch v := v.(type) {
	case nil:
		w.out = append(w.out, "null"...)
	case bool:
		w.out = strconv.AppendBool(w.out, v)
	case int64:
		w.out = strconv.AppendInt(w.out, v, 10)
	case float64:
		w.out = jsonscan.AppendNumber(w.out, v)
	case string:
		w.out = jsonscan.AppendText(w.out, v)
	case *list:
		w.list(v, depth)
	case *dict:
		w.object(v, depth)
	case *object:
		w.out = jsonscan.AppendText(w.out, "<"+v.name+">")
	}
}

func (w *writer) list(l *list, depth int) {
	w.out = append(w.out, '[')
	for i, v := range l.items {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.value(v, depth+1)
		if w.err != nil {
			return
		}
	}
	w.out = append(w.out, ']')
}

// object writes a dict. Lists of which numbers were dropped are left out, and so are keys that are no text.
func (w *writer) object(d *dict, depth int) {
	w.out = append(w.out, '{')
	first := true
	w.work -= len(d.keys)
	for i, key := range d.keys {
		name, ok := key.(string)
		if l, isList := d.values[i].(*list); !ok || isList && l.dropped > 0 || depth == 0 && i > 0 && name == "step" {
			continue
		}
		if !first {
			w.out = append(w.out, ',')
		}
		first = false
		w.out = jsonscan.AppendText(w.out, name)
		w.out = append(w.out, ':')
		w.value(d.values[i], depth+1)
		if w.err != nil {
			return
		}
	}
	w.out = append(w.out, '}')
}
