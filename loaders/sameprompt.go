package loaders

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vantage/loaders/decode"
	"vantage/loaders/discover"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

// runDirs tell the samples of one run from those of another that lies beside it: rows of
// two folders are never of one group, though they be of the same step and prompt. A folder
// above two runs is opened easily, and validation asks what training asks.
type runDirs struct {
	all             []runDir
	index           map[runDir]int32
	ofFile          []int32         // the site of each file
	stepOwner       map[int64]int32 // the site that had the first samples of a step
	lastStepOfFirst int64           // steps up to this one are the first site's, if there are any
	hasLastStep     bool
	noted           map[int32]bool
}

// runDir is where logs of one kind lie, whatever their steps.
type runDir struct {
	folder     string
	validation bool
}

// runDirOf is the site of a file.
func runDirOf(name string) runDir {
	parts := strings.Split(path.Dir(filepath.ToSlash(name)), "/")
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "." || part == "all" || part == "effective" })
	for i, part := range parts {
		if isNumbered(strings.ToLower(part)) {
			parts[i] = "*"
		}
	}
	return runDir{strings.Join(parts, "/"), discover.IsValidation(name)}
}

// isNumbered knows folders of which a run has many that may share a step: one for each step,
// where rows may be of the step before, or process. Plain numbers are runs of a sweep, or
// versions of the policy, which share none.
func isNumbered(part string) bool {
	if _, ok := decode.StepFromWord(part); ok {
		return true
	}
	for _, word := range []string{"rank", "worker", "node", "shard"} {
		if rest, ok := strings.CutPrefix(part, word); ok && decode.IsDigits(strings.TrimLeft(rest, "_-")) {
			return true
		}
	}
	return false
}

// add takes a file down; newest is the one before it that has the newest step, nil if none has.
func (p *runDirs) add(name string, newest *file) {
	at := runDirOf(name)
	i, ok := p.index[at]
	if !ok {
		switch len(p.all) {
		case 0:
			p.index = map[runDir]int32{}
		case 1:
			if p.hasLastStep = newest != nil; p.hasLastStep {
				p.lastStepOfFirst = newest.newestStep
			}
		}
		i = int32(len(p.all))
		p.all, p.index[at] = append(p.all, at), i
	}
	p.ofFile = append(p.ofFile, i)
}

// several reports whether there is more than one site.
func (p *runDirs) several() bool { return len(p.all) > 1 }

// isForeign reports whether another site than the file's had the first samples of the step.
func (p *runDirs) isForeign(file int32, step int64) (owner int32, yes bool) {
	at := p.ofFile[file]
	owner, ok := p.stepOwner[step]
	switch {
	case ok:
	case p.hasLastStep && step <= p.lastStepOfFirst:
		owner = 0
	default:
		if p.stepOwner == nil {
			p.stepOwner = map[int64]int32{}
		}
		p.stepOwner[step], owner = at, at
	}
	return owner, owner != at
}

// releaseSteps has a site own nothing any more, since its files are not read.
func (p *runDirs) releaseSteps(file int32) {
	for step, owner := range p.stepOwner {
		if owner == p.ofFile[file] {
			delete(p.stepOwner, step)
		}
	}
}

// separate sees to it that records of one file join no group of another site.
func (o *chunkQueue) separate(records []model.Record) {
	p := &o.runs
	for from := 0; from < len(records); {
		r := &records[from]
		to := from + 1
		for to < len(records) && records[to].Step == r.Step && records[to].File == r.File {
			to++
		}
		if owner, yes := p.isForeign(r.File, r.Step); yes {
			at := p.ofFile[r.File]
			o.noteSharedSteps(owner, at, r.Step)
			for i := from; i < to; i++ {
				p.all[at].prefix(&records[i])
			}
		}
		from = to
	}
}

// separateBlock is apart for columns, given back as records if they must be marked.
func (o *chunkQueue) separateBlock(k *model.Block) []model.Record {
	for i, step := range k.Step {
		if i > 0 && step == k.Step[i-1] {
			continue
		}
		if _, yes := o.runs.isForeign(k.File, step); yes {
			records := k.Records()
			o.separate(records)
			return records
		}
	}
	return nil
}

// prefix makes prompt and group id of a record those of the site.
func (at runDir) prefix(r *model.Record) {
	name := at.folder
	if at.validation {
		name = strings.TrimPrefix(name+" validation", " ")
	}
	if r.Prompt != 0 {
		r.Prompt = max(1, r.Prompt^jsonscan.Hash64([]byte(name)))
	}
	if r.Group != "" {
		r.Group = name + ": " + r.Group
	}
}

// noteSharedSteps says, once, that two folders hold the same step.
func (o *chunkQueue) noteSharedSteps(owner, at int32, step int64) {
	p := &o.runs
	one, two := p.all[owner], p.all[at]
	if p.noted[at] || one.validation != two.validation {
		return
	}
	if p.noted == nil {
		p.noted = map[int32]bool{}
	}
	p.noted[at] = true
	o.addNotes([]string{fmt.Sprintf("both read, though these two folders hold the same steps: %s and %s, both step %d. Their groups are kept apart, but the figures of such a step are of both: if these are two runs, open one of them, or `vantage compare` the two",
		one.name(), two.name(), step)})
}

func (at runDir) name() string {
	if at.folder == "" {
		return "the folder itself"
	}
	return at.folder
}
