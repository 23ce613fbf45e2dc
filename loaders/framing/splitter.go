package framing

import (
	"bytes"
	"fmt"

	"vantage/loaders/jsonscan"
)

// Splitter cuts the bytes of one file into records.
type Splitter struct {
	Framing      Framing
	Limit        int    // longer records are dropped; mostly MaxLine
	Partial      []byte // the line, CSV record or file that has begun, without its end
	DroppedBytes int64  // bytes of Partial that were dropped because they exceed Limit
	Offset       int64  // in the file, of the first byte of Partial
	Lines        int64  // lines cut off so far
	Unterminated bool   // Partial was taken without its newline, which may still come

	inQuotes      bool  // Partial ends between double quotes
	innerNewlines int64 // newlines in Partial
	block         block // the lines so far of a record of several
}

// Feed cuts p and passes complete records to accept until that returns false; the start of the next
// record is kept. It returns how many bytes of p it has used. The text of a record is valid only
// during the call of accept.
func (s *Splitter) Feed(p []byte, accept func(Record) bool) int {
	used := 0
	if s.Unterminated && len(p) > 0 {
		s.Unterminated = false
		if p[0] == '\n' {
			used, s.Offset = 1, s.Offset+1
		}
	}
	for used < len(p) {
		i := s.lineEnd(p[used:])
		if i < 0 {
			s.keepPartial(p[used:])
			return len(p)
		}
		rest := p[used : used+i]
		used += i + 1
		if !s.pass(s.finishLine(rest), accept) {
			break
		}
	}
	return used
}

// Flush passes what is kept to accept as complete records, until that returns false.
func (s *Splitter) Flush(accept func(Record) bool) {
	if s.hasPartial() && !s.pass(s.TakePartial(), accept) {
		return
	}
	if record, ok := s.block.take(); ok {
		accept(record)
	}
}

// pass passes a line to accept, or the record that it ends if records have several lines.
func (s *Splitter) pass(line Record, accept func(Record) bool) bool {
	if s.Framing.RecordPrefix == "" || line.Reason != "" {
		return accept(line)
	}
	record, ok := s.block.add(line, s.Framing.RecordPrefix, s.Limit)
	return !ok || accept(record)
}

// lineEnd returns where the partial line ends in p, at a newline; -1 if p does not hold its end.
func (s *Splitter) lineEnd(p []byte) int {
	switch {
	case s.Framing.Whole:
		return -1
	case s.Framing.Quoted:
		return s.quotedLineEnd(p)
	}
	return bytes.IndexByte(p, '\n')
}

// quotedLineEnd is lineEnd where a newline after an odd number of quotes ends nothing.
func (s *Splitter) quotedLineEnd(p []byte) int {
	end := QuotedEnd(p, s.inQuotes)
	if end >= 0 {
		s.innerNewlines += int64(bytes.Count(p[:end], []byte{'\n'}))
		return end
	}
	s.innerNewlines += int64(bytes.Count(p, []byte{'\n'}))
	s.inQuotes = s.inQuotes != (bytes.Count(p, []byte{'"'})%2 == 1)
	return end
}

func (s *Splitter) keepPartial(p []byte) {
	if s.DroppedBytes > 0 || len(s.Partial)+len(p) > s.Limit {
		s.DroppedBytes += int64(len(s.Partial) + len(p))
		s.Partial = nil
		return
	}
	s.Partial = append(s.Partial, p...)
}

func (s *Splitter) finishLine(rest []byte) Record {
	size := s.DroppedBytes + int64(len(s.Partial)+len(rest))
	s.Lines++
	line := Record{Number: s.Lines, Offset: s.Offset}
	s.Lines += s.innerNewlines
	s.inQuotes, s.innerNewlines = false, 0
	switch {
	case size > int64(s.Limit):
		line.Reason = fmt.Sprintf("a line of %d bytes is not read: the limit is %d", size, s.Limit)
	case len(s.Partial) > 0:
		line.Text = append(s.Partial, rest...)
	default:
		line.Text = rest
	}
	if i := bytes.IndexByte(line.Text, 0); i >= 0 {
		line.Text, line.Reason = nil, NULError(i).Error()
	}
	s.Offset += size + 1
	s.Partial, s.DroppedBytes = nil, 0
	return line
}

// Rewind forgets Partial and returns how many bytes that is: they are read again.
func (s *Splitter) Rewind() int64 {
	n := len(s.Partial)
	s.Partial, s.inQuotes, s.innerNewlines = nil, false, 0
	return int64(n)
}

// CutAtNUL drops Partial from its first NUL on and returns how many bytes that is: network
// filesystems show zeros where data has yet to arrive, so the caller reads them again.
func (s *Splitter) CutAtNUL() int64 {
	i := bytes.IndexByte(s.Partial, 0)
	if i < 0 {
		return 0
	}
	n := len(s.Partial) - i
	s.Partial = s.Partial[:i]
	return int64(n)
}

// Pending reports whether a record has begun and may continue.
func (s *Splitter) Pending() bool { return s.hasPartial() || !s.block.empty() }

func (s *Splitter) hasPartial() bool { return len(s.Partial) > 0 || s.DroppedBytes > 0 }

// TakePartial returns the partial line as a complete one.
func (s *Splitter) TakePartial() Record {
	line := s.finishLine(nil)
	s.Offset-- // it had no newline
	s.Unterminated = true
	return line
}

// PartialIsComplete reports whether what is kept is a complete record without a newline: some writers
// end their files that way. A line must be a JSON object, and a file a JSON document; a record of
// several lines may end anywhere. A CSV record is never known to be: its last number may go on.
func (s *Splitter) PartialIsComplete() bool {
	switch {
	case s.DroppedBytes > 0:
		return false
	case s.Framing.RecordPrefix != "":
		return true
	case len(s.Partial) == 0:
		return false
	case s.Framing.Quoted:
		return false
	case s.Framing.Whole:
		scanner := jsonscan.Scanner{Data: jsonscan.TrimByteOrderMark(s.Partial)}
		_, err := scanner.Value()
		return err == nil
	}
	return jsonscan.ScanObject(s.Partial, nil) == nil
}

// EndsDocument reports whether a file of one record ends with a bracket or brace, so that it may be
// complete.
func (s *Splitter) EndsDocument() bool {
	end := bytes.TrimRight(s.Partial, " \t\r\n")
	return s.Framing.Whole && (bytes.HasSuffix(end, []byte{'}'}) || bytes.HasSuffix(end, []byte{']'}))
}

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
