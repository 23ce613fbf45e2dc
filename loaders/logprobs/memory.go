package logprobs

import (
	"errors"
	"io"
	"math"
	"path/filepath"
	"slices"
	"time"

	"vantage/loaders/fileio"
	"vantage/loaders/jsonscan"
)

// Memory is how far a log of lines was read, so that of one that grows only the rest is read again: its new rows, and those of its newest
// step, which may not have been complete. The zero value remembers nothing. Of other logs, and of traces next to their token exports, it
// never does.
type Memory struct {
	files  map[string]extent
	newest int // step of all rows
}

// extent is what was read of a file.
type extent struct {
	size     int64
	modified time.Time
	end      mark   // of the last whole line
	over     mark   // where the rows of the newest step of the file begin
	newest   int    // step
	hasRows  bool   // else there is none
	tail     uint64 // of the bytes before the end
}

// mark is a place between two lines: how many bytes and lines are before it.
type mark struct{ bytes, lines int64 }

// ErrAgain is that a log is another where it was read before: it is to be read from its beginning.
var ErrAgain = errors.New("the log has changed where it was read before")

// ReduceRest is [Reduce] of what a memory lacks, which it has afterwards. skipped is called, in order, where it leaves out rows. If the
// error is [ErrAgain], the memory is of no more use.
func ReduceRest(
	disk *fileio.Disk, path string, seen *Memory, reduce func(Sample) (take func(line int64) error), skipped func(),
) error {
	r := &reader{disk: disk, reduce: reduce, clocks: map[string]*clock{}, seen: seen, skipped: skipped}
	return r.readAll(path)
}

// begin has the memory used, if it is of such files; files of other kinds are read whole.
func (r *reader) begin(all found) error {
	if r.seen == nil {
		return nil
	}
	isTable := func(name string) bool { return filepath.Ext(name) == tableExtension }
	if len(all.dumps) > 0 || len(r.exports) > 0 || slices.ContainsFunc(all.files, isTable) {
		*r.seen, r.seen = Memory{}, nil
		return nil
	}
	r.wasSeen = len(r.seen.files) > 0
	for name := range r.seen.files {
		if !slices.Contains(all.files, name) {
			return ErrAgain
		}
	}
	if !r.wasSeen {
		r.seen.files = map[string]extent{}
	}
	return nil
}

// resume says where the rest of a file begins; isOver is true if there is none.
func (r *reader) resume(name string, text io.ReaderAt, size int64, modified time.Time) (from mark, isOver bool, err error) {
	r.now = extent{size: size, modified: modified}
	if r.seen == nil {
		return mark{}, false, nil
	}
	was, known := r.seen.files[name]
	if !known {
		return mark{}, false, nil
	}
	tail, err := tailBefore(text, was.end.bytes)
	switch hasNewest := was.hasRows && was.newest == r.seen.newest; {
	case err != nil:
		return mark{}, false, err
	case size < was.size || tail != was.tail:
		return mark{}, false, ErrAgain
	case hasNewest:
		from = was.over
	default:
		from, isOver = was.end, size == was.size && modified.Equal(was.modified)
	}
	r.now = was
	r.now.size, r.now.modified = size, modified
	if from.bytes > 0 || isOver {
		r.skipped()
	}
	return from, isOver, nil
}

// saw notes a row. In a log that was read before, one of a step that was over then changes what was made of it.
func (r *reader) saw(step int, at mark) error {
	if r.seen == nil {
		return nil
	}
	if r.wasSeen && step < r.seen.newest {
		return ErrAgain
	}
	if !r.now.hasRows || step > r.now.newest {
		r.now.newest, r.now.over, r.now.hasRows = step, at, true
	}
	return nil
}

// keep has the memory know what was read of a file.
func (r *reader) keep(name string, text io.ReaderAt) (err error) {
	if r.seen != nil {
		r.now.tail, err = tailBefore(text, r.now.end.bytes)
		r.kept = append(r.kept, keptExtent{name, r.now})
	}
	return err
}

type keptExtent struct {
	name string
	extent
}

// finish has the memory know what was read of all files.
func (r *reader) finish() {
	if r.seen == nil {
		return
	}
	for _, k := range r.kept {
		r.seen.files[k.name] = k.extent
	}
	r.seen.newest = math.MinInt
	for _, file := range r.seen.files {
		if file.hasRows {
			r.seen.newest = max(r.seen.newest, file.newest)
		}
	}
}

// tailBefore tells the bytes before a place of a file from others.
func tailBefore(text io.ReaderAt, end int64) (uint64, error) {
	const size = 1 << 10
	from := max(0, end-size)
	tail, err := appendFrom(text, nil, from, end)
	return jsonscan.Hash64(tail), ignoringEnd(err)
}

// IsEmpty reports whether the memory knows no file: all of the log will be read.
func (m *Memory) IsEmpty() bool { return len(m.files) == 0 }

// Forget has the memory not know a file.
func (m *Memory) Forget(name string) { delete(m.files, name) }
