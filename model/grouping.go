package model

import (
	"errors"
	"fmt"
	"slices"

	"vantage/model/units"
)

// GroupBy is a rule that puts the samples of a step into groups.
type GroupBy string

// The rules. Automatic is the first of the others that the log supports.
const (
	GroupAutomatic  GroupBy = "auto"
	GroupByID       GroupBy = "id"       // the log's group id
	GroupByPrompt   GroupBy = "prompt"   // prompt and ground truth
	GroupByPosition GroupBy = "position" // consecutive blocks of num_generations
)

// Groupings are the rules.
func Groupings() []GroupBy {
	return []GroupBy{GroupAutomatic, GroupByID, GroupByPrompt, GroupByPosition}
}

// ErrUngrouped says that the log has nothing to group samples by.
var ErrUngrouped = errors.New("the log has neither a group id nor a prompt under a known name: name its column with --group-by or --prompt, or give --num-generations N if each N rows share a prompt")

// Grouping is the rule chosen for a run, and why.
type Grouping struct {
	By       GroupBy
	Size     int    // rows per group, if by position
	Evidence string // why, in one sentence
	Doubt    string // what may be wrong, "" if nothing
}

// minGroupSize is the mean size of groups from which an id is taken for one of groups: with smaller
// groups it numbers rows.
const minGroupSize = 1.5

// minGroupsPerMixed is how many groups there must be for each that has several prompts, for an id to
// be taken for one of groups.
const minGroupsPerMixed = 100

// groupingEvidence are counts of a step, or of a run, that decide how its rows are grouped.
type groupingEvidence struct {
	rows                    int
	laterOutputs            int // rows that are not the first output of their rollout
	rowsWithID, ids         int
	mixedIDs                int // ids whose rows have several prompts
	rowsWithPrompt, prompts int
}

func (e *groupingEvidence) add(o groupingEvidence) {
	e.rows += o.rows
	e.laterOutputs += o.laterOutputs
	e.rowsWithID += o.rowsWithID
	e.ids += o.ids
	e.mixedIDs += o.mixedIDs
	e.rowsWithPrompt += o.rowsWithPrompt
	e.prompts += o.prompts
}

// updateEvidence recomputes the evidence and the reward levels of a step if the step has changed.
func (c *stepColumns) updateEvidence(fileRuns []int32) {
	if c.evidenceRevision == c.revision {
		return
	}
	c.evidenceRevision = c.revision
	c.rewardLevels = levelsOfRuns(c.rewards, c.fileSpans, fileRuns)
	e := groupingEvidence{rows: len(c.rewards)}
	prompts, ids := newDenseIndex(c.prompts), newDenseIndex(c.groups)
	for _, prompt := range c.prompts {
		if prompt != 0 {
			e.rowsWithPrompt++
			e.prompts = int(max(int32(e.prompts), prompts.indexOf(prompt)+1))
		}
	}
	var firstPrompt []uint32 // by id
	var mixed []bool         // by id: it has several prompts
	for i, id := range c.groups {
		if id == 0 {
			continue
		}
		e.rowsWithID++
		prompt := numberAt(c.prompts, i)
		if c.firstOutput != nil {
			prompt = 0 // agents change the prompts of their later outputs
			e.laterOutputs += one(int(c.firstOutput[i]) != i)
		}
		switch k := int(ids.indexOf(id)); {
		case k == len(firstPrompt):
			firstPrompt, mixed = append(firstPrompt, prompt), append(mixed, false)
		case firstPrompt[k] != prompt && !mixed[k]:
			mixed[k] = true
			e.mixedIDs++
		}
	}
	e.ids = len(firstPrompt)
	c.evidence = e
}

// Grouping decides how the rows of the run are grouped under the settings.
func (s Snapshot) Grouping(set Settings) (Grouping, error) {
	e := s.groupEvidence
	switch set.GroupBy {
	case GroupByID:
		if e.rowsWithID < e.rows {
			return Grouping{}, fmt.Errorf("cannot group by id: %d of %d rows have no group id", e.rows-e.rowsWithID, e.rows)
		}
		return s.byID(), nil
	case GroupByPrompt:
		if e.rowsWithPrompt < e.rows {
			return Grouping{}, fmt.Errorf("cannot group by prompt: %d of %d rows have no prompt", e.rows-e.rowsWithPrompt, e.rows)
		}
		return s.byPrompt(""), nil
	case GroupByPosition:
		return s.byPosition(set.NumGenerations)
	case GroupAutomatic, "":
	}
	return s.automatic(set.NumGenerations)
}

// automatic is the first rule that the log supports; size is the number of rows per group by position.
func (s Snapshot) automatic(size int) (Grouping, error) {
	e := s.groupEvidence
	notByID := ""
	if e.rows > 0 && e.rowsWithID == e.rows {
		switch {
		case float64(e.rows) < minGroupSize*float64(e.ids):
			notByID = "its id column numbers rows, not groups"
		case e.mixedIDs*minGroupsPerMixed > e.ids:
			notByID = fmt.Sprintf("its id column puts different prompts into one group (%d of %d)", e.mixedIDs, e.ids)
		default:
			return s.byID(), nil
		}
	}
	switch {
	case e.rowsWithPrompt == e.rows:
		return s.byPrompt(notByID), nil
	case !s.Run.Positional:
		return Grouping{}, fmt.Errorf("%d of %d rows have no prompt and %d no group id, and position does not tell in %s files: the trainer reorders their rows; name another column with --prompt or --group-by",
			e.rows-e.rowsWithPrompt, e.rows, e.rows-e.rowsWithID, s.Run.Format)
	}
	return s.byPosition(size)
}

func (s Snapshot) byID() Grouping {
	e := s.groupEvidence
	g := Grouping{By: GroupByID, Evidence: fmt.Sprintf("by the log's group id: %s, %s each", units.Plural(e.ids, "groups"), e.groupSize())}
	return s.withPurity(g, e.mixedIDs, e.ids)
}

// withPurity adds to the evidence how many groups have one prompt, if all rows have that of their group.
func (s Snapshot) withPurity(g Grouping, mixed, groups int) Grouping {
	if s.groupEvidence.rowsWithPrompt < s.groupEvidence.rows || s.groupEvidence.laterOutputs > 0 {
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

// byPrompt is grouping by prompt; notByID says why the log's ids are not used, "" if it has none.
func (s Snapshot) byPrompt(notByID string) Grouping {
	e := s.groupEvidence
	key := "prompt and ground truth"
	g := Grouping{By: GroupByPrompt}
	if !s.Run.HasTruth {
		key = "prompt"
		g.Doubt = "the log has no ground truth, so tasks that share a prompt are merged"
	}
	g.Evidence = fmt.Sprintf("by %s within a step: %s, %.1f rows each", key, units.Plural(e.prompts, "groups"), rowsPerGroup(e.rows, e.prompts))
	if notByID != "" {
		g.Evidence += "; " + notByID
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
	return s.withPurity(g, mixed, blocks), nil
}

// mixedBlocks counts the blocks of size rows, and those with several prompts.
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

// groupSize is how many rows, and rollouts if some have several rows, a group by id has on average.
func (e *groupingEvidence) groupSize() string {
	size := fmt.Sprintf("%.1f rows", rowsPerGroup(e.rows, e.ids))
	if e.laterOutputs == 0 {
		return size
	}
	return fmt.Sprintf("%s of %.1f rollouts", size, rowsPerGroup(e.rows-e.laterOutputs, e.ids))
}

func rowsPerGroup(rows, groups int) float64 { return float64(rows) / float64(max(1, groups)) }
