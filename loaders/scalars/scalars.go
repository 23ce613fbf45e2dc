// Package scalars reads what trainers log of each step: JSON lines, trainer_state.json, TensorBoard's and W&B's files, tables and
// documents of averages, and what a trainer prints. What a file is, its shape says: see [formats.Rows]. It reads nothing
// outside of the folder of a run, follows no symbolic link, and takes at most [MaxBytes] of a log, the newest. What is damaged ends a
// file; what was read before it counts.
package scalars

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vantage/loaders/compressed"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
	"vantage/model/scalars"
	"vantage/model/units"
)

// MaxBytes is how much of a log is read.
const MaxBytes = 256 << 20

// Errors of [Read].
var (
	ErrNone    = errors.New("no scalars of a trainer")
	errDamaged = errors.New("is damaged: what comes after the damage is not read")
)

type format struct {
	name  string
	doc   string                          // who writes it, and what it looks like
	named func(file string) bool          // by the path of the file, relative to the folder of the run
	is    func(in *input) bool            // by its first bytes
	read  func(t *table, in *input) error // its rows
	never []string                        // extensions of files that are not of the format, whatever they hold
	head  int                             // how many of its first bytes tell, headSize if 0
	block int64                           // bytes at whose multiples a part can begin; 0: anywhere
	of    func(file string) string        // the log that a file is a part of, by its path; nil if each is a log by itself
	every bool                            // all files of a log are read: a start of the trainer begins another, or each has another metric
	loose bool                            // any program may name a file so: beside samples it counts only if it is the only one
}

// allFormats are those that are known; a folder with several is read in the first one that has a reward.
func allFormats() []format {
	return []format{
		{
			name: discover.StateName, doc: "Hugging Face's trainers: log_history, under any name.",
			named: isStateFile, is: isState, read: readState, of: runOfState,
		},
		{
			name: "JSON lines", doc: "A row a step: metrics.jsonl, logging.jsonl, history.jsonl, verl's file logger.",
			named: isRowFile, is: areRows, read: readLines,
		},
		{
			name: "TensorBoard", doc: "events.out.tfevents.*.", read: readEvents, of: filepath.Dir, every: true,
			named: func(file string) bool { return strings.HasPrefix(path.Base(file), "events.out.tfevents") },
			is:    func(in *input) bool { return bytes.Contains(in.head[:min(len(in.head), 40)], []byte("brain.Event:")) },
		},
		{
			name: "W&B", doc: "run-*.wandb of an offline run.", read: readWandb, block: wandbBlock,
			named: func(file string) bool { return path.Ext(file) == ".wandb" },
			is:    func(in *input) bool { return bytes.HasPrefix(in.head, []byte(wandbHeader)) },
		},
		{
			name: "MLflow", doc: "mlruns/{experiment}/{run}/metrics, a file for each.", read: readMetric, every: true,
			named: func(file string) bool { _, _, ok := metricsOf(file); return ok },
			of:    func(file string) string { folder, _, _ := metricsOf(file); return folder },
			is:    isMetric,
			never: []string{".csv", ".tsv", ".parquet"},
		},
		{
			name: "JSON document of averages", doc: "A list of rows, an object with one such list, or an object of columns.",
			named: endsIn(".json"), is: isDocument, read: readDocument, head: documentHead, loose: true,
			never: []string{".csv", ".tsv", ".parquet"},
		},
		{
			name: "W&B chart", doc: "A chart exported as CSV, with a column a run.",
			named: endsIn(".csv"), is: isChartOf(wandbChart), read: readTable, loose: true,
		},
		{
			name: "TensorBoard chart", doc: "A chart exported as CSV: Wall time, Step, Value.",
			named: endsIn(".csv"), is: isChartOf(tensorBoardChart), read: readTable, loose: true,
		},
		{
			name: "CSV of averages", doc: "CSV or TSV with a row a step, as of DataFrame.to_csv.",
			named: endsIn(".csv", ".tsv"), is: isTable, read: readTable, loose: true,
		},
		{
			name: "Parquet of averages", doc: "The same as Parquet.",
			named: endsIn(".parquet"), is: isParquet, read: readParquet, loose: true,
		},
		{
			name: "standard output", doc: "What a trainer prints, of any name: dicts of TRL, Unsloth and ms-swift, verl's, slime's and " +
				"prime-rl's lines.",
			named: discover.IsPrinted, is: isPrinted, read: readPrinted, head: printedHead, loose: true,
			never: []string{".csv", ".tsv", ".parquet", ".jsonl", ".ndjson", ".json"},
		},
	}
}

// Container is a way in which averages of steps come.
type Container struct {
	Name string // [Found.Format]
	Doc  string // who writes it, and what it looks like
}

// Containers are all that are read.
func Containers() (all []Container) {
	for _, f := range allFormats() {
		all = append(all, Container{f.name, f.doc})
	}
	return all
}

// How much of a document and of what a trainer prints is looked at: before the first figures may be much else.
const documentHead, printedHead = 4 << 20, 512 << 10

// endsIn returns whether a file near the top of a folder has one of the extensions.
func endsIn(extensions ...string) func(file string) bool {
	return func(file string) bool {
		return slices.Contains(extensions, framing.Extension(file)) && strings.Count(file, "/") < 2
	}
}

// runOfState returns the folder of the run whose trainer_state.json is at a path: checkpoint-200 has a newer one than checkpoint-100.
// Others are logs by themselves.
func runOfState(file string) string {
	if filepath.Base(file) == discover.StateName {
		return discover.StateFile{Path: file}.OutputDir()
	}
	return file
}

func isStateFile(file string) bool {
	return path.Base(file) == discover.StateName || endsIn(".json")(file)
}

// isRowFile reports whether a file is named as one of rows of figures, or lies where verl's logger writes {project}/{experiment}.jsonl.
// Files that are numbered are samples.
func isRowFile(file string) bool {
	base := path.Base(file)
	stem := base[:max(0, strings.Index(base, "."))]
	return isRowLog(base) || endsIn(".jsonl", ".ndjson")(file) && strings.Trim(stem, "0123456789_") != ""
}

func isRowLog(base string) bool { return slices.Contains(rowLogs, base) }

var rowLogs = []string{
	"metrics.jsonl", "logging.jsonl", "trainer_log.jsonl", "experiment_log.jsonl", "history.jsonl", "train_log.jsonl", "train_metrics.jsonl",
}

// input is what is read of a file.
type input struct {
	name  string
	head  []byte    // its first bytes, unpacked
	isCut bool      // it has more than head
	text  io.Reader // what is read
	cut   bool      // what is read does not begin where the file does
	file  io.ReaderAt
	size  int64
}

// wholeLines visits the lines of the head, without a last one that may go on.
func (in *input) wholeLines() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		lines := 0
		for rest := in.head; len(rest) > 0; {
			line, after, ended := bytes.Cut(rest, []byte{'\n'})
			isTorn := !ended && (in.isCut || lines > 0 && jsonscan.ScanObject(line, nil) != nil)
			if rest = after; isTorn {
				return
			}
			if line = bytes.TrimSpace(line); len(line) == 0 {
				continue
			}
			if lines++; !yield(line) {
				return
			}
		}
	}
}

// Found are the scalars of a run, and where they are from.
type Found struct {
	*scalars.Scalars
	File   string // the path of the file, or of the newest of several
	Files  int
	Format string   // in which container they came: the name of a format
	Notes  []string // what could not be read, a sentence each
}

// String says what was read: "metrics.jsonl, steps 0 to 59 (60)".
func (f *Found) String() string {
	return fmt.Sprintf("%s, steps %d to %d (%s)", filepath.Base(f.File), f.First, f.Last, units.Count(f.Steps))
}

// Read reads a file of scalars, or those of the run in a folder, of this machine. The error is [ErrNone] if there are none.
func Read(disk *fileio.Disk, name string) (*Found, error) {
	info, err := disk.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		d := &folder{storage: disk, path: name}
		names, err := d.names()
		if err != nil {
			return nil, err
		}
		return d.best(names, false)
	}
	d, base := &folder{storage: disk, path: filepath.Dir(name)}, filepath.Base(name)
	for _, f := range allFormats() {
		if _, is := d.holds(base, f); is {
			return d.read(&source{format: f, files: []string{base}}, MaxBytes)
		}
	}
	return nil, ErrNone
}

// sampleFolders begin the names of folders in which trainers keep samples within the folder of a run, and scalarFolders those in which
// they keep scalars.
var (
	sampleFolders = []string{
		"rollout", "completions", "samples", "generations", "dump", "traces", "trajector", "episodes", "train",
		"val", "eval", "response", "record", "step", "debug",
	}
	scalarFolders = []string{"tensorboard", "tb", "runs", "wandb", "logs", "metrics", "checkpoint-"}
)

// Beside reads the scalars of the run whose samples lie at a path of a storage: below that if it is a folder, or, if it is a folder of
// samples within the run's, in that and its folders of scalars; beside a file in the same folder. But in a folder that is given only files
// count that bear the name of such a log. The folder above is listed on this machine alone: elsewhere it may be anything, and is asked for
// files by their names.
func Beside(storage fileio.Storage, samples string) (*Found, error) {
	d, above := &folder{storage: storage, path: samples}, path.Dir
	info, err := storage.Stat(samples)
	if fileio.IsHere(storage) {
		above = filepath.Dir
		if err == nil {
			d.path, err = filepath.Abs(samples)
		}
	}
	if err != nil {
		return nil, err
	}
	var names []string
	if info.IsDir() {
		if names, err = d.names(); err != nil {
			return nil, err
		}
	} else {
		own := filepath.Base(d.path)
		d.path = above(d.path)
		names = slices.DeleteFunc(d.near(".", false), func(name string) bool { return name == own || isOtherRun(name) })
	}
	found, err := d.best(mayBeRows(names), true)
	name := strings.ToLower(path.Base(filepath.ToSlash(d.path)))
	if errors.Is(err, ErrNone) && slices.ContainsFunc(sampleFolders, func(s string) bool { return strings.HasPrefix(name, s) }) {
		d.path = above(d.path)
		return d.best(mayBeRows(d.near(".", true)), true)
	}
	return found, err
}

// folder is where scalars may lie.
type folder struct {
	storage fileio.Storage
	path    string
}

func (d *folder) open(name string) (fileio.Handle, os.FileInfo, error) {
	f := fileio.File{Storage: d.storage, Root: d.path, Path: name}
	return f.Open()
}

// names are the files of the folder that may be scalars.
func (d *folder) names() (names []string, err error) {
	l, err := discover.List(d.storage, d.path, discover.MaxFiles)
	if err != nil {
		return nil, err
	}
	names = slices.Concat(l.Files, l.Averages, l.Printed, l.Metrics)
	for _, state := range l.States {
		names = append(names, state.Path)
	}
	return names, nil
}

// How far near looks.
const maxNearDepth, maxNear = 4, 4096

// near lists the files of a folder, and if asked for those of its folders of scalars. Elsewhere than on this machine it is those whose
// names are known.
func (d *folder) near(below string, deep bool) (files []string) {
	disk, here := d.storage.(*fileio.Disk)
	if !here {
		for _, name := range slices.Concat(rowLogs, []string{discover.StateName}) {
			if _, err := d.storage.Stat(path.Join(d.path, name)); err == nil {
				files = append(files, name)
			} else if fileio.IsLost(err) {
				break
			}
		}
		return files
	}
	entries, err := disk.ReadDir(filepath.Join(d.path, below))
	if err != nil {
		return nil
	}
	for _, e := range entries[:min(len(entries), maxNear)] {
		name := filepath.Join(below, e.Name())
		isScalars := below != "." || slices.ContainsFunc(scalarFolders,
			func(s string) bool { return strings.HasPrefix(strings.ToLower(e.Name()), s) })
		switch {
		case e.Type().IsRegular():
			files = append(files, name)
		case e.IsDir() && deep && isScalars && strings.Count(name, string(filepath.Separator)) < maxNearDepth:
			files = append(files, d.near(name, true)...)
		}
	}
	return files[:min(len(files), maxNear)]
}

// isOtherRun reports whether a file next to one of samples that was given by itself may be of any run: it does not bear the name of a
// log of figures.
func isOtherRun(name string) bool { return discover.IsLog(name) && !isRowLog(filepath.Base(name)) }

// isOfScalars reports whether a file is in a folder of scalars.
func isOfScalars(file string) bool {
	folder, _, isWithin := strings.Cut(strings.ToLower(file), "/")
	return isWithin && (folder == "logs" || folder == "metrics")
}

// mayBeRows leaves out files that may be logs of samples, but those of rows that bear the name of such a log, and a few in the folder
// itself, whose shape tells. Those with a name come first.
func mayBeRows(names []string) []string {
	var some, others []string
	for _, file := range names {
		slashed := filepath.ToSlash(file)
		base := path.Base(slashed)
		isNumbered := strings.Trim(base[:max(0, strings.Index(base, "."))], "0123456789_") == ""
		switch {
		case !discover.IsLog(file) || isRowLog(base) || strings.HasPrefix(base, "events.out.tfevents"):
			some = append(some, file)
		case !isNumbered && (!strings.Contains(slashed, "/") || isOfScalars(slashed)):
			others = append(others, file)
		}
	}
	return append(some, others[:min(len(others), maxSources)]...)
}

// source are files that are one log.
type source struct {
	format
	files    []string  // relative, the older before the newer
	modified time.Time // of the newest
}

// maxSources bounds how many logs of a folder are read, and maxCandidates how many of each format are looked at.
const maxSources, maxCandidates = 8, 32

// leastRewards is how many rewards a log has of which no better is sought: a new trainer_state.json may have a few where metrics.jsonl
// has all.
const leastRewards = 20

// best reads the log of the run in a folder: the first with enough rewards, or else that with the most figures that are known, those with
// a reward first. Beside samples, of several files that any program may name so none is known to be of their run.
func (d *folder) best(names []string, beside bool) (*Found, error) {
	var best *Found
	known := 0
	all := d.sources(names)
	for _, s := range all {
		isLoose := func(o *source) bool { return o.loose && o.name == s.name }
		if alone := len(slices.DeleteFunc(slices.Clone(all), func(o *source) bool {
			return !isLoose(o)
		})) == 1; beside && s.loose && !alone {
			continue
		}
		found, err := d.read(s, MaxBytes)
		if err != nil {
			continue
		}
		n := 0
		for i := range found.Series {
			if found.Series[i].Means != "" {
				n++
			}
		}
		if reward := found.Of(scalars.Reward, 1); reward != nil {
			n += scalars.MaxSeries * (1 + min(len(reward.Values), leastRewards))
		}
		if n > known {
			best, known = found, n
		}
		if n > scalars.MaxSeries*leastRewards {
			break
		}
	}
	if best == nil {
		return nil, ErrNone
	}
	return best, nil
}

// sources returns the logs among files that may be of scalars, those of the better formats first, and of those of a format the nearer
// and then the newer.
func (d *folder) sources(names []string) (all []*source) {
	taken := map[string]bool{} // files that are of a surer format
	for _, f := range allFormats() {
		byFolder := map[string][]string{}
		for _, name := range names {
			slashed := filepath.ToSlash(name)
			if !f.named(slashed) || taken[name] || len(byFolder) >= maxCandidates && !f.every {
				continue
			}
			run := name
			if f.of != nil {
				run = f.of(name)
			}
			byFolder[run] = append(byFolder[run], name)
		}
		var some []*source
		for _, files := range byFolder {
			slices.SortFunc(files, discover.CompareNatural)
			run := files
			if !f.every {
				files = files[len(files)-1:] // the last is that in the folder of the run
			}
			if modified, is := d.holds(files[len(files)-1], f); is {
				some = append(some, &source{f, files, modified})
				for _, file := range run {
					taken[file] = true
				}
			}
		}
		slices.SortFunc(some, func(a, b *source) int {
			x, y := a.files[len(a.files)-1], b.files[len(b.files)-1]
			depth := func(name string) int { return strings.Count(filepath.ToSlash(name), "/") }
			return cmp.Or(cmp.Compare(depth(x), depth(y)), b.modified.Compare(a.modified), strings.Compare(x, y))
		})
		all = append(all, some[:min(len(some), maxSources)]...)
	}
	return all
}

// headSize is how much of a file tells its format.
const headSize = 64 << 10

func (d *folder) holds(name string, f format) (modified time.Time, yes bool) {
	if slices.Contains(f.never, framing.Extension(name)) {
		return modified, false
	}
	file, info, err := d.open(name)
	if err != nil {
		return modified, false
	}
	defer func() { _ = file.Close() }()
	in, err := inputOf(file, info.Size(), name, cmp.Or(f.head, headSize))
	return info.ModTime(), err == nil && f.is(in)
}

// inputOf is a file with so many of its first bytes, from which nothing is read yet. A packed one is unpacked.
func inputOf(file io.ReaderAt, size int64, name string, head int) (*input, error) {
	in := &input{name: filepath.ToSlash(name), file: file, size: size, text: io.NewSectionReader(file, 0, size)}
	packing, err := compressed.Detect(file)
	if isPacked := err == nil && packing.IsText(); isPacked {
		if in.text, err = compressed.NewReader(packing, in.text); err != nil {
			return nil, err
		}
		in.file, in.size = nil, 0
	}
	first := make([]byte, head)
	n, err := io.ReadFull(in.text, first)
	if fileio.IgnoreEnd(err) != nil {
		return nil, err
	}
	in.head, in.isCut = jsonscan.TrimByteOrderMark(first[:n]), err == nil
	in.text = io.MultiReader(bytes.NewReader(first[:n]), in.text)
	return in, nil
}

// read reads the files of a log, at most so many bytes: those at its end, or at its start if it is packed.
func (d *folder) read(s *source, limit int64) (*Found, error) {
	var log scalars.Log
	t := &table{log: &log}
	found := &Found{Format: s.name, Files: len(s.files), File: filepath.Join(d.path, s.files[len(s.files)-1])}
	var parts []*input // the newest first
	for i := len(s.files) - 1; i >= 0 && limit > 0; i-- {
		file, info, err := d.open(s.files[i])
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		in, err := inputOf(file, info.Size(), s.files[i], headSize)
		if err != nil {
			return nil, err
		}
		from := max(0, info.Size()-limit)
		if s.block > 0 {
			from = (from + s.block - 1) / s.block * s.block
		}
		if in.file == nil {
			in.text = io.LimitReader(in.text, limit)
		} else {
			in.text, in.cut = io.NewSectionReader(file, from, info.Size()-from), from > 0
		}
		parts = append(parts, in)
		if limit -= info.Size(); limit < 0 || limit == 0 && i > 0 {
			found.Notes = append(found.Notes, fmt.Sprintf("only the newest %d MB are read", MaxBytes>>20))
		}
	}
	for _, in := range slices.Backward(parts) {
		switch err := s.read(t, in); {
		case errors.Is(err, errDamaged):
			found.Notes = append(found.Notes, path.Base(in.name)+" "+err.Error())
		case err != nil:
			return nil, err
		}
	}
	t.decide()
	found.Notes = append(found.Notes, t.notes...)
	found.Scalars = log.Scalars()
	if len(found.Series) == 0 {
		return nil, ErrNone
	}
	if found.Dropped > 0 {
		found.Notes = append(found.Notes, fmt.Sprintf("%d more names are left out: at most %d are read", found.Dropped, scalars.MaxSeries))
	}
	if found.Cut {
		found.Notes = append(found.Notes, "the oldest points are left out: there are too many")
	}
	return found, nil
}

// IsState reports whether the scalars are of a trainer_state.json.
func (f *Found) IsState() bool { return f.Format == discover.StateName }

// maxAlone is how many logs of a folder are looked at before it is taken for one of samples.
const maxAlone = 16

// Alone reports whether a path has scalars and nothing that may be samples: it reads the beginnings of a few files.
func Alone(disk *fileio.Disk, name string) bool {
	info, err := disk.Stat(name)
	if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return false
	}
	d := &folder{storage: disk, path: name}
	var files []string
	if info.IsDir() {
		l, err := discover.List(disk, name, maxAlone+1)
		if err != nil || l.Truncated || len(l.Files) > maxAlone || len(l.Files)+len(l.States)+len(l.Averages)+len(l.Printed)+len(l.Metrics) == 0 {
			return false
		}
		files = l.Files
	} else {
		d.path, files = filepath.Dir(name), []string{filepath.Base(name)}
	}
	return !slices.ContainsFunc(files, func(file string) bool {
		return !slices.ContainsFunc(allFormats(), func(f format) bool {
			_, is := d.holds(file, f)
			return is
		})
	})
}
