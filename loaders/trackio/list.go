package trackio

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"vantage/loaders/fileio"
	"vantage/loaders/sqlite"
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

// size returns the size of the text.
func (l *list) size() int64 {
	if len(l.entries) == 0 {
		return 0
	}
	return l.entries[len(l.entries)-1].end
}

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
func (k *kind) columnsOf(t *sqlite.Table) (c columns, ok bool) {
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
	*sqlite.Row
	texts []sqlite.Value
	head  string // of its line
}

// rowOf returns a row of a table; false if it holds no samples.
func (k *kind) rowOf(r *sqlite.Row, c columns) (w row, values []sqlite.Value, ok bool, err error) {
	if values, err = r.Values(); err != nil {
		return w, nil, false, err
	}
	w = row{Row: r}
	for _, i := range c.texts {
		if i >= len(values) || values[i].Kind != sqlite.Text || values[i].Size > maxText {
			return w, values, false, nil
		}
		w.texts = append(w.texts, values[i])
	}
	if c.step >= len(values) || values[c.step].Kind != sqlite.Integer {
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
