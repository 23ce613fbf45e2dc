package loaders

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"vantage/loaders/decode"
	"vantage/loaders/formats"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

// A file whose first rows fit no format may have a scorer that starts late; so
// many rows, or bytes, are kept before it is given up.
const (
	maxDetectionRows  = 50
	maxDetectionBytes = 4 << 20
	maxMetricsBytes   = 64 << 20 // of a log of metrics, whose last row is shown
)

// fileReader is the way of one file's bytes to records.
type fileReader struct {
	index     int32
	name      string
	formats   []formats.Format
	chunks    *chunkQueue
	directory *directory // in which the file was found; nil if it was given by itself

	lines        framing.Lines
	multiline    framing.Multiline // of lines, where records have several
	framed       bool              // how records are cut has been settled
	head         []byte            // of the file, until then
	format       *formats.Format   // nil until a row fitted one
	decoder      decode.Decoder
	detection    detection
	refused      bool // no format wants it; it is not read any more
	problemCount int  // problems of this file
	newestStep   int64
	hasStep      bool      // newest is set
	changed      time.Time // when the file last did, by this machine's clock
	scratch      []model.Record
}

// detection is the state of looking for a format.
type detection struct {
	rows  []framing.Line // rows that are JSON but fit none
	bytes int
	tried int
	noted bool
}

func newFileReader(index int32, name string, formats []formats.Format, out *chunkQueue) fileReader {
	return fileReader{index: index, name: name, formats: formats, chunks: out, lines: framing.Lines{Limit: framing.MaxLine}}
}

// restart forgets everything, since the file is read anew.
func (f *fileReader) restart() {
	f.chunks.forgetFile(f)
	root := f.directory
	*f = newFileReader(f.index, f.name, f.formats, f.chunks)
	f.directory = root
}

// feed reads bytes until the output is full, and returns how many it used.
func (f *fileReader) feed(p []byte) int {
	if f.framed {
		return f.lines.Feed(p, f.acceptLine)
	}
	held := len(f.head)
	f.head = append(f.head, p...)
	if len(f.head) < f.headSize() && bytes.IndexByte(f.head, '\n') < 0 && bytes.IndexByte(f.head, 0) < 0 {
		return len(p)
	}
	return f.detectFraming() - held
}

// headSize is how many bytes tell how a file is cut, unless a line ends before: a few, or the
// header of a table where the name does not tell.
func (f *fileReader) headSize() int {
	if framing.Extension(f.name) == "" {
		return 4 << 10
	}
	return 16
}

func (f *fileReader) acceptLine(l framing.Line) bool {
	f.acceptPart(l)
	return !f.refused && !f.chunks.full()
}

// detectFraming settles how the file is cut into records, and feeds its begin: no record
// ends in it before the bytes that came last.
func (f *fileReader) detectFraming() int {
	begin := f.head
	f.head, f.framed = nil, true
	f.lines.Framing = framing.Detect(f.name, begin)
	if len(f.formats) == 1 {
		f.lines.Framing = f.formats[0].Framing
	}
	return f.lines.Feed(begin, f.acceptLine)
}

// acceptPart takes a line, or what the file is cut into instead.
func (f *fileReader) acceptPart(l framing.Line) {
	if begin := f.lines.Framing.RecordPrefix; begin != "" && l.Reason == "" {
		done, ok := f.multiline.Add(l, begin)
		f.lines.RecordOpen = true
		if !ok {
			return
		}
		l = done
	}
	f.acceptRecord(l)
}

func (f *fileReader) acceptRecord(l framing.Line) {
	switch {
	case l.Reason != "":
		f.skipLine(l, l.Reason)
	case len(bytes.TrimSpace(l.Text)) == 0:
	case f.format != nil:
		f.decode(l)
	case len(f.formats) == 1:
		f.setFormat(&f.formats[0]) // somebody said so
		f.decode(l)
	default:
		f.tryFormats(l)
	}
}

func (f *fileReader) decode(l framing.Line) {
	records, err := f.decoder.Decode(f.scratch[:0], l.Text)
	f.scratch = records[:0]
	if err != nil {
		f.skipLine(l, err.Error())
		return
	}
	for i := range records {
		r := &records[i]
		r.File, r.Line, r.Offset, r.Nth = f.index, l.Number, l.Offset, int32(i)
		f.noteStep(r.Step)
	}
	f.chunks.add(f.format, f.decoder.Note(), f.withoutRepeats(records))
}

// noteStep notes that there is a sample of a step.
func (f *fileReader) noteStep(step int64) {
	if !f.hasStep || step > f.newestStep {
		f.newestStep, f.hasStep = step, true
	}
}

// tryFormats looks whether a row tells the format. Rows that do not are kept and
// decoded once one does.
func (f *fileReader) tryFormats(l framing.Line) {
	f.detection.tried++
	if f.lines.Framing != (framing.Framing{}) {
		f.tryFirstRecord(l)
		return
	}
	if err := jsonscan.ScanObject(l.Text, nil); err != nil {
		f.skipLine(l, err.Error())
		if len(f.detection.rows) == 0 && f.detection.tried >= maxDetectionRows {
			f.refuse(fmt.Sprintf("not read: none of its first %d lines is a JSON object", maxDetectionRows))
		}
		return
	}
	if format := f.formatOf(l.Text); format != nil {
		f.useFormat(format, l)
		return
	}
	f.detection.bytes += len(l.Text)
	l.Text = bytes.Clone(l.Text)
	if kept := f.detection.rows; formats.IsMetrics(l.Text) && (len(kept) == 0 || formats.IsMetrics(kept[0].Text)) && f.detection.bytes <= maxMetricsBytes {
		f.detection.rows = []framing.Line{l} // the last one says how the run is doing
		return
	}
	f.detection.rows = append(f.detection.rows, l)
	if f.detection.tried >= maxDetectionRows || f.detection.bytes > maxDetectionBytes {
		f.noteNoFormat()
		f.refuse("")
	}
}

// formatOf is the format that a line tells, nil if it tells none. A line may be a document:
// a question with its answers, a step with its samples, a table that came through a pipe.
func (f *fileReader) formatOf(line []byte) *formats.Format {
	if format := formats.Detect(f.formats, f.name, framing.Framing{}, line); format != nil || formats.IsMetrics(line) {
		return format
	}
	return formats.Detect(f.formats, f.name, framing.Framing{Whole: true}, line)
}

// tryFirstRecord looks at the first record of a file whose records are not lines: it tells
// the format, or none does.
func (f *fileReader) tryFirstRecord(l framing.Line) {
	format := formats.Detect(f.formats, f.name, f.lines.Framing, l.Text)
	if format == nil {
		f.noteUnread(l.Text)
		f.refuse("")
		return
	}
	f.useFormat(format, l)
}

// useFormat begins to read the file in a format, unless it lies beside better ones.
func (f *fileReader) useFormat(format *formats.Format, l framing.Line) {
	if f.directory != nil && f.directory.hides(format) {
		f.refuse("")
		f.chunks.addNotes(f.directory.noteLeftOut(f.name, format))
		return
	}
	f.setFormat(format)
	f.decode(l)
}

func (f *fileReader) setFormat(format *formats.Format) {
	f.format, f.decoder = format, format.NewDecoder(f.name)
	kept := f.detection.rows
	f.detection = detection{}
	for _, l := range kept {
		f.decode(l)
	}
}

// noteNoFormat says, once, that no row so far fits a format.
func (f *fileReader) noteNoFormat() {
	if len(f.detection.rows) > 0 && !f.detection.noted {
		f.detection.noted = true
		f.noteUnread(f.detection.rows[0].Text)
	}
}

// noteUnread says why a file with such a row is not read. What is no answer of a model belongs
// to no log, and may be one of the files that lie beside it.
func (f *fileReader) noteUnread(row []byte) {
	if why := formats.Refusal(row); f.directory == nil || formats.HoldsAnswer(row) {
		f.noteFile(why)
	} else {
		f.directory.withoutSamples = append(f.directory.withoutSamples, model.Problem{File: f.name, Reason: why})
	}
}

func (f *fileReader) refuse(why string) {
	f.refused = true
	f.detection.rows = nil
	f.lines.Partial = nil
	if why != "" {
		f.noteFile(why)
	}
}

// finish is called at the end of a file that is not followed: its last line may
// lack a newline, and is taken if it is whole.
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
		var broken *jsonscan.SyntaxError
		switch err := jsonscan.ScanObject(l.Text, nil); {
		case l.Reason != "":
			f.skipLine(l, "incomplete last line: "+l.Reason)
		case errors.As(err, &broken):
			f.skipLine(l, "incomplete last line: "+err.Error())
		default:
			f.acceptPart(l)
		}
	}
	f.noteNoFormat()
}

// flushRest takes what is held of a file whose records are not lines.
func (f *fileReader) flushRest() {
	if !f.refused && f.lines.HasPartial() {
		f.acceptPart(f.lines.TakeLast())
	}
	f.lines.RecordOpen = false
	if done, ok := f.multiline.Take(); ok && !f.refused {
		f.acceptRecord(done)
	}
}

// acceptLastLine takes a last line without a newline that has been left so for a
// while, if it is whole: some writers end their files that way.
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

// acceptLastRecord is settleLast where records are not lines: a document that is
// whole, a row with all its quotes closed, a block whatever its end.
func (f *fileReader) acceptLastRecord() bool {
	switch held := f.lines.Partial; {
	case f.refused || f.lines.DroppedBytes > 0:
		return false
	case f.lines.Framing.Whole:
		if len(held) == 0 || !isComplete(held) {
			return false
		}
	case f.lines.Framing.Quoted && (len(held) == 0 || f.lines.Quotes%2 != 0):
		return false
	}
	f.flushRest()
	return true
}

// looksComplete reports whether a document may be whole: what came of it last closes something.
func (f *fileReader) looksComplete() bool {
	held := bytes.TrimRight(f.lines.Partial, " \t\r\n")
	return f.lines.Framing.Whole && (bytes.HasSuffix(held, []byte{'}'}) || bytes.HasSuffix(held, []byte{']'}))
}

// isComplete reports whether a document is whole.
func isComplete(document []byte) bool {
	s := jsonscan.Scanner{Data: jsonscan.TrimByteOrderMark(document)}
	_, err := s.Value()
	return err == nil
}

// skipLine counts a line that could not be read.
func (f *fileReader) skipLine(l framing.Line, reason string) {
	f.chunks.pending.skipped++
	f.addProblem(model.Problem{File: f.name, Line: l.Number, Reason: reason})
}

// noteFile is about the file as a whole.
func (f *fileReader) noteFile(reason string) {
	f.addProblem(model.Problem{File: f.name, Reason: reason})
}

func (f *fileReader) addProblem(p model.Problem) {
	if f.problemCount < maxFileProblems {
		f.problemCount++
		f.chunks.addProblem(p)
	}
}
