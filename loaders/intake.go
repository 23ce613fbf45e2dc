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
	maxTried = 50
	maxKept  = 4 << 20
)

// intake is the way of one file's bytes to records.
type intake struct {
	index   int32
	name    string
	formats []Format
	out     *output

	lines   lines
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
	*f = newIntake(f.index, f.name, f.formats, f.out)
}

// feed reads bytes until the output is full, and returns how many it used.
func (f *intake) feed(p []byte) int {
	return f.lines.feed(p, func(l line) bool {
		f.line(l)
		return !f.refused && !f.out.full()
	})
}

func (f *intake) line(l line) {
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
		if !f.any || r.Step > f.newest {
			f.newest, f.any = r.Step, true
		}
	}
	f.out.add(f.format, f.decoder.Note(), records)
}

// try looks whether a row tells the format. Rows that do not are kept and
// decoded once one does.
func (f *intake) try(l line) {
	f.search.tried++
	if err := scanObject(l.text, nil); err != nil {
		f.skip(l, err.Error())
		if len(f.search.kept) == 0 && f.search.tried >= maxTried {
			f.refuse(fmt.Sprintf("not read: none of its first %d lines is a JSON object", maxTried))
		}
		return
	}
	if format := detect(f.formats, f.name, l.text); format != nil {
		f.settle(format)
		f.decode(l)
		return
	}
	f.search.bytes += len(l.text)
	l.text = bytes.Clone(l.text)
	f.search.kept = append(f.search.kept, l)
	if f.search.tried >= maxTried || f.search.bytes > maxKept || isMetrics(l.text) {
		f.complain()
		f.refuse("")
	}
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
		f.remark(refusal(f.search.kept[0].text))
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

// settleLast takes a last line without a newline that has been left so for a
// while, if it is whole: some writers end their files that way.
func (f *intake) settleLast() bool {
	if f.refused || f.lines.over > 0 || len(f.lines.held) == 0 || scanObject(f.lines.held, nil) != nil {
		return false
	}
	f.line(f.lines.last())
	return true
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
