// Package jsonscan finds the fields of a JSON record without decoding them: most of a log is
// model text of which only the end and the length are needed.
//
// In: a record. Out: [Value]s that point into it; [ScanObject] visits the fields of an object, and the
// methods of Value convert those that a caller wants. Packages decode and formats call it, decode/fast
// for what its template does not cover and for [MeasureString], and fileio for [Hash64].
package jsonscan

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// maxDepth bounds the nesting of a value: logs nest about ten deep, and a line of a million brackets
// must not exhaust the stack.
const maxDepth = 512

// ScanObject visits the fields of a record that is one object, in order. Strings are not decoded,
// keys as far as they need no escapes. visit may be nil: then the record is only checked.
//
// It accepts what trainers write and encoding/json does not: NaN and ±Infinity, raw control bytes and
// unknown escapes in strings, a byte order mark, and a comma after the object. The error, a [*SyntaxError], comes after the
// fields before it have been visited.
func ScanObject(record []byte, visit func(key, v Value)) error {
	return (&Scanner{Data: record}).record(visit)
}

// record visits the fields of a record.
func (s *Scanner) record(visit func(key, v Value)) error {
	record := s.Data
	if bytes.HasPrefix(record, []byte(byteOrderMark)) {
		s.Pos = len(byteOrderMark)
	}
	s.SkipSpace()
	if s.Peek() != '{' {
		return s.Expected("an object")
	}
	if err := s.object(visit); err != nil {
		return err
	}
	s.SkipSpace()
	if s.accept(',') { // of a list with an object in each line
		s.SkipSpace()
	}
	if s.Pos < len(s.Data) {
		return s.Expected("nothing more")
	}
	return nil
}

// SyntaxError says where a record stops being JSON.
type SyntaxError struct {
	column int // 1-based, in bytes
	want   string
	found  []byte // the rest of the record, into which it points
}

func (e *SyntaxError) Error() string {
	if len(e.found) == 0 {
		return fmt.Sprintf("column %d: the line ends where %s should be", e.column, e.want)
	}
	return fmt.Sprintf("column %d: %s where %s should be", e.column, Quote(e.found), e.want)
}

// Scanner reads JSON values one after another.
type Scanner struct {
	Data  []byte
	Pos   int // of the next byte
	depth int
	hasty bool // lists of nothing but plain values are not looked into
}

// Expected returns the error that something else than want stands at Pos.
func (s *Scanner) Expected(want string) error {
	return &SyntaxError{column: s.Pos + 1, want: want, found: s.Data[min(s.Pos, len(s.Data)):]}
}

// Peek returns the next byte, 0 at the end: no JSON has a 0 byte there.
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

// SkipSpace advances to the next byte that is not white space.
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

// object visits the fields of the object whose brace is at Pos.
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
		if visit != nil {
			key = plainKey(key)
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

// plainKey returns a key as it is written without escapes that it does not need: "rew\u0061rd" is
// "reward".
func plainKey(key Value) Value {
	if bytes.IndexByte(key.Raw, '\\') < 0 {
		return key
	}
	return FromText(AppendUnescaped(nil, key.Raw))
}

// list visits the elements of the list whose bracket is at Pos.
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

// Value reads the value at Pos, after white space. Its Raw points into Data.
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
	} else if k = Array; !s.hasty || !s.skipList() {
		err = s.list(nil)
	}
	s.depth--
	return Value{Kind: k, Raw: s.Data[start:s.Pos]}, err
}

// skipList goes behind a list without lists, objects and strings in it, unless it has no end.
func (s *Scanner) skipList() bool {
	rest := s.Data[s.Pos+1:]
	if bytes.HasPrefix(rest, []byte("[")) {
		return false
	}
	end := bytes.IndexByte(rest, ']')
	if end < 0 {
		return false
	}
	for _, opening := range []byte(`["{`) {
		if bytes.IndexByte(rest[:end], opening) >= 0 {
			return false
		}
	}
	s.Pos += end + 2
	return true
}

func (s *Scanner) literal(word string, k Kind) (Value, error) {
	if !bytes.HasPrefix(s.Data[s.Pos:], []byte(word)) {
		return Value{}, s.Expected("a value")
	}
	start := s.Pos
	s.Pos += len(word)
	return Value{Kind: k, Raw: s.Data[start:s.Pos]}, nil
}

// str reads the string whose opening quote is at Pos.
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

// stringEnd returns where the closing quote is of a string whose text begins at start, -1 if there is
// none. An even number of backslashes stands before it.
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

// byteOrderMark is how programs on Windows begin a text file.
const byteOrderMark = "\xef\xbb\xbf"

// TrimByteOrderMark returns b without a byte order mark at its start.
func TrimByteOrderMark(b []byte) []byte { return bytes.TrimPrefix(b, []byte(byteOrderMark)) }

// Field reads the next field of an object, from the brace or the comma before it, and returns where
// its value begins; ok is false if that is no field. The colon and the comma are not checked: the
// caller has scanned the object before.
func (s *Scanner) Field() (key, v Value, valueStart int, ok bool) {
	if s.Pos++; s.Pos > len(s.Data) {
		return key, v, 0, false
	}
	s.SkipSpace()
	key, err := s.str()
	if err != nil {
		return key, v, 0, false
	}
	key = plainKey(key)
	s.SkipSpace()
	s.Pos++ // the colon
	s.SkipSpace()
	valueStart = s.Pos
	v, err = s.Value()
	return key, v, valueStart, err == nil
}

// Kind is the type of a [Value].
type Kind byte

// The kinds of JSON, and three that are not in the record as such.
const (
	Absent Kind = iota // there is no value
	Null
	Bool
	Number
	String
	Array
	Object
	ComputedNumber // a number that has no text: it was computed, or comes from a binary file
	CountedText    // a text of which only the number of characters was kept
)

// Value is a JSON value in the bytes of its record, not decoded: a string without its quotes, with
// its escapes; a list or an object with its brackets.
type Value struct {
	Kind  Kind
	Raw   []byte  // of the record: valid as long as that is
	Float float64 // of the kinds Float and RuneCount
}

// AppendJSON appends a value as it stands in a record, null if it is absent.
func (v Value) AppendJSON(dst []byte) []byte {
	switch v.Kind {
	case Absent:
		return append(dst, "null"...)
	case String:
		return append(append(append(dst, '"'), v.Raw...), '"')
	default:
		return append(dst, v.Raw...)
	}
}

// EachElement visits the elements of a list in order; none if v is something else.
func (v Value) EachElement(visit func(Value)) {
	s := Scanner{Data: v.Raw}
	if v.Kind == Array {
		_ = s.list(visit)
	}
}

// EachField visits the fields of an object in order; none if v is something else.
func (v Value) EachField(visit func(key, v Value)) {
	if v.Kind == Object {
		_ = ScanObject(v.Raw, visit)
	}
}

// Field returns the field of an object with that key, the last one if there are several. It is
// absent if there is none or v is no object.
func (v Value) Field(key string) (field Value) {
	v.EachField(func(k, v Value) {
		if string(k.Raw) == key {
			field = v
		}
	})
	return field
}

// Pluck returns the fields of a record with those keys, as [Value.Field] does each, and the error of [ScanObject].
func Pluck(record []byte, keys ...string) ([]Value, error) {
	return pluck(&Scanner{Data: record}, keys)
}

// PluckLists is Pluck for records that are mostly lists of numbers, several times as fast: what plain values a list has is left to who
// reads it, and an error in it is none here.
func PluckLists(record []byte, keys ...string) ([]Value, error) {
	return pluck(&Scanner{Data: record, hasty: true}, keys)
}

func pluck(s *Scanner, keys []string) ([]Value, error) {
	fields := make([]Value, len(keys))
	err := s.record(func(k, v Value) {
		if i := slices.Index(keys, string(k.Raw)); i >= 0 {
			fields[i] = v
		}
	})
	return fields, err
}

// Elements returns the elements of a list, nil if v is something else.
func (v Value) Elements() []Value {
	var elements []Value
	v.EachElement(func(e Value) { elements = append(elements, e) })
	return elements
}

// Len returns how many elements a list has, 0 if v is no list.
func (v Value) Len() int {
	n := 0
	v.EachElement(func(Value) { n++ })
	return n
}

// Single returns the element of a list of one; ok is false if v is something else.
func (v Value) Single() (element Value, ok bool) {
	n := 0
	v.EachElement(func(e Value) {
		element = e
		n++
	})
	return element, n == 1
}

// MaxQuote is how many bytes of a log a message quotes.
const MaxQuote = 40

// Quote returns text of a log, up to MaxQuote bytes of it, as a Go string literal that is safe to
// show on a terminal.
func Quote(b []byte) string {
	if len(b) <= MaxQuote {
		return strconv.Quote(string(b))
	}
	return strconv.Quote(string(Clip(b, MaxQuote))) + "…"
}

// Clip returns at most n bytes of b, whole characters only.
func Clip(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	for i := n; i > n-utf8.UTFMax && i > 0; i-- {
		if utf8.RuneStart(b[i]) {
			return b[:i]
		}
	}
	return b[:n]
}

// Message is one turn of a conversation.
type Message struct {
	Role, Content Value
	Name          Value // of the tool that answers, or of the speaker
	ToolCalls     Value // a list of {function: {name, arguments}} or {name, arguments}
	Reasoning     Value // what the model thought, where the server keeps it apart from the content
}

// MessagesPrefix is the start of a text that may hold messages as JSON.
const MessagesPrefix = `[{`

// Messages returns the turns of a conversation: a list of {role, content} or of {from, value}, or a string that holds
// one as JSON. It returns nil if v is neither.
func (v Value) Messages() []Message {
	v = v.Inner(MessagesPrefix)
	var messages []Message
	valid := v.Kind == Array
	v.EachElement(func(e Value) {
		m := e.Message()
		valid = valid && m.Role.Kind == String
		messages = append(messages, m)
	})
	if !valid {
		return nil
	}
	return messages
}

// Message returns the turn that an object is; its role is absent if it is none.
func (v Value) Message() (m Message) {
	var from, value Value
	v.EachField(func(key, v Value) {
		switch string(key.Raw) {
		case "role":
			m.Role = v
		case "content":
			m.Content = v
		case "from":
			from = roleOf(v)
		case "value":
			value = v
		case "name":
			m.Name = v
		case "tool_calls":
			m.ToolCalls = v.Inner(MessagesPrefix) // tables keep them as texts
		case "reasoning_content":
			m.Reasoning = v
		}
	})
	if m.Role.Kind == Absent {
		m.Role, m.Content = from, value
	}
	return m
}

// roleOf returns the role of a speaker as conversations of ShareGPT name it.
func roleOf(speaker Value) Value {
	switch string(speaker.Raw) {
	case "human":
		speaker.Raw = []byte("user")
	case "gpt":
		speaker.Raw = []byte("assistant")
	}
	return speaker
}

// Inner returns the value that a text holds as JSON if it begins so, or else the value itself.
func (v Value) Inner(start string) Value {
	if v.Kind == String && bytes.HasPrefix(v.Raw, []byte(start)) {
		s := Scanner{Data: v.Text()}
		if inner, err := s.Value(); err == nil {
			return inner
		}
	}
	return v
}

// AppendSpeaker appends the role and, if there is one, the name: "tool search".
func (m Message) AppendSpeaker(dst []byte) []byte {
	dst = AppendUnescaped(dst, m.Role.Raw)
	if m.Name.Kind == String && len(m.Name.Raw) > 0 {
		dst = AppendUnescaped(append(dst, ' '), m.Name.Raw)
	}
	return dst
}

// AppendCalls appends each tool call as "name(arguments)", with a newline between two. A call may be an
// object, or a string that holds one as JSON.
func (m Message) AppendCalls(dst []byte) []byte {
	for i, call := range m.ToolCalls.Elements() {
		call = call.Inner("")
		if function := call.Field("function"); function.Kind == Object {
			call = function
		}
		if i > 0 {
			dst = append(dst, '\n')
		}
		dst = append(AppendUnescaped(dst, call.Field("name").Raw), '(')
		if arguments := call.Field("arguments"); arguments.Kind == String {
			dst = AppendUnescaped(dst, arguments.Raw)
		} else if arguments.Kind != Null {
			dst = append(dst, arguments.Raw...)
		}
		dst = append(dst, ')')
	}
	return dst
}

// AppendContent appends the decoded text of a message to dst, after that of its reasoning. Content in
// parts is that of its text parts: [{"type": "text", "text": "…"}, {"type": "image", …}].
func (m Message) AppendContent(dst []byte) []byte {
	if m.Reasoning.Kind == String && len(m.Reasoning.Raw) > 0 {
		dst = AppendUnescaped(dst, m.Reasoning.Raw)
		if m.Content.Kind == String && len(m.Content.Raw) > 0 || m.Content.Len() > 0 {
			dst = append(dst, "\n\n"...)
		}
	}
	if m.Content.Kind == String {
		return AppendUnescaped(dst, m.Content.Raw)
	}
	m.Content.EachElement(func(part Value) {
		part.EachField(func(key, v Value) {
			if string(key.Raw) == "text" && v.Kind == String {
				dst = AppendUnescaped(dst, v.Raw)
			}
		})
	})
	return dst
}
