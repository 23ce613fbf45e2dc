package runfinder

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"vantage/loaders"
	"vantage/loaders/decode"
	"vantage/loaders/discover"
	"vantage/loaders/formats"
	"vantage/model/runlist"
)

// What is looked at of a run with many files: the newest by their names, which a trainer writes last.
const (
	maxSniffed = 3   // files
	maxStat    = 256 // files, for their size; of more only statNewest are looked at
	statNewest = 16
)

// series is files of a directory whose names differ in numbers only: the steps of a run.
type series struct {
	files   []string // paths, in natural order
	sniffed loaders.Sniffed
}

// runsOf returns the runs whose files are in a directory itself. Where there is a trainer's own log, it leaves out what
// anyone may have written, as opening the directory does.
func (w *walker) runsOf(root *os.Root, dir string, l listing) []runlist.Run {
	chosen, _ := discover.Choose(l.logs, discover.SplitTrain)
	var all, own []series
	for _, s := range divide(joined(dir, chosen)) {
		var ok bool
		if s.sniffed, ok = w.sniffNewest(root, s.files); !ok {
			continue
		}
		all = append(all, s)
		if s.sniffed.Format.Origin == formats.FromTrainer {
			own = append(own, s)
		}
	}
	if len(own) > 0 {
		all = own
	}
	if len(all) == 0 {
		return nil
	}
	alone := len(l.others) == 0 // then the path of the directory names these files and no others
	whole := len(all) == 1 && (alone && len(own) > 0 || hasStepName(all[0].files))
	var runs []runlist.Run
	var many []string // files of all series of several files, which only the directory names
	format := ""
	for _, s := range all {
		if whole || len(s.files) > 1 {
			many, format = append(many, s.files...), s.sniffed.Format.Name
		} else {
			runs = append(runs, w.fileRun(root, s.files[0], s.sniffed))
		}
	}
	if len(many) == 0 {
		return runs
	}
	discover.SortNatural(many)
	r := w.newRun(root, dir, format)
	r.Files = len(many)
	if len(many) == 1 {
		r.Samples = all[0].sniffed.Rows
	}
	r.LastWrite, r.Size = w.stat(root, many)
	if hasStepName(many) {
		r.FirstStep, r.LastStep, r.HasSteps = stepRange(many)
	}
	return append(runs, r)
}

// divide divides files into series.
func divide(files []string) (all []series) {
	at := map[string]int{}
	for _, f := range files {
		pattern := withoutNumbers(path.Base(f))
		i, ok := at[pattern]
		if !ok {
			i = len(all)
			at[pattern], all = i, append(all, series{})
		}
		all[i].files = append(all[i].files, f)
	}
	return all
}

// withoutNumbers returns a name with * for its numbers, and for words that hold digits among letters
// up to f, as hashes do.
func withoutNumbers(name string) string {
	var b strings.Builder
	for name != "" {
		n := len(name) - len(strings.TrimLeft(name, "0123456789abcdef"))
		word := name[:n]
		switch {
		case n == 0:
			n = 1
			b.WriteString(name[:1])
		case decode.IsDigits(word) || n >= 6 && strings.ContainsAny(word, "0123456789"):
			b.WriteByte('*')
		default:
			digits := len(word) - len(strings.TrimRight(word, "0123456789"))
			b.WriteString(word[:n-digits])
			if digits > 0 {
				b.WriteByte('*')
			}
		}
		name = name[n:]
	}
	return b.String()
}

// sniffNewest returns the format of the newest of some files, by their names, that has one: the last
// may be empty still.
func (w *walker) sniffNewest(root *os.Root, files []string) (s loaders.Sniffed, ok bool) {
	for i := len(files) - 1; i >= max(0, len(files)-maxSniffed) && !w.stopped(); i-- {
		if s, err := loaders.Sniff(root, files[i]); err == nil {
			return s, true
		}
	}
	return s, false
}

// fileRun returns the run of a single file. Of a database of trackio what was written last may lie in the log beside it.
func (w *walker) fileRun(root *os.Root, name string, s loaders.Sniffed) runlist.Run {
	r := w.newRun(root, name, s.Format.Name)
	r.Files, r.Samples = 1, s.Rows
	files := []string{name}
	if path.Ext(name) == discover.DatabaseExtension {
		files = append(files, name+"-wal")
	}
	r.LastWrite, r.Size = w.stat(root, files)
	return r
}

// hasStepName reports whether files are named for their steps, so that others will be beside them.
func hasStepName(files []string) bool {
	_, ok := stepOf(files[len(files)-1])
	return ok
}

func stepOf(file string) (int64, bool) {
	if step, ok := decode.StepFromNumberedFile(file); ok {
		return step, true
	}
	return decode.StepFromWord(strings.ToLower(path.Base(file)))
}

// stepRange returns the steps of files or directories that are named for them, in natural order.
func stepRange(names []string) (first, last int64, ok bool) {
	for _, name := range names {
		step, is := stepOf(name)
		if !is {
			return 0, 0, false
		}
		if !ok {
			first, last, ok = step, step, true
		}
		first, last = min(first, step), max(last, step)
	}
	return first, last, ok
}

// stat returns when the newest of some files was written, and the size of all; 0 if there are too
// many to look at.
func (w *walker) stat(root *os.Root, files []string) (written time.Time, size int64) {
	few := len(files) <= maxStat
	if !few {
		files = files[len(files)-statNewest:]
	}
	for _, f := range files {
		if w.stopped() {
			return written, 0
		}
		if info, err := root.Lstat(filepath.FromSlash(f)); err == nil {
			size += info.Size()
			if info.ModTime().After(written) {
				written = info.ModTime()
			}
		}
	}
	if !few {
		size = 0
	}
	return written, size
}

// newRun returns a run of the path, which is relative to root.
func (w *walker) newRun(root *os.Root, name, format string) runlist.Run {
	full := filepath.Join(root.Name(), filepath.FromSlash(name))
	r := runlist.Run{ID: full, Format: format}
	r.Name, r.Elsewhere = w.shownName(full)
	r.Paths = []string{r.Name}
	if r.Elsewhere || r.Name == "-" { // which would be standard input
		r.Paths = []string{full}
	}
	return r
}

// shownName returns a path as a person reads it, and whether it is elsewhere than below w.here.
func (w *walker) shownName(full string) (name string, elsewhere bool) {
	if rel, err := filepath.Rel(w.here, full); err == nil && filepath.IsLocal(rel) {
		return rel, false
	}
	if rel, err := filepath.Rel(w.home, full); w.home != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.Join("~", rel), true
	}
	return full, true
}
