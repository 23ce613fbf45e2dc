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
	root    *root // that it was found in; nil if it was given itself

	lines   lines
	block   block   // of lines, where records have several
	cutting bool    // how records are cut has been settled
	begin   []byte  // of the file, until then
	format  *Format // nil until a row fitted one
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
	kept  []line // rows that are JSON but fit none
	bytes int
	tried int
	told  bool
}

func newIntake(index int32, name string, formats []Format, out *output) intake {
	return intake{index: index, name: name, formats: formats, out: out, lines: lines{limit: maxLine}}
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
		return f.lines.feed(p, f.take)
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
	if kindOfName(f.name) == "" {
		return 4 << 10
	}
	return 16
}

func (f *intake) take(l line) bool {
	f.line(l)
	return !f.refused && !f.out.full()
}

// guess settles how the file is cut into records, and feeds its begin: no record
// ends in it before the bytes that came last.
func (f *intake) guess() int {
	begin := f.begin
	f.begin, f.cutting = nil, true
	f.lines.cut = cutOf(f.name, begin)
	if len(f.formats) == 1 {
		f.lines.cut = f.formats[0].Cut
	}
	return f.lines.feed(begin, f.take)
}

// line takes a line, or what the file is cut into instead.
func (f *intake) line(l line) {
	if begin := f.lines.cut.begin; begin != "" && l.reason == "" {
		done, ok := f.block.add(l, begin)
		f.lines.open = true
		if !ok {
			return
		}
		l = done
	}
	f.record(l)
}

func (f *intake) record(l line) {
	switch {
	case l.reason != "":
		f.skip(l, l.reason)
	case len(bytes.TrimSpace(l.text)) == 0:
	case f.format != nil:
		f.decode(l)
	case len(f.formats) == 1:
		f.settle(&f.formats[0]) // somebody said so
		f.decode(l)
	default:
		f.try(l)
	}
}

func (f *intake) decode(l line) {
	records, err := f.decoder.Line(f.scratch[:0], l.text)
	f.scratch = records[:0]
	if err != nil {
		f.skip(l, err.Error())
		return
	}
	for i := range records {
		r := &records[i]
		r.File, r.Line, r.Offset, r.Nth = f.index, l.number, l.offset, int32(i)
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
func (f *intake) try(l line) {
	f.search.tried++
	if f.lines.cut != (cut{}) {
		f.once(l)
		return
	}
	if err := scanObject(l.text, nil); err != nil {
		f.skip(l, err.Error())
		if len(f.search.kept) == 0 && f.search.tried >= maxTried {
			f.refuse(fmt.Sprintf("not read: none of its first %d lines is a JSON object", maxTried))
		}
		return
	}
	if format := f.fits(l.text); format != nil {
		f.accept(format, l)
		return
	}
	f.search.bytes += len(l.text)
	l.text = bytes.Clone(l.text)
	if kept := f.search.kept; isMetrics(l.text) && (len(kept) == 0 || isMetrics(kept[0].text)) && f.search.bytes <= maxMetrics {
		f.search.kept = []line{l} // the last one says how the run is doing
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
	if format := detect(f.formats, f.name, cut{}, line); format != nil || isMetrics(line) {
		return format
	}
	return detect(f.formats, f.name, cut{whole: true}, line)
}

// once looks at the first record of a file whose records are not lines: it tells
// the format, or none does.
func (f *intake) once(l line) {
	format := detect(f.formats, f.name, f.lines.cut, l.text)
	if format == nil {
		f.dismiss(l.text)
		f.refuse("")
		return
	}
	f.accept(format, l)
}

// accept begins to read the file in a format, unless it lies beside better ones.
func (f *intake) accept(format *Format, l line) {
	if f.root != nil && f.root.prefers(format) {
		f.refuse("")
		f.out.note(f.root.leave(f.name, format))
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
		f.dismiss(f.search.kept[0].text)
	}
}

// dismiss says why a file with such a row is not read. What is no answer of a model belongs
// to no log, and may be one of the files that lie beside it.
func (f *intake) dismiss(row []byte) {
	if why := refusal(row); f.root == nil || holdsAnswer(row) {
		f.remark(why)
	} else {
		f.root.aside = append(f.root.aside, model.Problem{File: f.name, Reason: why})
	}
}

func (f *intake) refuse(why string) {
	f.refused = true
	f.search.kept = nil
	f.lines.held = nil
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
	if f.lines.cut != (cut{}) {
		f.settleRest()
		return
	}
	if !f.refused && f.lines.torn() {
		l := f.lines.last()
		var broken *syntaxError
		switch err := scanObject(l.text, nil); {
		case l.reason != "":
			f.skip(l, "incomplete last line: "+l.reason)
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
	if !f.refused && f.lines.holds() {
		f.line(f.lines.last())
	}
	f.lines.open = false
	if done, ok := f.block.take(); ok && !f.refused {
		f.record(done)
	}
}

// settleLast takes a last line without a newline that has been left so for a
// while, if it is whole: some writers end their files that way.
func (f *intake) settleLast() bool {
	if !f.cutting {
		f.guess()
	}
	if f.lines.cut != (cut{}) {
		return f.settleRecord()
	}
	if f.refused || f.lines.over > 0 || len(f.lines.held) == 0 || scanObject(f.lines.held, nil) != nil {
		return false
	}
	f.line(f.lines.last())
	return true
}

// settleRecord is settleLast where records are not lines: a document that is
// whole, a row with all its quotes closed, a block whatever its end.
func (f *intake) settleRecord() bool {
	switch held := f.lines.held; {
	case f.refused || f.lines.over > 0:
		return false
	case f.lines.cut.whole:
		if len(held) == 0 || !complete(held) {
			return false
		}
	case f.lines.cut.quoted && (len(held) == 0 || f.lines.quotes%2 != 0):
		return false
	}
	f.settleRest()
	return true
}

// closes reports whether a document may be whole: what came of it last closes something.
func (f *intake) closes() bool {
	held := bytes.TrimRight(f.lines.held, " \t\r\n")
	return f.lines.cut.whole && (bytes.HasSuffix(held, []byte{'}'}) || bytes.HasSuffix(held, []byte{']'}))
}

// complete reports whether a document is whole.
func complete(document []byte) bool {
	s := scanner{data: withoutMark(document)}
	_, err := s.value()
	return err == nil
}

// skip counts a line that could not be read.
func (f *intake) skip(l line, reason string) {
	f.out.open.skipped++
	f.problem(model.Problem{File: f.name, Line: l.number, Reason: reason})
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
