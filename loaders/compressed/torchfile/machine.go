package torchfile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"vantage/loaders/fileio"
)

// machine reads a pickle: a program of a stack machine that builds one value. Its first error stays: what is read or taken
// after it is zero or nil, and the pickle is refused.
type machine struct {
	in    *bufio.Reader
	stack []any
	marks []int // heights of the stack
	memo  []any
	err   error

	kept    int // values in lists and dicts
	maxKept int
	texts   int64 // bytes that may still be kept

	// Of a [Dump] tensors are kept by name, long texts are not, and lists of numbers are whole below these keys.
	tensors bool
	keep    []string
	numbers int64 // of those lists that may still be kept
}

func newMachine(in *bufio.Reader) *machine {
	return &machine{in: in, texts: maxTexts(), maxKept: maxKept(), numbers: maxTexts() / 8}
}

func (m *machine) load() (any, error) {
	table := opcodes()
	for {
		code, err := m.in.ReadByte()
		if err != nil {
			return nil, endsEarly(err)
		}
		switch run := table[code]; {
		case code == stop:
			v := m.take(1)[0]
			return v, m.err
		case run == nil:
			m.err = fileio.NotRead("byte %#x is not an instruction of a pickle: it is damaged", code)
		default:
			run(m)
		}
		if len(m.stack) > maxStack || len(m.marks) > maxStack || m.kept > m.maxKept {
			m.fail(tooMuch("values"))
		}
		if m.err != nil {
			return nil, endsEarly(m.err)
		}
	}
}

func (m *machine) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

var errStack = fileio.NotRead("its pickle takes a value that is not there: it is damaged")

func (m *machine) push(v any) { m.stack = append(m.stack, v) }

// take takes the last n values, but none below the last mark. They are valid until the next push.
func (m *machine) take(n int) []any {
	low, at := 0, len(m.stack)-n
	if len(m.marks) > 0 {
		low = m.marks[len(m.marks)-1]
	}
	if at < low {
		m.fail(errStack)
		return make([]any, n)
	}
	values := m.stack[at:]
	m.stack = m.stack[:at]
	return values
}

// takeMark takes the values above the last mark, and the mark. They are valid until the next push.
func (m *machine) takeMark() []any {
	last := len(m.marks) - 1
	if last < 0 || m.marks[last] > len(m.stack) {
		m.fail(errStack)
		return nil
	}
	values := m.stack[m.marks[last]:]
	m.marks, m.stack = m.marks[:last], m.stack[:m.marks[last]]
	return values
}

func (m *machine) top() any {
	if len(m.stack) == 0 {
		m.fail(errStack)
		return nil
	}
	return m.stack[len(m.stack)-1]
}

func (m *machine) number(size int) uint64 {
	b, err := m.in.Peek(size)
	if err != nil {
		m.fail(err)
	}
	var n [8]byte
	_, _ = m.in.Discard(copy(n[:], b))
	return binary.LittleEndian.Uint64(n[:])
}

// text reads a text of n bytes. Its size is only claimed: what is taken for it grows with what is there.
func (m *machine) text(n uint64) string {
	if m.tensors && n > maxName && n <= maxText {
		_, m.err = m.in.Discard(int(n))
		return ""
	}
	if m.keepText(n); m.err != nil {
		return ""
	}
	if n <= uint64(m.in.Size()) {
		b, err := m.in.Peek(int(n))
		s := string(b)
		_, _ = m.in.Discard(len(b))
		m.err = err
		return s
	}
	b, err := io.ReadAll(io.LimitReader(m.in, int64(n)))
	if err == nil && uint64(len(b)) < n {
		err = io.ErrUnexpectedEOF
	}
	m.err = err
	return string(b)
}

// keepText counts a text of n bytes, which is about to be kept.
func (m *machine) keepText(n uint64) {
	if n > maxText {
		m.fail(fileio.NotRead("it holds a text of %d MB, and no response is as long: it is damaged", n>>20))
	} else if m.texts -= int64(n); m.texts < 0 {
		m.fail(tooMuch("text"))
	}
}

// line reads a short text up to a newline.
func (m *machine) line() string {
	b, err := m.in.ReadSlice('\n')
	switch {
	case len(b) > maxName || errors.Is(err, bufio.ErrBufferFull):
		m.fail(errLongName)
	case err != nil:
		m.fail(err)
	default:
		return string(b[:len(b)-1])
	}
	return ""
}

var errLongName = fileio.NotRead("it holds a name of more than %d bytes: it is damaged", maxName)

const stop = '.'

// opcodes returns what each instruction does: those of all protocols, as Python's pickletools.py lists them.
func opcodes() [256]func(*machine) {
	text := func(m *machine, n uint64) { m.push(m.text(n)) }
	textLine := func(m *machine) { m.push(m.line()) }
	newList := func(m *machine) { m.push(&list{}) }
	listOfMark := func(m *machine) { m.pushList(m.takeMark()) }
	extendByMark := func(m *machine) { m.extend(m.takeMark()) }
	callWithArgs := func(m *machine) { m.call(m.take(2)) }
	nothing := func(*machine, uint64) {}
	return [256]func(*machine){
		// Constants and numbers.
		'N':  func(m *machine) { m.push(nil) },
		0x88: func(m *machine) { m.push(true) },
		0x89: func(m *machine) { m.push(false) },
		'J':  sized(4, func(m *machine, n uint64) { m.push(int64(int32(uint32(n)))) }),
		'K':  sized(1, func(m *machine, n uint64) { m.push(int64(n)) }),
		'M':  sized(2, func(m *machine, n uint64) { m.push(int64(n)) }),
		'G':  sized(8, func(m *machine, n uint64) { m.push(math.Float64frombits(bits.ReverseBytes64(n))) }),
		0x8a: sized(1, (*machine).long),
		0x8b: sized(4, (*machine).long),
		'I':  (*machine).decimal,
		'L':  (*machine).decimal,
		'F':  (*machine).decimal,

		// Texts and bytes.
		'X':  sized(4, text),
		0x8c: sized(1, text),
		0x8d: sized(8, text),
		'U':  sized(1, text),
		'T':  sized(4, text),
		'B':  sized(4, text),
		'C':  sized(1, text),
		0x8e: sized(8, text),
		0x96: sized(8, text),
		'V':  textLine,
		'S':  textLine,

		// Lists, tuples, sets and dicts.
		'(':  func(m *machine) { m.marks = append(m.marks, len(m.stack)) },
		']':  newList,
		')':  newList,
		0x8f: newList,
		'}':  func(m *machine) { m.push(&dict{}) },
		'l':  listOfMark,
		't':  listOfMark,
		0x91: listOfMark,
		0x85: func(m *machine) { m.pushList(m.take(1)) },
		0x86: func(m *machine) { m.pushList(m.take(2)) },
		0x87: func(m *machine) { m.pushList(m.take(3)) },
		'd':  func(m *machine) { d := &dict{}; m.setIn(d, m.takeMark()); m.push(d) },
		'a':  func(m *machine) { m.extend(m.take(1)) },
		'e':  extendByMark,
		0x90: extendByMark,
		's':  func(m *machine) { m.setItems(m.take(2)) },
		'u':  func(m *machine) { m.setItems(m.takeMark()) },

		// The stack, and what is remembered.
		0x80: sized(1, nothing), // the protocol
		0x95: sized(8, nothing), // the size of a frame
		'0':  func(m *machine) { m.take(1) },
		'1':  func(m *machine) { m.takeMark() },
		'2':  func(m *machine) { m.push(m.top()) },
		'h':  sized(1, (*machine).get),
		'j':  sized(4, (*machine).get),
		'g':  numbered((*machine).get),
		'q':  sized(1, (*machine).put),
		'r':  sized(4, (*machine).put),
		'p':  numbered((*machine).put),
		0x94: func(m *machine) { m.put(uint64(len(m.memo))) },

		// Classes and objects.
		'c':  (*machine).class,
		0x93: (*machine).stackClass,
		'R':  callWithArgs,
		0x81: callWithArgs,
		0x92: func(m *machine) { m.call(m.take(3)) },
		'o':  func(m *machine) { m.call(m.takeMark()) },
		'i':  (*machine).instance,
		'b':  func(m *machine) { m.take(1) }, // the state of an object
		'P':  func(m *machine) { m.line(); m.push(&object{name: "tensor"}) },
		'Q':  (*machine).persistent,
	}
}

// sized returns an instruction with a number of so many bytes after it.
func sized(size int, run func(*machine, uint64)) func(*machine) {
	return func(m *machine) {
		if n := m.number(size); m.err == nil {
			run(m, n)
		}
	}
}

// numbered returns an instruction with a number in text after it.
func numbered(run func(*machine, uint64)) func(*machine) {
	return func(m *machine) {
		n, err := strconv.ParseUint(m.line(), 10, 32)
		if err != nil {
			m.fail(errStack)
		}
		run(m, n)
	}
}

// decimal pushes a number that is written as text: I01 is true in protocol 0.
func (m *machine) decimal() {
	s := strings.TrimSuffix(m.line(), "L")
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		m.push(n)
		return
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil && x == 0 {
		m.fail(fileio.NotRead("%q is not a number: it is damaged", s))
	}
	m.push(x)
}

// long pushes a number of n bytes in two's complement. One that does not fit into 64 bits is rounded.
func (m *machine) long(n uint64) {
	if n > maxName {
		m.fail(fileio.NotRead("it holds a number of %d bytes: it is damaged", n))
		return
	}
	b := []byte(m.text(n))
	slices.Reverse(b)
	x := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	if x.IsInt64() {
		m.push(x.Int64())
		return
	}
	f, _ := new(big.Float).SetInt(x).Float64()
	m.push(f)
}

func (m *machine) pushList(values []any) {
	l := &list{}
	m.addTo(l, values)
	m.push(l)
}

func (m *machine) addTo(l *list, values []any) {
	before := len(l.items)
	whole := m.tensors && slices.Contains(m.keep, m.keyOf(l))
	for _, v := range values {
		x, ok := number(v)
		switch {
		case !ok || !whole || len(l.items) > 0:
			l.add(v)
		case m.numbers == 0:
			l.dropped++
		default:
			l.numbers = append(l.numbers, x)
			m.numbers--
		}
	}
	m.kept += len(l.items) - before
}

// keyOf is the key of a dict below which a list is filled, or a list of lists that has it; empty if there is none.
func (m *machine) keyOf(l *list) string {
	if len(m.stack) == 0 || m.stack[len(m.stack)-1] != any(l) {
		return ""
	}
	for i := len(m.stack) - 2; i >= 0; i-- {
		switch v := m.stack[i].(type) {
		case *list:
		case string:
			return v
		default:
			return ""
		}
	}
	return ""
}

// persistent pushes what stands for the bytes of a tensor, which are in a file of their own.
func (m *machine) persistent() {
	o := &object{name: "tensor"}
	if id := m.take(1)[0]; m.tensors {
		o = &object{name: storageName, args: id}
	}
	m.push(o)
}

// extend adds values to the list below them. What else takes values, as an object of a class of its own, ignores them.
func (m *machine) extend(values []any) {
	if l, ok := m.top().(*list); ok {
		m.addTo(l, values)
	}
}

func (m *machine) setItems(pairs []any) {
	if d, ok := m.top().(*dict); ok {
		m.setIn(d, pairs)
	}
}

// setIn sets keys to values, which take turns.
func (m *machine) setIn(d *dict, pairs []any) {
	if len(pairs)%2 != 0 {
		m.fail(errStack)
		return
	}
	for i := 0; i < len(pairs); i += 2 {
		d.keys, d.values = append(d.keys, pairs[i]), append(d.values, pairs[i+1])
	}
	m.kept += len(pairs)
}

// get pushes the value that was remembered as the i-th.
func (m *machine) get(i uint64) {
	if i >= uint64(len(m.memo)) {
		m.fail(errStack)
		return
	}
	m.push(m.memo[i])
}

// put remembers the last value as the i-th. Python counts them one by one.
func (m *machine) put(i uint64) {
	switch v := m.top(); {
	case m.err != nil:
	case i < uint64(len(m.memo)):
		m.memo[i] = v
	case i >= maxMemo:
		m.err = tooMuch("values")
	case i == uint64(len(m.memo)):
		m.memo = append(m.memo, v)
	default:
		m.err = fileio.NotRead("its pickle does not number its memo one by one, as Python does: it is damaged")
	}
}

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
	if o, ok := v.(*object); ok && m.tensors && class.name == tensorCall {
		o.args = values[1]
	}
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
	numbers []float64 // in place of items, of a list that is kept whole
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
