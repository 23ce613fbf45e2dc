package model

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"vantage/estimators"
	"vantage/model/units"
)

// GroupBy says how samples of a step are put into groups.
type GroupBy string

// The rules. Automatic takes the first of the others that the log supports.
const (
	GroupAutomatic  GroupBy = "auto"
	GroupByID       GroupBy = "id"       // an explicit group id, checked
	GroupByPrompt   GroupBy = "prompt"   // prompt and ground truth
	GroupByPosition GroupBy = "position" // consecutive blocks of num_generations
)

// Groupings are the rules.
func Groupings() []GroupBy {
	return []GroupBy{GroupAutomatic, GroupByID, GroupByPrompt, GroupByPosition}
}

// ErrUngrouped says that nothing in the log tells which samples belong together.
var ErrUngrouped = errors.New("the log has neither a group id nor a prompt under a known name: name its column with --group-by or --prompt, or give --num-generations N if each N rows share a prompt")

// Grouping is the rule that was chosen for a run, and why.
type Grouping struct {
	By       GroupBy
	Size     int    // rows per group, by position only
	Evidence string // one sentence for a person
	Doubt    string // what may be wrong with it, "" if nothing
}

// An id is believed if its groups are larger than this on average: a smaller
// one numbers rows, not groups.
const minGroupSize = 1.5

// At most one group in so many may hold two prompts before an id is disbelieved.
const minPurity = 100

// evidence is what the rows of a step say about the ways of grouping them.
type evidence struct {
	rows                int
	withID, idGroups    int
	mixedIDs            int // groups by id that hold more than one prompt
	withPrompt, prompts int
	hasReward              bool
	minReward, maxReward              float64 // of the finite rewards, if ranged
}

func (e *evidence) add(o evidence) {
	e.rows += o.rows
	e.withID += o.withID
	e.idGroups += o.idGroups
	e.mixedIDs += o.mixedIDs
	e.withPrompt += o.withPrompt
	e.prompts += o.prompts
}

// updateEvidence takes the evidence of a step anew if the step has changed.
func (c *stepColumns) updateEvidence() {
	if c.evidenceRevision == c.revision {
		return
	}
	c.evidenceRevision = c.revision
	e := evidence{rows: len(c.rewards)}
	prompts, ids := newDenseIndex(c.prompts), newDenseIndex(c.groups)
	for _, prompt := range c.prompts {
		if prompt != 0 {
			e.withPrompt++
			e.prompts = int(max(int32(e.prompts), prompts.of(prompt)+1))
		}
	}
	var first []uint32 // prompt of each id
	var mixed []bool
	for i, id := range c.groups {
		if id == 0 {
			continue
		}
		e.withID++
		prompt := numberAt(c.prompts, i)
		switch at := int(ids.of(id)); {
		case at == len(first):
			first, mixed = append(first, prompt), append(mixed, false)
		case first[at] != prompt && !mixed[at]:
			mixed[at] = true
			e.mixedIDs++
		}
	}
	e.idGroups = len(first)
	e.minReward, e.maxReward, e.hasReward = rewardRange(c.rewards)
	c.evidence = e
}

// Grouping decides how the rows of the run are grouped under the settings.
func (s Snapshot) Grouping(set Settings) (Grouping, error) {
	e := s.groupEvidence
	switch set.GroupBy {
	case GroupByID:
		if e.withID < e.rows {
			return Grouping{}, fmt.Errorf("cannot group by id: %d of %d rows have no group id", e.rows-e.withID, e.rows)
		}
		return s.byID(), nil
	case GroupByPrompt:
		if e.withPrompt < e.rows {
			return Grouping{}, fmt.Errorf("cannot group by prompt: %d of %d rows have no prompt", e.rows-e.withPrompt, e.rows)
		}
		return s.byPrompt(""), nil
	case GroupByPosition:
		return s.byPosition(set.NumGenerations)
	case GroupAutomatic, "":
	}
	return s.automatic(set.NumGenerations)
}

func (s Snapshot) automatic(size int) (Grouping, error) {
	e := s.groupEvidence
	why := ""
	if e.rows > 0 && e.withID == e.rows {
		switch {
		case float64(e.rows) < minGroupSize*float64(e.idGroups):
			why = "its id column numbers rows, not groups"
		case e.mixedIDs*minPurity > e.idGroups:
			why = fmt.Sprintf("its id column puts different prompts into one group (%d of %d)", e.mixedIDs, e.idGroups)
		default:
			return s.byID(), nil
		}
	}
	switch {
	case e.withPrompt == e.rows:
		return s.byPrompt(why), nil
	case !s.Run.Positional:
		return Grouping{}, fmt.Errorf("%d of %d rows have no prompt and %d no group id, and position does not tell in %s files: the trainer reorders their rows; name another column with --prompt or --group-by",
			e.rows-e.withPrompt, e.rows, e.rows-e.withID, s.Run.Format)
	}
	return s.byPosition(size)
}

func (s Snapshot) byID() Grouping {
	e := s.groupEvidence
	g := Grouping{By: GroupByID, Evidence: fmt.Sprintf("by the log's group id: %s, %.1f rows each", units.Plural(e.idGroups, "groups"), rowsPerGroup(e.rows, e.idGroups))}
	return s.pure(g, e.mixedIDs, e.idGroups)
}

// pure adds how many groups hold one prompt, where the log tells.
func (s Snapshot) pure(g Grouping, mixed, groups int) Grouping {
	if s.groupEvidence.withPrompt < s.groupEvidence.rows {
		return g
	}
	what := "one prompt and ground truth"
	if !s.Run.HasTruth {
		what = "one prompt"
	}
	if mixed == 0 {
		g.Evidence += ", each of " + what
		return g
	}
	g.Evidence += fmt.Sprintf(", %s of %s", units.Fraction(groups-mixed, groups), what)
	g.Doubt = fmt.Sprintf("%d of %d groups hold more than one prompt", mixed, groups)
	return g
}

func (s Snapshot) byPrompt(why string) Grouping {
	e := s.groupEvidence
	key := "prompt and ground truth"
	g := Grouping{By: GroupByPrompt}
	if !s.Run.HasTruth {
		key = "prompt"
		g.Doubt = "the log has no ground truth, so tasks that share a prompt are merged"
	}
	g.Evidence = fmt.Sprintf("by %s within a step: %s, %.1f rows each", key, units.Plural(e.prompts, "groups"), rowsPerGroup(e.rows, e.prompts))
	if why != "" {
		g.Evidence += "; " + why
	}
	return g
}

func (s Snapshot) byPosition(size int) (Grouping, error) {
	if !s.Run.Positional {
		return Grouping{}, fmt.Errorf("%s files cannot be grouped by position: the trainer reorders their rows", s.Run.Format)
	}
	if size < 1 {
		return Grouping{}, ErrUngrouped
	}
	g := Grouping{By: GroupByPosition, Size: size, Evidence: fmt.Sprintf("by position: %d consecutive rows a group", size)}
	mixed, blocks := s.mixedBlocks(size)
	return s.pure(g, mixed, blocks), nil
}

// mixedBlocks counts the blocks of so many rows, and those that hold more than one prompt.
func (s Snapshot) mixedBlocks(size int) (mixed, blocks int) {
	for _, step := range s.Steps {
		for block := range slices.Chunk(step.prompts, size) {
			blocks++
			if slices.ContainsFunc(block, func(prompt uint32) bool { return prompt != block[0] }) {
				mixed++
			}
		}
	}
	return mixed, blocks
}

func rowsPerGroup(rows, groups int) float64 { return float64(rows) / float64(max(1, groups)) }

// Layout puts the rows of a step into group order: order lists row indices,
// group after group, batch order within; group g is order[offsets[g]:offsets[g+1]].
// open is true while rows of the step are still missing.
func (g Grouping) Layout(step Step, open bool) (order []int32, offsets []int, err error) {
	n := len(step.Rewards)
	if g.By == GroupByPosition {
		return positionLayout(n, g.Size, open)
	}
	keys := step.prompts
	if g.By == GroupByID {
		keys = step.groups
	}
	var sizes []int
	member := make([]int32, n)
	place := newDenseIndex(keys)
	for i, key := range keys {
		at := place.of(key)
		if int(at) == len(sizes) {
			sizes = append(sizes, 0)
		}
		member[i] = at
		sizes[at]++
	}
	offsets = make([]int, len(sizes)+1)
	for i, size := range sizes {
		offsets[i+1] = offsets[i] + size
	}
	next := append([]int(nil), offsets...)
	order = make([]int32, n)
	for i, at := range member {
		order[next[at]] = int32(i)
		next[at]++
	}
	return order, offsets, nil
}

// positionLayout is twinkle's interface: consecutive blocks. While a step grows its
// last block may be incomplete; later that is the trainer's error.
func positionLayout(n, size int, open bool) (order []int32, offsets []int, err error) {
	whole := n
	if open && size > 0 {
		whole = n - n%size
	}
	offsets, err = estimators.EqualGroups(whole, size)
	if err != nil {
		return nil, nil, fmt.Errorf("%d rows are not a multiple of --num-generations %d: %w", n, size, err)
	}
	if whole < n {
		offsets = append(offsets, n)
	}
	order = make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	return order, offsets, nil
}

// GroupName names the group that row i of the step is in: the log's own id, a
// hash that is the same in every step, or the position.
func (s Snapshot) GroupName(g Grouping, step Step, row, index int) string {
	switch g.By {
	case GroupByID:
		return s.groupIDs.at(int(step.groups[row]) - 1)
	case GroupByPrompt:
		return s.PromptName(step, row)
	case GroupByPosition, GroupAutomatic:
	}
	return strconv.Itoa(index)
}

// numberAt is the number in a row of a column that is nil where all are 0.
func numberAt(column []uint32, row int) uint32 {
	if column == nil {
		return 0
	}
	return column[row]
}
