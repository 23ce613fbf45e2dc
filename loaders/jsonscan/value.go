package jsonscan

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
