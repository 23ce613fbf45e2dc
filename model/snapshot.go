// Package model holds the samples of a run, and the settings and words of their analysis, which
// model/analysis computes. It does no I/O and knows no screen.
//
// In: chunks of records or blocks, from loaders. Out: an immutable Snapshot, with the samples of
// each step in input order, how they are grouped, and their rewards under the settings. Callers:
// loaders make chunks; tui and internal/commands own a Store; all packages below model read snapshots.
//
// A run is what was opened, a step is one training batch, a group is the samples of one prompt
// within a step, and a sample is one response with its reward. Rows of one group need not be
// adjacent in a log. A component is the reward of one of several reward functions.
package model

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
)

// Snapshot is everything read up to a moment. It never changes, since the store only appends beyond
// the lengths that it holds: any goroutine may read it while the store grows.
type Snapshot struct {
	Revision int
	Run      Run
	Steps    []Step // ascending by number
	Rows     int

	newestStep    int64 // number of the last step
	groupEvidence groupingEvidence
	rewardLevels  []rewardLevels // of the log's own reward, by run
	verdictColumn int            // the component that says of every row whether it is correct, from 1; 0 if none does
	fileRuns      []int32        // see Store
	wholeRun      []Step         // if Steps are only some; else nil
	previews      textList
	groupNames    textList            // of group id k at k-1
	promptHashes  chunkedList[uint64] // hash of prompt k at k-1
	inputOrder    []int32             // 0, 1, …: as many as a step has rows at most
	judged        []*Judged           // by off-policy rules
}

// Run is what is known of the log as a whole: see Chunk.
type Run struct {
	Files          []string
	Format         string
	Framework      string
	Provenance     string
	LengthUnit     LengthUnit
	HasTruth       bool
	Positional     bool
	Stepless       bool // of no row the step is told
	GroupIsIndex   bool
	SumsComponents bool     // all rewards are sums of components, since the log has no total, and the trainer is not known to add them up
	NamesRewards   bool     // the names of the components say that they are rewards
	ComponentNames []string // reward functions, in the order of Step.Components
	Config         string   // which settings a trainer's configuration gave; "" if none was read
	Notes          []string // say what was left out or counted once, and why
	Problems       []Problem
	Skipped        int
	Progress       Progress
	Attempts       RunAttempts
	Evaluation     *Evaluation // rows that are no training; nil if none was found
	EvaluatesOnly  bool        // every file with rows is of evaluations, by its path or its format

	RewardNames     []string
	RewardNamesFrom string
}

// Step is one training batch: its columns are in input order.
type Step struct {
	Number           int64
	Revision         int // changes when the step does
	Rewards          []float64
	LoggedAdvantages []float64 // NaN where the log has none; nil if it has none at all
	Lengths          []int32   // -1 where unknown
	Statuses         []Status  // as the trainer writes them; nil if it writes none: see Snapshot.Statuses

	Wholes []*Whole // what the log says of the groups of which it may hold a part, by row; nil if it holds all

	Components [][]float64 // by index of Run.ComponentNames; nil if one gave nothing in this step, NaN where it gave nothing

	// FirstOutputs are the rows of the first output of the same rollout: its own row for that, and for a
	// rollout of one row. Nil if all rollouts have one row.
	FirstOutputs []int32
	lastOutputs  []int32 // by the row of the first output
	Rollouts     int     // how many there are

	Prompts, GroupIDs, MixedIDs int // distinct prompts; ids of groups, and those of them whose rows have several prompts
	UnfoldingIDs                int // ids besides whose rows look like turns of answers: see idPrompts

	prompts, groups []uint32   // numbers of the prompt and of the group id, 0 if a row has none; nil if none has
	promptStarts    []int      // where each prompt begins, and the number of rows: nil unless their numbers never fall
	groupStarts     []int      // the same of group ids
	spanOffset      []uint32   // offset in the file less that of the span
	indexInLine     []int32    // nil if all are 0
	fileSpans       []fileSpan // where the rows come from, in order
}

// Snapshot returns what the store holds now.
func (s *Store) Snapshot() Snapshot {
	run := s.run
	run.Files, run.ComponentNames, run.Problems = slices.Clip(run.Files), slices.Clip(run.ComponentNames), slices.Clip(run.Problems)
	run.SumsComponents = run.SumsComponents && !s.hasTotal
	snap := Snapshot{
		Revision: s.revision, Run: run, fileRuns: slices.Clip(s.fileRuns),
		previews: s.previews, groupNames: s.groupNames, promptHashes: s.hashes, judged: s.judged,
	}
	var counts []leftOutCount
	if s.filter != nil {
		counts = make([]leftOutCount, len(s.filter.attempts.LeftOut))
	}
	verdicts := Mapped(run.ComponentNames, isVerdictName) // of the columns that say it by their name
	numbers, all := slices.Sorted(maps.Keys(s.steps)), make([]*stepColumns, 0, len(s.steps))
	for _, number := range numbers {
		cols := s.steps[number]
		if len(counts) > 0 {
			cols = s.filter.apply(number, cols, counts)
		}
		all = append(all, cols)
	}
	s.updateEvidence(all)
	snap.Steps = make([]Step, 0, len(numbers))
	for k, number := range numbers {
		cols := all[k]
		if cols == nil {
			continue
		}
		snap.groupEvidence.add(cols.evidence)
		snap.rewardLevels = addLevels(snap.rewardLevels, cols.rewardLevels)
		for k := range verdicts {
			verdicts[k] = verdicts[k] && k < len(cols.verdicts) && cols.verdicts[k]
		}
		snap.Rows += len(cols.Rewards)
		if n := len(cols.Rewards); n > len(s.inputOrder) {
			s.inputOrder = inputOrder(n + n/2)
		}
		snap.Steps = append(snap.Steps, cols.view(number))
		snap.newestStep = number
	}
	snap.inputOrder = s.inputOrder
	if snap.Rows > 0 {
		snap.verdictColumn = slices.Index(verdicts, true) + 1
	}
	if s.filter != nil {
		snap.Run.Attempts = s.filter.summary(counts)
	}
	snap.Run.Notes = slices.Concat(snap.Run.LeftOut(), s.run.Notes, s.leftOutNotes())
	return snap
}

func (c *stepColumns) view(number int64) Step {
	step, n := c.Step, len(c.Rewards)
	step.Number = number
	step.Rewards, step.LoggedAdvantages, step.Lengths = clip(c.Rewards, n), clip(c.LoggedAdvantages, n), clip(c.Lengths, n)
	step.Statuses, step.FirstOutputs, step.prompts, step.groups = clip(c.Statuses, n), clip(c.FirstOutputs, n), clip(c.prompts, n),
		clip(c.groups, n)
	step.spanOffset, step.indexInLine, step.fileSpans = clip(c.spanOffset, n), clip(c.indexInLine, n), slices.Clip(c.fileSpans)
	step.Wholes = clip(c.Wholes, n)
	e := &c.evidence
	step.Rollouts, step.Prompts, step.GroupIDs, step.MixedIDs, step.UnfoldingIDs = n-e.laterOutputs, e.prompts, e.ids, e.mixedIDs,
		e.unfoldingIDs
	step.Components = slices.Clone(c.Components)
	for k, component := range c.Components {
		step.Components[k] = clip(component, n)
	}
	return step
}

// Find returns the index of the step with the given number.
func (s Snapshot) Find(number int64) (int, bool) {
	return slices.BinarySearchFunc(s.Steps, number, func(st Step, n int64) int {
		return cmp.Compare(st.Number, n)
	})
}

// Open reports whether step i is still being written.
func (s Snapshot) Open(i int) bool {
	return s.Run.Progress.Open && s.Steps[i].Number == s.newestStep && !s.isFull()
}

// stepsOfOneSize is how many steps before the newest have its number of rows if that is taken for the trainer's batch.
const stepsOfOneSize = 3

// isFull reports whether the newest step has as many rows as each of those before it had: no more are waited for.
func (s Snapshot) isFull() bool {
	if s.wholeRun != nil {
		s.Steps = s.wholeRun
	}
	at, found := s.Find(s.newestStep)
	if !found || at < stepsOfOneSize {
		return false
	}
	rows := len(s.Steps[at].Rewards)
	return !slices.ContainsFunc(s.Steps[at-stepsOfOneSize:at], func(before Step) bool { return len(before.Rewards) != rows })
}

// CompleteSteps are the indexes of the steps without one that is still being written, unless that is the only one.
func (s Snapshot) CompleteSteps() []int {
	return slices.DeleteFunc(Indexes(len(s.Steps)), func(i int) bool { return s.Open(i) && len(s.Steps) > 1 })
}

// Only returns the snapshot with some of its steps, ascending. What is known of the run as a whole
// stays: which rewards are solved, how it is grouped, which step is open.
func (s Snapshot) Only(steps []Step) Snapshot {
	if s.wholeRun == nil {
		s.wholeRun = s.Steps
	}
	s.Steps, s.Rows = steps, 0
	for _, step := range steps {
		s.Rows += len(step.Rewards)
	}
	return s
}

// PromptNumber is the number of a row's prompt: prompts of a run are numbered from 1, 0 is none.
func (s *Step) PromptNumber(row int) uint32 { return numberAt(s.prompts, row) }

// PromptCount is the number of prompts of the run.
func (s Snapshot) PromptCount() int { return s.promptHashes.size }

// Prompt returns the prompt with a number from 1 to PromptCount.
func (s Snapshot) Prompt(number uint32) Prompt {
	return Prompt{Hash: s.promptHashes.at(int(number) - 1), Preview: s.previews.at(int(number) - 1)}
}

// Name is the name of a group by prompt, the hash of prompt and ground truth in hex: the same in every step and run.
func (p Prompt) Name() string {
	return hex.EncodeToString(binary.BigEndian.AppendUint64(nil, p.Hash))
}

// PromptName is the name of a row's prompt, "" if it has none.
func (s *Snapshot) PromptName(step *Step, row int) string {
	if k := step.PromptNumber(row); k != 0 {
		return Prompt{Hash: s.promptHashes.at(int(k) - 1)}.Name()
	}
	return ""
}

// Preview returns the beginning of a row's prompt, as logged, "" if it has none.
func (s *Snapshot) Preview(step *Step, row int) string {
	if k := step.PromptNumber(row); k != 0 {
		return s.previews.at(int(k) - 1)
	}
	return ""
}
