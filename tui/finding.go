package tui

import (
	"vantage/model/report"
	"vantage/tui/env"
	"vantage/tui/glossary"
	"vantage/tui/overview"
	"vantage/tui/view"
)

// openFinding is the view of a finding, above the groups of the step on the screen.
type openFinding struct {
	*overview.Panes
	n int // its index
}

// StateOf is that of the overview, which has the groups.
func (openFinding) StateOf() view.Name { return view.Overview }

// Draw draws it.
func (f openFinding) Draw(e env.Env, w, h int) []string { return f.Finding(e, f.n, w, h) }

// Explains returns the metrics of the group under the cursor.
func (f openFinding) Explains(e env.Env) glossary.List { return f.FiguresOfGroup(e) }

// Exported returns the groups.
func (openFinding) Exported(e env.Env) report.Table { return overview.ExportedGroups(e) }

// Keys of a finding.
func (openFinding) Keys() view.Section {
	return view.Section{Name: "finding", Bindings: []view.Binding{
		{Keys: []string{"j", "down"}, Label: "j ↓", Hint: "j k step", Doc: "next step", Do: view.Ask(view.MoveStep(1))},
		{Keys: []string{"k", "up"}, Label: "k ↑", Doc: "previous step", Do: view.Ask(view.MoveStep(-1))},
		{Keys: []string{"ctrl+d", "pgdown"}, Label: "^D", Doc: "ten steps forward", Do: view.Ask(view.MoveStep(10))},
		{Keys: []string{"ctrl+u", "pgup"}, Label: "^U", Doc: "ten steps back", Do: view.Ask(view.MoveStep(-10))},
		{Keys: []string{"g", "home"}, Label: "g", Hint: "g onset", Doc: "to the step at which it set in", Do: own(App.goToOnset)},
		{Keys: []string{"enter"}, Label: "⏎", Hint: "Enter group", Doc: "open the group that shows it", Do: own(App.openFindingGroup)},
		{Keys: []string{"w"}, Label: "w", Hint: "w next-finding", Doc: "the next finding", Do: own(move(App.moveFinding, 1))},
		{Keys: []string{"W"}, Label: "W", Doc: "the previous one", Do: own(move(App.moveFinding, -1))},
		{Keys: []string{"esc"}, Label: "Esc", Hint: "Esc back", Doc: "back", Do: own(App.leaveFinding)},
	}}
}

func (a App) showFinding(i int) App {
	a.views.finding = i
	f := a.env.Found(a.views.finding)
	if f == nil {
		return a
	}
	a = a.pushView(view.Finding)
	a.env.Place.Scope.Scope = env.Scope{}
	if at, found := a.env.Snap.Find(f.Example.Step); found {
		a = a.showStep(at)
	}
	if f.Example.Group != "" {
		a.views.destination = &env.Destination{Step: f.Example.Step, Group: f.Example.Group}
	}
	return a.arrive()
}

// leaveFinding goes back, to the run at a glance as it was left.
func (a App) leaveFinding() App {
	if a = a.goBack(); a.position.view == view.Glance {
		return a.backAtGlance()
	}
	return a
}

func (a App) moveFinding(by int) App {
	n := len(a.env.FoundList())
	if n < 2 {
		return a.says("there is no other finding")
	}
	return a.showFinding((a.views.finding + by + n) % n)
}

func (a App) goToOnset() App {
	if f := a.env.Found(a.views.finding); f != nil {
		if at, found := a.env.Snap.Find(f.Since); found {
			return a.showStep(at)
		}
	}
	return a
}

func (a App) openFindingGroup() App {
	f, g := a.env.Found(a.views.finding), a.env.SelectedGroup()
	if f == nil || g == nil {
		return a.showGroups()
	}
	if isExample := g.Name == f.Example.Group && g.Step == f.Example.Step; !isExample {
		return a.showGroups()
	}
	return a.openGroup()
}
