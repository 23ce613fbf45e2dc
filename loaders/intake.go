package loaders

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"vantage/model"
)

// A file whose first rows fit no format may have a scorer that starts late; so
// many rows, or bytes, are kept before it is given up.
const (
	maxTried   = 50
	maxKept    = 4 << 20
	maxMetrics = 64 << 20 // of a log of metrics, whose last row is shown
)

// intake is the way of one file's bytes to records.
type intake struct {
	index   int32
	name    string
	formats []Format
	out     *output
	root    *Directory // that it was found in; nil if it was given itself

	lines   Lines
	block   Multiline // of lines, where records have several
	cutting bool      // how records are cut has been settled
	begin   []byte    // of the file, until then
	format  *Format   // nil until a row fitted one
	decoder Decoder
	search  search
	refused bool // no format wants it; it is not read any more
	listed  int  // problems of this file
	newest  int64
	any     bool      // newest is set
	changed time.Time // when the file last did, by this machine's clock
	scratch []model.Record
}

// search is the state of looking for a format.
type search struct {
	kept  []Line // rows that are JSON but fit none
	bytes int
	tried int
	told  bool
}

func newIntake(index int32, name string, formats []Format, out *output) intake {
	return intake{index: index, name: name, formats: formats, out: out, lines: Lines{Limit: MaxLine}}
}

// restart forgets everything, since the file is read anew.
func (f *intake) restart() {
	f.out.forget(f)
	root := f.root
	*f = newIntake(f.index, f.name, f.formats, f.out)
	f.root = root
}

// feed reads bytes until the output is full, and returns how many it used.
func (f *intake) feed(p []byte) int {
	if f.cutting {
		return f.lines.Feed(p, f.take)
	}
	held := len(f.begin)
	f.begin = append(f.begin, p...)
	if len(f.begin) < f.enough() && bytes.IndexByte(f.begin, '\n') < 0 && bytes.IndexByte(f.begin, 0) < 0 {
		return len(p)
	}
	return f.guess() - held
}

// enough is how many bytes tell how a file is cut, unless a line ends before: a few, or the
// header of a table where the name does not tell.
func (f *intake) enough() int {
	if Extension(f.name) == "" {
		return 4 << 10
	}
	return 16
}

func (f *intake) take(l Line) bool {
	f.line(l)
	return !f.refused && !f.out.full()
}

// guess settles how the file is cut into records, and feeds its begin: no record
// ends in it before the bytes that came last.
func (f *intake) guess() int {
	begin := f.begin
	f.begin, f.cutting = nil, true
	f.lines.Framing = Detect(f.name, begin)
	if len(f.formats) == 1 {
		f.lines.Framing = f.formats[0].Framing
	}
	return f.lines.Feed(begin, f.take)
}

// line takes a line, or what the file is cut into instead.
func (f *intake) line(l Line) {
	if begin := f.lines.Framing.RecordPrefix; begin != "" && l.Reason == "" {
		done, ok := f.block.Add(l, begin)
		f.lines.RecordOpen = true
		if !ok {
			return
		}
		l = done
	}
	f.record(l)
}

func (f *intake) record(l Line) {
	switch {
	case l.Reason != "":
		f.skip(l, l.Reason)
	case len(bytes.TrimSpace(l.Text)) == 0:
	case f.format != nil:
		f.decode(l)
	case len(f.formats) == 1:
		f.settle(&f.formats[0]) // somebody said so
		f.decode(l)
	default:
		f.try(l)
	}
}

func (f *intake) decode(l Line) {
	records, err := f.decoder.Line(f.scratch[:0], l.Text)
	f.scratch = records[:0]
	if err != nil {
		f.skip(l, err.Error())
		return
	}
	for i := range records {
		r := &records[i]
		r.File, r.Line, r.Offset, r.Nth = f.index, l.Number, l.Offset, int32(i)
		f.reached(r.Step)
	}
	f.out.add(f.format, f.decoder.Note(), f.fresh(records))
}

// reached notes that there is a sample of a step.
func (f *intake) reached(step int64) {
	if !f.any || step > f.newest {
		f.newest, f.any = step, true
	}
}

// try looks whether a row tells the format. Rows that do not are kept and
// decoded once one does.
func (f *intake) try(l Line) {
	f.search.tried++
	if f.lines.Framing != (Framing{}) {
		f.once(l)
		return
	}
	if err := ScanObject(l.Text, nil); err != nil {
		f.skip(l, err.Error())
		if len(f.search.kept) == 0 && f.search.tried >= maxTried {
			f.refuse(fmt.Sprintf("not read: none of its first %d lines is a JSON object", maxTried))
		}
		return
	}
	if format := f.fits(l.Text); format != nil {
		f.accept(format, l)
		return
	}
	f.search.bytes += len(l.Text)
	l.Text = bytes.Clone(l.Text)
	if kept := f.search.kept; IsMetrics(l.Text) && (len(kept) == 0 || IsMetrics(kept[0].Text)) && f.search.bytes <= maxMetrics {
		f.search.kept = []Line{l} // the last one says how the run is doing
		return
	}
	f.search.kept = append(f.search.kept, l)
	if f.search.tried >= maxTried || f.search.bytes > maxKept {
		f.complain()
		f.refuse("")
	}
}

// fits is the format that a line tells, nil if it tells none. A line may be a document:
// a question with its answers, a step with its samples, a table that came through a pipe.
func (f *intake) fits(line []byte) *Format {
	if format := detect(f.formats, f.name, Framing{}, line); format != nil || IsMetrics(line) {
		return format
	}
	return detect(f.formats, f.name, Framing{Whole: true}, line)
}

// once looks at the first record of a file whose records are not lines: it tells
// the format, or none does.
func (f *intake) once(l Line) {
	format := detect(f.formats, f.name, f.lines.Framing, l.Text)
	if format == nil {
		f.dismiss(l.Text)
		f.refuse("")
		return
	}
	f.accept(format, l)
}

// accept begins to read the file in a format, unless it lies beside better ones.
func (f *intake) accept(format *Format, l Line) {
	if f.root != nil && f.root.Hides(format) {
		f.refuse("")
		f.out.note(f.root.LeaveOut(f.name, format))
		return
	}
	f.settle(format)
	f.decode(l)
}

func (f *intake) settle(format *Format) {
	f.format, f.decoder = format, format.Decode(f.name)
	kept := f.search.kept
	f.search = search{}
	for _, l := range kept {
		f.decode(l)
	}
}

// complain says, once, that no row so far fits a format.
func (f *intake) complain() {
	if len(f.search.kept) > 0 && !f.search.told {
		f.search.told = true
		f.dismiss(f.search.kept[0].Text)
	}
}

// dismiss says why a file with such a row is not read. What is no answer of a model belongs
// to no log, and may be one of the files that lie beside it.
func (f *intake) dismiss(row []byte) {
	if why := Refusal(row); f.root == nil || holdsAnswer(row) {
		f.remark(why)
	} else {
		f.root.WithoutSamples = append(f.root.WithoutSamples, model.Problem{File: f.name, Reason: why})
	}
}

func (f *intake) refuse(why string) {
	f.refused = true
	f.search.kept = nil
	f.lines.Partial = nil
	if why != "" {
		f.remark(why)
	}
}

// finish is called at the end of a file that is not followed: its last line may
// lack a newline, and is taken if it is whole.
func (f *intake) finish() {
	if !f.cutting {
		f.guess()
	}
	if f.lines.Framing != (Framing{}) {
		f.settleRest()
		return
	}
	if !f.refused && f.lines.Pending() {
		l := f.lines.TakeLast()
		var broken *SyntaxError
		switch err := ScanObject(l.Text, nil); {
		case l.Reason != "":
			f.skip(l, "incomplete last line: "+l.Reason)
		case errors.As(err, &broken):
			f.skip(l, "incomplete last line: "+err.Error())
		default:
			f.line(l)
		}
	}
	f.complain()
}

// settleRest takes what is held of a file whose records are not lines.
func (f *intake) settleRest() {
	if !f.refused && f.lines.HasPartial() {
		f.line(f.lines.TakeLast())
	}
	f.lines.RecordOpen = false
	if done, ok := f.block.Take(); ok && !f.refused {
		f.record(done)
	}
}

// settleLast takes a last line without a newline that has been left so for a
// while, if it is whole: some writers end their files that way.
func (f *intake) settleLast() bool {
	if !f.cutting {
		f.guess()
	}
	if f.lines.Framing != (Framing{}) {
		return f.settleRecord()
	}
	if f.refused || f.lines.DroppedBytes > 0 || len(f.lines.Partial) == 0 || ScanObject(f.lines.Partial, nil) != nil {
		return false
	}
	f.line(f.lines.TakeLast())
	return true
}

// settleRecord is settleLast where records are not lines: a document that is
// whole, a row with all its quotes closed, a block whatever its end.
func (f *intake) settleRecord() bool {
	switch held := f.lines.Partial; {
	case f.refused || f.lines.DroppedBytes > 0:
		return false
	case f.lines.Framing.Whole:
		if len(held) == 0 || !complete(held) {
			return false
		}
	case f.lines.Framing.Quoted && (len(held) == 0 || f.lines.Quotes%2 != 0):
		return false
	}
	f.settleRest()
	return true
}

// closes reports whether a document may be whole: what came of it last closes something.
func (f *intake) closes() bool {
	held := bytes.TrimRight(f.lines.Partial, " \t\r\n")
	return f.lines.Framing.Whole && (bytes.HasSuffix(held, []byte{'}'}) || bytes.HasSuffix(held, []byte{']'}))
}

// complete reports whether a document is whole.
func complete(document []byte) bool {
	s := Scanner{Data: TrimByteOrderMark(document)}
	_, err := s.Value()
	return err == nil
}

// skip counts a line that could not be read.
func (f *intake) skip(l Line, reason string) {
	f.out.open.skipped++
	f.problem(model.Problem{File: f.name, Line: l.Number, Reason: reason})
}

// remark is about the file as a whole.
func (f *intake) remark(reason string) {
	f.problem(model.Problem{File: f.name, Reason: reason})
}

func (f *intake) problem(p model.Problem) {
	if f.listed < maxFileProblems {
		f.listed++
		f.out.problem(p)
	}
}
