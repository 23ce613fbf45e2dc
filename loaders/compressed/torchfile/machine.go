package torchfile

import (
	"bufio"
	"io"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// machine reads a pickle: a program of a stack machine that builds one value.
type machine struct {
	in    *bufio.Reader
	stack []any
	marks []int // heights of the stack
	memo  []any

	kept    int // values in lists and dicts
	maxKept int
	texts   int64 // bytes that may still be kept
}

// load returns the value of a pickle.
func load(in *bufio.Reader) (any, error) {
	m := &machine{in: in, texts: maxTexts(), maxKept: maxKept()}
	table := opcodes()
	for {
		code, err := in.ReadByte()
		if err != nil {
			return nil, endsEarly(err)
		}
		if code == stop {
			return m.pop()
		}
		run := table[code]
		if run == nil {
			return nil, refused("byte %#x is no instruction of a pickle: it is damaged", code)
		}
		if err := run(m); err != nil {
			return nil, endsEarly(err)
		}
		if len(m.stack) > maxStack || len(m.marks) > maxStack || m.kept > m.maxKept {
			return nil, tooMuch("values")
		}
	}
}

var errStack = refused("its pickle takes a value that is not there: it is damaged")

func (m *machine) push(v any) error {
	m.stack = append(m.stack, v)
	return nil
}

// pop takes the last value, but none below the last mark.
func (m *machine) pop() (any, error) {
	n := len(m.stack)
	if n == 0 || len(m.marks) > 0 && n == m.marks[len(m.marks)-1] {
		return nil, errStack
	}
	v := m.stack[n-1]
	m.stack[n-1] = nil
	m.stack = m.stack[:n-1]
	return v, nil
}

// top returns the last value and leaves it there.
func (m *machine) top() (any, error) {
	if len(m.stack) == 0 {
		return nil, errStack
	}
	return m.stack[len(m.stack)-1], nil
}

// popMark takes the values above the last mark, and the mark. They are valid until the next push.
func (m *machine) popMark() ([]any, error) {
	if len(m.marks) == 0 || m.marks[len(m.marks)-1] > len(m.stack) {
		return nil, errStack
	}
	at := m.marks[len(m.marks)-1]
	values := m.stack[at:]
	m.marks, m.stack = m.marks[:len(m.marks)-1], m.stack[:at]
	return values, nil
}

// take takes the last n values.
func (m *machine) take(n int) ([]any, error) {
	low := 0
	if len(m.marks) > 0 {
		low = m.marks[len(m.marks)-1]
	}
	if len(m.stack)-n < low {
		return nil, errStack
	}
	values := m.stack[len(m.stack)-n:]
	m.stack = m.stack[:len(m.stack)-n]
	return values, nil
}

// pushList pushes a new list of values.
func (m *machine) pushList(values []any) error {
	l := &list{}
	m.addTo(l, values)
	return m.push(l)
}

func (m *machine) addTo(l *list, values []any) {
	before := len(l.items)
	for _, v := range values {
		l.add(v)
	}
	m.kept += len(l.items) - before
}

// setIn sets keys to values, which take turns.
func (m *machine) setIn(d *dict, pairs []any) error {
	if len(pairs)%2 != 0 {
		return errStack
	}
	for i := 0; i < len(pairs); i += 2 {
		d.keys, d.values = append(d.keys, pairs[i]), append(d.values, pairs[i+1])
	}
	m.kept += len(pairs)
	return nil
}

// number reads an unsigned number of some bytes.
func (m *machine) number(size int) (n uint64, err error) {
	var b [8]byte
	if _, err := io.ReadFull(m.in, b[:size]); err != nil {
		return 0, err
	}
	for i := size - 1; i >= 0; i-- {
		n = n<<8 | uint64(b[i])
	}
	return n, nil
}

// text reads a text of n bytes. Its size is only claimed: what is taken for it grows with what is there.
func (m *machine) text(n uint64) (string, error) {
	if err := m.keepText(n); err != nil {
		return "", err
	}
	if n <= uint64(m.in.Size()) {
		b, err := m.in.Peek(int(n))
		if err != nil {
			return "", err
		}
		s := string(b)
		_, err = m.in.Discard(int(n))
		return s, err
	}
	b, err := io.ReadAll(io.LimitReader(m.in, int64(n)))
	if err == nil && uint64(len(b)) < n {
		err = io.ErrUnexpectedEOF
	}
	return string(b), err
}

// keepText counts a text of n bytes, which is about to be kept.
func (m *machine) keepText(n uint64) error {
	if n > maxText {
		return refused("it holds a text of %d MB, and no response is as long: it is damaged", n>>20)
	}
	if m.texts -= int64(n); m.texts < 0 {
		return tooMuch("text")
	}
	return nil
}

// line reads a short text up to a newline.
func (m *machine) line() (string, error) {
	var b []byte
	for len(b) < maxName {
		c, err := m.in.ReadByte()
		if err != nil {
			return "", err
		}
		if c == '\n' {
			return string(b), nil
		}
		b = append(b, c)
	}
	return "", errLongName
}

var errLongName = refused("it holds a name of more than %d bytes: it is damaged", maxName)

// get pushes the value that was remembered as the i-th.
func (m *machine) get(i uint64) error {
	if i >= uint64(len(m.memo)) {
		return errStack
	}
	return m.push(m.memo[i])
}

// put remembers the last value as the i-th. Python counts them one by one.
func (m *machine) put(i uint64) error {
	v, err := m.top()
	switch {
	case err != nil:
		return err
	case i < uint64(len(m.memo)):
		m.memo[i] = v
	case i >= maxMemo:
		return tooMuch("values")
	case i == uint64(len(m.memo)):
		m.memo = append(m.memo, v)
	default:
		return refused("its pickle does not count what it remembers one by one, as Python does: it is damaged")
	}
	return nil
}

// stop ends a pickle.
const stop = '.'

// opcodes returns what each instruction does: those of all protocols, as Python's pickletools.py lists them.
func opcodes() (table [256]func(*machine) error) {
	for _, list := range []map[byte]func(*machine) error{numberCodes(), textCodes(), containerCodes(), memoCodes(), objectCodes()} {
		for code, run := range list {
			table[code] = run
		}
	}
	return table
}

func numberCodes() map[byte]func(*machine) error {
	return map[byte]func(*machine) error{
		'N':  func(m *machine) error { return m.push(nil) },
		0x88: func(m *machine) error { return m.push(true) },
		0x89: func(m *machine) error { return m.push(false) },
		'J':  sized(4, func(m *machine, n uint64) error { return m.push(int64(int32(uint32(n)))) }),
		'K':  sized(1, func(m *machine, n uint64) error { return m.push(int64(n)) }),
		'M':  sized(2, func(m *machine, n uint64) error { return m.push(int64(n)) }),
		'G':  sized(8, func(m *machine, n uint64) error { return m.push(math.Float64frombits(bits.ReverseBytes64(n))) }),
		0x8a: sized(1, (*machine).long),
		0x8b: sized(4, (*machine).long),
		'I':  (*machine).decimal,
		'L':  (*machine).decimal,
		'F':  (*machine).decimal,
	}
}

func textCodes() map[byte]func(*machine) error {
	return map[byte]func(*machine) error{
		'X':  sized(4, (*machine).pushText),
		0x8c: sized(1, (*machine).pushText),
		0x8d: sized(8, (*machine).pushText),
		'U':  sized(1, (*machine).pushText),
		'T':  sized(4, (*machine).pushText),
		'B':  sized(4, (*machine).pushText),
		'C':  sized(1, (*machine).pushText),
		0x8e: sized(8, (*machine).pushText),
		0x96: sized(8, (*machine).pushText),
		'V':  (*machine).pushLine,
		'S':  (*machine).pushLine,
	}
}

func containerCodes() map[byte]func(*machine) error {
	return map[byte]func(*machine) error{
		'(':  func(m *machine) error { m.marks = append(m.marks, len(m.stack)); return nil },
		']':  func(m *machine) error { return m.push(&list{}) },
		')':  func(m *machine) error { return m.push(&list{}) },
		0x8f: func(m *machine) error { return m.push(&list{}) },
		'}':  func(m *machine) error { return m.push(&dict{}) },
		'l':  (*machine).listOfMark,
		't':  (*machine).listOfMark,
		0x91: (*machine).listOfMark,
		0x85: tupleOf(1),
		0x86: tupleOf(2),
		0x87: tupleOf(3),
		'd':  (*machine).dictOfMark,
		'a':  func(m *machine) error { return m.extend(m.take(1)) },
		'e':  func(m *machine) error { return m.extend(m.popMark()) },
		0x90: func(m *machine) error { return m.extend(m.popMark()) },
		's':  func(m *machine) error { return m.setItems(m.take(2)) },
		'u':  func(m *machine) error { return m.setItems(m.popMark()) },
	}
}

func memoCodes() map[byte]func(*machine) error {
	return map[byte]func(*machine) error{
		0x80: sized(1, func(*machine, uint64) error { return nil }), // the protocol
		0x95: sized(8, func(*machine, uint64) error { return nil }), // the size of a frame
		'0':  func(m *machine) error { _, err := m.pop(); return err },
		'1':  func(m *machine) error { _, err := m.popMark(); return err },
		'2': func(m *machine) error {
			v, err := m.top()
			if err != nil {
				return err
			}
			return m.push(v)
		},
		'h':  sized(1, (*machine).get),
		'j':  sized(4, (*machine).get),
		'g':  numbered((*machine).get),
		'q':  sized(1, (*machine).put),
		'r':  sized(4, (*machine).put),
		'p':  numbered((*machine).put),
		0x94: func(m *machine) error { return m.put(uint64(len(m.memo))) },
	}
}

func objectCodes() map[byte]func(*machine) error {
	return map[byte]func(*machine) error{
		'c':  (*machine).class,
		0x93: (*machine).stackClass,
		'R':  func(m *machine) error { return m.call(m.take(2)) },
		0x81: func(m *machine) error { return m.call(m.take(2)) },
		0x92: func(m *machine) error { return m.call(m.take(3)) },
		'o':  func(m *machine) error { return m.call(m.popMark()) },
		'i':  (*machine).instance,
		'b':  func(m *machine) error { _, err := m.take(1); return err }, // the state of an object
		'P':  func(m *machine) error { _, err := m.line(); return m.pushOpaque("tensor", err) },
		'Q':  func(m *machine) error { _, err := m.take(1); return m.pushOpaque("tensor", err) },
	}
}

// sized returns an instruction with a number of so many bytes after it.
func sized(size int, run func(*machine, uint64) error) func(*machine) error {
	return func(m *machine) error {
		n, err := m.number(size)
		if err != nil {
			return err
		}
		return run(m, n)
	}
}

// numbered returns an instruction with a number in text after it.
func numbered(run func(*machine, uint64) error) func(*machine) error {
	return func(m *machine) error {
		text, err := m.line()
		if err != nil {
			return err
		}
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return errStack
		}
		return run(m, n)
	}
}

func tupleOf(n int) func(*machine) error {
	return func(m *machine) error {
		values, err := m.take(n)
		if err != nil {
			return err
		}
		return m.pushList(slices.Clone(values))
	}
}

func (m *machine) pushText(n uint64) error {
	s, err := m.text(n)
	if err != nil {
		return err
	}
	return m.push(s)
}

func (m *machine) pushLine() error {
	s, err := m.line()
	if err != nil {
		return err
	}
	return m.push(s)
}

// decimal pushes a number that is written as text: I01 is true in protocol 0.
func (m *machine) decimal() error {
	s, err := m.line()
	if err != nil {
		return err
	}
	s = strings.TrimSuffix(s, "L")
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return m.push(n)
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil && x == 0 {
		return refused("%q is no number: it is damaged", s)
	}
	return m.push(x)
}

// long pushes a number of n bytes in two's complement. One that does not fit into 64 bits is rounded.
func (m *machine) long(n uint64) error {
	if n > maxName {
		return refused("it holds a number of %d bytes: it is damaged", n)
	}
	s, err := m.text(n)
	if err != nil {
		return err
	}
	b := []byte(s)
	slices.Reverse(b)
	x := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	if x.IsInt64() {
		return m.push(x.Int64())
	}
	f, _ := new(big.Float).SetInt(x).Float64()
	return m.push(f)
}

func (m *machine) listOfMark() error {
	values, err := m.popMark()
	if err != nil {
		return err
	}
	return m.pushList(values)
}

func (m *machine) dictOfMark() error {
	pairs, err := m.popMark()
	if err != nil {
		return err
	}
	d := &dict{}
	if err := m.setIn(d, pairs); err != nil {
		return err
	}
	return m.push(d)
}

// extend adds values to the list below them. What else takes values, as an object of a class of its own, ignores them.
func (m *machine) extend(values []any, err error) error {
	if err != nil {
		return err
	}
	v, err := m.top()
	if l, ok := v.(*list); ok {
		m.addTo(l, values)
	}
	return err
}

func (m *machine) setItems(pairs []any, err error) error {
	if err != nil {
		return err
	}
	v, err := m.top()
	if d, ok := v.(*dict); ok && err == nil {
		return m.setIn(d, pairs)
	}
	return err
}
