package loaders

import (
	"errors"
	"os"
	"sync"
	"time"

	"vantage/loaders/pages"
	"vantage/model"
)

// maxAhead is how many tables are opened at a time.
const maxAhead = 128

// isTable reports whether a file is called like a Parquet file and has not been opened.
func isTable(f *file) bool {
	return f.disk != nil && f.disk.Info == nil && f.pack == nil && Extension(f.name) == ".parquet"
}

// openAhead opens the Parquet files that are the next to be read side by side, and
// reads those that are small: TRL writes one a step, and of those opening is most of
// the work. What goes wrong is left to the file's turn.
func (s *Source) openAhead() {
	next := make(chan *file, maxAhead)
	for _, f := range s.queue {
		if len(next) == maxAhead || !isTable(f) || f.disk.Root != s.queue[0].disk.Root {
			break
		}
		next <- f
	}
	close(next)
	if len(next) < 2 || s.workers() < 2 {
		return
	}
	root, err := os.OpenRoot(s.queue[0].disk.Root)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }()
	for len(s.openers) < s.workers() {
		s.openers = append(s.openers, &opener{workers: s.workers(), memory: &pages.Memory{}})
	}
	var wg sync.WaitGroup
	until := time.Now().Add(budget) // a slow server is not asked for all at once
	for _, o := range s.openers {
		wg.Go(func() {
			o.root = root
			for f := range next {
				if time.Now().After(until) {
					break
				}
				o.open(f)
			}
			o.memory.Close()
		})
	}
	wg.Wait()
}

// opener opens tables one after the other. The files of a run are alike: memory, and
// what the columns mean, serve one after the other.
type opener struct {
	root    *os.Root
	workers int
	memory  *pages.Memory
	format  *Format
	sheet   *sheet // of the table before, if nothing is left to be read of that
}

// open opens a table before its turn, unless something is wrong with it.
func (o *opener) open(f *file) {
	h, info, err := f.disk.OpenIn(o.root)
	if err != nil {
		return
	}
	f.pack = &pack{handle: h, info: info}
	if !o.read(f) {
		_ = h.Close()
		f.format, f.decoder, f.pack = nil, nil, nil
		o.sheet, o.memory = nil, &pages.Memory{}
	}
}

// read reads what a table holds, and its rows if it is small.
func (o *opener) read(f *file) (ok bool) {
	defer func() { ok = ok && recover() == nil }()
	p := f.pack
	table, err := pages.Open(p.handle, p.info.Size(), o.memory)
	switch {
	case err != nil:
		return false
	case o.sheet.serves(table):
		o.sheet.renew(f.name, table)
		f.format, p.sheet = o.format, o.sheet
	case openTable(f, p, table, p.info.Size(), o.workers) != nil:
		return false
	}
	if p.sheet != nil && table.Whole() {
		b, err := p.sheet.next()
		if err != nil {
			return false
		}
		p.ready, p.answers = &b, p.sheet.answers()
		if p.sheet.over() {
			o.format, o.sheet = f.format, p.sheet
			f.decoder, p.sheet = noted(o.sheet.rows.Note()), nil
			o.memory.Reset()
			return true
		}
		f.decoder = p.sheet.rows
	}
	p.close = o.memory.Close // what is left of the file needs it
	o.sheet, o.memory = nil, &pages.Memory{}
	return true
}

// over reports whether nothing is left to be read of a file.
func (s *sheet) over() bool { return s.left == 0 && s.group == len(s.file.Groups) }

// serves reports whether the columns of another table mean what those of this one do.
func (s *sheet) serves(f *pages.File) bool {
	return s != nil && s.steady && len(f.Columns) > 0 && &f.Columns[0] == &s.file.Columns[0]
}

// renew goes on to a table of the same columns.
func (s *sheet) renew(name string, f *pages.File) {
	s.rows.Reset(name)
	s.file, s.group, s.row, s.buffers = f, 0, 0, s.buffers[:0]
	for _, c := range [...]*script{s.prompt, s.truth, s.id} {
		if c != nil {
			c.buffer = nil
		}
	}
}

// Reset forgets what was found in a file, but for the prompts.
func (r *RowDecoder) Reset(name string) {
	r.FileStep, r.hasFileStep = StepOfName(name)
	r.sumsComponents, r.note, r.Used, r.notedUsed = false, Note{}, [RoleCount]string{}, [RoleCount]string{}
	clear(r.Components.Index)
	r.Components = Components{AcceptAll: r.Components.AcceptAll, Requested: r.Components.Requested, Index: r.Components.Index, values: r.Components.values[:0]}
}

// noted is the decoder of a file of which nothing is left to be read.
type noted Note

// Line implements [Decoder].
func (noted) Line(dst []model.Record, _ []byte) ([]model.Record, error) {
	return dst, errors.ErrUnsupported
}

// Note implements [Decoder].
func (n noted) Note() Note { return Note(n) }
