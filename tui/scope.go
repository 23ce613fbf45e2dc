package tui

import (
	"fmt"

	"vantage/model/units"
	"vantage/tui/env"
	"vantage/tui/pane"
	"vantage/tui/steps"
)

// moveStep goes to another step and stays there when newer ones come.
func (a App) moveStep(by int) App {
	if len(a.env.Snap.Steps) == 0 {
		return a
	}
	from := a.env.StepIndex()
	to := pane.ClampIndex(from+by, a.env.ScopeEnd()+1)
	if to == from {
		a.env.Place.Follow = false
		a.overlays.notice = "no further step"
		if to+1 < len(a.env.Snap.Steps) && by > 0 {
			a.overlays.notice = fmt.Sprintf("step %d is still being written: < and then ] shows it alone", a.env.Snap.Steps[to+1].Number)
		}
		return a
	}
	return a.showStep(to)
}

// showStep goes to the step at index i of the snapshot, or to the nearest, and stays
// there when newer ones come.
func (a App) showStep(i int) App {
	a.env.Place.Follow, a.env.Place.Scope.Moved = false, false
	a.env.Place.Step = a.env.Snap.Steps[pane.ClampIndex(i, a.env.ScopeEnd()+1)].Number
	return a
}

func (a App) followNewest() App {
	a.env.Place.Follow, a.env.Place.Scope.Moved = true, false
	if len(a.env.Snap.Steps) == 0 {
		return a
	}
	a.env.Place.Step = a.env.NewestStep()
	return a.says(fmt.Sprintf("step %d, and newer ones as they come", a.env.Place.Step))
}

// takeScope takes over a scope that the size of the steps decided, and of how many of its steps one is
// shown. It says what the person did not ask for.
func (a App) takeScope(decided env.ScopeState, every int) App {
	if every > 1 && every != a.env.Result.Every {
		a = a.addNotice(fmt.Sprintf("1 in %d of the steps is shown: all have more than %s samples or %s", every,
			units.Count(env.MaxScopeSamples), units.Plural(env.MaxScopeSteps, "steps")))
	}
	a.env.Result.Every = every
	if a.env.Place.Scope.Decided || !decided.Decided {
		return a
	}
	a.env.Place.Scope.Decided = true
	if decided.Scope == a.env.Place.Scope.Scope {
		return a
	}
	return a.withScope(decided.Scope).addNotice(fmt.Sprintf("each step has only %s: the last %d are shown together (< one, > all)",
		units.Plural(a.env.Result.Analysis.Last().Groups, "groups"), decided.Last))
}

// withScope changes the scope, also that which sweep and breakdown begin with.
func (a App) withScope(s env.Scope) App {
	a.env.Place.Scope.Scope = s
	a.views.sweep.Scope = s
	a.views.breakdown.Scope = s
	return a
}

// moveScope goes from the step to the last steps, and from these to all, or for a negative by back.
func (a App) moveScope(by int) App {
	s := a.env.Place.Scope.Scope
	switch {
	case by > 0 && s.Kind == env.ScopeAll:
		return a.says("all steps are shown: < shows fewer")
	case by < 0 && s.Kind == env.ScopeStep:
		return a.says(fmt.Sprintf("one step is shown: > shows the last %d together", s.LastSteps()))
	case s.Kind == env.ScopeLast && by > 0:
		s.Kind = env.ScopeAll
	case s.Kind == env.ScopeLast:
		s.Kind = env.ScopeStep
	default:
		s = env.Scope{Kind: env.ScopeLast, Last: s.LastSteps()}
	}
	return a.chooseScope(s)
}

// chooseScope changes to a scope that the person chose. All steps end at the newest one; a narrower scope
// goes back to where the person was.
func (a App) chooseScope(s env.Scope) App {
	before := a.env.Place.Scope
	a = a.withScope(s)
	a.env.Place.Scope.Decided, a.env.Place.Scope.Chosen = true, true
	if len(a.env.Snap.Steps) == 0 {
		return a
	}
	switch {
	case s.Kind == env.ScopeAll && before.Kind != env.ScopeAll:
		a.env.Place.Scope.Moved, a.env.Place.Scope.Back, a.env.Place.Scope.Followed = true, a.env.Place.Step, a.env.Place.Follow
		a.env.Place.Step, a.env.Place.Follow = a.env.NewestStep(), true
	case s.Kind != env.ScopeAll && before.Moved:
		a.env.Place.Scope.Moved = false
		if a.env.Place.Follow = before.Followed; !before.Followed {
			a.env.Place.Step = before.Back
		}
	}
	return a
}

// moveStepInWindow is moveStep for charts: the window follows the step.
func (a App) moveStepInWindow(by int) App {
	a = a.moveStep(by)
	if a.env.Result.Trend == nil || a.views.steps.Window == (steps.StepWindow{}) {
		return a
	}
	x, here := a.views.steps.WindowAxis(a.env), float64(a.env.Place.Step)
	switch {
	case here < x.Lo:
		a.views.steps.ShowWindow(a.env, here, here+x.Hi-x.Lo)
	case here > x.Hi:
		a.views.steps.ShowWindow(a.env, here-(x.Hi-x.Lo), here)
	}
	return a
}
