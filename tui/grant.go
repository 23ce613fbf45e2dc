package tui

import (
	"vantage/tui/env"
	"vantage/tui/view"
)

// act is what the program does at a key of its own.
type act func(App) App

func own(do act) view.Do { return view.Ask(do) }

func move(change func(App, int) App, n int) act {
	return func(a App) App { return change(a, n) }
}

// grant does what a view, or a key of the program's own, wants.
func (a App) grant(w view.Want) App {
	switch w := w.(type) {
	case nil:
	case act:
		return w(a)
	case view.All:
		for _, one := range w {
			a = a.grant(one)
		}
	case view.Say:
		return a.says(string(w))
	case view.Open:
		return a.openView(w.View)
	case view.Push:
		return a.pushView(w.View)
	case view.PushAnew:
		return a.pushAnew(w.View)
	case view.BackTo:
		return a.backTo(w.View)
	case view.Back:
		return a.goBack()
	case view.CloseLine:
		return a.closeLine()
	case view.ToLineEnd:
		a.overlays.input.behind = 0
	case view.Escape:
		return a.escape()
	case view.ShowGroups:
		return a.showGroups()
	default:
		return a.grantMove(w)
	}
	return a
}

// grantMove grants what changes the place or the settings.
func (a App) grantMove(w view.Want) App {
	switch w := w.(type) {
	case view.GoTo:
		return a.goTo(env.Destination(w))
	case view.DrawFigure:
		return a.drawFigure(string(w))
	case view.Use:
		return a.trySettings(w.Settings)
	case view.UseEffective:
		return a.switchTo(w.Settings)
	case view.NextEstimator:
		return a.moveEstimator(int(w))
	case view.MoveStep:
		return a.moveStep(int(w))
	case view.MoveStepInChart:
		return a.moveStepInWindow(int(w))
	case view.GoToStep:
		return a.showStep(w.Index)
	case view.FollowNewest:
		return a.followNewest()
	case view.OpenAnswers:
		return a.openAnswers()
	case view.OpenCopy:
		return a.openCopy()
	case view.NextGroup:
		return a.moveGroup(int(w))
	case view.OpenWorst:
		return a.openWorstStep()
	case view.NextPair:
		return a.moveToPair(int(w))
	case view.CopyText:
		return a.copyAndSave(w.Name, w.Text)
	}
	return a
}
