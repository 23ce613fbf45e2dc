package model

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

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
var ErrUngrouped = errors.New("the log has neither a group id nor a prompt under a known name: name its column with --group-by " +
	"or --prompt, or give --num-generations N if each N rows share a prompt")

// Grouping is the rule chosen for a run, and why.
type Grouping struct {
	GroupRule
	Evidence string // why, in one sentence
	Doubt    string // what may be wrong, "" if nothing
	Visits   string // the part of Doubt about ids or prompts that come again in a log without steps, to follow "groups"
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
	unfoldingIDs            int // ids besides whose prompts unfold, as those of turns do: see idPrompts
	rowsWithPrompt, prompts int

	idVisits, promptVisits visits // of logs without steps, and of those whose id may be an index
}

func (e *groupingEvidence) add(o groupingEvidence) {
	e.rows += o.rows
	e.laterOutputs += o.laterOutputs
	e.rowsWithID += o.rowsWithID
	e.ids += o.ids
	e.mixedIDs += o.mixedIDs
	e.unfoldingIDs += o.unfoldingIDs
	e.rowsWithPrompt += o.rowsWithPrompt
	e.prompts += o.prompts
	e.idVisits.add(o.idVisits)
	e.promptVisits.add(o.promptVisits)
}

// updateEvidence recomputes the evidence and the reward levels of the steps that have changed, nil aside.
func (s *Store) updateEvidence(steps []*stepColumns) {
	changed := slices.DeleteFunc(slices.Clone(steps), func(c *stepColumns) bool { return c == nil || c.evidenceRevision == c.Revision })
	InParallel(context.Background(), runtime.GOMAXPROCS(0), len(changed), func(i int) { changed[i].updateEvidence(&s.run, s.fileRuns) })
}

func (c *stepColumns) updateEvidence(run *Run, fileRuns []int32) {
	c.evidenceRevision = c.Revision
	c.rewardLevels = levelsOfRuns(c.Rewards, c.fileSpans, fileRuns)
	c.verdicts = verdictsOf(c.Components, len(c.Rewards))
	e := groupingEvidence{rows: len(c.Rewards)}
	promptStarts, groupStarts := startsOf(c.prompts), startsOf(c.groups)
	c.promptStarts, c.groupStarts = ifFew(promptStarts, len(c.Rewards)), ifFew(groupStarts, len(c.Rewards))
	if promptStarts != nil {
		e.rowsWithPrompt, e.prompts = countAscending(c.prompts, promptStarts)
	} else {
		prompts := newDenseIndex(c.prompts)
		for _, prompt := range c.prompts {
			if prompt != 0 {
				e.rowsWithPrompt++
				e.prompts = int(max(int32(e.prompts), prompts.indexOf(prompt)+1))
			}
		}
	}
	c.lastOutputs = make([]int32, len(c.FirstOutputs))
	for i, first := range c.FirstOutputs {
		e.laterOutputs += Count01(int(first) != i)
		c.lastOutputs[first] = int32(i)
	}
	if groupStarts != nil && c.prompts == nil {
		e.rowsWithID, e.ids = countAscending(c.groups, groupStarts)
	} else {
		c.countIDs(&e)
	}
	if run.Positional && (run.Stepless || run.GroupIsIndex) {
		order := c.fileOrder()
		e.idVisits, e.promptVisits = visitsOf(c.groups, order), visitsOf(c.prompts, order)
	}
	c.evidence = e
}

// ifFew returns where groups begin, nil if they are so small that this takes much of the memory of their rows.
func ifFew(starts []int, rows int) []int {
	if len(starts) > rows/4+2 {
		return nil
	}
	return starts
}

// countAscending returns how many rows have a key other than 0, and how many such keys there are, of keys that begin at starts.
func countAscending(keys []uint32, starts []int) (rows, distinct int) {
	if keys[0] == 0 {
		return len(keys) - starts[1], len(starts) - 2
	}
	return len(keys), len(starts) - 1
}

// countIDs counts the ids of groups, and those that have several prompts.
func (c *stepColumns) countIDs(e *groupingEvidence) {
	ids := newDenseIndex(c.groups)
	var firstPrompt []uint32 // by id
	var mixed []bool         // by id: it has several prompts
	for i, id := range c.groups {
		e.rowsWithID += Count01(id != 0)
		asBefore := i > 0 && id == c.groups[i-1] && (c.prompts == nil || c.prompts[i] == c.prompts[i-1])
		if id == 0 || asBefore { // as most rows
			continue
		}
		prompt := numberAt(c.prompts, i)
		if c.FirstOutputs != nil {
			prompt = 0 // agents change the prompts of their later outputs, which may come first
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
	if e.mixedIDs > 0 && e.rowsWithID == e.rows {
		e.unfoldingIDs = c.unfolding(e.ids)
		e.mixedIDs -= e.unfoldingIDs
	}
}

// maxTurns is how many rows for each that begins an answer are taken for its turns, if only two or three of a group begin alike.
const maxTurns = 8

// idPrompts is what the prompts of a group id tell. The beginning is its prompt with most rows of the step.
type idPrompts struct {
	rows, begin, beginRows int // begin is an index of the prompt
	shared                 int // rows whose prompt is another one, and one of other ids too
	others                 int // prompts besides
}

// unfold reports whether several prompts are those of turns of answers to one task, a row each: all answers begin with one prompt, and
// those after it are of few rows, and mostly of no other id.
func (p *idPrompts) unfold() bool {
	after := p.rows - p.beginRows
	beginAlike := p.beginRows >= 4 || p.beginRows >= 2 && p.rows <= maxTurns*p.beginRows
	return beginAlike && 2*p.shared < after && 2*(after-p.shared) <= p.beginRows*p.others
}

// unfolding counts the ids whose prompts unfold. All rows have an id.
func (c *stepColumns) unfolding(ids int) (count int) {
	type prompt struct {
		rows, first int  // first is the id that had it first
		isShared    bool // another has it too
	}
	idIndex, promptIndex := newDenseIndex(c.groups), newDenseIndex(c.prompts)
	prompts, byID := []prompt(nil), slices.Repeat([]idPrompts{{begin: -1}}, ids)
	idOf, promptOf := make([]int, len(c.groups)), make([]int, len(c.groups))
	for i, id := range c.groups {
		k, p := int(idIndex.indexOf(id)), int(promptIndex.indexOf(c.prompts[i]))
		if p == len(prompts) {
			prompts = append(prompts, prompt{first: k})
		}
		prompts[p].isShared = prompts[p].isShared || prompts[p].first != k
		prompts[p].rows++
		byID[k].rows++
		idOf[i], promptOf[i] = k, p
	}
	for i, k := range idOf {
		if begin := &byID[k].begin; *begin < 0 || prompts[promptOf[i]].rows > prompts[*begin].rows {
			*begin = promptOf[i]
		}
	}
	for i, k := range idOf {
		isBegin := promptOf[i] == byID[k].begin
		byID[k].beginRows += Count01(isBegin)
		byID[k].shared += Count01(!isBegin && prompts[promptOf[i]].isShared)
	}
	for p := range prompts {
		k := prompts[p].first
		byID[k].others += Count01(p != byID[k].begin && !prompts[p].isShared)
	}
	for k := range byID {
		count += Count01(byID[k].unfold())
	}
	return count
}

// Grouping decides how the rows of the run are grouped under the settings.
func (s Snapshot) Grouping(set Settings) (Grouping, error) {
	rule, err := s.groupRule(set)
	if err != nil {
		return Grouping{}, err
	}
	switch rule.By {
	case GroupByID:
		e := s.groupEvidence
		size := fmt.Sprintf("%.1f rows", rowsPerGroup(e.rows, e.ids))
		if e.laterOutputs > 0 {
			size += fmt.Sprintf(" of %.1f rollouts", rowsPerGroup(e.rows-e.laterOutputs, e.ids))
		}
		g := Grouping{GroupRule: rule, Evidence: "by the log's group id" + s.sizeEvidence(rule, e.ids, "ids", size)}
		return s.withVisits(s.withUndivided(s.withPurity(g, e.mixedIDs, e.ids), set, e.ids)), nil
	case GroupByPrompt:
		return s.withVisits(s.byPrompt(rule, set)), nil
	case GroupByPosition, GroupAutomatic:
	}
	g := Grouping{GroupRule: rule, Evidence: "by position: " + s.Division(rule)}
	mixed, blocks := s.mixedBlocks(rule)
	return s.withPurity(g, mixed, blocks), nil
}

// groupRule returns the rule that the logged advantages prove, else that of the settings, else the
// first that the log supports.
func (s Snapshot) groupRule(set Settings) (GroupRule, error) {
	by := set.GroupBy
	if !set.Proved.IsZero() {
		by = set.Proved.By
	}
	e := s.groupEvidence
	switch {
	case by == GroupByID && e.rowsWithID < e.rows:
		return GroupRule{}, fmt.Errorf("cannot group by id: %d of %d rows have no group id", e.rows-e.rowsWithID, e.rows)
	case by == GroupByPrompt && e.rowsWithPrompt < e.rows:
		return GroupRule{}, fmt.Errorf("cannot group by prompt: %d of %d rows have no prompt", e.rows-e.rowsWithPrompt, e.rows)
	case by == GroupAutomatic || by == "":
		var err error
		if by, err = s.automatic(); err != nil {
			return GroupRule{}, err
		}
	}
	switch {
	case !set.Proved.IsZero():
		return GroupRule{By: by, SizeOf: set.Proved.Sizes, Proved: true}, nil
	case s.Run.Positional:
		if by == GroupByPosition && set.NumGenerations < 1 {
			return GroupRule{}, ErrUngrouped
		}
		if size := s.assumedSize(by); size > 0 && set.NumGenerations < 1 {
			return GroupRule{By: by, Size: size, Assumed: true}, nil
		}
		return GroupRule{By: by, Size: set.NumGenerations}, nil
	case by == GroupByPosition:
		return GroupRule{}, fmt.Errorf("%s files cannot be grouped by position: the trainer reorders their rows, and no logged "+
			"advantages prove that it did not", s.Run.Format)
	}
	return GroupRule{By: by}, nil
}

// OneSampleEach reports whether each group has one sample, or one rollout, under a rule.
func (s Snapshot) OneSampleEach(rule GroupRule) bool {
	e := s.groupEvidence
	switch rule.By {
	case GroupByID:
		return e.ids == e.rows-e.laterOutputs
	case GroupByPrompt:
		return e.prompts == e.rows-e.laterOutputs
	case GroupByPosition, GroupAutomatic:
	}
	return rule.Size == 1
}

// automatic is the first rule that the log supports.
func (s Snapshot) automatic() (GroupBy, error) {
	e := s.groupEvidence
	switch {
	case e.rows > 0 && e.rowsWithID == e.rows && s.whyNotByID() == "":
		return GroupByID, nil
	case e.rowsWithPrompt == e.rows:
		return GroupByPrompt, nil
	case !s.Run.Positional:
		return "", fmt.Errorf("%d of %d rows have no prompt and %d no group id, and position does not tell in %s files: the trainer "+
			"reorders their rows; name another column with --prompt or --group-by",
			e.rows-e.rowsWithPrompt, e.rows, e.rows-e.rowsWithID, s.Run.Format)
	}
	return GroupByPosition, nil
}

// whyNotByID says why the log's ids are not those of groups, "" if they may be or if rows lack one.
func (s Snapshot) whyNotByID() string {
	switch e := s.groupEvidence; {
	case e.rows == 0 || e.rowsWithID < e.rows:
	case float64(e.rows) < minGroupSize*float64(e.ids):
		return "its id column numbers rows, not groups"
	case s.Run.GroupIsIndex && s.Run.Positional && e.idVisits.isCycle && s.countsFromStart():
		return "its id column numbers the rows of each batch, not groups"
	case e.mixedIDs*minGroupsPerMixed > e.ids:
		return fmt.Sprintf("its id column puts different prompts into one group (%d of %d)", e.mixedIDs, e.ids)
	}
	return ""
}

// countsFromStart reports whether the first id of the log is 0 or 1.
func (s Snapshot) countsFromStart() bool {
	first := s.groupNames.at(0)
	return first == "0" || first == "1"
}

// sizeEvidence is what follows after "by id" or "by prompt": how many groups there are, or how the
// rows of each key are divided into groups.
func (s Snapshot) sizeEvidence(rule GroupRule, keys int, noun, size string) string {
	if division := s.Division(rule); division != "" {
		return fmt.Sprintf("; %s; %s, %s each", division, units.Plural(keys, noun), size)
	}
	return fmt.Sprintf(": %s, %s each", units.Plural(keys, "groups"), size)
}

// withUndivided adds to the doubt that groups hold more rows than num_generations says, where the order
// of rows does not tell which belong together.
func (s Snapshot) withUndivided(g Grouping, set Settings, groups int) Grouping {
	n := set.NumGenerations
	if n < 1 || g.Divides() || s.groupEvidence.rows-s.groupEvidence.laterOutputs <= n*groups {
		return g
	}
	doubt := fmt.Sprintf("groups hold more than the %d rows of num_generations, but the order of rows in %s files does not tell which "+
		"belong together", n, s.Run.Format)
	if g.Doubt != "" {
		doubt = g.Doubt + "; " + doubt
	}
	g.Doubt = doubt
	return g
}

// withPurity adds to the evidence how many groups have one prompt, if all rows have that of their group.
func (s Snapshot) withPurity(g Grouping, mixed, groups int) Grouping {
	if turns := s.groupEvidence.unfoldingIDs; g.By == GroupByID && turns > 0 {
		g.Evidence += fmt.Sprintf(", %s of them of several prompts as turns have them", units.Fraction(turns, groups))
		g.Doubt = "rows look like turns of answers, and each counts as a sample; a trainer that counts an answer once gives " +
			"other advantages"
		if mixed > 0 {
			g.Doubt += fmt.Sprintf("; %d of %d groups hold more than one prompt", mixed, groups)
		}
		return g
	}
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

// byPrompt is grouping by prompt. Its evidence says why the log's ids are not used, if it has any.
func (s Snapshot) byPrompt(rule GroupRule, set Settings) Grouping {
	key := "prompt and ground truth"
	g := Grouping{GroupRule: rule}
	if !s.Run.HasTruth {
		key = "prompt"
		if !rule.Divides() {
			g.Doubt = "the log has no ground truth, so tasks that share a prompt are merged"
		}
	}
	e := s.groupEvidence
	g.Evidence = fmt.Sprintf("by %s within a step", key) +
		s.sizeEvidence(rule, e.prompts, "prompts", fmt.Sprintf("%.1f rows", rowsPerGroup(e.rows, e.prompts)))
	if why := s.whyNotByID(); why != "" && set.GroupBy != GroupByPrompt {
		g.Evidence += "; " + why
	}
	return s.withUndivided(g, set, e.prompts)
}

// mixedBlocks counts the groups by position, and those with several prompts.
func (s Snapshot) mixedBlocks(rule GroupRule) (mixed, blocks int) {
	if s.groupEvidence.rowsWithPrompt < s.groupEvidence.rows {
		return 0, 0
	}
	for i, step := range s.Steps {
		order, offsets, err := s.Layout(rule, i)
		for g := range max(0, len(offsets)-1) {
			blocks++
			block := order[offsets[g]:offsets[g+1]]
			if err == nil && slices.ContainsFunc(block, func(row int32) bool { return step.prompts[row] != step.prompts[block[0]] }) {
				mixed++
			}
		}
	}
	return mixed, blocks
}

func rowsPerGroup(rows, groups int) float64 { return float64(rows) / float64(max(1, groups)) }

// GroupRule is by what the samples of a step are grouped, and into how many rows those of one id, of
// one prompt, or of the step are divided. Equal rules group equal steps alike.
type GroupRule struct {
	By     GroupBy
	Size   int      // consecutive rows per group; 0 if the rows of an id or a prompt are one group, or by SizeOf
	SizeOf RunSizes // if not zero, Size of each run
	Proved bool     // the logged advantages prove it, so that the last group may be short

	Assumed bool // Size is that of each run of rows of one key, in a log without steps
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
	why := "as num_generations requires"
	switch {
	case r.Proved:
		why = "as the logged advantages prove"
	case r.Assumed:
		why = "assumed because each visit of one has as many"
	}
	if size, ok := s.oneSize(r); ok {
		return fmt.Sprintf("%d consecutive rows%s are a group, %s", size, of, why)
	}
	var sizes []string
	for run := range min(s.RunCount(), MaxDividedRuns) {
		if n := r.FullSize(run); n > 0 {
			sizes = append(sizes, fmt.Sprintf("%d in %s", n, s.RunName(run)))
		}
	}
	return fmt.Sprintf("consecutive rows%s are a group, %s, %s", of, strings.Join(sizes, ", "), why)
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
