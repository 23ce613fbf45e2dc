package tui

import (
	"slices"

	"vantage/model"
	"vantage/tui/env"
	"vantage/tui/trend"
	"vantage/tui/view"
)

func (a App) openGlance() App {
	if a.views.glance.Opened {
		a = a.backAtGlance()
	}
	a.views.glance.Opened = false
	if a.position.view == view.Glance {
		a.overlays.notice = "already here: 1 shows the groups"
		return a
	}
	return a.pushView(view.Glance)
}

func (a App) openWorstStep() App {
	at, spans := a.views.glance.Cursor-len(a.env.FoundList()), a.views.glance.Spans()
	switch {
	case at < 0:
		return a.leaveGlance().showFinding(a.views.glance.Cursor)
	case at >= len(spans):
		return a.showGroups()
	}
	a = a.leaveGlance()
	step := spans[at].From
	if a.env.Place.Scope.Kind != env.ScopeStep { // each step has few groups: those of all of these steps, and of no others
		step = spans[at].To
		a.env.Place.Scope.Scope = env.Scope{Kind: env.ScopeLast, Last: spans[at].Last - spans[at].First + 1}
	}
	i, found := a.env.Snap.Find(step)
	if !found {
		return a
	}
	a = a.showGroups()
	a.views.glance.Opened = true
	if fate, ok := spans[at].WorstFate(); ok {
		a.views.destination = &env.Destination{Step: step, Fate: fate, ByFate: true}
	}
	return a.showStep(i).arrive()
}

// leaveGlance keeps where the person is, when a row of the run at a glance is opened.
func (a App) leaveGlance() App {
	a.views.glance.Left = a.env.Place
	return a
}

// backAtGlance follows the newest step again, if it was followed when a row was opened: Esc leads back to what was there before.
func (a App) backAtGlance() App {
	left := a.views.glance.Left
	if a.views.glance.Left = (env.Place{}); !left.Follow || a.env.Place.Follow || len(a.env.Snap.Steps) == 0 {
		return a
	}
	a.env.Place.Follow, a.env.Place.Scope = true, left.Scope
	a.env.Place.Step = a.env.NewestStep()
	return a
}

// chooseFirstView opens the run at a glance if the log does not grow, once it is known: nothing was written
// for longer than between two steps, or the source has ended. What the person opened or typed before stays.
func (a App) chooseFirstView() App {
	p := a.env.Snap.Run.Progress
	isKnown := a.env.SourceState.Ended || p.CaughtUp || p.BytesAll > 0
	if a.views.glance.FirstViewChosen || len(a.env.Snap.Steps) == 0 || !isKnown {
		return a
	}
	a.views.glance.FirstViewChosen = true
	grows := !a.env.SourceState.Ended && p.Freshness(a.env.SourceState.LastChunk) == model.Live
	if !grows && a.position.view == view.Overview {
		a.position.view = view.Glance
	}
	return a
}

// drawFigure draws a figure over the steps: in the view of all steps, or among the small charts if they are open.
func (a App) drawFigure(name string) App {
	a.views.steps.Metric = name
	if a.position.view == view.FigureList {
		a = a.goBack()
	}
	if a.position.drawn() == view.Figures {
		a.views.steps.Figures.Cursor = max(0, slices.Index(trend.MetricNames(a.env), name))
		a.views.steps.ScrollFigures(a.env)
		return a
	}
	if a.position.drawn() == view.Steps {
		return a
	}
	return a.pushView(view.Steps)
}

func (a App) openAnswers() App {
	p, ok := a.views.compare.Selected()
	if !ok {
		return a.says("no prompt to open")
	}
	a.views.answers.List(a.env, &a.commands, a.views.compare.OpenPair(p))
	return a.pushView(view.Answers)
}

func (a App) moveToPair(by int) App {
	before := a.views.compare.Cursor
	view.MoveRow(&a.views.compare, a.env, by)
	p, ok := a.views.compare.Selected()
	if !ok || a.views.compare.Cursor == before {
		return a.says("no further prompt")
	}
	a.views.answers.List(a.env, &a.commands, a.views.compare.OpenPair(p))
	return a
}
