package logprobs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"

	"vantage/loaders/framing"
	"vantage/model"
)

// strides reads the lines of a file in parts of equal size, several at once. What is made of the lines is handed on in their order.
type strides struct {
	*reader
	file   string // its name
	text   io.ReaderAt
	all    []shape
	number int64     // of lines so far
	bytes  sync.Pool // *[]byte, what a part is read into
}

// stride is the lines that begin in a part of a file.
type stride struct {
	from, to int64
	begins   bool // a line begins at from, whatever is before

	lines int64
	end   mark // of the last whole line; its lines are those of the stride
	rows  []reduced
	err   error
}

// reduced is what was made of a sample.
type reduced struct {
	line int64 // of the stride, from 1
	at   int64
	step int
	take func(line int64) error
}

const (
	strideBytes  = 512 << 10
	ofOneRound   = 16       // strides: what is made of their rows is held until the round ends
	extraBytes   = 64 << 10 // are read at once of a line that ends in another stride
	maxBrief     = 64       // lines of the beginning of a file
	briefStrides = 1
)

// readLines visits the samples of the lines of a file from a byte on, at which one begins.
func (r *reader) readLines(name string, from int64) error {
	file, info, err := r.open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	s := &strides{reader: r, file: name, text: file, all: shapes()}
	s.bytes.New = func() any { return new([]byte) }
	start, isOver, err := r.resume(name, file, info.Size(), info.ModTime())
	if err != nil || isOver {
		return err
	}
	from += start.bytes
	s.number = start.lines
	r.dated = dated{}
	step, known := r.stepOf(name)
	r.dated = dated{name, step, known}
	count := ofOneRound
	if r.brief {
		count = briefStrides
	}
	for at := from; at < info.Size(); at += int64(count) * strideBytes {
		var parts []stride
		for k := range int64(count) {
			if begin := at + k*strideBytes; begin < info.Size() {
				parts = append(parts, stride{from: begin, to: min(begin+strideBytes, info.Size()), begins: begin == from})
			}
		}
		if err := s.round(parts); err != nil {
			return err
		}
	}
	return r.keep(name, file)
}

// round reads some strides. Traces are read one at a time: they share the exports of their step.
func (s *strides) round(parts []stride) error {
	processors := runtime.GOMAXPROCS(0)
	if len(s.exports) > 0 {
		processors = 1
	}
	model.InParallel(context.Background(), processors, len(parts), func(i int) { s.read(&parts[i]) })
	for _, part := range parts {
		for _, row := range part.rows {
			if err := s.saw(row.step, mark{row.at, s.number + row.line - 1}); err != nil {
				return err
			}
			if err := s.accept(s.number+row.line, row.take); err != nil {
				return err
			}
		}
		if part.end.bytes > 0 {
			s.now.end = mark{part.end.bytes, s.number + part.end.lines}
		}
		s.number += part.lines
		switch {
		case part.err != nil:
			return part.err
		case s.brief && s.number > maxBrief:
			return errEnough
		}
	}
	return nil
}

// read makes of the lines of a stride what the visit wants of their samples.
func (s *strides) read(part *stride) {
	buf := s.bytes.Get().(*[]byte)
	defer s.bytes.Put(buf)
	var begin int64
	if *buf, begin, part.err = part.text(s.text, (*buf)[:0]); part.err != nil {
		return
	}
	eachLine(*buf, func(line []byte, at int64) bool {
		part.lines++
		if bytes.HasPrefix(line, []byte("{")) {
			for _, sample := range s.samples(line) {
				sample.File, sample.Where.Path, sample.Where.At = s.file, s.path(s.file), begin+at
				part.rows = append(part.rows, reduced{part.lines, begin + at, sample.Step, s.reduce(sample.trimmed())})
			}
		}
		return !s.brief || part.lines <= maxBrief
	})
	if last := bytes.LastIndexByte(*buf, '\n') + 1; last > 0 {
		part.end = mark{begin + int64(last), part.lines}
		if last < len(*buf) {
			part.end.lines--
		}
	}
}

// samples are those of a line, in the first shape that it has.
func (s *strides) samples(line []byte) (rows []Sample) {
	for _, shape := range s.all {
		if shape.mayFit(line) {
			if rows = shape.rows(s.reader, line, s.file); len(rows) > 0 {
				return rows
			}
		}
	}
	return nil
}

// text appends the lines of a stride, whole, and says where the first begins. Of the last one the end is in other strides; if it is too
// long to be a row, nothing of it is kept but a newline.
func (p *stride) text(file io.ReaderAt, buf []byte) (text []byte, begin int64, err error) {
	begin = p.from
	if !p.begins {
		begin-- // a line begins at from if it is a newline
	}
	text, err = appendFrom(file, buf, begin, p.to)
	if !p.begins {
		first := bytes.IndexByte(text, '\n') + 1
		if text, begin = text[first:], begin+int64(first); first == 0 {
			return nil, begin, ignoringEnd(err)
		}
	}
	for err == nil && len(text) > 0 && text[len(text)-1] != '\n' {
		known := len(text)
		text, err = appendFrom(file, text, begin+int64(known), begin+int64(known+extraBytes))
		end := bytes.IndexByte(text[known:], '\n') + 1
		if end > 0 {
			return text[:known+end], begin, ignoringEnd(err)
		}
		if last := bytes.LastIndexByte(text, '\n') + 1; len(text)-last > framing.MaxLine {
			return append(text[:last], '\n'), begin, nil
		}
	}
	return text, begin, ignoringEnd(err)
}

// appendFrom appends the bytes of a file from one place to another. The error is io.EOF if it ends before.
func appendFrom(file io.ReaderAt, text []byte, from, to int64) ([]byte, error) {
	known := len(text)
	text = slices.Grow(text, int(to-from))[:known+int(to-from)]
	n, err := file.ReadAt(text[known:], from)
	return text[:known+n], err
}

func ignoringEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// eachLine visits lines, without space around them, and where each begins, until the visit returns false. Damaged ones are empty.
func eachLine(text []byte, visit func(line []byte, at int64) bool) {
	for at := 0; at < len(text); {
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text) - at
		}
		line := bytes.TrimSpace(text[at : at+end])
		if bytes.IndexByte(line, 0) >= 0 {
			line = nil // not yet written
		}
		if !visit(line, int64(at)) {
			return
		}
		at += end + 1
	}
}

// eachRow visits the lines of a whole file that are objects.
func (r *reader) eachRow(name string, visit func(line []byte)) error {
	file, info, err := r.open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	var buf []byte
	for at := int64(0); at < info.Size(); at += strideBytes {
		part := stride{from: at, to: min(at+strideBytes, info.Size()), begins: at == 0}
		if buf, _, err = part.text(file, buf[:0]); err != nil {
			return err
		}
		eachLine(buf, func(line []byte, _ int64) bool {
			if bytes.HasPrefix(line, []byte("{")) {
				visit(line)
			}
			return true
		})
	}
	return nil
}
