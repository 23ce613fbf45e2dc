package loaders

import (
	"bytes"
	"fmt"

	"vantage/loaders/decode"
	"vantage/loaders/formats"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

// A file whose first rows fit no format may have a scorer that starts late. So many rows or bytes are
// kept until the file is refused.
const (
	maxDetectionRows  = 50
	maxDetectionBytes = 4 << 20
	maxMetricsBytes   = 64 << 20 // of a log of metrics, whose last row is quoted
)

// detection is the state of looking for a format.
type detection struct {
	rows  []framing.Record // JSON objects that fit no format
	bytes int              // of the rows
	tried int              // lines
	noted bool             // that no format fits
}

// tryFormats looks for a format that fits a row. Rows that fit none are kept, and decoded once one
// is found.
func (f *fileReader) tryFormats(record framing.Record) {
	f.detection.tried++
	f.chunks.tried++
	if f.splitter.Framing != (framing.Framing{}) {
		f.tryFirstRecord(record)
		return
	}
	fields := 0
	err := jsonscan.ScanObject(record.Text, func(_, _ jsonscan.Value) { fields++ })
	if fields > decode.MaxFields {
		err = decode.ErrTooManyFields
	}
	if err != nil {
		f.skipLine(record, err.Error())
		if len(f.detection.rows) == 0 && f.detection.tried >= maxDetectionRows {
			f.refuse(fmt.Sprintf("not read: none of its first %d lines is a JSON object", maxDetectionRows))
		}
		return
	}
	if format := formatOfLine(f.formats, f.name, record.Text); format != nil {
		f.useFormat(format, record)
		return
	}
	f.detection.bytes += len(record.Text)
	record.Text = bytes.Clone(record.Text)
	if rows := f.detection.rows; formats.IsMetrics(record.Text) && (len(rows) == 0 || formats.IsMetrics(rows[0].Text)) && f.detection.bytes <= maxMetricsBytes {
		f.detection.rows = []framing.Record{record} // the last one tells the state of the run
		return
	}
	f.detection.rows = append(f.detection.rows, record)
	if f.detection.tried >= maxDetectionRows || f.detection.bytes > maxDetectionBytes {
		f.noteNoFormat()
		f.refuse("")
	}
}

// formatOfLine returns the format that a line fits, nil if none. A line may be a whole document: a
// prompt with its responses, a step with its samples, a table that came through a pipe.
func formatOfLine(all []formats.Format, name string, line []byte) *formats.Format {
	if format := formats.Detect(all, name, framing.Framing{}, line); format != nil || formats.IsMetrics(line) {
		return format
	}
	return formats.Detect(all, name, framing.Framing{Whole: true}, line)
}

// tryFirstRecord looks for a format that fits the first record of a file whose records are not lines.
// No later record is tried.
func (f *fileReader) tryFirstRecord(record framing.Record) {
	format := formats.Detect(f.formats, f.name, f.splitter.Framing, record.Text)
	if format == nil {
		f.noteUnread(record.Text)
		f.refuse("")
		return
	}
	f.useFormat(format, record)
}

// useFormat reads the file in a format, unless its directory hides files of that format.
func (f *fileReader) useFormat(format *formats.Format, record framing.Record) {
	if f.directory != nil && f.directory.hides(format) {
		f.refuse("")
		f.chunks.addNotes(f.directory.noteLeftOut(f.name, format))
		return
	}
	if f.directory != nil && len(f.formats) > 1 && f.directory.twins.hides(f.name, format) {
		f.refuse("")
		return
	}
	f.setFormat(format)
	f.decode(record)
}

// setFormat sets the format and decodes the rows that were kept.
func (f *fileReader) setFormat(format *formats.Format) {
	f.format, f.decoder = format, format.NewDecoder(f.name)
	rows := f.detection.rows
	f.chunks.tried -= f.detection.tried
	f.detection = detection{}
	for _, record := range rows {
		f.decode(record)
	}
}

// noteNoFormat notes, once, that no row so far fits a format.
func (f *fileReader) noteNoFormat() {
	if len(f.detection.rows) > 0 && !f.detection.noted {
		f.detection.noted = true
		f.noteUnread(f.detection.rows[0].Text)
	}
}

// noteUnread notes why a file with such a row is not read. A row without a response is of no log: the
// file may be a side file.
func (f *fileReader) noteUnread(row []byte) {
	if why := formats.Refusal(row); f.directory == nil || formats.HasResponse(row) {
		f.noteFile(why)
	} else {
		f.directory.withoutSamples = append(f.directory.withoutSamples, model.Problem{File: f.name, Reason: why})
	}
}

// refuse ends the reading of a file that no format fits.
func (f *fileReader) refuse(why string) {
	f.refused = true
	f.detection.rows = nil
	f.splitter.Partial = nil
	if why != "" {
		f.noteFile(why)
	}
}
