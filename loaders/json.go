package loaders

import (
	"bytes"
	"fmt"
)

// maxDepth bounds the nesting of a value. Logs nest about ten deep; a line of a
// million brackets must not take the stack.
const maxDepth = 512

type kind byte

const (
	absent kind = iota
	null
	boolean
	number
	text
	list
	object
	real    // a number that never was text
	counted // a text of which nothing is kept but how many characters it has
)

// value is a JSON value where it stands in its line, not decoded. A text is
// without its quotes, a list or object with its brackets.
type value struct {
	kind kind
	raw  []byte
	x    float64 // of the kinds real and counted
}

// scanObject goes once over a line that holds one object and shows every pair
// of it, in order. It differs from encoding/json because trainers do: it takes
// NaN and ±Infinity, raw control bytes and unknown escapes in strings, and a
// byte order mark. Strings are passed over, not decoded: most are long and
// nobody wants them.
func scanObject(line []byte, visit func(key, v value)) error {
	s := scanner{data: line}
	if bytes.HasPrefix(line, []byte(byteOrderMark)) {
		s.at = len(byteOrderMark)
	}
	s.space()
	if s.peek() != '{' {
		return s.fail("an object")
	}
	if err := s.object(visit); err != nil {
		return err
	}
	s.space()
	if s.at < len(s.data) {
		return s.fail("nothing more")
	}
	return nil
}

// eachElement shows the elements of a list that has been scanned before.
func eachElement(v value, visit func(value)) {
	s := scanner{data: v.raw}
	if v.kind == list {
		_ = s.list(visit)
	}
}

// syntaxError is where a line stops being JSON.
type syntaxError struct {
	column int // 1-based, in bytes
	want   string
	found  []byte
}

func (e *syntaxError) Error() string {
	if len(e.found) == 0 {
		return fmt.Sprintf("column %d: the line ends where %s should be", e.column, e.want)
	}
	return fmt.Sprintf("column %d: %s stands where %s should be", e.column, quote(e.found), e.want)
}

type scanner struct {
	data  []byte
	at    int
	depth int
}

func (s *scanner) fail(want string) error {
	return &syntaxError{column: s.at + 1, want: want, found: s.data[min(s.at, len(s.data)):]}
}

// peek returns the next byte, 0 at the end: no JSON begins with a 0 byte.
func (s *scanner) peek() byte {
	if s.at < len(s.data) {
		return s.data[s.at]
	}
	return 0
}

func (s *scanner) eat(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.at++
	return true
}

func (s *scanner) space() {
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

func (s *scanner) object(visit func(key, v value)) error {
	s.at++
	s.space()
	if s.eat('}') {
		return nil
	}
	for {
		if s.peek() != '"' {
			return s.fail("a key")
		}
		key, err := s.text()
		if err != nil {
			return err
		}
		s.space()
		if !s.eat(':') {
			return s.fail("':'")
		}
		v, err := s.value()
		if err != nil {
			return err
		}
		if visit != nil {
			visit(key, v)
		}
		s.space()
		if s.eat('}') {
			return nil
		}
		if !s.eat(',') {
			return s.fail("',' or '}'")
		}
		s.space()
	}
}

func (s *scanner) list(visit func(value)) error {
	s.at++
	s.space()
	if s.eat(']') {
		return nil
	}
	for {
		v, err := s.value()
		if err != nil {
			return err
		}
		if visit != nil {
			visit(v)
		}
		s.space()
		if s.eat(']') {
			return nil
		}
		if !s.eat(',') {
			return s.fail("',' or ']'")
		}
	}
}

func (s *scanner) value() (value, error) {
	s.space()
	switch c := s.peek(); c {
	case '"':
		return s.text()
	case '{', '[':
		return s.nested(c)
	case 't':
		return s.word("true", boolean)
	case 'f':
		return s.word("false", boolean)
	case 'n':
		return s.word("null", null)
	case 'N':
		return s.word("NaN", number)
	case 'I':
		return s.word("Infinity", number)
	default:
		return s.number()
	}
}

func (s *scanner) nested(open byte) (value, error) {
	if s.depth++; s.depth > maxDepth {
		return value{}, s.fail(fmt.Sprintf("an end to %d levels of nesting", maxDepth))
	}
	start, k := s.at, object
	var err error
	if open == '{' {
		err = s.object(nil)
	} else {
		k = list
		err = s.list(nil)
	}
	s.depth--
	return value{kind: k, raw: s.data[start:s.at]}, err
}

func (s *scanner) word(w string, k kind) (value, error) {
	if !bytes.HasPrefix(s.data[s.at:], []byte(w)) {
		return value{}, s.fail("a value")
	}
	start := s.at
	s.at += len(w)
	return value{kind: k, raw: s.data[start:s.at]}, nil
}

// text reads a string up to its closing quote.
func (s *scanner) text() (value, error) {
	start := s.at + 1
	end := textEnd(s.data, start)
	if end < 0 {
		s.at = len(s.data)
		return value{}, s.fail("a closing quote")
	}
	s.at = end + 1
	return value{kind: text, raw: s.data[start:end]}, nil
}

// textEnd looks for the closing quote of a string that begins at start: one that an
// even number of backslashes stands before. -1 if there is none.
func textEnd(data []byte, start int) int {
	for from := start; ; {
		i := bytes.IndexByte(data[from:], '"')
		if i < 0 {
			return -1
		}
		end := from + i
		slashes := 0
		for end-slashes > start && data[end-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return end
		}
		from = end + 1
	}
}

func (s *scanner) number() (value, error) {
	start := s.at
	if s.eat('-') && s.peek() == 'I' {
		if _, err := s.word("Infinity", number); err != nil {
			return value{}, err
		}
		return value{kind: number, raw: s.data[start:s.at]}, nil
	}
	ok := s.eat('0') || s.digits()
	if ok && s.eat('.') {
		ok = s.digits()
	}
	if ok && (s.eat('e') || s.eat('E')) {
		_ = s.eat('+') || s.eat('-')
		ok = s.digits()
	}
	if !ok {
		s.at = start
		return value{}, s.fail("a value")
	}
	return value{kind: number, raw: s.data[start:s.at]}, nil
}

func (s *scanner) digits() bool {
	start := s.at
	for c := s.peek(); '0' <= c && c <= '9'; c = s.peek() {
		s.at++
	}
	return s.at > start
}
