package loaders

import (
	"errors"
	"fmt"

	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// finish reads the last line of a file that is not followed. It may lack a newline, and is decoded if
// it is complete.
func (f *fileReader) finish() {
	if !f.framed {
		f.detectFraming(f.head)
	}
	if f.splitter.Framing != (framing.Framing{}) {
		f.noteUnendedRow("counted as it stands: the last row, %s:%d, has no newline, so its last value may be cut off")
		f.flushRest()
		return
	}
	if !f.refused && f.splitter.Pending() {
		record := f.splitter.TakePartial()
		var syntax *jsonscan.SyntaxError
		switch err := jsonscan.ScanObject(record.Text, nil); {
		case record.Reason != "":
			f.skipLine(record, "incomplete last line: "+record.Reason)
		case errors.As(err, &syntax):
			f.skipLine(record, "incomplete last line: "+err.Error())
		default:
			f.acceptRecord(record)
		}
	}
	f.noteNoFormat()
}

// flushRest decodes the last record of a file whose records are not lines.
func (f *fileReader) flushRest() {
	if f.refused {
		return
	}
	f.splitter.Flush(func(r framing.Record) bool {
		f.acceptRecord(r)
		return !f.refused
	})
}

// noteUnendedRow notes, once, that the last row of a CSV table has no newline, and what is done with it.
func (f *fileReader) noteUnendedRow(format string) {
	s := &f.splitter
	if !s.Framing.Quoted || len(s.Partial) == 0 || s.Lines == 0 || f.refused || f.unendedRow == s.Lines {
		return
	}
	f.unendedRow = s.Lines
	f.chunks.addNotes([]string{fmt.Sprintf(format, f.name, s.Lines+1)})
}

// acceptLastRecord decodes a last record without a newline if it is complete: some writers end their
// files that way.
func (f *fileReader) acceptLastRecord() {
	if !f.framed {
		f.detectFraming(f.head)
	}
	if f.splitter.PartialIsComplete() {
		f.flushRest()
	}
}
