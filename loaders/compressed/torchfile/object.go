package torchfile

import (
	"encoding/binary"
	"math"
	"slices"
)

// class pushes a class, which is its name and no more.
func (m *machine) class() {
	module := m.line()
	m.push(&object{name: module + "." + m.line()})
}

func (m *machine) stackClass() {
	names := m.take(2)
	module, _ := names[0].(string)
	name, _ := names[1].(string)
	if len(module)+len(name) > maxName { // a text of the stack may be of any size, and it costs nothing to name it again
		m.fail(errLongName)
		return
	}
	m.push(&object{name: module + "." + name})
}

// instance is class and call in one instruction of protocol 0.
func (m *machine) instance() {
	m.class()
	class := m.take(1)[0]
	m.call([]any{class, &list{items: slices.Clone(m.takeMark())}})
}

// call pushes what stands for the call of a class: nothing is called. Dicts and lists of other classes are taken as such, and
// numbers of numpy as numbers.
func (m *machine) call(values []any) {
	if len(values) == 0 {
		m.fail(errStack)
		return
	}
	class, ok := values[0].(*object)
	if !ok || class.call {
		m.push(&object{name: "object", call: true})
		return
	}
	var args []any
	if len(values) > 1 {
		if l, ok := values[1].(*list); ok {
			args = l.items
		}
	}
	v := called(class.name, args)
	if s, ok := v.(string); ok {
		m.keepText(uint64(len(s)))
	}
	m.push(v)
}

func called(name string, args []any) any {
	switch name {
	case "collections.OrderedDict", "collections.defaultdict":
		return &dict{}
	case "_codecs.encode": // bytes in protocol 2: each byte is a letter of latin1
		if len(args) > 0 {
			if s, ok := args[0].(string); ok {
				b := make([]byte, 0, len(s))
				for _, r := range s {
					b = append(b, byte(r))
				}
				return string(b)
			}
		}
	case "numpy.core.multiarray.scalar", "numpy._core.multiarray.scalar":
		if x, ok := numpyScalar(args); ok {
			return x
		}
	}
	o := &object{name: name, call: true}
	if name == "numpy.dtype" && len(args) > 0 {
		o.args = args[0]
	}
	return o
}

// numpyScalar returns the number of numpy.float64(0.5), which is pickled as a dtype and bytes.
func numpyScalar(args []any) (any, bool) {
	if len(args) != 2 {
		return nil, false
	}
	dtype, ok := args[0].(*object)
	text, isText := args[1].(string)
	if !ok || !isText {
		return nil, false
	}
	var b [8]byte
	copy(b[:], text)
	n := binary.LittleEndian.Uint64(b[:])
	switch kind, _ := dtype.args.(string); {
	case kind == "f8" && len(text) == 8:
		return math.Float64frombits(n), true
	case kind == "f4" && len(text) == 4:
		return float64(math.Float32frombits(uint32(n))), true
	case kind == "i8" && len(text) == 8:
		return int64(n), true
	case kind == "i4" && len(text) == 4:
		return int64(int32(n)), true
	case kind == "b1" && len(text) == 1:
		return n != 0, true
	}
	return nil, false
}

// A value of a pickle is nil, a bool, an int64, a float64, a string, a *list, a *dict or an *object.

// list is a list, a tuple or a set.
type list struct {
	items   []any
	dropped int // numbers that are counted and not kept
	mixed   bool
}

// keptNumbers is how many numbers of a list are kept. A list of tokens is longer, one of rewards is not.
const keptNumbers = 64

func (l *list) add(v any) {
	switch v.(type) {
	case int64, float64, bool:
		if len(l.items) >= keptNumbers && !l.mixed {
			l.dropped++
			return
		}
	default:
		l.mixed = true
	}
	l.items = append(l.items, v)
}

// dict is a dict, with the pairs in the order of the pickle.
type dict struct{ keys, values []any }

func (d *dict) get(key string) any {
	for i := len(d.keys) - 1; i >= 0; i-- {
		if d.keys[i] == key {
			return d.values[i]
		}
	}
	return nil
}

// object is a class, or what a call of it would have returned. Its name is data.
type object struct {
	name string
	args any // of the call; nil for the class itself
	call bool
}
