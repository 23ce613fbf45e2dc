package trackio

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"time"

	"vantage/loaders/fileio"
	"vantage/loaders/sqlite"
)

// refresh lists the rows that were added. It looks into the database only if that has changed.
func (d *database) refresh() error {
	same, sameLog := d.seen[0].isOf(d.path), d.seen[1].isOf(d.path+"-wal")
	if same && sameLog {
		return nil
	}
	var lists []*list
	err := d.rows.Read(func(v *sqlite.View) (err error) {
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
func listRows(v *sqlite.View, before []*list) ([]*list, error) {
	l := lister{now: time.Now()}
	found := false
	for _, k := range kinds() {
		t, err := v.Table(k.table)
		if err != nil {
			return nil, err
		}
		if t == nil {
			continue
		}
		c, ok := k.columnsOf(t)
		if !ok {
			continue
		}
		found = true
		if err := l.add(t, k, c, before); err != nil {
			return nil, err
		}
	}
	if !found {
		return nil, notTrackio(v)
	}
	return l.lists, nil
}

// notTrackio says why a database without trackio's tables is not read: trackio may be about to create them.
func notTrackio(v *sqlite.View) error {
	empty, err := v.IsEmpty()
	switch {
	case err != nil:
		return err
	case empty:
		return sqlite.ErrEmpty
	}
	return &fileio.Failure{What: "is a SQLite database, but none of trackio: it has no table metrics with its columns", Do: "export its rows as JSON lines"}
}

// IsProject reports whether a file of this machine is a database of trackio.
func IsProject(name string) (yes bool) {
	if !isDatabase(name) {
		return false
	}
	err := sqlite.New(name).Read(func(v *sqlite.View) error {
		yes = false
		for _, k := range kinds() {
			t, err := v.Table(k.table)
			if err != nil {
				return err
			}
			if t != nil {
				_, ok := k.columnsOf(t)
				yes = yes || ok
			}
		}
		return nil
	})
	return yes && err == nil
}

// lister lists the rows of a view.
type lister struct {
	lists []*list
	now   time.Time
}

// add adds the rows of a table.
func (l *lister) add(t *sqlite.Table, k *kind, c columns, before []*list) error {
	last, err := l.keep(t, k, c, before)
	if err != nil {
		return err
	}
	var rowErr error
	err = t.Each(last, func(r *sqlite.Row) bool {
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
func (l *lister) keep(t *sqlite.Table, k *kind, c columns, before []*list) (last int64, err error) {
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
func (l *list) endsWith(r *sqlite.Row, k *kind, c columns) bool {
	if r == nil {
		return false
	}
	w, _, ok, err := k.rowOf(r, c)
	n := len(l.entries)
	size := l.entries[n-1].end
	if n > 1 {
		size -= l.entries[n-2].end
	}
	return err == nil && ok && k.lineSize(w) == size
}

// addRow adds a row to the list of its run.
func (l *lister) addRow(r *sqlite.Row, k *kind, c columns) error {
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
func nameIn(r *sqlite.Row, values []sqlite.Value, column int) (string, error) {
	if column < 0 || column >= len(values) || values[column].Kind != sqlite.Text {
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
