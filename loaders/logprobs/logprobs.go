// Package logprobs reads the log-probs of tokens that trainers write next to samples, row by row.
//
// In: a file or a folder of JSON lines. Out: a [Sample] for each row that has log-probs of the engine that sampled, handed to the
// caller one at a time: nothing of it is kept. Package internal/commands calls it, and gives the rows to estimators/offpolicy.
//
// # A new shape
//
// A row of shapes, in shapes.go, the more particular before the others: the keys that only its lines have, and a function from a line
// to rows. Numbers that are not there are NaN, never 0.
package logprobs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"

	"vantage/estimators/offpolicy"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// Sample is one response with the log-probs of its tokens, from the first that trains to the last.
type Sample struct {
	offpolicy.Row

	File  string // relative to what was read
	Line  int64  // in the file, from 1
	Step  int
	ID    string // as the log has it, or empty
	Group string // as the log has it, or empty

	Writer string // the framework that alone writes such rows, or empty
}

// MaxFiles bounds how many files of a folder are read.
const MaxFiles = 100_000

// ErrNone is that nothing that was read has log-probs of the engine that sampled.
var ErrNone = errors.New("no log-probs of the engine that sampled are in it")

// Read visits the samples of a file or a folder that have log-probs, in the order of files and lines. The visit ends with its error.
func Read(disk *fileio.Disk, path string, visit func(Sample) error) error {
	files, dir, err := filesOf(disk, path)
	if err != nil {
		return err
	}
	r := &reader{disk: disk, dir: dir, visit: visit, exports: exportsOf(files)}
	for _, name := range files {
		switch err := r.readFile(name); {
		case r.refused != nil:
			return r.refused
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if r.samples == 0 {
		return ErrNone
	}
	return nil
}

func filesOf(disk *fileio.Disk, path string) (files []string, dir string, err error) {
	info, err := disk.Stat(path)
	if err != nil {
		return nil, "", err
	}
	if !info.IsDir() {
		return []string{filepath.Base(path)}, filepath.Dir(path), nil
	}
	listing, err := discover.List(disk, path, MaxFiles)
	if err != nil {
		return nil, "", err
	}
	for _, name := range listing.Files {
		if ext := filepath.Ext(name); ext == ".jsonl" || ext == ".json" {
			files = append(files, name)
		}
	}
	return files, path, nil
}

type reader struct {
	disk    *fileio.Disk
	dir     string
	visit   func(Sample) error
	samples int
	refused error // of the visit

	// exports are the folders of token exports by the step of their name, which have what traces lack.
	exports map[string][]string
	joined  exported
}

// readFile visits the samples of one file.
func (r *reader) readFile(name string) error {
	if isExport(name) && len(r.exports) > 0 {
		return nil // read next to its traces
	}
	return r.eachLine(name, func(line []byte, number int64) error {
		for _, s := range shapes() {
			if !s.fits(line) {
				continue
			}
			for _, sample := range s.rows(r, line, name) {
				sample.File, sample.Line = name, number
				r.samples++
				if r.refused = r.visit(sample.trimmed()); r.refused != nil {
					return r.refused
				}
			}
			return nil
		}
		return nil
	})
}

// eachLine hands over each line of a file that is an object.
func (r *reader) eachLine(name string, accept func(line []byte, number int64) error) (err error) {
	file, err := r.disk.Open(filepath.Join(r.dir, name))
	if err != nil {
		return err
	}
	defer file.Close()
	splitter := &framing.Splitter{Framing: framing.Detect("x.jsonl", nil), Limit: framing.MaxLine}
	each := func(record framing.Record) bool {
		if line := bytes.TrimSpace(record.Text); bytes.HasPrefix(line, []byte("{")) {
			err = accept(line, record.Number)
		}
		return err == nil
	}
	buf := make([]byte, 256<<10)
	for err == nil {
		n, readErr := file.Read(buf)
		splitter.Feed(buf[:n], each)
		if errors.Is(readErr, io.EOF) {
			splitter.Flush(each)
			return err
		}
		if err == nil {
			err = readErr
		}
	}
	return err
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

// stepOf is the number that ends the last folder or file whose name has one: "train_data_step4.jsonl", "step_7/rank_0.jsonl".
func stepOf(name string) (step int, found bool) {
	if m := stepName.FindAllStringSubmatch(filepath.ToSlash(name), -1); m != nil {
		step, err := strconv.Atoi(m[len(m)-1][1])
		return step, err == nil
	}
	return 0, false
}

var stepName = regexp.MustCompile(`step_?(\d{1,15})`)

// floats are the numbers of a list, NaN for what is not one; nil if v is no list. A list of one list is that list.
func floats(v jsonscan.Value) []float32 {
	if one, ok := v.Single(); ok && one.Elements() != nil {
		v = one
	}
	if v.Elements() == nil && v.Len() != 0 || v.Kind == jsonscan.Absent {
		return nil
	}
	out := []float32{}
	v.EachElement(func(e jsonscan.Value) {
		x, ok := e.ToFloat()
		if !ok {
			x = offpolicy.NoAdvantage()
		}
		out = append(out, float32(x))
	})
	return out
}

// mask are the truths of a list; nil if v is no list.
func mask(v jsonscan.Value) []bool {
	numbers := floats(v)
	if numbers == nil {
		return nil
	}
	out := make([]bool, len(numbers))
	for i, x := range numbers {
		out[i] = x > 0
	}
	return out
}
