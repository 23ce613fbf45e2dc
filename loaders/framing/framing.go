// Package framing cuts the bytes of a log into records: lines, CSV records whose cells may hold
// newlines, blocks of several lines, or the whole file.
//
// In: the bytes of a file, in any pieces. Out: [Record]s. [Detect] guesses the [Framing] of a file from
// its name and first bytes; then a [Splitter] cuts, and keeps the start of a record that is not complete.
// Package formats calls Detect, package loaders a Splitter for every file that is text, and decode
// [SplitCSV] for the cells of a CSV record.
package framing

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"vantage/loaders/jsonscan"
)

// Framing says what ends a record. The zero Framing cuts lines, at \n alone: model text holds \r,
// U+2028 and the rest.
type Framing struct {
	Whole        bool   // the file is one record
	Quoted       bool   // a newline between double quotes ends nothing, as in CSV
	Table        bool   // the rows of a Parquet file: its bytes are not cut
	RecordPrefix string // a record is the lines up to the next that begins like this
}

// MaxLine is the size of the longest record that is read, in bytes. Whole steps in one line take some
// megabytes; what is longer is no log of samples.
const MaxLine = 64 << 20

// Record is what a file is cut into: mostly a line, without its newline.
type Record struct {
	Text   []byte
	Number int64  // of its first line, from 1
	Offset int64  // of its first byte
	Reason string // why the record must not be read, "" if it may be; Text is then empty
}

// NULError returns the error of a record with a NUL at offset at.
func NULError(at int) error {
	return fmt.Errorf("column %d: a NUL byte: the file was damaged, or not yet written there", at+1)
}

// Detect guesses the framing of a file from its name and its first bytes: those of the first line if
// the name has no extension, else a few. A file that begins with one of prefixes has records of
// several lines that begin so.
func Detect(name string, first []byte, prefixes ...string) Framing {
	first = jsonscan.TrimByteOrderMark(first)
	switch Extension(name) {
	case ".csv", ".tsv":
		return Framing{Quoted: true}
	case ".json":
		return Framing{Whole: true}
	}
	if i := slices.IndexFunc(prefixes, func(prefix string) bool { return bytes.HasPrefix(first, []byte(prefix)) }); i >= 0 {
		return Framing{RecordPrefix: prefixes[i]}
	}
	if Extension(name) == "" { // mostly a stream
		line, _, _ := bytes.Cut(first, []byte{'\n'})
		return Framing{Whole: beginsDocument(line), Quoted: isCSVHeader(line)}
	}
	return Framing{Whole: bytes.HasPrefix(first, []byte{'['})}
}

// beginsDocument reports whether a JSON document has more lines than its first: it is a list, or an
// object that the line does not end.
func beginsDocument(line []byte) bool {
	line = bytes.TrimSpace(line)
	if bytes.HasPrefix(line, []byte{'{'}) {
		return strings.IndexByte("{[,:", line[len(line)-1]) >= 0
	}
	return bytes.HasPrefix(line, []byte{'['})
}

func isCSVHeader(line []byte) bool {
	names := SplitCSV(nil, line, CSVSeparator(line))
	for _, name := range names {
		name = bytes.TrimSpace(name)
		if len(name) == 0 || bytes.ContainsAny(name, "{}[]:\"\x00\x1b") {
			return false
		}
	}
	return len(names) > 1
}

// Extension returns the extension of a file name in lower case, without that of a compression.
func Extension(name string) string {
	return path.Ext(Unpacked(strings.ToLower(name)))
}

// Unpacked is the name of a compressed file without what says so, and that of another as it is.
func Unpacked(name string) string {
	for _, ext := range PackedExtensions() {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

// PackedExtensions are what the names of compressed files end in.
func PackedExtensions() []string { return []string{".gz", ".zst", ".zstd", ".bz2"} }

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
	case len(s.Partial) == 0, s.Framing.Quoted:
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

// CSVSeparator returns what separates the cells below a header: a comma, or a tab, a semicolon or a bar if
// it has more of these.
func CSVSeparator(header []byte) byte {
	best, most := byte(','), bytes.Count(header, []byte{','})
	for _, sep := range []byte{'\t', ';', '|'} {
		if n := bytes.Count(header, []byte{sep}); n > most {
			best, most = sep, n
		}
	}
	return best
}

// SplitCSV appends the cells of a record to cells, without their quotes. They point into the record,
// except those with doubled quotes, which are copies.
func SplitCSV(cells [][]byte, record []byte, sep byte) [][]byte {
	for {
		var cell []byte
		cell, record = nextCSVCell(record, sep)
		cells = append(cells, cell)
		if record == nil {
			return cells
		}
	}
}

// nextCSVCell returns the first cell and what follows its separator, nil at the end.
func nextCSVCell(record []byte, sep byte) (cell, rest []byte) {
	if len(record) == 0 || record[0] != '"' {
		i := bytes.IndexByte(record, sep)
		if i < 0 {
			return record, nil
		}
		return record[:i], record[i+1:]
	}
	end, doubled := QuotedCellEnd(record, 1)
	if end < 0 {
		return record[1:], nil // the quote is never closed
	}
	cell, rest = record[1:end], record[end+1:]
	if doubled > 0 {
		cell = UnquoteCSV(cell)
	}
	if i := bytes.IndexByte(rest, sep); i >= 0 {
		return cell, rest[i+1:]
	}
	return cell, nil
}

// QuotedCellEnd returns the offset of the quote that ends the cell whose text begins at from, -1 if there is
// none, and how many quotes the text has, each of them doubled.
func QuotedCellEnd(p []byte, from int) (end, doubled int) {
	for at := from; ; doubled++ {
		i := bytes.IndexByte(p[at:], '"')
		if i < 0 {
			return -1, 0
		}
		if at += i; at+1 == len(p) || p[at+1] != '"' {
			return at, doubled
		}
		at += 2
	}
}

// UnquoteCSV returns the text of a cell that stood between quotes, in which each quote is doubled. It
// is a copy if there are any.
func UnquoteCSV(cell []byte) []byte {
	if bytes.IndexByte(cell, '"') < 0 {
		return cell
	}
	return bytes.ReplaceAll(cell, []byte(`""`), []byte{'"'})
}

// QuotedEnd returns where the newline stands that ends the record which p begins with, -1 if it does not end
// in p. inQuotes says that the record begins before p, and a quote was opened there.
func QuotedEnd(p []byte, inQuotes bool) int {
	for from := 0; ; {
		i := bytes.IndexByte(p[from:], '\n')
		if i < 0 {
			return -1
		}
		inQuotes = inQuotes != (bytes.Count(p[from:from+i], []byte{'"'})%2 == 1)
		if !inQuotes {
			return from + i
		}
		from += i + 1
	}
}
