package model

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// GroupRule is by what the samples of a step are grouped, and into how many rows those of one id, of
// one prompt, or of the step are divided. Equal rules group equal steps alike.
type GroupRule struct {
	By     GroupBy
	Size   int      // consecutive rows per group; 0 if the rows of an id or a prompt are one group, or by SizeOf
	SizeOf RunSizes // if not zero, Size of each run
	Proved bool     // the logged advantages prove it, so that the last group may be short
}

// MaxDividedRuns is for how many runs RunSizes has a size.
const MaxDividedRuns = 16

// RunSizes are rows per group by number of the run (see Snapshot.RunOf), 0 for runs that are not
// divided. Runs from MaxDividedRuns on are not.
type RunSizes [MaxDividedRuns]int32

// ProvedGroups are the groups with which an estimator gives the advantages in the log. The zero value
// says that nothing is proved, or that the log's own groups are right.
type ProvedGroups struct {
	By    GroupBy
	Sizes RunSizes
}

// IsZero reports whether nothing is proved beyond the log's own groups.
func (p ProvedGroups) IsZero() bool { return p == ProvedGroups{} }

// Divides reports whether the rows of an id, a prompt or a step may make several groups.
func (r GroupRule) Divides() bool { return r.Size > 0 || r.SizeOf != RunSizes{} }

// FullSize is how many consecutive rows are a group in a run, 0 if the run is not divided.
func (r GroupRule) FullSize(run int) int {
	switch {
	case r.Size > 0:
		return r.Size
	case run < len(r.SizeOf):
		return int(r.SizeOf[run])
	}
	return 0
}

// Division says how many consecutive rows are a group, and who decided it: "8 consecutive rows of a
// prompt are a group, as the logged advantages prove". It is empty if the rule divides nothing.
func (s Snapshot) Division(r GroupRule) string {
	if !r.Divides() {
		return ""
	}
	of := map[GroupBy]string{GroupByID: " of an id", GroupByPrompt: " of a prompt"}[r.By]
	size, why := fmt.Sprintf("%d consecutive rows%s are a group", r.Size, of), "as num_generations says"
	if r.Size == 0 {
		size = s.runSizes(r, of)
	}
	if r.Proved {
		why = "as the logged advantages prove"
	}
	return size + ", " + why
}

// runSizes says how many consecutive rows are a group in each run that is divided.
func (s Snapshot) runSizes(r GroupRule, of string) string {
	if size, ok := s.oneSize(r); ok {
		return fmt.Sprintf("%d consecutive rows%s are a group", size, of)
	}
	var sizes []string
	for run := range min(s.RunCount(), MaxDividedRuns) {
		if n := r.FullSize(run); n > 0 {
			sizes = append(sizes, fmt.Sprintf("%d in %s", n, s.RunName(run)))
		}
	}
	return fmt.Sprintf("consecutive rows%s are a group, %s", of, strings.Join(sizes, ", "))
}

// Flags returns the command line's options that name the rule, "" if they cannot: runs of several
// folders may have groups of several sizes.
func (s Snapshot) Flags(r GroupRule) string {
	if !r.Divides() {
		return "--group-by " + string(r.By)
	}
	size, ok := s.oneSize(r)
	if !ok {
		return ""
	}
	return fmt.Sprintf("--group-by %s --num-generations %d", r.By, size)
}

// oneSize is how many rows are a group in every run; ok is false if runs differ.
func (s Snapshot) oneSize(r GroupRule) (size int, ok bool) {
	for run := range s.RunCount() {
		if r.FullSize(run) != r.FullSize(0) {
			return 0, false
		}
	}
	return r.FullSize(0), true
}

// RunCount is the number of runs that were opened together, at least 1.
func (s Snapshot) RunCount() int {
	count := 1
	for _, run := range s.fileRuns {
		count = max(count, int(run)+1)
	}
	return count
}

// RunName is the folder of a run, "" if it has no file yet.
func (s Snapshot) RunName(run int) string {
	k := slices.Index(s.fileRuns, int32(run))
	if k < 0 || k >= len(s.Run.Files) {
		return ""
	}
	return path.Dir(filepath.ToSlash(s.Run.Files[k]))
}
