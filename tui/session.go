package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/match"
	"vantage/model/query"
	"vantage/model/sanitize"
	"vantage/model/session"
	"vantage/model/sweep"
	"vantage/themes"
)

// Memory is what is kept of the run from one time to the next. Whoever started the
// program hands one in.
type Memory interface {
	// Update applies a change to what is kept and returns what is kept then. It may be
	// applied again, to the same effect.
	Update(change func(session.Session) session.Session) (session.Session, error)
}

// keeping is what is kept of the run.
type keeping struct {
	memory    Memory // nil: until the program ends
	session   session.Session
	waiting   []change // not written yet; the first ones may be on their way
	busy      bool
	start     model.Settings    // as one finds the run who was never here
	chosen    bool              // whose estimator the command line has
	automatic session.Estimator // at work without anybody's choice
	removed   session.Mark      // the last one that was taken away
}

// change makes of what is kept something else.
type change = func(session.Session) session.Session

// keptMsg says what is kept after so many of the changes that wait.
type keptMsg struct {
	changes int
	session session.Session
	err     error
}

// keep changes what is kept: at once here, in the background in its file, one after
// the other.
func (a App) keep(c change) (App, tea.Cmd) {
	a.kept.session = c(a.kept.session)
	if a.kept.memory == nil {
		return a, nil
	}
	a.kept.waiting = append(slices.Clip(a.kept.waiting), c)
	return a.write()
}

// write writes what waits, unless something is being written.
func (a App) write() (App, tea.Cmd) {
	if a.kept.busy || len(a.kept.waiting) == 0 {
		return a, nil
	}
	a.kept.busy = true
	memory, waiting := a.kept.memory, a.kept.waiting
	return a, func() tea.Msg {
		s, err := memory.Update(inTurn(waiting))
		return keptMsg{len(waiting), s, err}
	}
}

// inTurn is some changes as one.
func inTurn(all []change) change {
	return func(s session.Session) session.Session {
		for _, c := range all {
			s = c(s)
		}
		return s
	}
}

// onKept takes over what is kept: another program may have left something too.
func (a App) onKept(msg keptMsg) (App, tea.Cmd) {
	a.kept.busy, a.kept.waiting = false, a.kept.waiting[msg.changes:]
	if msg.err != nil {
		a.notice = "kept until you quit only: " + sanitize.Line(msg.err.Error())
	} else {
		a.kept.session = inTurn(a.kept.waiting)(msg.session)
	}
	return a.write()
}

// Leave writes what is kept of the run when the person has left: what was still to be
// written, and how they looked at it.
func (a App) Leave() error {
	if a.kept.memory == nil {
		return nil
	}
	view := a.viewLeft()
	_, err := a.kept.memory.Update(func(s session.Session) session.Session {
		s = inTurn(a.kept.waiting)(s)
		s.View = view
		return s
	})
	return err
}

// viewLeft is how the run is looked at; nil if that is how everybody finds it.
func (a App) viewLeft() *session.View {
	set, usual := a.set.now, session.View{KeepPos: 1, KeepNeg: 1}
	v := session.View{
		KeepPos: set.KeepPos, KeepNeg: set.KeepNeg, Recompute: set.Recompute, Filter: a.set.filter,
		Turned: a.set.order.turned, Figure: a.place.spread.figure, Log: a.place.spread.log,
		Metric: a.place.steps.metric, Seen: a.seenName(),
	}
	if e := session.EstimatorOf(set); a.chosen || e != a.kept.automatic {
		v.Estimator = &e
	}
	if a.set.order.column > 0 {
		v.Sort = orders()[a.set.order.column].says
	}
	if a.sweep.figure > 0 {
		v.Sweep = sweep.Figures()[a.sweep.figure].Name
	}
	switch before := a.kept.session.View; {
	case a.look.byHand:
		v.Theme = a.look.theme.Name
	case a.look.noColor && before != nil:
		v.Theme = before.Theme // for the next terminal
	}
	if v == usual {
		return nil
	}
	return &v
}

// places are the views that one comes back to, by the name that is kept.
func places() map[viewName]string {
	return map[viewName]string{viewSteps: "steps", viewSweep: "sweep", viewCompare: "compare"}
}

// seenName is the view on the screen, or the nearest below that one comes back to.
func (a App) seenName() string {
	here := a.place.view
	if here == viewCommand || here == viewCopy || here == viewNote {
		here = a.place.under
	}
	for _, v := range slices.Backward(append(slices.Clip(a.place.path), here)) {
		if v == viewOverview {
			return ""
		}
		if name := places()[v]; name != "" {
			return name
		}
	}
	return ""
}

// recalled is the program as the run was left, and says so. Settings that the command
// line gives stay.
func (a App) recalled(o Options) App {
	a.kept = keeping{memory: o.Memory, session: o.Session, start: o.Settings, chosen: o.Chosen, automatic: session.EstimatorOf(o.Settings)}
	v := o.Session.View
	if v == nil {
		return a
	}
	given := o.Given
	if given == nil {
		given = func(string) bool { return false }
	}
	a.set.now = v.Over(o.Settings, given)
	a.chosen = a.chosen || v.Estimator != nil && session.EstimatorOf(a.set.now) == *v.Estimator
	if _, err := query.Parse(v.Filter); err == nil {
		a.set.filter = v.Filter
	}
	a.set.order.turned = v.Turned
	a.set.order.column = max(0, slices.IndexFunc(orders(), func(s sorting) bool { return s.says == v.Sort }))
	a.place.spread.figure, a.place.spread.log, a.place.steps.metric = v.Figure, v.Log, v.Metric
	a.sweep.figure = max(0, slices.IndexFunc(sweep.Figures(), func(f sweep.Figure) bool { return f.Name == v.Sweep }))
	a.look.byHand = v.Theme != "" && v.Theme == o.Theme
	return a.reopened(v.Seen).saidRecalled()
}

// reopened goes to the view that was left, if it has something to show.
func (a App) reopened(name string) App {
	for v, known := range places() {
		if known != name || v == viewCompare && a.other.source == nil {
			continue
		}
		if e, err := a.set.now.Entry(); v == viewSweep && (err != nil || !e.CanFilter) {
			continue
		}
		a = a.onMap()
		a.place.path, a.place.view = []viewName{viewOverview}, v
	}
	return a
}

// saidRecalled says what is not as everybody finds it.
func (a App) saidRecalled() App {
	var parts []string
	if a.set.now != a.kept.start {
		parts = append(parts, settingsInWords(a.set.now))
	}
	if a.set.filter != "" {
		parts = append(parts, "filter "+sanitize.Line(a.set.filter))
	}
	if a.set.order != (order{}) {
		parts = append(parts, orders()[a.set.order.column].says)
	}
	if name := a.seenName(); name != "" {
		parts = append(parts, "the "+name)
	}
	if len(parts) > 0 {
		a = a.alsoSay("as you left it: " + strings.Join(parts, " · ") + " (:forget starts afresh)")
	}
	return a
}

// alsoSay says something beside what is being said.
func (a App) alsoSay(text string) App {
	if a.notice != "" {
		text = a.notice + "; " + text
	}
	a.notice = text
	return a
}

// forget goes to how everybody finds the run, now and the next time. Marks stay, and
// undo takes the settings back.
func (a App) forget() (App, tea.Cmd) {
	set, best := a.kept.start, a.logged.report
	a.chosen = a.kept.chosen
	if best != nil && best.Match() && !a.chosen {
		set = matched(set, best.Matches[0].Candidate)
	}
	a.place.spread, a.place.steps, a.sweep.figure = spread{}, stepsState{}, 0
	a, groups := a.toGroups()
	cmds := []tea.Cmd{groups}
	if a.look.byHand {
		a.look.byHand, a.look.chosen = false, false
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	a, written := a.keep(func(s session.Session) session.Session { s.View = nil; return s })
	a, computed := a.apply(a.set.to(moment{now: set}))
	a.notice = "forgotten: this is how one finds the run who was never here; marks stay, u takes the settings back"
	return a.arranged(), tea.Batch(append(cmds, written, computed)...)
}

// matched is settings with the estimator that wrote the log.
func matched(set model.Settings, best match.Candidate) model.Settings {
	set = set.WithFramework(best.Framework).WithEstimator(best.Estimator)
	set.Scale = best.Scale
	return set
}

// wearing takes over a theme that the person chose.
func (l look) wearing(t *themes.Theme) look {
	l.theme, l.chosen, l.byHand = t, true, true
	return l
}
