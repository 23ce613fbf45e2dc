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

// SessionStore is what is kept of the run from one time to the next. Whoever started the
// program hands one in.
type SessionStore interface {
	// Update applies a change to what is kept and returns what is kept then. It may be
	// applied again, to the same effect.
	Update(change func(session.Session) session.Session) (session.Session, error)
}

// sessionState is what is kept of the run.
type sessionState struct {
	store           SessionStore // nil: until the program ends
	current         session.Session
	pending         []sessionChange // not written yet; the first ones may be on their way
	writing         bool
	defaults        model.Settings    // as one finds the run who was never here
	estimatorChosen bool              // whose estimator the command line has
	autoEstimator   session.Estimator // at work without anybody's choice
	removedMark     session.Mark      // the last one that was taken away
}

// sessionChange makes of what is kept something else.
type sessionChange = func(session.Session) session.Session

// changeSession changes what is kept: at once here, in the background in its file, one after
// the other.
func (a App) changeSession(c sessionChange) (App, tea.Cmd) {
	a.session.current = c(a.session.current)
	if a.session.store == nil {
		return a, nil
	}
	a.session.pending = append(slices.Clip(a.session.pending), c)
	return a.writeSession()
}

// writeSession writes what waits, unless something is being written.
func (a App) writeSession() (App, tea.Cmd) {
	if a.session.writing || len(a.session.pending) == 0 {
		return a, nil
	}
	a.session.writing = true
	memory, waiting := a.session.store, a.session.pending
	return a, func() tea.Msg {
		s, err := memory.Update(inSequence(waiting))
		return sessionMsg{len(waiting), s, err}
	}
}

// inSequence is some changes as one.
func inSequence(all []sessionChange) sessionChange {
	return func(s session.Session) session.Session {
		for _, c := range all {
			s = c(s)
		}
		return s
	}
}

// onSession takes over what is kept: another program may have left something too.
func (a App) onSession(msg sessionMsg) (App, tea.Cmd) {
	a.session.writing, a.session.pending = false, a.session.pending[msg.changes:]
	if msg.err != nil {
		a.notice = "kept until you quit only: " + sanitize.Line(msg.err.Error())
	} else {
		a.session.current = inSequence(a.session.pending)(msg.session)
	}
	return a.writeSession()
}

// SaveSession writes what is kept of the run when the person has left: what was still to be
// written, and how they looked at it.
func (a App) SaveSession() error {
	if a.session.store == nil {
		return nil
	}
	view := a.viewToSave()
	_, err := a.session.store.Update(func(s session.Session) session.Session {
		s = inSequence(a.session.pending)(s)
		s.View = view
		return s
	})
	return err
}

// viewToSave is how the run is looked at; nil if that is how everybody finds it.
func (a App) viewToSave() *session.View {
	set, usual := a.settings.now, session.View{KeepPos: 1, KeepNeg: 1}
	v := session.View{
		KeepPos: set.KeepPos, KeepNeg: set.KeepNeg, Recompute: set.Recompute, Filter: a.settings.filter,
		Reversed: a.settings.order.reversed, Figure: a.position.distribution.figure, LogScale: a.position.distribution.logScale,
		Metric: a.position.steps.metric, OpenView: a.savedViewName(),
	}
	if e := session.EstimatorOf(set); a.estimatorChosen || e != a.session.autoEstimator {
		v.Estimator = &e
	}
	if a.settings.order.column > 0 {
		v.Sort = sortings()[a.settings.order.column].words
	}
	if a.sweep.figure > 0 {
		v.Sweep = sweep.Figures()[a.sweep.figure].Name
	}
	switch before := a.session.current.View; {
	case a.display.themeByUser:
		v.Theme = a.display.theme.Name
	case a.display.noColor && before != nil:
		v.Theme = before.Theme // for the next terminal
	}
	if v == usual {
		return nil
	}
	return &v
}

// savedViews are the views that one comes back to, by the name that is kept.
func savedViews() map[viewName]string {
	return map[viewName]string{viewSteps: "steps", viewSweep: "sweep", viewCompare: "compare"}
}

// savedViewName is the view on the screen, or the nearest below that one comes back to.
func (a App) savedViewName() string {
	here := a.position.view
	if here == viewCommand || here == viewCopy || here == viewNote {
		here = a.position.viewBelow
	}
	for _, v := range slices.Backward(append(slices.Clip(a.position.backStack), here)) {
		if v == viewOverview {
			return ""
		}
		if name := savedViews()[v]; name != "" {
			return name
		}
	}
	return ""
}

// restoreSession is the program as the run was left, and says so. Settings that the command
// line gives stay.
func (a App) restoreSession(o Options) App {
	a.session = sessionState{store: o.SessionStore, current: o.Session, defaults: o.Settings, estimatorChosen: o.EstimatorChosen, autoEstimator: session.EstimatorOf(o.Settings)}
	v := o.Session.View
	if v == nil {
		return a
	}
	given := o.SetByFlag
	if given == nil {
		given = func(string) bool { return false }
	}
	a.settings.now = v.ApplyTo(o.Settings, given)
	a.estimatorChosen = a.estimatorChosen || v.Estimator != nil && session.EstimatorOf(a.settings.now) == *v.Estimator
	if _, err := query.Parse(v.Filter); err == nil {
		a.settings.filter = v.Filter
	}
	a.settings.order.reversed = v.Reversed
	a.settings.order.column = max(0, slices.IndexFunc(sortings(), func(s sorting) bool { return s.words == v.Sort }))
	a.position.distribution.figure, a.position.distribution.logScale, a.position.steps.metric = v.Figure, v.LogScale, v.Metric
	a.sweep.figure = max(0, slices.IndexFunc(sweep.Figures(), func(f sweep.Figure) bool { return f.Name == v.Sweep }))
	a.display.themeByUser = v.Theme != "" && v.Theme == o.Theme
	return a.restoreView(v.OpenView).noticeRestored()
}

// restoreView goes to the view that was left, if it has something to show.
func (a App) restoreView(name string) App {
	for v, known := range savedViews() {
		if known != name || v == viewCompare && a.second.source == nil {
			continue
		}
		if e, err := a.settings.now.Entry(); v == viewSweep && (err != nil || !e.CanFilter) {
			continue
		}
		a = a.sweepCursorToSettings()
		a.position.backStack, a.position.view = []viewName{viewOverview}, v
	}
	return a
}

// noticeRestored says what is not as everybody finds it.
func (a App) noticeRestored() App {
	var parts []string
	if a.settings.now != a.session.defaults {
		parts = append(parts, settingsInWords(a.settings.now))
	}
	if a.settings.filter != "" {
		parts = append(parts, "filter "+sanitize.Line(a.settings.filter))
	}
	if a.settings.order != (order{}) {
		parts = append(parts, sortings()[a.settings.order.column].words)
	}
	if name := a.savedViewName(); name != "" {
		parts = append(parts, "the "+name)
	}
	if len(parts) > 0 {
		a = a.addNotice("as you left it: " + strings.Join(parts, " · ") + " (:forget starts afresh)")
	}
	return a
}

// addNotice says something beside what is being said.
func (a App) addNotice(text string) App {
	if a.notice != "" {
		text = a.notice + "; " + text
	}
	a.notice = text
	return a
}

// forget goes to how everybody finds the run, now and the next time. Marks stay, and
// undo takes the settings back.
func (a App) forget() (App, tea.Cmd) {
	set, best := a.session.defaults, a.loggedMatch.report
	a.estimatorChosen = a.session.estimatorChosen
	if best != nil && best.HasMatch() && !a.estimatorChosen {
		set = withMatch(set, best.Matches[0].Candidate)
	}
	a.position.distribution, a.position.steps, a.sweep.figure = distributionState{}, stepsState{}, 0
	a, groups := a.showGroups()
	cmds := []tea.Cmd{groups}
	if a.display.themeByUser {
		a.display.themeByUser, a.display.themeFixed = false, false
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	a, written := a.changeSession(func(s session.Session) session.Session { s.View = nil; return s })
	a, computed := a.apply(a.settings.push(undoState{now: set}))
	a.notice = "forgotten: this is how one finds the run who was never here; marks stay, u takes the settings back"
	return a.rearrange(), tea.Batch(append(cmds, written, computed)...)
}

// withMatch is settings with the estimator that wrote the log.
func withMatch(set model.Settings, best match.Candidate) model.Settings {
	set = set.WithFramework(best.Framework).WithEstimator(best.Estimator)
	set.Scale = best.Scale
	return set
}

// withTheme takes over a theme that the person chose.
func (l display) withTheme(t *themes.Theme) display {
	l.theme, l.themeFixed, l.themeByUser = t, true, true
	return l
}
