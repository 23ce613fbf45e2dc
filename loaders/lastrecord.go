package loaders

import (
	"bytes"
	"errors"

	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// finish reads the last line of a file that is not followed. It may lack a newline, and is decoded if
// it is complete.
func (f *fileReader) finish() {
	if !f.framed {
		f.detectFraming()
	}
	if f.lines.Framing != (framing.Framing{}) {
		f.flushRest()
		return
	}
	if !f.refused && f.lines.Pending() {
		l := f.lines.TakeLast()
		var syntax *jsonscan.SyntaxError
		switch err := jsonscan.ScanObject(l.Text, nil); {
		case l.Reason != "":
			f.skipLine(l, "incomplete last line: "+l.Reason)
		case errors.As(err, &syntax):
			f.skipLine(l, "incomplete last line: "+err.Error())
		default:
			f.acceptPart(l)
		}
	}
	f.noteNoFormat()
}

// flushRest decodes the last record of a file whose records are not lines.
func (f *fileReader) flushRest() {
	if !f.refused && f.lines.HasPartial() {
		f.acceptPart(f.lines.TakeLast())
	}
	f.lines.RecordOpen = false
	if record, ok := f.multiline.Take(); ok && !f.refused {
		f.acceptRecord(record)
	}
}

// acceptLastLine decodes a last line without a newline if it is complete: some writers end their files
// so. It reports whether there was one. It is called once the file has not changed for a while.
func (f *fileReader) acceptLastLine() bool {
	if !f.framed {
		f.detectFraming()
	}
	if f.lines.Framing != (framing.Framing{}) {
		return f.acceptLastRecord()
	}
	if f.refused || f.lines.DroppedBytes > 0 || len(f.lines.Partial) == 0 || jsonscan.ScanObject(f.lines.Partial, nil) != nil {
		return false
	}
	f.acceptPart(f.lines.TakeLast())
	return true
}

// acceptLastRecord is acceptLastLine for records that are not lines: a complete document, a CSV record
// with all quotes closed, a record of several lines in any case.
func (f *fileReader) acceptLastRecord() bool {
	switch partial := f.lines.Partial; {
	case f.refused || f.lines.DroppedBytes > 0:
		return false
	case f.lines.Framing.Whole:
		if len(partial) == 0 || !isComplete(partial) {
			return false
		}
	case f.lines.Framing.Quoted && (len(partial) == 0 || f.lines.Quotes%2 != 0):
		return false
	}
	f.flushRest()
	return true
}

// looksComplete reports whether a document may be complete: it ends in a closing bracket.
func (f *fileReader) looksComplete() bool {
	partial := bytes.TrimRight(f.lines.Partial, " \t\r\n")
	return f.lines.Framing.Whole && (bytes.HasSuffix(partial, []byte{'}'}) || bytes.HasSuffix(partial, []byte{']'}))
}

// isComplete reports whether a JSON document is complete.
func isComplete(document []byte) bool {
	s := jsonscan.Scanner{Data: jsonscan.TrimByteOrderMark(document)}
	_, err := s.Value()
	return err == nil
}
