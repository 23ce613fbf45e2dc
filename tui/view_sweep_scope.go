package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vantage/model/units"
)

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
func (a App) currentScope() sweepScope {
	if a.sweep.scope.kind == scopeShown && !a.isFiltered() {
		return a.place.scope.ofSweep()
	}
	return a.sweep.scope
}

// nextScope changes to the next scope that is possible.
func (a App) nextScope() App {
	kind := a.currentScope().kind
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
	switch s := a.currentScope(); s.kind {
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

// shownSteps returns the indexes of the steps on the screen, the newest first.
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

// runSweep opens the map over the scope that the command names.
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
