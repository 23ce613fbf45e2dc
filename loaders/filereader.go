package loaders

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"vantage/loaders/decode"
	"vantage/loaders/formats"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

// fileReader turns the bytes of one file into records: framing, detection of the format, decoding.
type fileReader struct {
	index     int32
	name      string
	stepName  string           // the name with "step_3" for its folder 3, if that is one of steps; else the name
	path      string           // whole, where it is that of a file
	formats   []formats.Format // to choose from
	chunks    *chunkQueue
	directory *directory // in which the file was found; nil if it was given by itself

	framed   bool   // splitter.Framing has been decided
	head     []byte // the first bytes, until then
	splitter framing.Splitter

	format    *formats.Format // nil until a row fits one
	detection detection       // until then
	decoder   decode.Decoder
	refused   bool // no format fits; the file is not read any more
	scratch   []model.Record

	problemCount int32
	skipped      int32 // lines that could not be read
	newestStep   int64
	last         framing.Record // of those with samples, without its text
	unendedRow   int64          // the line of a last row without its newline that was noted, from 0
	hasStep      bool           // there is a newestStep
	changed      time.Time      // when the file last changed, by this machine's clock
}

func newFileReader(index int32, name string, formats []formats.Format, chunks *chunkQueue) fileReader {
	return fileReader{
		index: index, name: name, stepName: name, formats: formats, chunks: chunks,
		splitter: framing.Splitter{Limit: framing.MaxLine},
	}
}

// feed reads bytes until there is enough for a chunk, and returns how many it used.
func (f *fileReader) feed(p []byte) int {
	if f.framed {
		return f.splitter.Feed(p, f.accept)
	}
	if len(f.head) == 0 && f.isEnough(p) { // mostly: no copy
		return f.detectFraming(p)
	}
	before := len(f.head)
	f.head = append(f.head, p...)
	if !f.isEnough(f.head) {
		return len(p)
	}
	return f.detectFraming(f.head) - before
}

// isEnough reports whether the framing can be detected by the first bytes of the file: a whole line, or enough of one. A
// file without an extension may be a table, whose header is needed.
func (f *fileReader) isEnough(head []byte) bool {
	enough := 16
	if framing.Extension(f.name) == "" {
		enough = 4 << 10
	}
	return len(head) >= enough || bytes.ContainsAny(head, "\n\x00")
}

func (f *fileReader) accept(r framing.Record) bool {
	f.acceptRecord(r)
	return !f.refused && !f.chunks.full()
}

// detectFraming decides how the file is divided into records and feeds its first bytes. No record ends
// in them before those that came last.
func (f *fileReader) detectFraming(head []byte) int {
	f.head, f.framed = nil, true
	if isTar(head) { // in gzip or zstd, or through a pipe
		f.refuse("not read: it is a tar archive: " + unpackTar)
		return len(head)
	}
	f.splitter.Framing = formats.DetectFraming(f.formats, f.name, head)
	return f.splitter.Feed(head, f.accept)
}

func (f *fileReader) acceptRecord(record framing.Record) {
	switch {
	case record.Reason != "":
		f.skipLine(record, record.Reason)
	case len(bytes.TrimSpace(record.Text)) == 0:
	case f.format != nil:
		f.decode(record)
	case len(f.formats) == 1:
		f.begin(&f.formats[0], record) // a person named it
	default:
		f.tryFormats(record)
	}
}

func (f *fileReader) decode(record framing.Record) {
	records, err := f.decoder.Decode(f.scratch[:0], record.Text)
	f.scratch = records[:0]
	if err != nil {
		f.skipLine(record, err.Error())
		return
	}
	f.setPlaces(records, record)
	f.chunks.addPassedOver(f.index, takePassedOver(f.decoder))
	f.chunks.add(f.format, f.decoder.Note(), f.dropRepeats(records))
}

// setPlaces says where the samples of a record are. Those without a row, which come first, are of the step of the record before it, and
// where that is.
func (f *fileReader) setPlaces(records []model.Record, record framing.Record) {
	unlogged := 0
	for unlogged < len(records) && records[unlogged].Status == model.StatusUnlogged {
		unlogged++
	}
	for i := range records {
		r, of := &records[i], &record
		if i < unlogged {
			of = &f.last
		}
		r.File, r.Line, r.Offset, r.IndexInLine = f.index, of.Number, of.Offset, int32(i-unlogged)
		f.noteStep(r.Step, r.Offset, 1)
	}
	f.nameGroups(records)
	f.last = framing.Record{Number: record.Number, Offset: record.Offset}
}

// endStep adds the samples of the last step that have no row.
func (f *fileReader) endStep() {
	d, ok := f.decoder.(*decode.RowDecoder)
	if !ok {
		return
	}
	if records := d.End(); len(records) > 0 {
		f.setPlaces(records, f.last)
		f.chunks.add(f.format, d.Note(), records)
	}
}

// nameGroups names groups that are a record, or a part of one, by the place of the record.
func (f *fileReader) nameGroups(records []model.Record) {
	lastPart := "" // of the record before, which mostly is of the same group
	for i := range records {
		r := &records[i]
		part, isRecord := strings.CutPrefix(r.Group, decode.RecordGroup)
		switch {
		case !isRecord:
		case i > 0 && records[i-1].Line == r.Line && lastPart == part && records[i-1].Group != "":
			r.Group = records[i-1].Group
		default:
			r.Group = fmt.Sprintf("%s:%d%s", f.name, r.Line, part)
		}
		lastPart = part
	}
}

// takePassedOver returns what a decoder passed over since the last call.
func takePassedOver(d decode.Decoder) model.PassedOver {
	if rows, ok := d.(interface{ TakePassedOver() model.PassedOver }); ok {
		return rows.TakePassedOver()
	}
	return model.PassedOver{}
}

// noteStep notes the step of samples; offset is that of the first. Steps that go back are no
// repetition of what was logged before, even if their rows are equal.
func (f *fileReader) noteStep(step, offset int64, samples int) {
	if !f.hasStep || step > f.newestStep {
		f.newestStep, f.hasStep = step, true
	}
	if wentBack := f.chunks.order(f.index).Add(step, offset, samples); wentBack {
		f.chunks.duplicates.forget(f.index)
	}
}

// noteSteps notes the steps of records and of a block, in the order of the file.
func (f *fileReader) noteSteps(records []model.Record, k *model.Block) {
	for from := 0; from < k.Len(); {
		to, step := from+1, k.Step[from]
		for to < len(k.Step) && k.Step[to] == step && (len(records) == 0 || records[0].Offset > k.Offset[to]) {
			to++
		}
		for len(records) > 0 && records[0].Offset < k.Offset[from] {
			f.noteStep(records[0].Step, records[0].Offset, 1)
			records = records[1:]
		}
		f.noteStep(k.Step[from], k.Offset[from], to-from)
		from = to
	}
	for i := range records {
		f.noteStep(records[i].Step, records[i].Offset, 1)
	}
}

func (f *fileReader) skipLine(record framing.Record, reason string) {
	f.skipped++
	f.chunks.pending.Skipped++
	f.addProblem(model.Problem{File: f.name, Line: record.Number, Reason: reason})
}

func (f *fileReader) noteFile(reason string) {
	f.addProblem(model.Problem{File: f.name, Reason: reason})
}

func (f *fileReader) addProblem(p model.Problem) {
	if f.problemCount < maxFileProblems {
		f.problemCount++
		f.chunks.addProblem(p)
	}
}

// finish reads the last line of a file that is not followed. It may lack a newline, and is decoded if
// it is complete.
func (f *fileReader) finish() {
	defer f.endStep()
	if !f.framed {
		f.detectFraming(f.head)
	}
	if f.splitter.Framing != (framing.Framing{}) {
		f.noteUnendedRow("counted as it is: the last row, %s:%d, has no newline, so its last value may be cut off")
		f.flushRest()
		f.settle()
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
	f.settle()
	f.noteNoFormat()
}

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
