package model

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Snapshot is everything read up to a moment. It never changes: the columns
// behind it only grow past the lengths that it holds, so any goroutine may read
// it while the store goes on.
type Snapshot struct {
	Revision int
	Run      Run
	Steps    []Step // ascending by number
	Rows     int

	newest   int64 // number of the last step that was read
	evidence evidence
	lo, hi   float64 // least and greatest finite reward of the run
	previews list[string]
	ids      list[string] // name of explicit id k-1
	hashes   list[uint64] // hash of prompt k-1
}

// Run is what is known of the log as a whole.
type Run struct {
	Files      []string
	Format     string
	Provenance string
	LengthUnit LengthUnit
	HasTruth   bool
	Positional bool
	Components []string // names of the reward functions, in the order of Step.Components
	Config     string   // what was made of a trainer's configuration; "" if none was given
	Notes      []string // what was left out or counted once, and why
	Problems   []Problem
	Skipped    int
	Progress   Progress
}

// Step is one training batch, in input order.
type Step struct {
	Number   int64
	Revision int // changes whenever the step does
	Rewards  []float64
	Logged   []float64 // advantages as logged, NaN where not; nil if none is
	Lengths  []int32   // -1 where unknown

	Components [][]float64 // by index of Run.Components; nil where one gave nothing in this step, else NaN where it gave nothing

	prompt, group []uint32 // see stepColumns
	near          []uint32
	nth           []int32
	spans         []span
}

// Place returns where the text of a row stands.
func (s Step) Place(row int) Place {
	return place(s.spans, s.near, s.nth, row)
}

// Snapshot freezes the store as it is now.
func (s *Store) Snapshot() Snapshot {
	snap := Snapshot{
		Revision: s.revision,
		Run: Run{
			Files: slices.Clip(s.files), Format: s.format, Provenance: s.provenance, LengthUnit: s.unit,
			Components: slices.Clip(s.components), Notes: slices.Clip(s.notes),
			HasTruth: s.hasTruth, Positional: s.positional,
			Problems: slices.Clip(s.problems), Skipped: s.skipped, Progress: s.progress,
		},
		lo: math.Inf(1), hi: math.Inf(-1),
		previews: s.previews,
		ids:      s.ids.names,
		hashes:   s.prompts.names,
	}
	for _, number := range slices.Sorted(maps.Keys(s.steps)) {
		cols := s.steps[number]
		cols.weigh()
		snap.evidence.add(cols.evidence)
		if cols.evidence.ranged {
			snap.lo, snap.hi = min(snap.lo, cols.evidence.lo), max(snap.hi, cols.evidence.hi)
		}
		snap.Rows += len(cols.reward)
		snap.Steps = append(snap.Steps, cols.view(number))
		snap.newest = number
	}
	return snap
}

func (c *stepColumns) view(number int64) Step {
	n := len(c.reward)
	step := Step{
		Number: number, Revision: c.revision,
		Rewards: clip(c.reward, n), Logged: clip(c.logged, n), Lengths: clip(c.length, n),
		prompt: clip(c.prompt, n), group: clip(c.group, n),
		near: clip(c.near, n), nth: clip(c.nth, n), spans: slices.Clip(c.spans),
	}
	for _, component := range c.components {
		step.Components = append(step.Components, clip(component, n))
	}
	return step
}

// Find returns the index of the step with the given number.
func (s Snapshot) Find(number int64) (int, bool) {
	return slices.BinarySearchFunc(s.Steps, number, func(st Step, n int64) int {
		return int(min(1, max(-1, st.Number-n)))
	})
}

// Open reports whether step i is still being written.
func (s Snapshot) Open(i int) bool {
	return s.Run.Progress.Open && s.Steps[i].Number == s.newest
}

// String says in a line what the snapshot holds.
func (s Snapshot) String() string {
	return fmt.Sprintf("%s, %d steps, %d samples", s.Run.Format, len(s.Steps), s.Rows)
}

// Group names group index of a step and returns the beginning of its prompt, as
// logged; empty if there is no such group.
func (s Snapshot) Group(g Grouping, number int64, index int) (name, preview string) {
	i, ok := s.Find(number)
	if !ok {
		return "", ""
	}
	order, offsets, err := g.Layout(s.Steps[i], s.Open(i))
	if err != nil || index < 0 || index >= len(offsets)-1 {
		return "", ""
	}
	row := int(order[offsets[index]])
	return s.GroupName(g, s.Steps[i], row, index), s.Preview(s.Steps[i], row)
}

// Only returns the snapshot with some of its steps, ascending. What is known of the
// run as a whole, its best reward, how it is grouped and which step is open, stays.
func (s Snapshot) Only(steps []Step) Snapshot {
	s.Steps, s.Rows = steps, 0
	for _, step := range steps {
		s.Rows += len(step.Rewards)
	}
	return s
}
