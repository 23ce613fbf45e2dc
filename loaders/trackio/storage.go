// Package trackio shows the samples in a database of trackio as files: RUN/completions.jsonl with a line for each table that a run
// logged, and RUN/traces.jsonl with one for each trace, below the path of the database.
//
// In: the path of a database, also with a run behind it: trackio/math.db/brave-sun-0. Out: a [fileio.Storage], whose files grow as
// rows are added. The lines hold what trackio wrote, unchanged, so that formats and decoders see it as in any log; sqlite.go and
// sqliterows.go read the rows, and no text is kept. Source calls [Open].
//
// trackio 0.43.0 trackio/sqlite_storage.py: init_db, bulk_log, _split_trace_metrics.
package trackio

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"vantage/loaders/fileio"
	"vantage/model"
)

// database is a [fileio.Storage] of the runs in a database.
type database struct {
	disk *fileio.Disk
	path string

	mu    sync.Mutex
	rows  *sqliteDB
	seen  [2]seenFile // the database and its log when their rows were listed
	lists []*list
	lines lineCache
}

// seenFile is what tells that a file has changed.
type seenFile struct {
	size     int64 // -1 if it is not there
	modified time.Time
}

func (d *database) look(name string) seenFile {
	if info, err := d.disk.Stat(name); err == nil {
		return seenFile{info.Size(), info.ModTime()}
	}
	return seenFile{size: -1}
}

// maxBelow is how far below a database a path leads: to the folder of a run, or to a file in it.
const maxBelow = 2

// Open returns the database at a path, and the path in it; nil if there is none.
func Open(disk *fileio.Disk, name string) (storage fileio.Storage, inner string) {
	file := filepath.Clean(name)
	for range maxBelow + 1 {
		info, err := disk.Stat(file)
		switch {
		case err != nil:
		case !info.Mode().IsRegular() || !isDatabase(disk, file) && !isNew(file, info):
			return nil, ""
		default:
			return &database{disk: disk, path: file, rows: &sqliteDB{disk: disk, path: file}}, path.Clean(filepath.ToSlash(inner))
		}
		file, inner = filepath.Dir(file), filepath.Join(filepath.Base(file), inner)
	}
	return nil, ""
}

func isDatabase(disk *fileio.Disk, name string) bool {
	f, err := disk.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	var start [16]byte
	n, _ := f.ReadAt(start[:], 0)
	return isSQLite(start[:n])
}

// isNew reports whether a file is a database that SQLite has created and not written yet.
func isNew(name string, info fs.FileInfo) bool {
	return info.Size() == 0 && filepath.Ext(name) == ".db"
}

func (d *database) Name() string { return d.path + string(filepath.Separator) }

// Link implements [fileio.Storage]: the database is on this machine.
func (d *database) Link() model.Link { return model.Link{} }

func (d *database) Close() error { return nil }

func (d *database) WillRead([]string) {}

func (d *database) Stat(name string) (fs.FileInfo, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.refresh(); err != nil {
		return nil, err
	}
	return d.object(path.Clean(name))
}

func (d *database) object(name string) (fileio.Object, error) {
	if l := d.find(name); l != nil {
		return l.object(), nil
	}
	if name == "." || slices.ContainsFunc(d.lists, func(l *list) bool { return path.Dir(l.path) == name }) {
		return fileio.Object{Path: name, Folder: true}, nil
	}
	return fileio.Object{}, d.notFound()
}

const maxNamed = 8

func (d *database) notFound() error {
	var runs []string
	for _, l := range d.lists {
		if run := path.Dir(l.path); !slices.Contains(runs, run) {
			runs = append(runs, run)
		}
	}
	do := "the runs with samples are " + strings.Join(runs[:min(len(runs), maxNamed)], ", ")
	switch more := len(runs) - maxNamed; {
	case len(runs) == 0:
		do = HowWritten
	case more > 0:
		do += fmt.Sprintf(" and %d more", more)
	}
	return &fileio.Failure{What: "is not a run with samples", Do: do, Err: fs.ErrNotExist}
}

// HowWritten says how samples get into a database that has none.
const HowWritten = "trackio has the averages of its runs, and TRL logs the samples there with log_completions=True"

// Is reports whether a storage is a database of trackio.
func Is(storage fileio.Storage) bool {
	_, ok := storage.(*database)
	return ok
}

func (d *database) find(name string) *list {
	i := slices.IndexFunc(d.lists, func(l *list) bool { return l.path == name })
	if i < 0 {
		return nil
	}
	return d.lists[i]
}

func (d *database) Tree(dir string) (fs.FS, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.refresh(); err != nil {
		return nil, err
	}
	if _, err := d.object(path.Clean(dir)); err != nil {
		return nil, err
	}
	var objects []fileio.Object
	for _, l := range d.lists {
		if !l.isRepeated(d.lists) {
			objects = append(objects, l.object())
		}
	}
	prefix := path.Clean(dir) + "/"
	if prefix == "./" {
		prefix = ""
	}
	return fileio.NewObjectTree(prefix, objects), nil
}

func (d *database) Open(name string) (fileio.Handle, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.refresh(); err != nil {
		return nil, err
	}
	l := d.find(path.Clean(name))
	if l == nil {
		return nil, d.notFound()
	}
	return fileio.NewRanged(l.object(), func(p []byte, offset int64) (int, error) { return d.readAt(l, p, offset) }), nil
}

func (d *database) readAt(l *list, p []byte, offset int64) (n int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := sort.Search(len(l.entries), func(i int) bool { return l.entries[i].end > offset })
	for n < len(p) && i < len(l.entries) {
		line, err := d.line(l, i)
		if err != nil {
			return n, err
		}
		n += copy(p[n:], line[offset+int64(n)-l.start(i):])
		i++
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

type lineCache struct {
	list  string // its path and version
	lines map[int][]byte
}

const maxCached = 8 << 20

// errGone is the error of a row that was listed and is not there any more.
var errGone = &fileio.Failure{What: "has other rows than a moment ago", Do: "try again", Lost: true}

// line returns a line of a list. Others behind it are read with it: they come next.
func (d *database) line(l *list, i int) ([]byte, error) {
	c := &d.lines
	key := l.path + "\x00" + l.version
	if c.list == key && c.lines[i] != nil {
		return c.lines[i], nil
	}
	*c = lineCache{list: key}
	err := d.rows.Read(func(v *sqlView) error {
		c.lines = map[int][]byte{}
		s := l.kind.in(v)
		for k, from := i, l.start(i); k < len(l.entries) && l.start(k)-from < maxCached/4; k++ {
			w, ok := l.rowOf(s, k)
			if !ok {
				return errGone
			}
			line := w.line()
			if int64(len(line)) != w.lineSize() {
				v.broken("a row of another size")
				return v.err
			}
			c.lines[k] = line
		}
		return nil
	})
	if err != nil {
		c.lines = nil
		return nil, err
	}
	return c.lines[i], nil
}
