package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
	"vantage/tui/cells"
)

// scope is which steps are on the screen together: those up to the one where the person is.
type scope struct {
	kind     scopeKind // scopeStep, scopeLast or scopeAll, of a sweep also the others
	last     int       // the number of steps of scopeLast
	from, to int64     // the steps of scopeRange
}

// scopeState is the scope, and how it came about.
type scopeState struct {
	scope
	decided  bool  // by the person, by the session, or by the size of the first steps
	chosen   bool  // by one of the first two: it is saved
	moved    bool  // the widest scope has moved to the newest step, from back
	back     int64 // the step before
	followed bool  // the newest step was followed there
}

const (
	// fewGroups is the largest number of groups in each step with which a run opens with its last steps.
	fewGroups = 2

	// Limits on what is computed for one scope: beyond, every n-th of its steps is. A sample takes about 130
	// bytes.
	maxScopeSamples = 1 << 17
	maxScopeSteps   = 1 << 10
)

// indexes returns the indexes of the steps of the scope that ends at index end of a snapshot, ascending:
// every n-th of them if they are too many, and always the last. A step that is still being written is one
// of them only if it is the only one.
func (s scope) indexes(snap model.Snapshot, end int) (steps []int, every int) {
	if s.kind == scopeStep {
		return []int{end}, 1
	}
	if steps = s.complete(snap, end); len(steps) == 0 {
		return []int{end}, 1
	}
	samples := 0
	for _, i := range steps {
		samples += len(snap.Steps[i].Rewards)
	}
	every = max(1, (samples+maxScopeSamples-1)/maxScopeSamples, (len(steps)+maxScopeSteps-1)/maxScopeSteps)
	var some []int
	for k := len(steps) - 1; k >= 0; k-- { // the first of steps is the last step
		if i := steps[k]; k == 0 || every < len(steps) && i%every == 0 {
			some = append(some, i)
		}
	}
	return some, every
}

func (s scope) stepsOf(snap model.Snapshot, end int) []model.Step {
	if s.kind == scopeAll {
		return snap.Steps
	}
	steps := model.Mapped(s.complete(snap, max(0, end)), func(i int) model.Step { return snap.Steps[i] })
	slices.Reverse(steps)
	return steps
}

// complete returns the indexes of the complete steps of the scope up to index end of a snapshot, the newest first.
func (s scope) complete(snap model.Snapshot, end int) (steps []int) {
	for i := end; i >= 0 && (s.kind != scopeLast || len(steps) < s.last); i-- {
		if n := snap.Steps[i].Number; !snap.Open(i) && (s.kind != scopeRange || s.from <= n && n <= s.to) {
			steps = append(steps, i)
		}
	}
	return steps
}

// analyze computes the steps of the scope that ends at index end of a snapshot, and reuses what it can of
// known, which may be nil.
func (s scope) analyze(ctx context.Context, snap model.Snapshot, end int, set model.Settings, known *analysis.Analysis) (*analysis.Analysis, error) {
	steps, _ := s.indexes(snap, end)
	return analysis.AnalyzeSteps(ctx, snap, steps, set, known)
}

// decide returns the scope of a run and its analysis, given that of the step at index end: if each of the
// last steps has few groups, these steps together. It leaves open what cannot be known yet.
func (s scopeState) decide(ctx context.Context, snap model.Snapshot, end int, set model.Settings, step *analysis.Analysis) (scopeState, *analysis.Analysis, error) {
	wide := scope{kind: scopeLast, last: defaultLastSteps}
	steps, _ := wide.indexes(snap, end)
	switch {
	case s.decided || step.Open:
		return s, step, nil
	case step.Groups > fewGroups || len(steps) < 2:
		s.decided = step.Groups > fewGroups
		return s, step, nil
	}
	joined, err := analysis.AnalyzeSteps(ctx, snap, steps, set, step)
	if err != nil {
		return s, nil, err
	}
	s.decided = true
	if slices.ContainsFunc(joined.Parts(), func(p *analysis.Analysis) bool { return p.Groups > fewGroups }) {
		return s, step, nil
	}
	s.scope = wide
	return s, joined, nil
}

// takeScope takes over a scope that the size of the steps decided, and of how many of its steps one is
// shown. It says what the person did not ask for.
func (a App) takeScope(decided scopeState, every int) App {
	if every > 1 && every != a.env.result.every {
		a = a.addNotice(fmt.Sprintf("1 in %d of the steps is shown: all have more than %s samples or %s", every, units.Count(maxScopeSamples), units.Plural(maxScopeSteps, "steps")))
	}
	a.env.result.every = every
	if a.env.place.scope.decided || !decided.decided {
		return a
	}
	a.env.place.scope.decided = true
	if decided.scope == a.env.place.scope.scope {
		return a
	}
	return a.withScope(decided.scope).addNotice(fmt.Sprintf("each step has only %s: the last %d are shown together (< one, > all)",
		units.Plural(a.env.result.analysis.Last().Groups, "groups"), decided.last))
}

// withScope changes the scope, also that which sweep and breakdown begin with.
func (a App) withScope(s scope) App {
	a.env.place.scope.scope = s
	a.views.sweep.scope = s
	a.views.breakdown.scope = s
	return a
}

// moveScope goes from the step to the last steps, and from these to all, or for a negative by back.
func (a App) moveScope(by int) App {
	s := a.env.place.scope.scope
	switch {
	case by > 0 && s.kind == scopeAll:
		return a.says("all steps are shown: < shows fewer")
	case by < 0 && s.kind == scopeStep:
		return a.says(fmt.Sprintf("one step is shown: > shows the last %d together", s.lastSteps()))
	case s.kind == scopeLast && by > 0:
		s.kind = scopeAll
	case s.kind == scopeLast:
		s.kind = scopeStep
	default:
		s = scope{kind: scopeLast, last: s.lastSteps()}
	}
	return a.chooseScope(s)
}

func (s scope) lastSteps() int { return cmp.Or(s.last, defaultLastSteps) }

// chooseScope changes to a scope that the person chose. All steps end at the newest one; a narrower scope
// goes back to where the person was.
func (a App) chooseScope(s scope) App {
	before := a.env.place.scope
	a = a.withScope(s)
	a.env.place.scope.decided, a.env.place.scope.chosen = true, true
	if len(a.env.snap.Steps) == 0 {
		return a
	}
	switch {
	case s.kind == scopeAll && before.kind != scopeAll:
		a.env.place.scope.moved, a.env.place.scope.back, a.env.place.scope.followed = true, a.env.place.step, a.env.place.follow
		a.env.place.step, a.env.place.follow = a.env.newestStep(), true
	case s.kind != scopeAll && before.moved:
		a.env.place.scope.moved = false
		if a.env.place.follow = before.followed; !before.followed {
			a.env.place.step = before.back
		}
	}
	return a
}

// scopeEnd returns the index of the newest step that the scope may end with: of several steps all are
// complete.
func (e env) scopeEnd() int {
	last := len(e.snap.Steps) - 1
	if e.place.scope.kind != scopeStep && last > 0 && e.snap.Open(last) {
		last--
	}
	return last
}

func (e env) isWide() bool { return e.result.analysis != nil && e.result.analysis.StepCount() > 1 }

// scopeWords names the steps on the screen: "step 300", "steps 291-300", "6 steps of 1-45" where numbers are
// missing, "1 in 4 of steps 1-1000".
func (e env) scopeWords() string {
	if e.result.analysis == nil {
		return "this step"
	}
	n, first, last := e.result.analysis.StepCount(), e.result.analysis.Parts()[0].Step, e.result.analysis.Step
	text := fmt.Sprintf("steps %d-%d", first, last)
	switch {
	case n == 1:
		return fmt.Sprintf("step %d", last)
	case e.result.every > 1:
		return fmt.Sprintf("1 in %d of %s", e.result.every, text)
	case last-first >= int64(n): // the log has not every number
		return fmt.Sprintf("%s of %d-%d", units.Plural(n, "steps"), first, last)
	}
	return text
}

// withScopeWords adds " · steps 291-300" to the title of a pane that is w wide inside, while several steps
// are on the screen and if there is room.
func (e env) withScopeWords(title string, w int) string {
	if !e.isWide() {
		return title
	}
	return withRoom(title, " · "+e.scopeWords(), w)
}

// withRoom adds more to the title of a pane that is w wide inside if all of it is seen there.
func withRoom(title, more string, w int) string {
	if cells.Width(title+more) > w-5 {
		return title
	}
	return title + more
}

func runScope(a App, args []string) (App, error) {
	s, err := parseScopeWords(args, a.env.place.scope.lastSteps())
	if err != nil {
		return a, err
	}
	return a.chooseScope(s), nil
}

// parseScopeWords parses step, all, last and last 20. last is the number of steps where none is given.
func parseScopeWords(words []string, last int) (scope, error) {
	kinds := map[string]scopeKind{"step": scopeStep, "last": scopeLast, "all": scopeAll}
	switch {
	case len(words) == 1:
		if kind, ok := kinds[words[0]]; ok {
			return scope{kind: kind, last: last}, nil
		}
	case len(words) == 2 && words[0] == "last":
		if n, err := strconv.Atoi(words[1]); err == nil && n > 1 {
			return scope{kind: scopeLast, last: n}, nil
		}
	}
	return scope{}, fmt.Errorf("scope takes step, last, all, or last and how many steps: scope last 20")
}

func (s scope) inWords() string {
	return map[scopeKind]string{scopeStep: "one step", scopeLast: fmt.Sprintf("the last %d steps", s.last), scopeAll: "all steps"}[s.kind]
}

// String is what parseScopeWords parses.
func (s scope) String() string {
	return map[scopeKind]string{scopeStep: "step", scopeLast: fmt.Sprintf("last %d", s.last), scopeAll: "all"}[s.kind]
}
