package loaders

import (
	"bytes"
	"fmt"
)

// maxLine is the longest line that is read. Whole steps in one line take some
// megabytes; what is longer is no log of samples.
const maxLine = 64 << 20

// line is a complete line without its newline. If reason is set, its text is
// not there or not to be read.
type line struct {
	text   []byte
	number int64 // 1-based
	offset int64 // of its first byte
	reason string
}

// cut says what ends a record. The zero value cuts lines: nothing but \n ends
// one, for model text holds \r, U+2028 and the rest.
type cut struct {
	whole  bool   // the file is one record
	quoted bool   // a newline between double quotes ends nothing, as in CSV
	table  bool   // the rows of a Parquet file: nothing is cut
	begin  string // a record of several lines goes on to the next that begins like this
}

// lines puts the bytes of one file together to records, lines mostly.
type lines struct {
	cut    cut
	limit  int
	held   []byte // a torn line, whose rest has not come yet
	over   int64  // bytes that a torn line over the limit had when it was dropped
	at     int64  // offset of the torn line
	number int64  // lines so far
	quotes int    // double quotes so far in the record that is held
	inner  int64  // newlines in what is held
	closed bool   // the last line was taken without its newline, which may still come
	open   bool   // a record of several lines has begun, which may go on
}

// feed gives complete lines to take until that returns false, and holds a torn
// one. It returns how many bytes of p it used; the text given to take is p's or
// its own and good only during the call.
func (l *lines) feed(p []byte, take func(line) bool) int {
	used := 0
	if l.closed && len(p) > 0 {
		l.closed = false
		if p[0] == '\n' {
			used, l.at = 1, l.at+1
		}
	}
	for used < len(p) {
		i := l.end(p[used:])
		if i < 0 {
			l.hold(p[used:])
			return len(p)
		}
		piece := p[used : used+i]
		used += i + 1
		if !take(l.complete(piece)) {
			break
		}
	}
	return used
}

// end returns where the record that is held ends in p, at a newline; -1 if it goes
// on beyond p.
func (l *lines) end(p []byte) int {
	switch {
	case l.cut.whole:
		return -1
	case l.cut.quoted:
		return l.endQuoted(p)
	}
	return bytes.IndexByte(p, '\n')
}

// endQuoted passes over newlines that an odd number of quotes stands before.
func (l *lines) endQuoted(p []byte) int {
	for from := 0; ; {
		i := bytes.IndexByte(p[from:], '\n')
		if i < 0 {
			l.quotes += bytes.Count(p[from:], []byte{'"'})
			return -1
		}
		l.quotes += bytes.Count(p[from:from+i], []byte{'"'})
		if l.quotes%2 == 0 {
			return from + i
		}
		l.inner++
		from += i + 1
	}
}

func (l *lines) hold(p []byte) {
	if l.over > 0 || len(l.held)+len(p) > l.limit {
		l.over += int64(len(l.held) + len(p))
		l.held = nil
		return
	}
	l.held = append(l.held, p...)
}

// complete makes a line of what is held and its last piece.
func (l *lines) complete(piece []byte) line {
	size := l.over + int64(len(l.held)+len(piece))
	l.number++
	done := line{number: l.number, offset: l.at}
	l.number += l.inner
	l.quotes, l.inner = 0, 0
	switch {
	case size > int64(l.limit):
		done.reason = fmt.Sprintf("a line of %d bytes is not read: the limit is %d", size, l.limit)
	case len(l.held) > 0:
		done.text = append(l.held, piece...)
	default:
		done.text = piece
	}
	if i := bytes.IndexByte(done.text, 0); i >= 0 {
		done.text, done.reason = nil, errNUL(i).Error()
	}
	l.at += size + 1
	l.held, l.over = nil, 0
	return done
}

func errNUL(at int) error {
	return fmt.Errorf("column %d: a NUL byte: the file was damaged, or not yet written there", at+1)
}

// unread gives back what follows the first NUL of the torn line, and returns how
// much that is: network filesystems show zeros where data has yet to arrive.
func (l *lines) unread() int64 {
	i := bytes.IndexByte(l.held, 0)
	if i < 0 {
		return 0
	}
	n := len(l.held) - i
	l.held = l.held[:i]
	return int64(n)
}

// torn reports whether a record waits for its rest.
func (l *lines) torn() bool { return l.open || l.holds() }

// holds reports whether a line does.
func (l *lines) holds() bool { return len(l.held) > 0 || l.over > 0 }

// last takes the torn line as a complete one.
func (l *lines) last() line {
	done := l.complete(nil)
	l.at-- // it had no newline
	l.closed = true
	return done
}
