package torchfile

import (
	"bufio"
	"io"
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
