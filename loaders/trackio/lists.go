package trackio

import (
	"bytes"
	"cmp"
	"fmt"
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

// size returns the size of the text.
func (l *list) size() int64 { return l.start(len(l.entries)) }

func (l *list) object() fileio.Object {
	return fileio.Object{Path: l.path, Bytes: l.size(), Modified: l.modified, Version: l.version}
}

// isRepeated reports whether the samples of the list stand in another too: a run that logs tables may log some of their rows as traces.
func (l *list) isRepeated(lists []*list) bool {
	return l.kind.mark == "" && slices.ContainsFunc(lists, func(o *list) bool { return o.kind.mark != "" && path.Dir(o.path) == path.Dir(l.path) })
}

// kind is a table with samples.
type kind struct {
	table string
	file  string
	texts []textColumn
	step  string
	mark  string // if it is not "", only rows whose first text has it hold samples
}

// textColumn is a column with JSON, and what stands before it in a line.
type textColumn struct{ name, before string }

// kinds returns the tables with samples.
func kinds() []*kind {
	return []*kind{
		{"metrics", "completions.jsonl", []textColumn{{"metrics", `,"metrics":`}}, "step", `"trackio.table"`},
		{"traces", "traces.jsonl", []textColumn{{"messages", `,"messages":`}, {"metadata", `,"metadata":`}}, "step", ""},
	}
}

// lineEnd ends a line.
const lineEnd = "}\n"

// columns are the numbers of the columns of a kind in a table.
type columns struct {
	step, runID, runName int
	texts                []int
}

// columnsOf finds the columns; false if the table is not trackio's. Before 0.24 a run had no id.
func (k *kind) columnsOf(t *sqlTable) (c columns, ok bool) {
	c = columns{step: t.Column(k.step), runID: t.Column("run_id"), runName: t.Column("run_name")}
	ok = c.step >= 0 && c.runName >= 0
	for _, text := range k.texts {
		i := t.Column(text.name)
		c.texts, ok = append(c.texts, i), ok && i >= 0
	}
	return c, ok
}

// row is a row of a kind, of which no long text has been read.
type row struct {
	*sqlRow
	texts []sqlValue
	head  string // of its line
}

// rowOf returns a row of a table; false if it holds no samples.
func (k *kind) rowOf(r *sqlRow, c columns) (w row, values []sqlValue, ok bool, err error) {
	if values, err = r.Values(); err != nil {
		return w, nil, false, err
	}
	w = row{sqlRow: r}
	for _, i := range c.texts {
		if i >= len(values) || values[i].Kind != sqlText || values[i].Size > maxText {
			return w, values, false, nil
		}
		w.texts = append(w.texts, values[i])
	}
	if c.step >= len(values) || values[c.step].Kind != sqlInteger {
		return w, values, false, nil
	}
	w.head = fmt.Sprintf(`{"trackio":%q,"step":%d`, k.table, values[c.step].Integer)
	return w, values, true, nil
}

// maxText is how many bytes of JSON a row has at most: longer lines are not read anyway.
const maxText = 64 << 20

// lineSize returns the size of the line of a row.
func (k *kind) lineSize(w row) int64 {
	size := int64(len(w.head) + len(lineEnd))
	for i, text := range w.texts {
		size += int64(len(k.texts[i].before)) + text.Size
	}
	return size
}

// line returns the line of a row. Line breaks stand in no JSON that trackio writes: they become spaces.
func (k *kind) line(w row) ([]byte, error) {
	line := append(make([]byte, 0, k.lineSize(w)), w.head...)
	for i, v := range w.texts {
		text, err := w.Text(v, 0, v.Size)
		if err != nil {
			return nil, err
		}
		for j, c := range text {
			if c == '\n' || c == '\r' {
				text[j] = ' '
			}
		}
		line = append(append(line, k.texts[i].before...), text...)
	}
	return append(line, lineEnd...), nil
}

// folder returns the name of a run as that of a folder.
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
	same, sameLog := d.seen[0].isOf(d.path), d.seen[1].isOf(d.path+"-wal")
	if same && sameLog {
		return nil
	}
	var lists []*list
	err := d.rows.Read(func(v *sqlView) (err error) {
		lists, err = listRows(v, d.lists)
		return err
	})
	if err != nil {
		d.seen = [2]seenFile{}
		return d.failure(err)
	}
	d.lists = lists
	return nil
}

// listRows returns lists with the rows that were added since before. It does not change those.
func listRows(v *sqlView, before []*list) ([]*list, error) {
	l := lister{now: time.Now()}
	found, err := eachTable(v, func(k *kind, t *sqlTable, c columns) error { return l.add(t, k, c, before) })
	if err == nil && !found {
		err = &fileio.Failure{What: "is a SQLite database, but none of trackio: it has no table metrics with its columns", Do: "export its rows as JSON lines"}
		if empty, emptyErr := v.IsEmpty(); empty || emptyErr != nil {
			err = cmp.Or(emptyErr, errEmpty) // trackio may be about to create them
		}
	}
	if err != nil {
		return nil, err
	}
	return l.lists, nil
}

// eachTable visits the tables of trackio with samples, and reports whether there is one.
func eachTable(v *sqlView, visit func(*kind, *sqlTable, columns) error) (found bool, err error) {
	for _, k := range kinds() {
		t, tableErr := v.Table(k.table)
		if err = cmp.Or(err, tableErr); err != nil || t == nil {
			continue
		}
		if c, ok := k.columnsOf(t); ok {
			found, err = true, visit(k, t, c)
		}
	}
	return found, err
}

// IsProject reports whether a file of this machine is a database of trackio.
func IsProject(name string) (yes bool) {
	if !isDatabase(name) {
		return false
	}
	err := newSQLite(name).Read(func(v *sqlView) (err error) {
		yes, err = eachTable(v, func(*kind, *sqlTable, columns) error { return nil })
		return err
	})
	return yes && err == nil
}

// lister lists the rows of a view.
type lister struct {
	lists []*list
	now   time.Time
}

// add adds the rows of a table.
func (l *lister) add(t *sqlTable, k *kind, c columns, before []*list) error {
	last, err := l.keep(t, k, c, before)
	if err != nil {
		return err
	}
	var rowErr error
	err = t.Each(last, func(r *sqlRow) bool {
		rowErr = l.addRow(r, k, c)
		return rowErr == nil
	})
	if err == nil {
		err = rowErr
	}
	return err
}

// keep takes over the lists of a table if their rows are still there, and returns the last of their ids. Of each the last row is
// looked at: trackio removes runs as a whole.
func (l *lister) keep(t *sqlTable, k *kind, c columns, before []*list) (last int64, err error) {
	last = -1 << 63
	kept := len(l.lists)
	for _, old := range before {
		if old.kind.table != k.table {
			continue
		}
		at := old.entries[len(old.entries)-1]
		r, err := t.Find(at.id)
		if err != nil {
			return 0, err
		}
		if !old.endsWith(r, k, c) {
			l.lists = l.lists[:kept]
			return -1 << 63, nil
		}
		same := *old
		same.entries = slices.Clip(old.entries)
		l.lists, last = append(l.lists, &same), max(last, at.id)
	}
	return last, nil
}

// endsWith reports whether a row is the last one of the list.
func (l *list) endsWith(r *sqlRow, k *kind, c columns) bool {
	if r == nil {
		return false
	}
	w, _, ok, err := k.rowOf(r, c)
	return err == nil && ok && k.lineSize(w) == l.size()-l.start(len(l.entries)-1)
}

// addRow adds a row to the list of its run.
func (l *lister) addRow(r *sqlRow, k *kind, c columns) error {
	w, values, ok, err := k.rowOf(r, c)
	if err != nil || !ok {
		return err
	}
	if k.mark != "" {
		if marked, err := w.has(k.mark); err != nil || !marked {
			return err
		}
	}
	name, err := nameIn(r, values, c.runName)
	if err != nil {
		return err
	}
	id, err := nameIn(r, values, c.runID)
	if err != nil {
		return err
	}
	to := l.listOf(k, id, name)
	to.entries = append(to.entries, entry{r.ID, to.size() + k.lineSize(w)})
	to.modified = l.now
	return nil
}

// listOf returns the list of a run, which is added if there is none. Two runs of the same name get a number.
func (l *lister) listOf(k *kind, id, name string) *list {
	key := id
	if key == "" {
		key = name
	}
	for _, known := range l.lists {
		if known.kind.table == k.table && known.run == key {
			return known
		}
	}
	at := folder(name)
	for n := 2; slices.ContainsFunc(l.lists, func(o *list) bool { return path.Dir(o.path) == at && o.run != key }); n++ {
		at = folder(name) + " (" + strconv.Itoa(n) + ")"
	}
	made := &list{path: path.Join(at, k.file), kind: k, run: key, version: strconv.FormatInt(l.now.UnixNano(), 36)}
	l.lists = append(l.lists, made)
	return made
}

// maxName bounds the names of runs.
const maxName = 200

// nameIn returns a short text of a row, "" if there is none.
func nameIn(r *sqlRow, values []sqlValue, column int) (string, error) {
	if column < 0 || column >= len(values) || values[column].Kind != sqlText {
		return "", nil
	}
	v := values[column]
	text, err := r.Text(v, 0, min(v.Size, maxName))
	return string(text), err
}

// has reports whether the first text of a row has a mark in it. It reads a piece at a time: the mark mostly stands at the start.
func (w row) has(mark string) (bool, error) {
	text := w.texts[0]
	for from := int64(0); from < text.Size; {
		n := min(text.Size-from, max(searchStep, from))
		piece, err := w.Text(text, from, n)
		if err != nil || bytes.Contains(piece, []byte(mark)) {
			return err == nil, err
		}
		if from+n == text.Size {
			break
		}
		from += n - int64(len(mark)) + 1
	}
	return false, nil
}

// searchStep is how many bytes are searched at first.
const searchStep = 2 << 10
