// Package sweepmap is the map of what every pair of keep ratios does.
package sweepmap

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/report"
	"vantage/model/sweep"
	"vantage/model/trainer"
	"vantage/model/units"
	"vantage/tui/env"
	"vantage/tui/glossary"
	"vantage/tui/job"
	"vantage/tui/pane"
	"vantage/tui/view"
)

// View is the state of the map of what every pair of keep ratios does.
type View struct {
	Figure    int // 1 + index in sweep.Figures; 0: nobody chose one
	Pos, Neg  int // indexes of the ratios under the cursor
	Scope     env.Scope
	LastRange env.Scope // the range that was typed last; zero: none

	Goal     sweep.Goal // zero: UsualGoal
	Advice   sweep.Recommendation
	adviceOf adviceKey // what advice is of

	Job  job.Job[SweepKey, sweepPart]
	Grid *sweep.Grid // on the screen
}

// WhyNot says that some estimators have no such filter.
func (*View) WhyNot(e env.Env) string {
	if estimator, err := e.Settings.Now.FindEstimator(); err != nil || !estimator.CanFilter {
		return "only GRPO estimators have this filter: select one with e or E first"
	}
	return ""
}

// OnOpen puts the cursor on the ratios at work.
func (s *View) OnOpen(e env.Env) { *s = s.At(e.Settings.Now.KeepPos, e.Settings.Now.KeepNeg) }

// SavedAs is its name in the session.
func (*View) SavedAs() string { return "sweep" }

// Explains returns the figure that is on the map, then those of the cell and of the advice.
func (s *View) Explains(e env.Env) glossary.List {
	all := sweep.Figures()
	shown, _ := s.shownFigure(e)
	l := glossary.List{}.At(figures.Sweep, all[shown].Label, "★", "☆", "keep_pos_ratio")
	for _, f := range all {
		l = l.At(figures.Sweep, f.Label)
	}
	return l.At(figures.Sweep, "+ : −")
}

// HelpNotes explains the goal, which the title names.
func (s *View) HelpNotes(env.Env) []view.Note {
	goal := s.SweepGoal()
	return []view.Note{{Label: goal.Name, Text: "goal: " + goal.Doc()}}
}

// Keys of the map.
func (*View) Keys() view.Section {
	return view.Section{Name: "sweep", Bindings: []view.Binding{
		{
			Keys: []string{"h", "left"}, Label: "h ←", Hint: "h j k l cell",
			Doc: "a lower keep_neg_ratio",
			Do:  view.By((*View).moveNeg, -1),
		},
		{Keys: []string{"l", "right"}, Label: "l →", Doc: "a higher keep_neg_ratio", Do: view.By((*View).moveNeg, 1)},
		{Keys: []string{"j", "down"}, Label: "j ↓", Doc: "a lower keep_pos_ratio", Do: view.By((*View).movePos, -1)},
		{Keys: []string{"k", "up"}, Label: "k ↑", Doc: "a higher keep_pos_ratio", Do: view.By((*View).movePos, 1)},
		{
			Keys: []string{"v"}, Label: "v", Hint: "v metric",
			Doc: "next metric that is not the same for all pairs: signal, kept, killed, short, train, effective, flips, Σ|A|, push, " +
				"mean of all, std of all",
			Do: view.By((*View).moveFigure, 1),
		},
		{Keys: []string{"V"}, Label: "V", Doc: "previous metric", Do: view.By((*View).moveFigure, -1)},
		{
			Keys: []string{"enter"}, Label: "⏎", Hint: "Enter apply",
			Doc: "set these ratios, and recompute off if they keep everything",
			Do:  view.Key((*View).apply),
		},
		{
			Keys: []string{"y"}, Label: "y", Hint: "y copy",
			Doc: "copy what to write into the trainer's configuration for this pair",
			Do:  view.Key((*View).copyPair),
		},
		{
			Keys: []string{"Y"}, Label: "Y",
			Doc: "copy something else: the table of groups, the screen, the settings as they are",
			Do:  view.Ask(view.OpenCopy{}),
		},
		{
			Keys: []string{"*"}, Label: "*", Hint: "* star",
			Doc: "to ★, which suits the goal best, and from there to the current setting; ☆ no pair beats, and it raises no warning",
			Do:  view.Key((*View).toStar),
		},
		{
			Keys: []string{">"}, Label: ">", Hint: "< > steps",
			Doc: "sweep more: the step, the groups that the filter shows, the last 10 steps, all; `:sweep 3 12` a range",
			Do:  view.By((*View).MoveScope, 1),
		},
		{Keys: []string{"<"}, Label: "<", Doc: "sweep fewer", Do: view.By((*View).MoveScope, -1)},
		{
			Keys: []string{"o"}, Label: "o", Hint: "o goal",
			Doc: "goal of the recommendation: signal, balance or cost; `:goal cost 0.9` keeps 90% of Σ|A|",
			Do:  view.Key((*View).nextGoal),
		},
		{Keys: []string{"esc", "S"}, Label: "Esc", Hint: "Esc back", Doc: "back without changes", Do: view.Ask(view.Escape{})},
	}}
}

// At returns the state with the cursor on the cell nearest to some ratios.
func (s View) At(keepPos, keepNeg float64) View {
	nearest := func(values []float64, x float64) int {
		best := 0
		for i, v := range values {
			if math.Abs(v-x) < math.Abs(values[best]-x) {
				best = i
			}
		}
		return best
	}
	r := sweep.DefaultRatios()
	s.Pos, s.Neg = nearest(r.Pos, keepPos), nearest(r.Neg, keepNeg)
	return s
}

func (s *View) movePos(e env.Env, by int) view.Want {
	s.Pos = alongMap(s.Pos, SweepStride(e), by)
	return nil
}

func (s *View) moveNeg(e env.Env, by int) view.Want {
	s.Neg = alongMap(s.Neg, SweepStride(e), by)
	return nil
}

// alongMap moves an index of a ratio by some cells of the map.
func alongMap(at, stride, by int) int {
	return pane.ClampIndex(at-at%stride+by*stride, len(sweep.DefaultRatios().Pos))
}

// OnMouse puts the cursor on a cell, sets its ratios, and moves along keep_pos.
func (s *View) OnMouse(e env.Env, m view.Mouse) (view.Want, bool) {
	switch n := len(sweep.DefaultRatios().Neg); {
	case m.On.Kind != pane.OnSweepCell:
		return nil, false
	case m.Click:
		s.Pos, s.Neg = m.On.N/n, m.On.N%n
		return nil, true
	case m.Twice:
		return s.apply(e), true
	}
	return s.movePos(e, -m.Wheel), true
}

// SweepCellNumber is the number of the cell at these indexes of keep_pos and keep_neg.
func SweepCellNumber(pos, neg int) int { return pos*len(sweep.DefaultRatios().Neg) + neg }

func (s *View) toStar(e env.Env) view.Want {
	best := s.Advice.Cell
	if best == nil {
		return nil
	}
	before := *s
	if *s = s.At(best.KeepPos, best.KeepNeg); s.Pos == before.Pos && s.Neg == before.Neg {
		return s.toSet(e)
	}
	return nil
}

func (s *View) toSet(e env.Env) view.Want {
	set := e.Settings.Now
	*s = s.At(set.KeepPos, set.KeepNeg)
	if pair := s.pair(e); pair.KeepPos != set.KeepPos || pair.KeepNeg != set.KeepNeg {
		return view.Say(fmt.Sprintf("the current setting, %g and %g, is not on the map: this is the nearest pair", set.KeepPos,
			set.KeepNeg))
	}
	return nil
}

// SweepStride returns 1 if there is room for a cell for every ratio, else 2: every other.
func SweepStride(e env.Env) int {
	n := len(sweep.DefaultRatios().Pos)
	if e.Display.W-2 >= sweepAxisWidth+n*sweepCellWidth && e.Display.H-4-2 >= n+sweepExtraLines+sweepTextLines {
		return 1
	}
	return 2
}

// SweepCursor returns the indexes of the cell under the cursor, rounded to one on the map.
func (s View) SweepCursor(e env.Env) (pos, neg int) {
	by := SweepStride(e)
	return s.Pos - s.Pos%by, s.Neg - s.Neg%by
}

// pair returns the settings at work with the ratios under the cursor.
func (s View) pair(e env.Env) model.Settings {
	r, set := sweep.DefaultRatios(), e.Settings.Now
	i, j := s.SweepCursor(e)
	set.KeepPos, set.KeepNeg = r.Pos[i], r.Neg[j]
	return set
}

func (s *View) apply(e env.Env) view.Want {
	set := s.pair(e)
	if set.Filtering() || !set.Recompute {
		return view.All{view.Back{}, view.Use{Settings: set}}
	}
	set.Recompute = false
	return view.All{view.Back{}, view.Use{Settings: set}, view.Say("recompute is off too: without a filter it changes nothing")}
}

func (s *View) copyPair(e env.Env) view.Want {
	if s.Grid == nil {
		return view.Say("nothing to copy yet")
	}
	_, lines := sweepConfig(s.pair(e))
	return view.CopyText{Name: "pair.txt", Text: strings.Join(lines, "\n") + "\n"}
}

// sweepConfig returns what to write into a trainer's configuration for a pair, and whose it is: that of
// the trainer at work, or of EasyR1-Brian if only that one can filter so.
func sweepConfig(set model.Settings) (title string, lines []string) {
	e, err := set.FindEstimator()
	d, ok := trainer.Find(set.Framework)
	if !ok || err != nil || set.Filtering() && !e.TrainerFilters {
		d = trainer.Dialects()[0]
	}
	return d.Title(), d.Emit(set)
}

// Exported returns the cells.
func (s *View) Exported(e env.Env) report.Table {
	t := report.Table{
		Title:   "keep ratios over " + s.scopeText(e),
		Columns: []string{"keep_pos_ratio", "keep_neg_ratio", "compute_new_adv", "samples", "groups"},
	}
	for _, f := range sweep.Figures() {
		t.Columns = append(t.Columns, f.Name)
	}
	if s.Grid == nil {
		return t
	}
	for _, c := range s.Grid.Cells(e.Settings.Now.Recompute) {
		row := []any{c.KeepPos, c.KeepNeg, c.Recompute, c.Samples, c.Groups}
		for _, f := range sweep.Figures() {
			row = append(row, f.Value(&c))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// SweepKey is all that a grid depends on.
type SweepKey struct {
	scope    env.Scope
	step     int64          // if it is of one step, or of the last up to one; 0 for the newest
	revision int            // of the step, or of the snapshot
	set      model.Settings // without ratios and recompute

	analysis *analysis.Analysis // of the step, if only groups that the filter shows are swept
	filter   string
}

// isOlder reports whether only rows came since a request.
func (q SweepKey) isOlder(wanted SweepKey) bool {
	q.revision, q.analysis = wanted.revision, wanted.analysis
	return q == wanted
}

// sweepPart is the grid after some more steps.
type sweepPart struct {
	grid        *sweep.Grid
	Done, total int // steps
}

// wanted returns the request of the map that belongs on the screen.
func (s View) wanted(e env.Env) SweepKey {
	q := SweepKey{scope: s.currentScope(e), set: e.Settings.Now, revision: e.Snap.Revision}
	q.set.KeepPos, q.set.KeepNeg, q.set.Recompute = 1, 1, false
	if q.scope.Kind == env.ScopeShown {
		q.analysis, q.filter = e.Result.Analysis, e.Settings.Filter
	}
	switch i := e.StepIndex(); {
	case q.scope.Kind == env.ScopeStep, q.scope.Kind == env.ScopeShown && !e.IsWide():
		q.step, q.revision = e.Snap.Steps[i].Number, e.Snap.Steps[i].Revision
	case q.scope.Kind == env.ScopeLast && !e.Place.Follow:
		q.step = e.Snap.Steps[i].Number
	}
	return q
}

// Work takes the grid, part by part, and requests it while its view is open. A grid stays on the screen until the next of
// the same with more rows has as many steps.
func (s *View) Work(e env.Env, open bool, c *job.Queue, msg tea.Msg) {
	s.compute(e, open, c, msg)
	if open {
		s.advise(e)
	}
}

func (s *View) compute(e env.Env, open bool, c *job.Queue, msg tea.Msg) {
	if s.Job.Take(c, msg) {
		if part := s.Job.Value; s.Grid == nil || s.Grid.Steps <= part.Done || !s.Job.Busy() {
			s.Grid = part.grid
		}
	}
	if !open || len(e.Snap.Steps) == 0 || e.Result.Analysis == nil {
		if s.Job.Busy() || s.Job.Key.analysis != nil { // whose key would keep it in memory
			s.Job.Stop()
			s.Grid = nil
		}
		return
	}
	key, before := s.wanted(e), s.Job.Key
	if key.analysis != nil && !stepIsCurrent(e) || !s.Job.Lacks(key, SweepKey.isOlder) {
		return
	}
	if !before.isOlder(key) {
		s.Grid, s.Job.Err = nil, nil // it is of something else
	}
	steps, groups := e.ScopeSteps(key.scope), map[int][]int(nil)
	if key.analysis != nil {
		groups = shownGroups(e)
		steps = slices.SortedFunc(maps.Keys(groups), func(a, b int) int { return b - a })
	}
	s.Job.Start(c, key, computeSweep(key.set, e.Snap, steps, groups))
	s.Job.Value.Done, s.Job.Value.total = 0, len(steps)
}

// stepIsCurrent reports whether the rows on the screen are groups of the steps to sweep, in
// their present revision.
func stepIsCurrent(e env.Env) bool {
	for _, part := range e.Result.Analysis.Parts() {
		if _, ok := e.AnalyzedStep(part.Step); !ok {
			return false
		}
	}
	return e.Result.Analysis.Step == e.Snap.Steps[e.StepIndex()].Number
}

// computeSweep sweeps the ratios over some steps of a snapshot, the newest first, and of these over some groups by the index of
// the step; nil: all.
func computeSweep(set model.Settings, snap model.Snapshot, steps []int, groups map[int][]int) job.Work[sweepPart] {
	return func(ctx context.Context) (sweepPart, job.Work[sweepPart], error) {
		grid, err := sweep.New(set, sweep.DefaultRatios())
		switch {
		case err != nil:
		case groups != nil && len(groups) == 0:
			err = errors.New("the filter shows no groups: < > change the steps")
		case len(steps) == 0:
			err = errors.New("no complete step to sweep: < > change the steps")
		}
		if err != nil {
			return sweepPart{}, nil, err
		}
		return addSteps(grid, snap, steps, groups, len(steps))(ctx)
	}
}

// sweepPartSamples is the least number of samples of a part, so that the map appears early.
const sweepPartSamples = 1 << 18

func addSteps(grid *sweep.Grid, snap model.Snapshot, steps []int, groups map[int][]int, total int) job.Work[sweepPart] {
	return func(ctx context.Context) (sweepPart, job.Work[sweepPart], error) {
		n, next, err := 0, grid, error(nil)
		for samples := 0; samples < sweepPartSamples && n < len(steps) && err == nil; n++ {
			samples += len(snap.Steps[steps[n]].Rewards)
			if groups != nil {
				next, err = next.WithSteps(ctx, snap, steps[n:n+1], groups[steps[n]])
			}
		}
		if groups == nil {
			next, err = grid.WithSteps(ctx, snap, steps[:n], nil)
		}
		part := sweepPart{grid: next, Done: total - len(steps) + n, total: total}
		if n == len(steps) {
			return part, nil, err
		}
		return part, addSteps(next, snap, steps[n:], groups, total), err
	}
}

// adviceKey is all that the recommendation of a map depends on.
type adviceKey struct {
	grid      *sweep.Grid
	stride    int // only every so many ratios are on the map
	goal      sweep.Goal
	recompute bool
}

// advise finds what suits the goal best on the map that is on the screen. Only what is on the map is advised, because Enter sets what is
// under the cursor.
func (s *View) advise(e env.Env) {
	key := adviceKey{s.Grid, SweepStride(e), s.SweepGoal(), e.Settings.Now.Recompute}
	if key == s.adviceOf {
		return
	}
	s.adviceOf, s.Advice = key, sweep.Recommendation{}
	if key.grid == nil {
		return
	}
	s.Advice = key.grid.Every(key.stride).Recommend(key.goal, key.recompute)
}

// SweepGoal returns the goal of the recommendation.
func (s View) SweepGoal() sweep.Goal {
	if s.Goal == (sweep.Goal{}) {
		return sweep.UsualGoal()
	}
	return s.Goal
}

func (s *View) nextGoal(env.Env) view.Want {
	names := sweep.GoalNames()
	g := s.SweepGoal()
	g.Name = names[(slices.Index(names, g.Name)+1)%len(names)]
	s.Goal = g
	return nil
}

// currentScope returns the scope at work: without a filter the groups shown are the steps on the screen.
func (s View) currentScope(e env.Env) env.Scope {
	if s.Scope.Kind == env.ScopeShown && !e.IsFiltered() {
		return e.Place.Scope.Scope
	}
	return s.Scope
}

// MoveScope sweeps more steps, or fewer.
func (s *View) MoveScope(e env.Env, by int) view.Want {
	all := []env.Scope{{Kind: env.ScopeStep}}
	if e.IsFiltered() {
		all = append(all, env.Scope{Kind: env.ScopeShown})
	}
	all = append(all, env.Scope{Kind: env.ScopeLast, Last: e.Place.Scope.LastSteps()})
	if s.LastRange != (env.Scope{}) {
		all = append(all, s.LastRange)
	}
	all = append(all, env.Scope{Kind: env.ScopeAll})
	kind := s.currentScope(e).Kind
	at := slices.IndexFunc(all, func(s env.Scope) bool { return s.Kind == kind })
	if to := at + by; to < 0 {
		return view.Say("one step is swept: > sweeps more")
	} else if to >= len(all) {
		return view.Say("all steps are swept: < sweeps fewer")
	}
	s.Scope = all[at+by]
	return nil
}

// scopeText describes the scope, and says if its samples are rollouts of several rows.
func (s View) scopeText(e env.Env) string {
	text := fmt.Sprintf("step %d", e.Place.Step)
	switch of := s.currentScope(e); of.Kind {
	case env.ScopeShown:
		text = fmt.Sprintf("%s groups of %s", e.ShownCount(), e.ScopeWords())
	case env.ScopeLast, env.ScopeRange:
		text = "no steps"
		if steps := e.ScopeSteps(of); len(steps) > 0 {
			text = fmt.Sprintf(
				"%s, %d to %d", units.Plural(len(steps), "steps"), e.Snap.Steps[steps[len(steps)-1]].Number,
				e.Snap.Steps[steps[0]].Number,
			)
		}
	case env.ScopeAll:
		text = "all " + units.Plural(len(e.ScopeSteps(of)), "steps")
	default:
	}
	if x := e.Result.Analysis; x != nil && x.CountsRollouts() {
		text += ", by rollout"
	}
	return text
}

// shownGroups returns the indexes, in each step, of the groups that the filter shows, ascending, by the
// index of the step.
func shownGroups(e env.Env) map[int][]int {
	groups := map[int][]int{}
	for _, g := range slices.Sorted(slices.Values(e.Result.Rows)) {
		of, index := e.Result.Analysis.PartOf(g)
		if i, found := e.Snap.Find(of.Step); found {
			groups[i] = append(groups[i], index)
		}
	}
	return groups
}

// ParseScope parses step, shown, all, last 10, 3 12 and 3-12.
func ParseScope(args []string) (env.Scope, error) {
	kinds := map[string]env.Scope{
		"step": {}, "shown": {Kind: env.ScopeShown}, "all": {Kind: env.ScopeAll},
		"last": {Kind: env.ScopeLast, Last: env.DefaultLastSteps},
	}
	words := strings.Fields(strings.ReplaceAll(strings.Join(args, " "), "-", " "))
	switch {
	case len(words) == 1:
		if s, ok := kinds[words[0]]; ok {
			return s, nil
		}
	case len(words) == 2 && words[0] == "last":
		if n, err := strconv.Atoi(words[1]); err == nil && n > 0 {
			return env.Scope{Kind: env.ScopeLast, Last: n}, nil
		}
	case len(words) == 2:
		from, err := strconv.ParseInt(words[0], 10, 64)
		to, also := strconv.ParseInt(words[1], 10, 64)
		if err == nil && also == nil && from <= to {
			return env.Scope{Kind: env.ScopeRange, From: from, To: to}, nil
		}
	}
	return env.Scope{}, fmt.Errorf("sweep takes step, shown, all, last 10, or the first and the last step of a range: sweep 3 12")
}
