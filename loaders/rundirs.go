package loaders

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"vantage/loaders/discover"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

// runDirs keeps the samples of different runs apart: rows in two directories are never in one group,
// even if step and prompt are equal. It is easy to open the directory above two runs, and validation
// uses prompts of training.
type runDirs struct {
	dirs          []runDir
	numbers       map[runDir]int32 // indexes in dirs
	fileDirs      []int32          // index in dirs, by file
	stepOwners    map[int64]int32  // index in dirs of the directory that had the first samples of a step
	firstUntil    int64            // steps up to this one belong to the first directory
	hasFirstUntil bool
	noted         map[int32]bool // directories whose steps were noted to be another's too
}

// runDir is a directory with the logs of one run.
type runDir struct {
	path       string
	validation bool
}

// trialResult is what Harbor writes into the folder of each trial of a job.
const trialResult = "result.json"

// runDirOf returns the directory of a file, with directories of steps, processes and trials as "*".
func runDirOf(name string) runDir {
	parts := strings.Split(filepath.ToSlash(dirOfName(name)), "/")
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "." || part == "all" || part == "effective" })
	for i, part := range parts {
		if discover.IsNumbered(part) {
			parts[i] = "*"
		}
	}
	if n := len(parts); n > 0 && filepath.Base(name) == trialResult {
		parts[n-1] = "*" // a folder per trial
	}
	return runDir{strings.Join(parts, "/"), discover.IsValidation(name)}
}

// addFile adds the next file. newest is the file with the newest step so far, nil if none has a step.
func (d *runDirs) addFile(name string, newest *file) {
	at := runDirOf(name)
	i, ok := d.numbers[at]
	if !ok {
		switch len(d.dirs) {
		case 0:
			d.numbers = map[runDir]int32{}
		case 1:
			if d.hasFirstUntil = newest != nil; d.hasFirstUntil {
				d.firstUntil = newest.newestStep
			}
		}
		i = int32(len(d.dirs))
		d.dirs, d.numbers[at] = append(d.dirs, at), i
	}
	d.fileDirs = append(d.fileDirs, i)
}

// several reports whether there is more than one run.
func (d *runDirs) several() bool { return len(d.dirs) > 1 }

// otherOwner returns the directory that had the first samples of a step, and whether that is another
// than the file's.
func (d *runDirs) otherOwner(file int32, step int64) (owner int32, other bool) {
	at := d.fileDirs[file]
	owner, ok := d.stepOwners[step]
	switch {
	case ok:
	case d.hasFirstUntil && step <= d.firstUntil:
		owner = 0
	default:
		if d.stepOwners == nil {
			d.stepOwners = map[int64]int32{}
		}
		d.stepOwners[step], owner = at, at
	}
	return owner, owner != at
}

// releaseSteps makes the directory of a file that is no longer read own no steps.
func (d *runDirs) releaseSteps(file int32) {
	for step, owner := range d.stepOwners {
		if owner == d.fileDirs[file] {
			delete(d.stepOwners, step)
		}
	}
}

// separate marks records of steps that another directory owns, so that they join none of its groups.
func (q *chunkQueue) separate(records []model.Record) {
	d := &q.runs
	for from := 0; from < len(records); {
		r := &records[from]
		to := from + 1
		for to < len(records) && records[to].Step == r.Step && records[to].File == r.File {
			to++
		}
		if owner, other := d.otherOwner(r.File, r.Step); other {
			at := d.fileDirs[r.File]
			q.noteSharedSteps(owner, at, r.Step)
			for i := from; i < to; i++ {
				d.dirs[at].mark(&records[i])
			}
		}
		from = to
	}
}

// separateBlock is separate for a block. It returns nil if nothing needs a mark, or else the marked
// records of the block.
func (q *chunkQueue) separateBlock(k *model.Block) []model.Record {
	for i, step := range k.Step {
		if i > 0 && step == k.Step[i-1] {
			continue
		}
		if _, other := q.runs.otherOwner(k.File, step); other {
			records := k.Records()
			q.separate(records)
			return records
		}
	}
	return nil
}

// mark makes prompt and group id of a record unique to the directory.
func (d runDir) mark(r *model.Record) {
	name := d.path
	if d.validation {
		name = strings.TrimPrefix(name+" validation", " ")
	}
	if r.Prompt != 0 {
		r.Prompt = max(1, r.Prompt^jsonscan.Hash64([]byte(name)))
	}
	if r.Group != "" {
		r.Group = name + ": " + r.Group
	}
}

// noteSharedSteps notes, once, that two directories hold the same step.
func (q *chunkQueue) noteSharedSteps(owner, at int32, step int64) {
	d := &q.runs
	one, two := d.dirs[owner], d.dirs[at]
	if d.noted[at] || one.validation != two.validation {
		return
	}
	if d.noted == nil {
		d.noted = map[int32]bool{}
	}
	d.noted[at] = true
	q.addNotes([]string{fmt.Sprintf("nothing, although two folders hold the same steps: %s and %s, both step %d. Their groups are kept apart, but the figures of such a step are of both: if these are two runs, open one of them, or `vantage compare` the two",
		one.name(), two.name(), step)})
}

func (d runDir) name() string {
	if d.path == "" {
		return "the folder itself"
	}
	return d.path
}
