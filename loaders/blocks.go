package loaders

import "bytes"

// block is a record of several lines in the making.
type block struct {
	text   []byte
	number int64
	offset int64
	over   bool // it is longer than a record may be
}

// add takes a line. If that begins the next record, the one before is returned.
func (b *block) add(l line, begin string) (done line, ok bool) {
	if l.offset == 0 {
		l.text = withoutMark(l.text)
	}
	if bytes.HasPrefix(l.text, []byte(begin)) {
		done, ok = b.take()
		b.number, b.offset = l.number, l.offset
	}
	if len(b.text)+len(l.text) > maxLine {
		b.over = true
		return done, ok
	}
	b.text = append(append(b.text, l.text...), '\n')
	return done, ok
}

// take returns the record so far and begins another.
func (b *block) take() (done line, ok bool) {
	done = line{text: b.text, number: b.number, offset: b.offset}
	if b.over {
		done.text, done.reason = nil, "a record of more than 64 MB is not read"
	}
	ok = len(b.text) > 0 || b.over
	*b = block{}
	return done, ok
}
