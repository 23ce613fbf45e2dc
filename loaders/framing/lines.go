package framing

import (
	"bytes"
	"fmt"
)

// MaxLine is the longest line that is read. Whole steps in one line take some
// megabytes; what is longer is no log of samples.
const MaxLine = 64 << 20

// Line is a complete line without its newline. If reason is set, its text is
// not there or not to be read.
type Line struct {
	Text   []byte
	Number int64 // 1-based
	Offset int64 // of its first byte
	Reason string
}

// Framing says what ends a record. The zero value cuts lines: nothing but \n ends
// one, for model text holds \r, U+2028 and the rest.
type Framing struct {
	Whole        bool   // the file is one record
	Quoted       bool   // a newline between double quotes ends nothing, as in CSV
	Table        bool   // the rows of a Parquet file: nothing is cut
	RecordPrefix string // a record of several lines goes on to the next that begins like this
}

// Lines puts the bytes of one file together to records, lines mostly.
type Lines struct {
	Framing       Framing
	Limit         int
	Partial       []byte // a torn line, whose rest has not come yet
	DroppedBytes  int64  // bytes that a torn line over the limit had when it was dropped
	Offset        int64  // offset of the torn line
	Count         int64  // lines so far
	Quotes        int    // double quotes so far in the record that is held
	innerNewlines int64  // newlines in what is held
	Unterminated  bool   // the last line was taken without its newline, which may still come
	RecordOpen    bool   // a record of several lines has begun, which may go on
}

// Feed gives complete lines to take until that returns false, and holds a torn
// one. It returns how many bytes of p it used; the text given to take is p's or
// its own and good only during the call.
func (l *Lines) Feed(p []byte, take func(Line) bool) int {
	used := 0
	if l.Unterminated && len(p) > 0 {
		l.Unterminated = false
		if p[0] == '\n' {
			used, l.Offset = 1, l.Offset+1
		}
	}
	for used < len(p) {
		i := l.recordEnd(p[used:])
		if i < 0 {
			l.keepPartial(p[used:])
			return len(p)
		}
		piece := p[used : used+i]
		used += i + 1
		if !take(l.finishLine(piece)) {
			break
		}
	}
	return used
}

// recordEnd returns where the record that is held ends in p, at a newline; -1 if it goes
// on beyond p.
func (l *Lines) recordEnd(p []byte) int {
	switch {
	case l.Framing.Whole:
		return -1
	case l.Framing.Quoted:
		return l.quotedRecordEnd(p)
	}
	return bytes.IndexByte(p, '\n')
}

// quotedRecordEnd passes over newlines that an odd number of quotes stands before.
func (l *Lines) quotedRecordEnd(p []byte) int {
	for from := 0; ; {
		i := bytes.IndexByte(p[from:], '\n')
		if i < 0 {
			l.Quotes += bytes.Count(p[from:], []byte{'"'})
			return -1
		}
		l.Quotes += bytes.Count(p[from:from+i], []byte{'"'})
		if l.Quotes%2 == 0 {
			return from + i
		}
		l.innerNewlines++
		from += i + 1
	}
}

func (l *Lines) keepPartial(p []byte) {
	if l.DroppedBytes > 0 || len(l.Partial)+len(p) > l.Limit {
		l.DroppedBytes += int64(len(l.Partial) + len(p))
		l.Partial = nil
		return
	}
	l.Partial = append(l.Partial, p...)
}

// finishLine makes a line of what is held and its last piece.
func (l *Lines) finishLine(piece []byte) Line {
	size := l.DroppedBytes + int64(len(l.Partial)+len(piece))
	l.Count++
	done := Line{Number: l.Count, Offset: l.Offset}
	l.Count += l.innerNewlines
	l.Quotes, l.innerNewlines = 0, 0
	switch {
	case size > int64(l.Limit):
		done.Reason = fmt.Sprintf("a line of %d bytes is not read: the limit is %d", size, l.Limit)
	case len(l.Partial) > 0:
		done.Text = append(l.Partial, piece...)
	default:
		done.Text = piece
	}
	if i := bytes.IndexByte(done.Text, 0); i >= 0 {
		done.Text, done.Reason = nil, NULError(i).Error()
	}
	l.Offset += size + 1
	l.Partial, l.DroppedBytes = nil, 0
	return done
}

func NULError(at int) error {
	return fmt.Errorf("column %d: a NUL byte: the file was damaged, or not yet written there", at+1)
}

// CutAtNUL gives back what follows the first NUL of the torn line, and returns how
// much that is: network filesystems show zeros where data has yet to arrive.
func (l *Lines) CutAtNUL() int64 {
	i := bytes.IndexByte(l.Partial, 0)
	if i < 0 {
		return 0
	}
	n := len(l.Partial) - i
	l.Partial = l.Partial[:i]
	return int64(n)
}

// Pending reports whether a record waits for its rest.
func (l *Lines) Pending() bool { return l.RecordOpen || l.HasPartial() }

// HasPartial reports whether a line does.
func (l *Lines) HasPartial() bool { return len(l.Partial) > 0 || l.DroppedBytes > 0 }

// TakeLast takes the torn line as a complete one.
func (l *Lines) TakeLast() Line {
	done := l.finishLine(nil)
	l.Offset-- // it had no newline
	l.Unterminated = true
	return done
}
