// Package discover finds the logs below a directory.
//
// In: the path of a directory. Out: the logs in it ([List]), which of them are to be read
// ([Choose]), and whether some may have been added since ([Directory]). Source calls it. It opens
// directories only, follows no symbolic link, and bounds how deep it looks and how much it lists.
package discover

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"vantage/loaders/decode"
	"vantage/loaders/fileio"
	"vantage/loaders/framing"
)

// The bounds of a listing: a mistyped path may be a whole home directory.
const (
	MaxDepth = 8       // levels of directories
	MaxFiles = 100_000 // logs, unless Options say another number
)

// Listing is what a directory holds.
type Listing struct {
	Files     []string               // logs, relative to the directory, in natural order
	Infos     map[string]fs.FileInfo // of the logs
	Other     map[string]int         // how many other files, by extension
	Averages  []string               // some of the other files that hold averages of steps under the trainer's names
	Printed   []string               // some of the other files that may be what a trainer printed, or a document of its averages
	Metrics   []string               // some of the other files that may be MLflow's, each of one metric
	Databases []string               // some of the other files that may be databases of trackio
	Truncated bool                   // there is more than the bounds allow
	Dirs      []string               // all directories, relative, "." first
	States    []StateFile            // what trainers saved of their logs, in natural order

	unnamed    []string // objects of a storage that may be logs, and that no path can name
	links      []string // symbolic links that may point to logs
	unreadable []string // directories without permission to list
	broken     []string // directories that could not be listed for another reason, or only in part
	limit      int      // of Files
}

// StateName is the name under which Hugging Face's trainers save what they logged: in each checkpoint,
// and in the output directory when they end.
const StateName = "trainer_state.json"

// StateFile is a file of that name.
type StateFile struct {
	Path     string // relative to the directory
	Size     int64
	Modified time.Time
}

// OutputDir returns the directory of the run, relative: that of the file, or the one above it if that
// is a checkpoint's.
func (f StateFile) OutputDir() string {
	dir := filepath.Dir(f.Path)
	if rest, ok := strings.CutPrefix(filepath.Base(dir), "checkpoint-"); ok && decode.IsDigits(rest) {
		return filepath.Dir(dir)
	}
	return dir
}

// DatabaseExtension ends the names of trackio's databases.
const DatabaseExtension = ".db"

// artFolder is where ART keeps its runs, below the directory that it was started in.
const artFolder = ".art"

// isLog reports whether a file name may be that of a log. JSON and text files may be anything, so
// their names must say more than an extension.
func isLog(name string) bool {
	if strings.HasPrefix(name, ".") {
		return false
	}
	name = strings.ToLower(name)
	switch framing.Extension(name) {
	case ".jsonl", ".ndjson", ".json-lines", ".csv", ".tsv", ".parquet", ".feather":
		return true
	case ".arrow": // what datasets keeps of a saved one that was changed has its rows again
		return !strings.HasPrefix(name, "cache-")
	case ".json":
		for _, part := range []string{
			"episode_", ".table.json", "rollouts", "samples", "completions", "generations", "trajector", "results", "result.json",
		} {
			if strings.Contains(name, part) {
				return true
			}
		}
		_, isOfStep := decode.StepFromWord(name)
		_, after, isSample := strings.Cut(name, "sample_")
		return isOfStep || isSample && after[0] >= '0' && after[0] <= '9' || decode.IsDigits(name[:strings.IndexByte(name, '.')])
	case ".log":
		return strings.Contains(name, "generations")
	}
	return false
}

// IsLog reports whether a path may be that of a log, by its file name and directory. Of .pt files those are slime's {rollout_id}.pt,
// eval_{rollout_id}.pt, and what says that it is a rollout: others are weights, and what lies in train_data beside the rollouts.
func IsLog(file string) bool {
	dir, name := filepath.Split(file)
	dir = path.Base(path.Clean(filepath.ToSlash(dir)))
	if stem, ok := strings.CutSuffix(name, ".pt"); ok {
		return dir != "train_data" && (decode.IsDigits(strings.TrimPrefix(stem, "eval_")) || strings.Contains(stem, "rollout"))
	}
	return isLog(name) || decode.IsDigits(dir) && path.Ext(name) == ".txt" // AReaL's {version}/{task}.txt
}

// List lists the logs below a directory, at most limit. It does not follow symbolic links: they
// point out of the directory, or to what is listed anyway. The error is that of the top directory.
func List(storage fileio.Storage, dir string, limit int) (*Listing, error) {
	tree, err := storage.Tree(dir)
	if err != nil {
		return nil, err
	}
	if c, ok := tree.(io.Closer); ok {
		defer func() { _ = c.Close() }()
	}
	return ListTree(tree, limit)
}

// ListTree is List for the top directory of a file system, as that of a storage.
func ListTree(fsys fs.FS, limit int) (*Listing, error) {
	l := &Listing{limit: limit, Other: map[string]int{}, Infos: map[string]fs.FileInfo{}}
	if err := l.walk(fsys, ".", 0); err != nil {
		return nil, err
	}
	if t, ok := fsys.(*fileio.ObjectTree); ok {
		l.unnamed = slices.DeleteFunc(slices.Clone(t.Unnamed), func(key string) bool { return !IsLog(filepath.FromSlash(key)) })
	}
	slices.SortFunc(l.Files, CompareNatural)
	slices.SortFunc(l.States, func(a, b StateFile) int { return CompareNatural(a.Path, b.Path) })
	return l, nil
}

// walk lists one directory. Below the top one it skips what cannot be read, since other directories may still hold
// logs, but not if a storage says why it lists no more, as that the connection was lost: part of a run is no run.
func (l *Listing) walk(fsys fs.FS, dir string, depth int) error {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil && len(entries) == 0 {
		return err
	}
	if err != nil {
		l.broken = append(l.broken, filepath.FromSlash(dir))
	}
	l.Dirs = append(l.Dirs, filepath.FromSlash(dir))
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case IsHidden(e):
		case e.IsDir() && depth >= MaxDepth:
			l.Truncated = true
		case e.IsDir():
			if err := l.skip(filepath.FromSlash(name), l.walk(fsys, name, depth+1)); err != nil {
				return err
			}
		case e.Type()&fs.ModeSymlink != 0:
			base := path.Base(name) // "latest" points to what is listed anyway
			if (isLog(base) || path.Ext(base) == "") && !strings.Contains(strings.ToLower(base), "latest") && len(l.links) < l.limit {
				l.links = append(l.links, filepath.FromSlash(name))
			}
		case e.Type().IsRegular():
			l.add(filepath.FromSlash(name), e)
		}
	}
	return nil
}

// add adds a file. A trainer's state counts among the other files too, which a directory without logs names.
func (l *Listing) add(name string, e fs.DirEntry) {
	isState := e.Name() == StateName && len(l.States) < l.limit
	if !isState && IsLog(name) {
		if len(l.Files) >= l.limit {
			l.Truncated = true
			return
		}
		l.Files = append(l.Files, name)
		if info, err := e.Info(); err == nil {
			l.Infos[name] = info
		}
		return
	}
	kind := path.Ext(e.Name())
	if strings.HasPrefix(e.Name(), "events.out.tfevents") { // such a name ends in that of a machine
		kind = ".tfevents"
	}
	l.Other[kind]++
	if !isState {
		l.addOther(name, kind)
	} else if info, err := e.Info(); err == nil {
		l.States = append(l.States, StateFile{name, info.Size(), info.ModTime()})
	}
}

// addOther adds a file that is no log, of a kind, if it may hold averages or samples.
func (l *Listing) addOther(name, kind string) {
	switch {
	case (kind == ".tfevents" || kind == ".wandb") && len(l.Averages) < maxAverages:
		l.Averages = append(l.Averages, name)
	case (IsPrinted(name) || path.Ext(name) == ".json") && strings.Count(filepath.ToSlash(name), "/") < 2 && len(l.Printed) < maxPrinted:
		l.Printed = append(l.Printed, name)
	case strings.Contains("/"+filepath.ToSlash(name), "/metrics/") && len(l.Metrics) < maxMetrics:
		l.Metrics = append(l.Metrics, name)
	case kind == DatabaseExtension && len(l.Databases) < maxDatabases:
		l.Databases = append(l.Databases, name)
	}
}

// IsPrinted reports whether a file may hold what a program printed, by its name: nohup.out, train.log, slurm-123.out.
func IsPrinted(file string) bool {
	return slices.Contains([]string{".out", ".log", ".txt", ".err"}, framing.Extension(file))
}

// How many files of averages, of texts and of databases a listing names: the first averages mostly say whose they are.
const (
	maxAverages  = 4
	maxDatabases = 64
	maxPrinted   = 64
	maxMetrics   = 4096
)

func (l *Listing) skip(dir string, err error) error {
	var failure *fileio.Failure
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist): // it was removed meanwhile
	case errors.Is(err, fs.ErrPermission):
		l.unreadable = append(l.unreadable, dir)
	case errors.As(err, &failure):
		return err
	default:
		l.broken = append(l.broken, dir)
	}
	return nil
}

// IsHidden reports whether a file or directory is passed over: ART's folder is not.
func IsHidden(e fs.DirEntry) bool {
	return strings.HasPrefix(e.Name(), ".") && (e.Name() != artFolder || !e.IsDir())
}

// CompareNatural compares names so that numbers in them count as numbers: 2 before 10.
func CompareNatural(a, b string) int {
	whole := cmp.Compare(a, b)
	leadingDigits := func(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }
	for a != "" && b != "" {
		na, nb := leadingDigits(a), leadingDigits(b)
		if na == 0 || nb == 0 {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		x, y := strings.TrimLeft(a[:na], "0"), strings.TrimLeft(b[:nb], "0")
		if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); c != 0 {
			return c
		}
		a, b = a[na:], b[nb:]
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), whole)
}

// Skipped returns a sentence for each kind of thing that was not looked into.
func (l *Listing) Skipped() (notes []string) {
	if len(l.unnamed) > 0 {
		notes = append(notes, "objects with an empty or dotted part in their keys are not read, so rows may be missing: "+
			Summarize(l.unnamed)+
			"; copy them to keys without // and /./, as with `aws s3 cp`")
	}
	if len(l.links) > 0 {
		notes = append(notes, "symbolic links are not followed: "+Summarize(l.links)+"; give where they lead, or the links themselves")
	}
	if len(l.unreadable) > 0 {
		notes = append(notes, "no permission to list "+Summarize(l.unreadable)+": ask its owner for it")
	}
	if len(l.broken) > 0 {
		notes = append(notes, "not all of "+Summarize(l.broken)+" could be listed, so rows may be missing: look at the filesystem")
	}
	return notes
}

// KnownUnread returns a sentence for each known kind of file that is not read, and why.
func (l *Listing) KnownUnread() (notes []string) {
	for _, k := range knownUnread {
		if l.Other[k.ext] > 0 {
			notes = append(notes, k.what)
		}
	}
	return notes
}

// knownUnread are the kinds of files that are known and not read.
var knownUnread = [...]struct{ ext, what string }{
	{".pt", "of .pt files only slime's and miles' rollouts are read, {rollout_id}.pt"},
	{".pkl", ".pkl files are Python objects, so turn their samples into JSON lines"},
	{".wandb", "a .wandb file holds averages of steps, and the folder files/media/table next to it has tables of samples"},
	{".tfevents", "TensorBoard's files hold averages of steps"},
	{DatabaseExtension, "of .db files only trackio's are read, each when you open it itself, on its own machine"},
	{".zip", "a .zip is not read, as Agent-Lightning's, so unpack it"},
	{".yaml", "ART's .yaml files are not read"},
}

// Directory is a directory that is read and was listed before.
type Directory struct {
	Storage fileio.Storage
	Path    string
	Prefix  string   // before the names of its files
	Listed  []string // its logs when it was last listed, relative
	Dirs    []string // the directories below it, relative, "." first

	times map[string]dirTime // by relative path
	next  int                // of Dirs: those that are checked one at a time
}

// dirTime is a directory's modification time, and since when it has been seen, by this machine's
// clock.
type dirTime struct{ modified, since time.Time }

// ClockTick is the longest step in which filesystems count time. A directory that changed may have
// changed once more within it without another time.
const ClockTick = 2 * time.Second

const newestDirs = 3

// Changed reports whether files may have been added. It checks the directory itself, the newest
// below it, where most trainers write, and one of the others in turn.
func (d *Directory) Changed(now time.Time) bool {
	checked := []string{"."}
	if n := len(d.Dirs); n > 1 {
		d.next = (d.next + 1) % n
		checked = append(append(checked, d.Dirs[max(1, n-newestDirs):]...), d.Dirs[d.next])
	}
	changed := false
	for _, dir := range checked {
		modified := modTime(d.Storage, filepath.Join(d.Path, dir))
		if old, known := d.times[dir]; known && old.modified.Equal(modified) {
			changed = changed || now.Sub(old.since) < ClockTick
			continue
		}
		if d.times == nil || len(d.times) > MaxFiles {
			d.times = map[string]dirTime{}
		}
		d.times[dir] = dirTime{modified, now}
		changed = true
	}
	return changed
}

// modTime opens a directory to read its time: NFS answers stat from its cache otherwise.
func modTime(storage fileio.Storage, dir string) time.Time {
	h, err := storage.Open(dir)
	if err != nil {
		return time.Time{}
	}
	defer func() { _ = h.Close() }()
	info, err := h.Stat()
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// Split says which logs of a directory are read.
type Split string

// The splits. Training is the default; if there is only validation, that is read.
const (
	SplitTrain Split = "train"
	SplitVal   Split = "val"
	SplitAll   Split = "all"
)

// Choose returns the files of a split, each sample once, and notes on what it left out.
func Choose(files []string, split Split) (chosen []string, notes []string) {
	chosen, notes = withoutDuplicates(files)
	if split == SplitAll {
		return chosen, notes
	}
	var train, val []string
	for _, f := range chosen {
		if IsValidation(f) {
			val = append(val, f)
		} else {
			train = append(train, f)
		}
	}
	switch {
	case split == SplitVal && len(val) == 0:
		// TRL's and ms-swift's logs have the rows of evaluations among those of training: completions_00004.parquet, completions.jsonl,
		// and W&B's completions_4_8f14e45f.table.json
		return slices.DeleteFunc(train, func(f string) bool { return !strings.HasPrefix(filepath.Base(f), "completions") }), notes
	case split == SplitVal:
		return val, notes
	case len(train) == 0 && len(val) > 0:
		return val, append(notes, "training: as long as there is none, validation is read")
	case len(val) > 0:
		notes = append(notes, fmt.Sprintf("validation is not read: %s; --split val reads it instead", Summarize(val)))
	}
	train, tests := withoutTests(train)
	if len(tests) > 0 {
		notes = append(notes, fmt.Sprintf("tests are not read, because logs of training are next to them: %s; give them by themselves, or "+
			"--split all", Summarize(tests)))
	}
	return train, notes
}

// testWords name what a model is tested on. A log of training may be so named too, as that of a trial run, so that they count only next
// to one that is not.
func testWords() []string { return []string{"test", "tests", "heldout", "holdout"} }

// withoutTests leaves out files that are named as tests, next to others that are not, and those in a folder so named, next to one of
// training.
func withoutTests(files []string) (train, tests []string) {
	plain, ofTraining := map[string]bool{}, foldersOfTraining(files) // folders with files that are not so named
	for _, f := range files {
		dir, base := path.Split(filepath.ToSlash(f))
		plain[dir] = plain[dir] || !namesTest(base)
	}
	for _, f := range files {
		dir, base := path.Split(filepath.ToSlash(f))
		if plain[dir] && namesTest(base) || isBelowTest(dir, ofTraining) {
			tests = append(tests, f)
		} else {
			train = append(train, f)
		}
	}
	return train, tests
}

// IsOfTests reports whether a path is that of a folder of tests, or below one, next to a folder of training among those of others.
func IsOfTests(name string, others []string) bool {
	var folders []string
	for _, o := range others {
		folders = append(folders, o+"/")
	}
	return isBelowTest(filepath.ToSlash(name), foldersOfTraining(folders))
}

// foldersOfTraining are the folders above those that are named for training, among the folders of files.
func foldersOfTraining(files []string) map[string]bool {
	above := map[string]bool{}
	for _, f := range files {
		dir, _ := path.Split(filepath.ToSlash(f))
		for d := path.Clean(dir); d != "." && d != "/"; d = path.Dir(d) {
			above[path.Dir(d)] = above[path.Dir(d)] || strings.HasPrefix(strings.ToLower(path.Base(d)), "train")
		}
	}
	return above
}

func isBelowTest(dir string, ofTraining map[string]bool) bool {
	for d := path.Clean(dir); d != "." && d != "/"; d = path.Dir(d) {
		if ofTraining[path.Dir(d)] && slices.Contains(testWords(), strings.ToLower(path.Base(d))) {
			return true
		}
	}
	return false
}

func namesTest(base string) bool {
	words := wordsOf(strings.ReplaceAll(base, "held_out", "heldout"))
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(testWords(), w) }) || len(words) > 0 && words[0] == "dev"
}

// wordsOf are the words of a path, in lower case.
func wordsOf(name string) []string {
	return strings.FieldsFunc(strings.ToLower(filepath.ToSlash(name)), func(r rune) bool { return !unicode.IsLetter(r) })
}

// IsValidation reports whether the path of a log has a word for validation in it.
func IsValidation(name string) bool {
	return slices.ContainsFunc(wordsOf(name), func(w string) bool {
		return slices.Contains(validationWords(), w)
	})
}

func validationWords() []string {
	return []string{"eval", "evals", "evaluation", "val", "valid", "validation"}
}

// EvaluationColumns are the columns by which people tell the rows of evaluations from those of training, the most telling first.
func EvaluationColumns() []string {
	return []string{
		"split", "dataset_split", "data_split", "is_eval", "is_evaluation", "is_val", "is_validation", "is_train",
		"is_training", "eval", "phase", "mode",
	}
}

// EvaluationValues are the usual values of a column for which [IsEvaluation] holds.
func EvaluationValues(column string) []string {
	all := append(validationWords(), "test", "dev", "1", "true", "yes", "0", "false", "no")
	return slices.DeleteFunc(all, func(value string) bool { return !IsEvaluation(column, value) })
}

// IsEvaluation reports whether a value of a column says that a row is of an evaluation: split = 'val', is_eval = 1,
// is_train = 0.
func IsEvaluation(column, value string) bool {
	switch strings.ToLower(value) {
	case "1", "true", "yes":
		return IsValidation(column)
	case "0", "false", "no":
		words := strings.FieldsFunc(strings.ToLower(column), func(r rune) bool { return !unicode.IsLetter(r) })
		return slices.Contains(words, "train") || slices.Contains(words, "training")
	case "test", "dev":
		return true
	}
	return IsValidation(value)
}

// withoutDuplicates leaves out files whose samples are in others too: prime-rl's all/ if there is
// effective/, and the raw page of a hosted export if there are its rows.
func withoutDuplicates(files []string) (kept []string, notes []string) {
	have := map[string]bool{}
	for _, f := range files {
		have[filepath.ToSlash(f)] = true
	}
	var all, raw []string
	for _, f := range files {
		dir, base := path.Split(filepath.ToSlash(f))
		switch {
		case path.Base(dir) == "all" && have[path.Join(path.Dir(path.Clean(dir)), "effective", base)]:
			all = append(all, f)
		case base == "rollouts_raw.json" && have[dir+"results.jsonl"]:
			raw = append(raw, f)
		default:
			kept = append(kept, f)
		}
	}
	if len(all) > 0 {
		notes = append(notes, fmt.Sprintf("counted once: %s, whose episodes effective/ holds as far as they were trained on",
			Summarize(all)))
	}
	if len(raw) > 0 {
		notes = append(notes, fmt.Sprintf("counted once: %s, whose samples results.jsonl holds too", Summarize(raw)))
	}
	return kept, notes
}

// Summarize returns the first of some files, and how many more there are.
func Summarize(files []string) string {
	if len(files) == 1 {
		return files[0]
	}
	return fmt.Sprintf("%s and %d more", files[0], len(files)-1)
}

// IsNumbered reports whether a run has many directories of such a name, which may share steps: one
// per step, with rows of the step before, or one per process. Directories that are only numbers are
// runs of a sweep or versions of the policy, which share no steps.
func IsNumbered(dir string) bool {
	dir = strings.ToLower(dir)
	if _, ok := decode.StepFromWord(dir); ok {
		return true
	}
	for _, word := range []string{"rank", "worker", "node", "shard"} {
		if rest, ok := strings.CutPrefix(dir, word); ok && decode.IsDigits(strings.TrimLeft(rest, "_-")) {
			return true
		}
	}
	return false
}
