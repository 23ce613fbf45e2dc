package jsonscan

import (
	"bytes"
	"fmt"
)

// maxDepth bounds the nesting of a value. Logs nest about ten deep; a line of a
// million brackets must not take the stack.
const maxDepth = 512

type Kind byte

const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
	Float     // a number that never was text
	RuneCount // a text of which nothing is kept but how many characters it has
)

// Value is a JSON value where it stands in its line, not decoded. A text is
// without its quotes, a list or object with its brackets.
type Value struct {
	Kind  Kind
	Raw   []byte
	Float float64 // of the kinds real and counted
}

// ScanObject goes once over a line that holds one object and shows every pair
// of it, in order. It differs from encoding/json because trainers do: it takes
// NaN and ±Infinity, raw control bytes and unknown escapes in strings, and a
// byte order mark. Strings are passed over, not decoded: most are long and
// nobody wants them.
func ScanObject(line []byte, visit func(key, v Value)) error {
	s := Scanner{Data: line}
	if bytes.HasPrefix(line, []byte(ByteOrderMark)) {
		s.Pos = len(ByteOrderMark)
	}
	s.SkipSpace()
	if s.Peek() != '{' {
		return s.Expected("an object")
	}
	if err := s.object(visit); err != nil {
		return err
	}
	s.SkipSpace()
	if s.Pos < len(s.Data) {
		return s.Expected("nothing more")
	}
	return nil
}

// EachElement shows the elements of a list that has been scanned before.
func EachElement(v Value, visit func(Value)) {
	s := Scanner{Data: v.Raw}
	if v.Kind == Array {
		_ = s.list(visit)
	}
}

// SyntaxError is where a line stops being JSON.
type SyntaxError struct {
	column int // 1-based, in bytes
	want   string
	found  []byte
}

func (e *SyntaxError) Error() string {
	if len(e.found) == 0 {
		return fmt.Sprintf("column %d: the line ends where %s should be", e.column, e.want)
	}
	return fmt.Sprintf("column %d: %s stands where %s should be", e.column, Quote(e.found), e.want)
}

type Scanner struct {
	Data  []byte
	Pos   int
	depth int
}

func (s *Scanner) Expected(want string) error {
	return &SyntaxError{column: s.Pos + 1, want: want, found: s.Data[min(s.Pos, len(s.Data)):]}
}

// Peek returns the next byte, 0 at the end: no JSON begins with a 0 byte.
func (s *Scanner) Peek() byte {
	if s.Pos < len(s.Data) {
		return s.Data[s.Pos]
	}
	return 0
}

func (s *Scanner) accept(c byte) bool {
	if s.Peek() != c {
		return false
	}
	s.Pos++
	return true
}

func (s *Scanner) SkipSpace() {
	for s.Pos < len(s.Data) {
		switch s.Data[s.Pos] {
		case ' ', '\t', '\r', '\n':
			s.Pos++
		default:
			return
		}
	}
}

func (s *Scanner) object(visit func(key, v Value)) error {
	s.Pos++
	s.SkipSpace()
	if s.accept('}') {
		return nil
	}
	for {
		if s.Peek() != '"' {
			return s.Expected("a key")
		}
		key, err := s.str()
		if err != nil {
			return err
		}
		s.SkipSpace()
		if !s.accept(':') {
			return s.Expected("':'")
		}
		v, err := s.Value()
		if err != nil {
			return err
		}
		if visit != nil {
			visit(key, v)
		}
		s.SkipSpace()
		if s.accept('}') {
			return nil
		}
		if !s.accept(',') {
			return s.Expected("',' or '}'")
		}
		s.SkipSpace()
	}
}

func (s *Scanner) list(visit func(Value)) error {
	s.Pos++
	s.SkipSpace()
	if s.accept(']') {
		return nil
	}
	for {
		v, err := s.Value()
		if err != nil {
			return err
		}
		if visit != nil {
			visit(v)
		}
		s.SkipSpace()
		if s.accept(']') {
			return nil
		}
		if !s.accept(',') {
			return s.Expected("',' or ']'")
		}
	}
}

func (s *Scanner) Value() (Value, error) {
	s.SkipSpace()
	switch c := s.Peek(); c {
	case '"':
		return s.str()
	case '{', '[':
		return s.nested(c)
	case 't':
		return s.literal("true", Bool)
	case 'f':
		return s.literal("false", Bool)
	case 'n':
		return s.literal("null", Null)
	case 'N':
		return s.literal("NaN", Number)
	case 'I':
		return s.literal("Infinity", Number)
	default:
		return s.number()
	}
}

func (s *Scanner) nested(open byte) (Value, error) {
	if s.depth++; s.depth > maxDepth {
		return Value{}, s.Expected(fmt.Sprintf("an end to %d levels of nesting", maxDepth))
	}
	start, k := s.Pos, Object
	var err error
	if open == '{' {
		err = s.object(nil)
	} else {
		k = Array
		err = s.list(nil)
	}
	s.depth--
	return Value{Kind: k, Raw: s.Data[start:s.Pos]}, err
}

func (s *Scanner) literal(w string, k Kind) (Value, error) {
	if !bytes.HasPrefix(s.Data[s.Pos:], []byte(w)) {
		return Value{}, s.Expected("a value")
	}
	start := s.Pos
	s.Pos += len(w)
	return Value{Kind: k, Raw: s.Data[start:s.Pos]}, nil
}

// str reads a string up to its closing quote.
func (s *Scanner) str() (Value, error) {
	start := s.Pos + 1
	end := stringEnd(s.Data, start)
	if end < 0 {
		s.Pos = len(s.Data)
		return Value{}, s.Expected("a closing quote")
	}
	s.Pos = end + 1
	return Value{Kind: String, Raw: s.Data[start:end]}, nil
}

// stringEnd looks for the closing quote of a string that begins at start: one that an
// even number of backslashes stands before. -1 if there is none.
func stringEnd(data []byte, start int) int {
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

func (s *Scanner) number() (Value, error) {
	start := s.Pos
	if s.accept('-') && s.Peek() == 'I' {
		if _, err := s.literal("Infinity", Number); err != nil {
			return Value{}, err
		}
		return Value{Kind: Number, Raw: s.Data[start:s.Pos]}, nil
	}
	ok := s.accept('0') || s.digits()
	if ok && s.accept('.') {
		ok = s.digits()
	}
	if ok && (s.accept('e') || s.accept('E')) {
		_ = s.accept('+') || s.accept('-')
		ok = s.digits()
	}
	if !ok {
		s.Pos = start
		return Value{}, s.Expected("a value")
	}
	return Value{Kind: Number, Raw: s.Data[start:s.Pos]}, nil
}

func (s *Scanner) digits() bool {
	start := s.Pos
	for c := s.Peek(); '0' <= c && c <= '9'; c = s.Peek() {
		s.Pos++
	}
	return s.Pos > start
}

// ByteOrderMark is what programs of Windows begin a file with.
const ByteOrderMark = "\xef\xbb\xbf"

// TrimByteOrderMark is what follows a byte order mark.
func TrimByteOrderMark(first []byte) []byte { return bytes.TrimPrefix(first, []byte(ByteOrderMark)) }

// Pair reads a key and its value from the brace or the comma before them, and returns
// where the value begins.
func (s *Scanner) Pair() (key, v Value, at int, ok bool) {
	if s.Pos++; s.Pos > len(s.Data) {
		return key, v, 0, false
	}
	s.SkipSpace()
	key, err := s.str()
	if err != nil {
		return key, v, 0, false
	}
	s.SkipSpace()
	s.Pos++ // the colon
	s.SkipSpace()
	at = s.Pos
	v, err = s.Value()
	return key, v, at, err == nil
}

func Elements(v Value) []Value {
	var all []Value
	EachElement(v, func(e Value) { all = append(all, e) })
	return all
}
