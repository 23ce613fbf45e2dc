package trackio

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"vantage/loaders/fileio"
)

// list is a file of lines: those rows of a table that hold samples of a run.
type list struct {
	path     string // RUN/completions.jsonl
	kind     *kind
	run      string // its id
	entries  []entry
	modified time.Time // when a row was added
	version  string    // another when rows were removed
}

// entry is a row of a list.
type entry struct {
	id  int64
	end int64 // offset in the text behind the line
}

// start returns where the line of entry i begins.
func (l *list) start(i int) int64 {
	if i == 0 {
		return 0
	}
	return l.entries[i-1].end
}

func (l *list) size() int64 { return l.start(len(l.entries)) }

func (l *list) object() fileio.Object {
	return fileio.Object{Path: l.path, Bytes: l.size(), Modified: l.modified, Version: l.version}
}

// isRepeated reports whether the samples of the list stand in another too: a run that logs tables may log some of their rows as traces.
func (l *list) isRepeated(lists []*list) bool {
	hasMark := func(o *list) bool { return o.kind.mark != "" && path.Dir(o.path) == path.Dir(l.path) }
	return l.kind.mark == "" && slices.ContainsFunc(lists, hasMark)
}

// kind is a table with samples.
type kind struct {
	table string
	file  string
	texts []textColumn
	mark  string // if it is not "", only rows whose first text has it hold samples
}

// textColumn is a column with JSON, and what stands before it in a line.
type textColumn struct{ name, before string }

func kinds() []*kind {
	return []*kind{
		{"metrics", "completions.jsonl", []textColumn{{"metrics", `,"metrics":`}}, `"trackio.table"`},
		{"traces", "traces.jsonl", []textColumn{{"messages", `,"messages":`}, {"metadata", `,"metadata":`}}, ""},
	}
}

// lineEnd ends a line.
const lineEnd = "}\n"

// samples are the rows of a kind in a database, with the numbers of their columns.
type samples struct {
	*kind
	*sqlTable
	step, runID, runName int
	texts                []int
}

// in returns the samples of a kind in a database, nil if it has no such table of trackio. Before 0.24 a run had no id.
func (k *kind) in(v *sqlView) *samples {
	t := v.Table(k.table)
	if t == nil {
		return nil
	}
	s := &samples{kind: k, sqlTable: t, step: t.Column("step"), runID: t.Column("run_id"), runName: t.Column("run_name")}
	for _, text := range k.texts {
		s.texts = append(s.texts, t.Column(text.name))
	}
	if min(s.step, s.runName, slices.Min(s.texts)) < 0 {
		return nil
	}
	return s
}

func allSamples(v *sqlView) (all []*samples) {
	for _, k := range kinds() {
		if s := k.in(v); s != nil {
			all = append(all, s)
		}
	}
	return all
}

// IsProject reports whether a file of this machine is a database of trackio.
func IsProject(disk *fileio.Disk, name string) (yes bool) {
	return isDatabase(disk, name) && (&sqliteDB{disk: disk, path: name}).Read(func(v *sqlView) error {
		yes = len(allSamples(v)) > 0
		return nil
	}) == nil && yes
}

// row is a row with samples, of which no long text has been read.
type row struct {
	*sqlRow
	of     *samples
	values []sqlValue
	texts  []sqlValue
	head   string // of its line
}

// row returns a row of the table; false if it holds no samples.
func (s *samples) row(r *sqlRow) (w row, ok bool) {
	w = row{sqlRow: r, of: s, values: r.Values()}
	for _, i := range s.texts {
		if i >= len(w.values) || w.values[i].Kind != sqlText || w.values[i].Size > maxText {
			return w, false
		}
		w.texts = append(w.texts, w.values[i])
	}
	if s.step >= len(w.values) || w.values[s.step].Kind != sqlInteger {
		return w, false
	}
	w.head = fmt.Sprintf(`{"trackio":%q,"step":%d`, s.table, w.values[s.step].Integer)
	return w, true
}

// maxText is how many bytes of JSON a row has at most: longer lines are not read anyway.
const maxText = 64 << 20

func (w row) lineSize() int64 {
	size := int64(len(w.head) + len(lineEnd))
	for i, text := range w.texts {
		size += int64(len(w.of.kind.texts[i].before)) + text.Size
	}
	return size
}

// line returns the line of a row. Line breaks stand in no JSON that trackio writes: they become spaces.
func (w row) line() []byte {
	line := append(make([]byte, 0, w.lineSize()), w.head...)
	for i, v := range w.texts {
		text := w.Text(v, 0, v.Size)
		for j, c := range text {
			if c == '\n' || c == '\r' {
				text[j] = ' '
			}
		}
		line = append(append(line, w.of.kind.texts[i].before...), text...)
	}
	return append(line, lineEnd...)
}

func folder(name string) string {
	name = strings.Map(func(c rune) rune {
		if c < ' ' || c == '/' || c == '\\' {
			return '_'
		}
		return c
	}, name)
	if name == "" || strings.HasPrefix(name, ".") {
		name = "_" + name
	}
	return path.Clean(name)
}

// refresh lists the rows that were added. It looks into the database only if that has changed.
func (d *database) refresh() error {
	now := [...]seenFile{d.look(d.path), d.look(d.path + "-wal")}
	if now == d.seen {
		return nil
	}
	d.seen = now
	var lists []*list
	err := d.rows.Read(func(v *sqlView) (err error) {
		lists, err = listRows(v, d.lists)
		return err
	})
	if err != nil {
		d.seen = [2]seenFile{}
		return err
	}
	d.lists = lists
	return nil
}

// listRows returns lists with the rows that were added since before. It does not change those.
func listRows(v *sqlView, before []*list) ([]*list, error) {
	l, all := lister{now: time.Now()}, allSamples(v)
	for _, s := range all {
		for r := range s.Rows(l.keep(s, before)) {
			l.addRow(s, r)
		}
	}
	switch {
	case len(all) > 0:
		return l.lists, nil
	case v.IsEmpty():
		return nil, errEmpty // trackio may be about to create them
	}
	return nil, &fileio.Failure{
		What: "is a SQLite database, but none of trackio: it has no table metrics with its columns",
		Do:   "export its rows as JSON lines",
	}
}

// lister lists the rows of a view.
type lister struct {
	lists []*list
	now   time.Time
}

// keep takes over the lists of a table if their rows are still there, and returns the last of their ids. Of each the last row is
// looked at: trackio removes runs as a whole.
func (l *lister) keep(s *samples, before []*list) (last int64) {
	last = math.MinInt64
	kept := len(l.lists)
	for _, old := range before {
		if old.kind.table != s.table {
			continue
		}
		end := len(old.entries) - 1
		if _, isThere := old.rowOf(s, end); !isThere {
			l.lists = l.lists[:kept]
			return math.MinInt64
		}
		same := *old
		same.entries = slices.Clip(old.entries)
		l.lists, last = append(l.lists, &same), max(last, old.entries[end].id)
	}
	return last
}

// rowOf returns the row of entry i; false if the table has it no more.
func (l *list) rowOf(s *samples, i int) (w row, ok bool) {
	if s == nil {
		return w, false
	}
	r := s.Find(l.entries[i].id)
	if r == nil {
		return w, false
	}
	w, ok = s.row(r)
	return w, ok && w.lineSize() == l.entries[i].end-l.start(i)
}

func (l *lister) addRow(s *samples, r *sqlRow) {
	w, ok := s.row(r)
	if !ok || s.mark != "" && !w.has(s.mark) {
		return
	}
	name := func(column int) string {
		if column < 0 || column >= len(w.values) {
			return ""
		}
		return string(r.TextStart(w.values[column], maxName))
	}
	to := l.listOf(s.kind, name(s.runID), name(s.runName))
	to.entries = append(to.entries, entry{r.ID, to.size() + w.lineSize()})
	to.modified = l.now
}

const maxName = 200

// listOf returns the list of a run, which is added if there is none. Two runs of the same name get a number.
func (l *lister) listOf(k *kind, id, name string) *list {
	key := cmp.Or(id, name)
	for _, known := range l.lists {
		if known.kind.table == k.table && known.run == key {
			return known
		}
	}
	run := folder(name)
	for n := 2; slices.ContainsFunc(l.lists, func(o *list) bool { return path.Dir(o.path) == run && o.run != key }); n++ {
		run = folder(name) + " (" + strconv.Itoa(n) + ")"
	}
	made := &list{path: path.Join(run, k.file), kind: k, run: key, version: strconv.FormatInt(l.now.UnixNano(), 36)}
	l.lists = append(l.lists, made)
	return made
}

// searchStep is how many bytes are searched at first.
const searchStep = 2 << 10

// has reports whether the first text of a row has a mark in it. It reads a piece at a time: the mark mostly stands at the start.
func (w row) has(mark string) bool {
	text := w.texts[0]
	for from := int64(0); from < text.Size; {
		n := min(text.Size-from, max(searchStep, from))
		piece := w.Text(text, from, n)
		if yes := bytes.Contains(piece, []byte(mark)); yes || piece == nil || from+n == text.Size {
			return yes
		}
		from += n - int64(len(mark)) + 1
	}
	return false
}
