package framing

import (
	"bytes"

	"vantage/loaders/jsonscan"
)

// block is a record of several lines that may continue.
type block struct {
	text    []byte
	number  int64 // of its first line
	offset  int64
	tooLong bool
}

// add adds a line. If it begins with prefix, add returns the record before it and starts the next.
func (b *block) add(line Record, prefix string, limit int) (done Record, ok bool) {
	if line.Offset == 0 {
		line.Text = jsonscan.TrimByteOrderMark(line.Text)
	}
	if bytes.HasPrefix(line.Text, []byte(prefix)) {
		done, ok = b.take()
		b.number, b.offset = line.Number, line.Offset
	}
	if len(b.text)+len(line.Text) > limit {
		b.tooLong = true
		return done, ok
	}
	b.text = append(append(b.text, line.Text...), '\n')
	return done, ok
}

// take returns the record so far and empties the block; ok is false if it was empty.
func (b *block) take() (done Record, ok bool) {
	done = Record{Text: b.text, Number: b.number, Offset: b.offset}
	if b.tooLong {
		done.Text, done.Reason = nil, "a record of more than 64 MB is not read"
	}
	ok = !b.empty()
	*b = block{}
	return done, ok
}

func (b *block) empty() bool { return len(b.text) == 0 && !b.tooLong }
