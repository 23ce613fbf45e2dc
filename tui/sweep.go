package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/sweep"
	"vantage/model/units"
)

// sweepState is the state of the map of what every pair of keep ratios does.
type sweepState struct {
	figure    int // index in sweep.Figures
	pos, neg  int // indexes of the ratios under the cursor
	scope     sweepScope
	lastRange sweepScope // the range that was typed last

	goal       sweep.Goal // zero: the default
	advice     sweep.Recommendation
	adviceOf   adviceRequest // what advice is of
	followStar bool          // the cursor goes to the star of the next grid

	job  job[sweepKey, sweepPart]
	grid *sweep.Grid // on the screen
}

func sweepKeys() keySection {
	return keySection{"sweep", []binding{
		{[]string{"h", "left"}, "h ←", "h j k l cell", "a lower keep_neg_ratio", move(App.moveSweepNeg, -1)},
		{[]string{"l", "right"}, "l →", "", "a higher keep_neg_ratio", move(App.moveSweepNeg, 1)},
		{[]string{"j", "down"}, "j ↓", "", "a lower keep_pos_ratio", move(App.moveSweepPos, -1)},
		{[]string{"k", "up"}, "k ↑", "", "a higher keep_pos_ratio", move(App.moveSweepPos, 1)},
		{[]string{"v"}, "v", "v figure", "next figure that is not the same for all pairs: signal, kept, killed, short, trained, effective, flips, Σ|A|, push, mean, std", move(App.moveSweepFigure, 1)},
		{[]string{"V"}, "V", "", "previous figure", move(App.moveSweepFigure, -1)},
		{[]string{"enter"}, "⏎", "Enter apply", "set these ratios", App.applySweep},
		{[]string{"y"}, "y", "y copy", "copy what to write into the trainer's configuration for this pair", App.copyPair},
		{[]string{"Y"}, "Y", "", "copy something else: the table of groups, the screen, the settings as they are", App.openCopy},
		{[]string{"x"}, "x", "x star", "to ★, which suits the goal best, or back to what is set; ☆ no pair beats, and it raises no warning", App.toggleStar},
		{[]string{"tab"}, "Tab", "Tab scope", "sweep the step, the groups that the filter shows, the last 10 steps, all; `:sweep 3 12` a range", App.nextScope},
		{[]string{"o"}, "o", "o goal", "goal of the recommendation: signal, balance or cost; `:goal cost 0.9` keeps 90% of Σ|A|", App.nextGoal},
		{[]string{"esc", "S"}, "Esc", "Esc back", "back without changes", App.escape},
	}}
}

// openSweep opens the map, the cursor on the present ratios and then on the star.
func (a App) openSweep() App {
	if e, err := a.settings.now.FindEstimator(); err != nil || !e.CanFilter {
		a.notice = "only GRPO estimators have this filter: select one with e or E first"
		return a
	}
	a.sweep.followStar = true
	return a.sweepCursorToSettings().sweepCursorToStar().pushView(viewSweep)
}

// sweepCursorToSettings puts the cursor on the cell nearest to the present ratios.
func (a App) sweepCursorToSettings() App {
	r := sweep.DefaultRatios()
	a.sweep.pos, a.sweep.neg = nearestIndex(r.Pos, a.settings.now.KeepPos), nearestIndex(r.Neg, a.settings.now.KeepNeg)
	return a
}

func nearestIndex(values []float64, x float64) int {
	best := 0
	for i, v := range values {
		if abs(v-x) < abs(values[best]-x) {
			best = i
		}
	}
	return best
}

func abs(x float64) float64 { return max(x, -x) }

func (a App) moveSweepPos(by int) App {
	i, _ := a.sweep.sweepCursor(a.env)
	a.sweep.followStar = false
	a.sweep.pos = clampIndex(i+by*a.sweepStride(), len(sweep.DefaultRatios().Pos))
	return a
}

func (a App) moveSweepNeg(by int) App {
	_, j := a.sweep.sweepCursor(a.env)
	a.sweep.followStar = false
	a.sweep.neg = clampIndex(j+by*a.sweepStride(), len(sweep.DefaultRatios().Neg))
	return a
}

// sweepCursor returns the indexes of the cell under the cursor, rounded to one on the map.
func (s sweepState) sweepCursor(e env) (pos, neg int) {
	by := e.sweepStride()
	return s.pos - s.pos%by, s.neg - s.neg%by
}

func (a App) applySweep() App {
	r := sweep.DefaultRatios()
	set := a.settings.now
	i, j := a.sweep.sweepCursor(a.env)
	set.KeepPos, set.KeepNeg = r.Pos[i], r.Neg[j]
	if best := a.sweep.advice.Cell; best != nil && !best.Filtering() && !set.Filtering() {
		set.Recompute = false // which without a filter changes nothing but raises a warning
	}
	a = a.goBack()
	return a.trySettings(set)
}

// sweepKey is all that a grid depends on.
type sweepKey struct {
	scope    sweepScope
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

// wantedSweep returns the request of the map that belongs on the screen.
func (s sweepState) wantedSweep(e env) sweepKey {
	q := sweepKey{scope: s.currentScope(e), set: e.settings.now, revision: e.snap.Revision}
	q.set.KeepPos, q.set.KeepNeg, q.set.Recompute = 1, 1, false
	if q.scope.kind == scopeShown {
		q.analysis, q.filter = e.result.analysis, e.settings.filter
	}
	switch i := e.stepIndex(); {
	case q.scope.kind == scopeStep, q.scope.kind == scopeShown && !e.isWide():
		q.step, q.revision = e.snap.Steps[i].Number, e.snap.Steps[i].Revision
	case q.scope.kind == scopeLast && !e.place.follow:
		q.step = e.snap.Steps[i].Number
	}
	return q
}

// updateSweep takes the grid, part by part, and requests it while its view is open. A grid stays on the screen until the next of
// the same with more rows has as many steps.
func (a App) updateSweep(msg tea.Msg) App {
	var more tea.Cmd
	var isAnswer bool
	if a.sweep.job, more, isAnswer = a.sweep.job.take(msg); isAnswer {
		if part := a.sweep.job.value; a.sweep.grid == nil || a.sweep.grid.Steps <= part.done || more == nil {
			a.sweep.grid = part.grid
		}
		a = a.starts(more)
	}
	if a.position.view != viewSweep || len(a.snap.Steps) == 0 || a.result.analysis == nil {
		return a.stopSweep().updateAdvice()
	}
	key, before := a.sweep.wantedSweep(a.env), a.sweep.job.key
	if key.scope.kind == scopeShown && !a.stepIsCurrent() || !a.sweep.job.lacks(key, sweepKey.isOlder) {
		return a.updateAdvice()
	}
	if !before.isOlder(key) {
		a.sweep.grid, a.sweep.job.err = nil, nil // it is of something else
	}
	steps, groups := a.scopeSteps(key.scope), map[int][]int(nil)
	if key.analysis != nil {
		groups = a.shownGroups()
		steps = slices.DeleteFunc(steps, func(i int) bool { return groups[i] == nil })
	}
	var cmd tea.Cmd
	a.sweep.job, cmd = a.sweep.job.start(a.ctx, key, computeSweep(key.set, a.snap, steps, groups))
	a.sweep.job.value.done, a.sweep.job.value.total = 0, len(steps)
	return a.updateAdvice().starts(cmd)
}

// stepIsCurrent reports whether the rows on the screen are groups of the steps to sweep, in
// their present revision.
func (e env) stepIsCurrent() bool {
	for _, part := range e.result.analysis.Parts() {
		if _, ok := e.analyzedStep(part.Step); !ok {
			return false
		}
	}
	return e.result.analysis.Step == e.snap.Steps[e.stepIndex()].Number
}

// stopSweep cancels the request. A complete grid stays, unless it covers only the groups
// that the filter shows: the request would keep their analysis in memory.
func (a App) stopSweep() App {
	if a.sweep.job.busy() || a.sweep.job.key.analysis != nil {
		a.sweep.job, a.sweep.grid = a.sweep.job.stop(), nil
	}
	return a
}

// computeSweep sweeps the ratios over some steps of a snapshot, the newest first, and of these over some groups by the index of
// the step; nil: all.
func computeSweep(set model.Settings, snap model.Snapshot, steps []int, groups map[int][]int) work[sweepPart] {
	return func(ctx context.Context) (sweepPart, work[sweepPart], error) {
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

// addSteps adds steps to a grid, in parts.
func addSteps(grid *sweep.Grid, snap model.Snapshot, steps []int, groups map[int][]int, total int) work[sweepPart] {
	return func(ctx context.Context) (sweepPart, work[sweepPart], error) {
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

// sweepProgress returns how many steps are in a map over several; "" if all are.
func (s sweepState) sweepProgress() string {
	part := s.job.value
	if !s.job.busy() || part.total < 2 {
		return ""
	}
	return fmt.Sprintf("%d/%d steps so far, newest first", part.done, part.total)
}

// sweepScope is what the sweep covers.
type sweepScope struct {
	kind     scopeKind
	last     int   // the number of steps of scopeLast
	from, to int64 // the steps of scopeRange
}

// scopeKind is a kind of sweepScope.
type scopeKind int

// The kinds, in the order of Tab.
const (
	scopeStep  scopeKind = iota // the step on the screen
	scopeShown                  // the groups on the screen that the filter shows
	scopeLast                   // the last complete steps up to the one on the screen
	scopeRange                  // the complete steps between two numbers
	scopeAll                    // all complete steps

	scopeKinds = iota
)

// defaultLastSteps is the number of steps of scopeLast unless it is given.
const defaultLastSteps = 10

// currentScope returns the scope at work: without a filter the groups shown are the steps on the screen.
func (s sweepState) currentScope(e env) sweepScope {
	if s.scope.kind == scopeShown && !e.isFiltered() {
		return e.place.scope.ofSweep()
	}
	return s.scope
}

func (a App) nextScope() App {
	kind := a.sweep.currentScope(a.env).kind
	for {
		kind = (kind + 1) % scopeKinds
		if kind == scopeShown && !a.isFiltered() || kind == scopeRange && a.sweep.lastRange == (sweepScope{}) {
			continue
		}
		break
	}
	a.sweep.scope = sweepScope{kind: kind}
	switch kind {
	case scopeLast:
		a.sweep.scope.last = a.place.scope.lastSteps()
	case scopeRange:
		a.sweep.scope = a.sweep.lastRange
	default:
	}
	return a
}

// scopeText describes the scope, and says if its samples are rollouts of several rows.
func (a App) scopeText() string {
	if x := a.result.analysis; x != nil && x.CountsRollouts() {
		return a.scopeSpan() + ", by rollout"
	}
	return a.scopeSpan()
}

func (a App) scopeSpan() string {
	switch s := a.sweep.currentScope(a.env); s.kind {
	case scopeShown:
		return fmt.Sprintf("%s groups of %s", a.shownCount(), a.scopeWords())
	case scopeLast, scopeRange:
		steps := a.scopeSteps(s)
		if len(steps) == 0 {
			return "no steps"
		}
		first, last := a.snap.Steps[steps[len(steps)-1]].Number, a.snap.Steps[steps[0]].Number
		return fmt.Sprintf("%s, %d to %d", units.Plural(len(steps), "steps"), first, last)
	case scopeAll:
		return "all " + units.Plural(len(a.scopeSteps(s)), "steps")
	default:
		return fmt.Sprintf("step %d", a.place.step)
	}
}

// scopeSteps returns the indexes of the steps of a scope, the newest first. Only the step on
// the screen may be open: an open step has no fates yet.
func (e env) scopeSteps(s sweepScope) []int {
	newest := len(e.snap.Steps) - 1
	switch s.kind {
	case scopeStep:
		return []int{e.stepIndex()}
	case scopeShown:
		return e.shownSteps()
	case scopeLast:
		newest = e.stepIndex()
	default:
	}
	var steps []int
	for i := newest; i >= 0; i-- {
		n := e.snap.Steps[i].Number
		switch {
		case e.snap.Open(i), s.kind == scopeRange && (n < s.from || n > s.to):
		case s.kind == scopeLast && len(steps) == s.last:
			return steps
		default:
			steps = append(steps, i)
		}
	}
	return steps
}

func (e env) shownSteps() []int {
	var steps []int
	for _, part := range slices.Backward(e.result.analysis.Parts()) {
		if i, found := e.snap.Find(part.Step); found {
			steps = append(steps, i)
		}
	}
	return steps
}

// shownGroups returns the indexes, in each step, of the groups that the filter shows, ascending, by the
// index of the step.
func (e env) shownGroups() map[int][]int {
	groups := map[int][]int{}
	for _, g := range slices.Sorted(slices.Values(e.result.rows)) {
		of, index := e.result.analysis.PartOf(g)
		if i, found := e.snap.Find(of.Step); found {
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
		a.sweep.scope = s
		if s.kind == scopeRange {
			a.sweep.lastRange = s
		}
	}
	a = a.openSweep()
	return a, nil
}

// parseScope parses step, shown, all, last 10, 3 12 and 3-12.
func parseScope(args []string) (sweepScope, error) {
	kinds := map[string]sweepScope{"step": {}, "shown": {kind: scopeShown}, "all": {kind: scopeAll}, "last": {kind: scopeLast, last: defaultLastSteps}}
	words := strings.Fields(strings.ReplaceAll(strings.Join(args, " "), "-", " "))
	switch {
	case len(words) == 1:
		if s, ok := kinds[words[0]]; ok {
			return s, nil
		}
	case len(words) == 2 && words[0] == "last":
		if n, err := strconv.Atoi(words[1]); err == nil && n > 0 {
			return sweepScope{kind: scopeLast, last: n}, nil
		}
	case len(words) == 2:
		from, err := strconv.ParseInt(words[0], 10, 64)
		to, also := strconv.ParseInt(words[1], 10, 64)
		if err == nil && also == nil && from <= to {
			return sweepScope{kind: scopeRange, from: from, to: to}, nil
		}
	}
	return sweepScope{}, fmt.Errorf("sweep takes step, shown, all, last 10, or the first and the last step of a range: sweep 3 12")
}
