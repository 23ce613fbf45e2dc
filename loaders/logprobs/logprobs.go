// Package logprobs reads the log-probs of tokens, and the versions of the policies that sampled them, that trainers write next to samples,
// row by row.
//
// In: a file or a folder of JSON lines, Parquet files, or what slime and miles save with torch.save. Out: a [Sample] for each row that has
// log-probs or versions, handed to the caller one at a time: nothing of it is kept. Package internal/commands calls it, and gives the rows
// to estimators/offpolicy.
//
// # A new shape
//
// Names of fields of rows are in one list, in names.go. A shape of its own is a row of shapes, in shapes.go, the more particular before the
// others: the keys that only its lines have, and a function from a line to rows. Numbers that are not there are NaN, never 0.
package logprobs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"vantage/estimators/offpolicy"
	"vantage/loaders/fileio"
	study "vantage/model/offpolicy"
)

// Sample is one response with the log-probs of its tokens, from the first that trains to the last.
type Sample struct {
	offpolicy.Row

	File  string // relative to what was read: the folder of the run, where only a part was named
	Line  int64  // in the file, from 1
	Step  int
	ID    string // as the log has it, or empty
	Group string // as the log has it, or empty

	Writer string // the framework that alone writes such rows, or empty

	Where Where
}

// Where is where the program finds the sample of a row: in what file, and there at which byte of a text, at which row of a table, or as
// which of the samples that a file of torch.save has, from 0. Of several samples in a line Index is which one.
type Where struct {
	Path   string // empty: nowhere
	At     int64
	Index  int32
	Number bool // At is the number of the sample
}

// OfStudy is the sample as a study of the whole log takes it.
func (s Sample) OfStudy() study.Sample {
	return study.Sample{Row: s.Row, File: s.File, Line: s.Line, Step: s.Step, ID: s.ID, Group: s.Group, Writer: s.Writer}
}

// Has reports whether a file or a folder has log-probs of sampler and trainer, by its first rows: no more of it is read.
func Has(disk *fileio.Disk, path string) bool {
	const files, rows = 3, 16
	isThere, seen := false, 0
	r := &reader{disk: disk, clocks: map[string]*clock{}, reduce: inOrder(func(s Sample) error {
		seen++
		if isThere = isThere || s.Even(); isThere || seen > rows {
			return errEnough
		}
		return nil
	})}
	found, err := r.find(path)
	if err != nil {
		return false
	}
	isWhole := func(d *dump) bool { return len(d.files) > 1 }
	if r.exports = exportsOf(found.files); len(r.exports) > 0 || slices.ContainsFunc(found.dumps, isWhole) {
		return true
	}
	r.brief = true
	for _, name := range found.files[:min(files, len(found.files))] {
		seen, r.refused = 0, nil
		_ = r.readFile(name)
	}
	return isThere
}

// errEnough ends a visit.
var errEnough = errors.New("enough was seen")

// MaxFiles bounds how many files of a folder are read.
const MaxFiles = 100_000

// ErrNone is that nothing that was read has log-probs of the engine that sampled.
var ErrNone = study.ErrNone

// Read visits the samples of a file or a folder that have log-probs or versions, in the order of files and lines. The visit ends with
// its error. A folder next to it that belongs to the same run is read, too: what was trained of what was sampled.
func Read(disk *fileio.Disk, path string, visit func(Sample) error) error {
	return Reduce(disk, path, inOrder(visit))
}

// inOrder is the reduction to the sample itself.
func inOrder(visit func(Sample) error) func(Sample) (take func(line int64) error) {
	return func(s Sample) func(int64) error {
		return func(line int64) error {
			s.Line = line
			return visit(s)
		}
	}
}

// Reduce is Read in two parts. Several goroutines call reduce, each with samples whose Line is not known yet; what it returns is called in
// the order of files and lines, with the line.
func Reduce(disk *fileio.Disk, path string, reduce func(Sample) (take func(line int64) error)) error {
	return ReduceRest(disk, path, nil, reduce, nil)
}

func (r *reader) readAll(path string) error {
	found, err := r.find(path)
	if err != nil {
		return err
	}
	r.exports = exportsOf(found.files)
	if err := r.begin(found); err != nil {
		return err
	}
	for _, name := range found.files {
		if err := r.named(name, r.readFile(name)); err != nil {
			return err
		}
	}
	for _, d := range found.dumps {
		if err := r.named(d.files[0], r.readDump(d)); err != nil {
			return err
		}
	}
	r.finish()
	switch {
	case r.samples > 0 || r.wasSeen:
		return nil
	case r.unread != nil:
		return r.unread
	}
	return ErrNone
}

// ReadRow reads one sample of a file or a folder again, with all tokens, which nobody keeps. The path of where is whole. The error is
// [ErrNone] if it is not there.
func ReadRow(disk *fileio.Disk, path string, where Where) (found Sample, err error) {
	isFound := false
	r := &reader{disk: disk, clocks: map[string]*clock{}, reduce: inOrder(func(s Sample) error {
		switch {
		case s.Where.At == where.At && s.Where.Index == where.Index:
			found, isFound = s, true
			return errEnough
		case !where.Number && s.Where.At > where.At:
			return errEnough
		}
		return nil
	})}
	all, err := r.find(path)
	if err != nil {
		return Sample{}, err
	}
	r.exports, r.brief = exportsOf(all.files), true
	folder, err := filepath.Abs(r.dir)
	if err != nil {
		return Sample{}, err
	}
	name, err := filepath.Rel(folder, where.Path)
	switch i := slices.IndexFunc(all.dumps, func(d *dump) bool { return slices.Contains(d.files, name) }); {
	case err != nil:
	case i >= 0:
		err = r.readDump(all.dumps[i])
	case filepath.Ext(name) == tableExtension:
		err = r.readTable(name)
	default:
		err = r.readLines(name, where.At)
	}
	switch {
	case isFound:
		return found, nil
	case err != nil && !errors.Is(err, errEnough):
		return Sample{}, fmt.Errorf("%s: %w", name, err)
	}
	return Sample{}, ErrNone
}

// named is an error of a file with its name, and one of the visit as it is.
func (r *reader) named(name string, err error) error {
	if err == nil || r.refused != nil {
		return r.refused
	}
	return fmt.Errorf("%s: %w", name, err)
}

type reader struct {
	disk    *fileio.Disk
	dir     string
	reduce  func(Sample) (take func(line int64) error)
	samples int
	refused error // of the visit
	brief   bool  // lines are handed on as they come, of the beginning of a file alone
	unread  error // of the first file that is damaged, or of another kind

	// exports are the folders of token exports by the step of their name, which have what traces lack.
	exports map[string][]string
	joined  exported

	clocks map[string]*clock // of slime and miles, by the folder of the run
	dated  dated             // the file that is read, and the step of its name

	seen    *Memory // nil: everything is read
	wasSeen bool    // it knows some files
	skipped func()
	now     extent // of the file that is read
	kept    []keptExtent
}

type dated struct {
	file  string
	step  int
	known bool
}

// emit hands a sample on.
func (r *reader) emit(s Sample) error { return r.accept(s.Line, r.reduce(s.trimmed())) }

// accept hands on what was made of a sample.
func (r *reader) accept(line int64, take func(line int64) error) error {
	r.samples++
	r.refused = take(line)
	return r.refused
}

// open opens a file, and says how large and how old it is.
func (r *reader) open(name string) (fileio.Handle, os.FileInfo, error) {
	file, err := r.disk.Open(r.path(name))
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// path is where a file is.
func (r *reader) path(name string) string { return filepath.Join(r.dir, name) }

// skip goes on without a file that cannot be read, as while it is written. If nothing else has samples, that is the error.
func (r *reader) skip(name string, err error) {
	if r.unread == nil {
		r.unread = fmt.Errorf("%s: %w", name, err)
	}
}

// readFile visits the samples of one file.
func (r *reader) readFile(name string) error {
	if isExport(name) && len(r.exports) > 0 {
		return nil // read next to its traces
	}
	if filepath.Ext(name) == tableExtension {
		return r.readTable(name)
	}
	return r.readLines(name, 0)
}

// trimmed cuts a row to what lies from the first token that trains to the last. A row without any, or whose numbers differ in
// length, stays.
func (s Sample) trimmed() Sample {
	if !s.Even() || s.Mask == nil {
		return s
	}
	from, to := len(s.Mask), 0
	for i, m := range s.Mask {
		if m {
			from, to = min(from, i), i+1
		}
	}
	if from > to {
		return s
	}
	s.Sampler, s.Trainer, s.Mask = s.Sampler[from:to], s.Trainer[from:to], s.Mask[from:to]
	if s.Policy != nil {
		s.Policy = s.Policy[from:to]
	}
	return s
}

// stepOf is the number that ends the last folder or file whose name has one: "train_data_step4.jsonl", "step_7/rank_0.jsonl". What
// is read may itself be the folder.
func (r *reader) stepOf(name string) (step int, found bool) {
	if name == r.dated.file {
		return r.dated.step, r.dated.known
	}
	if path, err := filepath.Abs(r.path(name)); err == nil {
		name = path
	}
	if m := stepName.FindAllStringSubmatch(filepath.ToSlash(name), -1); m != nil {
		step, err := strconv.Atoi(m[len(m)-1][1])
		return step, err == nil
	}
	return 0, false
}

var stepName = regexp.MustCompile(`step_?(\d{1,15})`)

// aged sets by how many versions a sample is older than the weights that its step trains, where it can be.
func (s *Sample) aged(lag, span int) {
	if s.VersionSpan = &span; span < 0 {
		lag, span = lag-span, -span // the last token is of the older policy
	}
	if lag < 0 {
		return // the versions count from elsewhere
	}
	first := s.Step - 1 - lag
	s.VersionLag, s.Versions = &lag, &offpolicy.Versions{First: first, Last: first + span}
}

// plausible reports whether a step or a version can be one, so that differences are exact.
func plausible(n int64) bool { return n > -1<<40 && n < 1<<40 }
