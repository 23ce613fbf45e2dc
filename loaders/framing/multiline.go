package framing

import (
	"bytes"

	"vantage/loaders/jsonscan"
)

// Multiline is a record of several lines in the making.
type Multiline struct {
	text    []byte
	number  int64
	offset  int64
	tooLong bool // it is longer than a record may be
}

// Add takes a line. If that begins the next record, the one before is returned.
func (b *Multiline) Add(l Line, begin string) (done Line, ok bool) {
	if l.Offset == 0 {
		l.Text = jsonscan.TrimByteOrderMark(l.Text)
	}
	if bytes.HasPrefix(l.Text, []byte(begin)) {
		done, ok = b.Take()
		b.number, b.offset = l.Number, l.Offset
	}
	if len(b.text)+len(l.Text) > MaxLine {
		b.tooLong = true
		return done, ok
	}
	b.text = append(append(b.text, l.Text...), '\n')
	return done, ok
}

// Take returns the record so far and begins another.
func (b *Multiline) Take() (done Line, ok bool) {
	done = Line{Text: b.text, Number: b.number, Offset: b.offset}
	if b.tooLong {
		done.Text, done.Reason = nil, "a record of more than 64 MB is not read"
	}
	ok = len(b.text) > 0 || b.tooLong
	*b = Multiline{}
	return done, ok
}
