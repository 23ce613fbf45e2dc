package tui

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
	"vantage/model/report"
	"vantage/model/sweep"
	"vantage/model/trainer"
	"vantage/model/units"
	"vantage/tui/env"
	"vantage/tui/job"
	"vantage/tui/pane"
)

// sweepState is the state of the map of what every pair of keep ratios does.
type sweepState struct {
	figure    int // 1 + index in sweep.Figures; 0: nobody chose one
	pos, neg  int // indexes of the ratios under the cursor
	scope     env.Scope
	lastRange env.Scope // the range that was typed last; zero: none

	goal     sweep.Goal // zero: usualGoal
	advice   sweep.Recommendation
	adviceOf adviceKey // what advice is of

	job  job.Job[sweepKey, sweepPart]
	grid *sweep.Grid // on the screen
}

func sweepKeys() keySection {
	return keySection{"sweep", []binding{
		{[]string{"h", "left"}, "h ←", "h j k l cell", "a lower keep_neg_ratio", moveSweep(sweepNeg, -1)},
		{[]string{"l", "right"}, "l →", "", "a higher keep_neg_ratio", moveSweep(sweepNeg, 1)},
		{[]string{"j", "down"}, "j ↓", "", "a lower keep_pos_ratio", moveSweep(sweepPos, -1)},
		{[]string{"k", "up"}, "k ↑", "", "a higher keep_pos_ratio", moveSweep(sweepPos, 1)},
		{[]string{"v"}, "v", "v metric", "next metric that is not the same for all pairs: signal, kept, killed, short, trained, effective, flips, Σ|A|, push, mean of all, std of all", within(sweepOf, by((*sweepState).moveFigure, 1))},
		{[]string{"V"}, "V", "", "previous metric", within(sweepOf, by((*sweepState).moveFigure, -1))},
		{[]string{"enter"}, "⏎", "Enter apply", "set these ratios, and recompute off if they keep everything", within(sweepOf, (*sweepState).apply)},
		{[]string{"y"}, "y", "y copy", "copy what to write into the trainer's configuration for this pair", within(sweepOf, (*sweepState).copyPair)},
		{[]string{"Y"}, "Y", "", "copy something else: the table of groups, the screen, the settings as they are", App.openCopy},
		{[]string{"x"}, "x", "x star", "to ★, which suits the goal best; ☆ no pair beats, and it raises no warning", within(sweepOf, (*sweepState).toStar)},
		{[]string{"X"}, "X", "", "to the current setting", within(sweepOf, (*sweepState).toSet)},
		{[]string{"tab"}, "Tab", "Tab scope", "sweep the step, the groups that the filter shows, the last 10 steps, all; `:sweep 3 12` a range", within(sweepOf, (*sweepState).nextScope)},
		{[]string{"o"}, "o", "o goal", "goal of the recommendation: signal, balance or cost; `:goal cost 0.9` keeps 90% of Σ|A|", within(sweepOf, (*sweepState).nextGoal)},
		{[]string{"esc", "S"}, "Esc", "Esc back", "back without changes", App.escape},
	}}
}

// openSweep opens the map, the cursor on the present ratios.
func (a App) openSweep() App {
	if e, err := a.env.Settings.Now.FindEstimator(); err != nil || !e.CanFilter {
		return a.says("only GRPO estimators have this filter: select one with e or E first")
	}
	a.views.sweep = a.views.sweep.at(a.env.Settings.Now.KeepPos, a.env.Settings.Now.KeepNeg)
	return a.pushView(viewSweep)
}

// at returns the state with the cursor on the cell nearest to some ratios.
func (s sweepState) at(keepPos, keepNeg float64) sweepState {
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
	s.pos, s.neg = nearest(r.Pos, keepPos), nearest(r.Neg, keepNeg)
	return s
}

func sweepPos(s *sweepState) *int { return &s.pos }

func sweepNeg(s *sweepState) *int { return &s.neg }

// moveSweep returns the action that moves the cursor along one of the ratios by some cells of the map.
func moveSweep(ratio func(*sweepState) *int, by int) action {
	return func(a App) App {
		at, stride := ratio(&a.views.sweep), sweepStride(a.env)
		*at = pane.ClampIndex(*at-*at%stride+by*stride, len(sweep.DefaultRatios().Pos))
		return a
	}
}

func (s *sweepState) toStar(env.Env) action {
	before, best := *s, s.advice.Cell
	if best == nil {
		return nil
	}
	if *s = s.at(best.KeepPos, best.KeepNeg); s.pos == before.pos && s.neg == before.neg {
		return saying("this is ★, the best for the goal: X leads to the current setting")
	}
	return nil
}

func (s *sweepState) toSet(e env.Env) action {
	set := e.Settings.Now
	*s = s.at(set.KeepPos, set.KeepNeg)
	if pair := s.pair(e); pair.KeepPos != set.KeepPos || pair.KeepNeg != set.KeepNeg {
		return saying(fmt.Sprintf("the current setting, %g and %g, is not on the map: this is the nearest pair", set.KeepPos, set.KeepNeg))
	}
	return nil
}

// sweepStride returns 1 if there is room for a cell for every ratio, else 2: every other.
func sweepStride(e env.Env) int {
	n := len(sweep.DefaultRatios().Pos)
	if e.Display.W-2 >= sweepAxisWidth+n*sweepCellWidth && e.Display.H-4-2 >= n+sweepExtraLines+sweepTextLines {
		return 1
	}
	return 2
}

// sweepCursor returns the indexes of the cell under the cursor, rounded to one on the map.
func (s sweepState) sweepCursor(e env.Env) (pos, neg int) {
	by := sweepStride(e)
	return s.pos - s.pos%by, s.neg - s.neg%by
}

// pair returns the settings at work with the ratios under the cursor.
func (s sweepState) pair(e env.Env) model.Settings {
	r, set := sweep.DefaultRatios(), e.Settings.Now
	i, j := s.sweepCursor(e)
	set.KeepPos, set.KeepNeg = r.Pos[i], r.Neg[j]
	return set
}

func (s *sweepState) apply(e env.Env) action {
	set := s.pair(e)
	if set.Filtering() || !set.Recompute {
		return func(a App) App { return a.goBack().trySettings(set) }
	}
	set.Recompute = false
	return func(a App) App {
		return a.goBack().trySettings(set).says("recompute is off too: without a filter it changes nothing")
	}
}

func (s *sweepState) copyPair(e env.Env) action {
	if s.grid == nil {
		return saying("nothing to copy yet")
	}
	_, lines := sweepConfig(s.pair(e))
	return func(a App) App { return a.copyAndSave("pair.txt", strings.Join(lines, "\n")+"\n") }
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

func (s sweepState) exported(e env.Env) report.Table {
	t := report.Table{Title: "keep ratios over " + s.scopeText(e), Columns: []string{"keep_pos_ratio", "keep_neg_ratio", "compute_new_adv", "samples", "groups"}}
	for _, f := range sweep.Figures() {
		t.Columns = append(t.Columns, f.Name)
	}
	if s.grid == nil {
		return t
	}
	for _, c := range s.grid.Cells(e.Settings.Now.Recompute) {
		row := []any{c.KeepPos, c.KeepNeg, c.Recompute, c.Samples, c.Groups}
		for _, f := range sweep.Figures() {
			row = append(row, f.Value(&c))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// sweepKey is all that a grid depends on.
type sweepKey struct {
	scope    env.Scope
	step     int64          // if it is of one step, or of the last up to one; 0 for the newest
	revision int            // of the step, or of the snapshot
	set      model.Settings // without ratios and recompute

	analysis *analysis.Analysis // of the step, if only groups that the filter shows are swept
	filter   string
}

// isOlder reports whether only rows came since a request.
func (q sweepKey) isOlder(wanted sweepKey) bool {
	q.revision, q.analysis = wanted.revision, wanted.analysis
	return q == wanted
}

// sweepPart is the grid after some more steps.
type sweepPart struct {
	grid        *sweep.Grid
	done, total int // steps
}

// wanted returns the request of the map that belongs on the screen.
func (s sweepState) wanted(e env.Env) sweepKey {
	q := sweepKey{scope: s.currentScope(e), set: e.Settings.Now, revision: e.Snap.Revision}
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

// update takes the grid, part by part, and requests it while its view is open. A grid stays on the screen until the next of
// the same with more rows has as many steps.
func (s *sweepState) update(e env.Env, open bool, c *job.Queue, msg tea.Msg) {
	if s.job.Take(c, msg) {
		if part := s.job.Value; s.grid == nil || s.grid.Steps <= part.done || !s.job.Busy() {
			s.grid = part.grid
		}
	}
	if !open || len(e.Snap.Steps) == 0 || e.Result.Analysis == nil {
		if s.job.Busy() || s.job.Key.analysis != nil { // whose key would keep it in memory
			s.job.Stop()
			s.grid = nil
		}
		return
	}
	key, before := s.wanted(e), s.job.Key
	if key.analysis != nil && !stepIsCurrent(e) || !s.job.Lacks(key, sweepKey.isOlder) {
		return
	}
	if !before.isOlder(key) {
		s.grid, s.job.Err = nil, nil // it is of something else
	}
	steps, groups := e.ScopeSteps(key.scope), map[int][]int(nil)
	if key.analysis != nil {
		groups = shownGroups(e)
		steps = slices.SortedFunc(maps.Keys(groups), func(a, b int) int { return b - a })
	}
	s.job.Start(c, key, computeSweep(key.set, e.Snap, steps, groups))
	s.job.Value.done, s.job.Value.total = 0, len(steps)
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
			err = errors.New("the filter shows no groups: Tab changes the scope")
		case len(steps) == 0:
			err = errors.New("no complete step to sweep: Tab changes the scope")
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
		part := sweepPart{grid: next, done: total - len(steps) + n, total: total}
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

// advise finds what suits the goal best on the map that is on the screen. Only what is on the map is advised, since Enter sets what is under
// the cursor.
func (s *sweepState) advise(e env.Env, open bool) {
	key := adviceKey{s.grid, sweepStride(e), s.sweepGoal(), e.Settings.Now.Recompute}
	if !open || key == s.adviceOf {
		return
	}
	s.adviceOf, s.advice = key, sweep.Recommendation{}
	if key.grid == nil {
		return
	}
	s.advice = key.grid.Every(key.stride).Recommend(key.goal, key.recompute)
}

func (s sweepState) sweepGoal() sweep.Goal {
	if s.goal == (sweep.Goal{}) {
		return usualGoal()
	}
	return s.goal
}

// usualGoal is one that has a price: the fewest samples for most of the push. That of keeping all has only one answer, no filter.
func usualGoal() sweep.Goal { return sweep.Goal{Name: "cost", Least: sweep.DefaultLeast} }

func (s *sweepState) nextGoal(env.Env) action {
	names := sweep.GoalNames()
	g := s.sweepGoal()
	g.Name = names[(slices.Index(names, g.Name)+1)%len(names)]
	s.goal = g
	return nil
}

func runGoal(a App, args []string) (App, error) {
	g, err := sweep.ParseGoal(strings.Join(args, " "))
	if err != nil {
		return a, err
	}
	a.views.sweep.goal = g
	return a.openSweep(), nil
}

// currentScope returns the scope at work: without a filter the groups shown are the steps on the screen.
func (s sweepState) currentScope(e env.Env) env.Scope {
	if s.scope.Kind == env.ScopeShown && !e.IsFiltered() {
		return e.Place.Scope.Scope
	}
	return s.scope
}

func (s *sweepState) nextScope(e env.Env) action {
	all := []env.Scope{{Kind: env.ScopeStep}}
	if e.IsFiltered() {
		all = append(all, env.Scope{Kind: env.ScopeShown})
	}
	all = append(all, env.Scope{Kind: env.ScopeLast, Last: e.Place.Scope.LastSteps()})
	if s.lastRange != (env.Scope{}) {
		all = append(all, s.lastRange)
	}
	all = append(all, env.Scope{Kind: env.ScopeAll})
	kind := s.currentScope(e).Kind
	s.scope = all[(slices.IndexFunc(all, func(s env.Scope) bool { return s.Kind == kind })+1)%len(all)]
	return nil
}

// scopeText describes the scope, and says if its samples are rollouts of several rows.
func (s sweepState) scopeText(e env.Env) string {
	text := fmt.Sprintf("step %d", e.Place.Step)
	switch of := s.currentScope(e); of.Kind {
	case env.ScopeShown:
		text = fmt.Sprintf("%s groups of %s", e.ShownCount(), e.ScopeWords())
	case env.ScopeLast, env.ScopeRange:
		text = "no steps"
		if steps := e.ScopeSteps(of); len(steps) > 0 {
			text = fmt.Sprintf("%s, %d to %d", units.Plural(len(steps), "steps"), e.Snap.Steps[steps[len(steps)-1]].Number, e.Snap.Steps[steps[0]].Number)
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

func runSweep(a App, args []string) (App, error) {
	if len(args) > 0 {
		s, err := parseScope(args)
		if err != nil {
			return a, err
		}
		a.views.sweep.scope = s
		if s.Kind == env.ScopeRange {
			a.views.sweep.lastRange = s
		}
	}
	return a.openSweep(), nil
}

// parseScope parses step, shown, all, last 10, 3 12 and 3-12.
func parseScope(args []string) (env.Scope, error) {
	kinds := map[string]env.Scope{"step": {}, "shown": {Kind: env.ScopeShown}, "all": {Kind: env.ScopeAll}, "last": {Kind: env.ScopeLast, Last: env.DefaultLastSteps}}
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
