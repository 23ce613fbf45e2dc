package trackio

import (
	"fmt"
	"io"
	"io/fs"
	"sort"

	"vantage/loaders/fileio"
	"vantage/loaders/sqlite"
)

// handle is an open list.
type handle struct {
	database *database
	list     *list
	object   fileio.Object
	at       int64 // of Read
}

// Stat implements [fileio.Handle].
func (h *handle) Stat() (fs.FileInfo, error) { return h.object, nil }

// Close implements [io.Closer].
func (h *handle) Close() error { return nil }

// Read implements [io.Reader].
func (h *handle) Read(p []byte) (int, error) {
	n, err := h.ReadAt(p, h.at)
	h.at += int64(n)
	if n > 0 {
		return n, nil
	}
	return 0, err
}

// ReadAt implements [io.ReaderAt].
func (h *handle) ReadAt(p []byte, offset int64) (n int, err error) {
	d := h.database
	d.mu.Lock()
	defer d.mu.Unlock()
	entries := h.list.entries
	if offset < 0 || offset >= h.object.Bytes {
		return 0, io.EOF
	}
	i := sort.Search(len(entries), func(i int) bool { return entries[i].end > offset })
	for n < len(p) && i < len(entries) {
		start := int64(0)
		if i > 0 {
			start = entries[i-1].end
		}
		line, err := d.line(h.list, i)
		if err != nil {
			return n, err
		}
		n += copy(p[n:], line[offset+int64(n)-start:])
		i++
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// lineCache keeps the lines that were read last.
type lineCache struct {
	list  string // its path and version
	lines map[int][]byte
	size  int
}

// maxCached is how many bytes of lines are kept besides one.
const maxCached = 8 << 20

// line returns a line of a list. Others behind it are read with it: they come next.
func (d *database) line(l *list, i int) ([]byte, error) {
	c := &d.lines
	key := l.path + "\x00" + l.version
	if c.list == key && c.lines[i] != nil {
		return c.lines[i], nil
	}
	*c = lineCache{list: key}
	err := d.rows.Read(func(v *sqlite.View) error {
		c.lines, c.size = map[int][]byte{}, 0
		t, err := v.Table(l.kind.table)
		if err != nil || t == nil {
			return gone(err)
		}
		columns, ok := l.kind.columnsOf(t)
		if !ok {
			return gone(nil)
		}
		for k := i; k < len(l.entries) && c.size < maxCached/4; k++ {
			line, err := l.lineAt(t, columns, k)
			if err != nil {
				return err
			}
			c.lines[k], c.size = line, c.size+len(line)
		}
		return nil
	})
	if err != nil {
		c.lines = nil
		return nil, d.failure(err)
	}
	return c.lines[i], nil
}

// gone is the error of a row that was listed and is not there any more.
func gone(err error) error {
	if err != nil {
		return err
	}
	return &fileio.Failure{What: "has other rows than a moment ago", Do: "try again", Lost: true}
}

// lineAt reads a line.
func (l *list) lineAt(t *sqlite.Table, c columns, i int) ([]byte, error) {
	e, size := l.entries[i], l.entries[i].end
	if i > 0 {
		size -= l.entries[i-1].end
	}
	r, err := t.Find(e.id)
	if err != nil || r == nil {
		return nil, gone(err)
	}
	w, _, ok, err := l.kind.rowOf(r, c)
	if err != nil || !ok || l.kind.lineSize(w) != size {
		return nil, gone(err)
	}
	line, err := l.kind.line(w)
	if err == nil && int64(len(line)) != size {
		err = fmt.Errorf("%w: a row of another size", sqlite.ErrBroken)
	}
	return line, err
}
