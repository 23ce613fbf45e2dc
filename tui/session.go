package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/figures"
	"vantage/model/match"
	"vantage/model/sanitize"
	"vantage/model/session"
	"vantage/model/sweep"
	"vantage/themes"
)

// SessionStore saves the session of a run. Main passes one in.
type SessionStore interface {
	// Update applies change to the saved session and returns the result. It may apply
	// change more than once, to the same effect.
	Update(change func(session.Session) session.Session) (session.Session, error)
}

// saving is what of the session is still to be saved.
type saving struct {
	store   SessionStore    // nil: the session ends with the program
	pending []sessionChange // not saved yet; the first of them are while writing
	writing bool
}

// sessionState is the session, and how the estimator was chosen.
type sessionState struct {
	current         session.Session
	defaults        model.Settings    // without a session
	given           match.Given       // by the command line
	restored        bool              // the session holds an estimator: the log's own is not used
	estimatorChosen bool              // by the command line or in the session
	autoEstimator   session.Estimator // that the program chose from what was given and from the log: not saved, unless something was given
	autoOrigin      match.Origin      // of autoEstimator; "" before the log is known
	autoWeights     model.Weights     // of the columns that the log shows to be the reward; "" if it does not
}

// sessionChange returns a session with something changed.
type sessionChange = func(session.Session) session.Session

// changeSession changes the session at once, and saves it in the background, one change
// after the other.
func (a App) changeSession(c sessionChange) App {
	a.env.session.current = c(a.env.session.current)
	if a.saving.store == nil {
		return a
	}
	a.saving.pending = append(slices.Clip(a.saving.pending), c)
	return a.writeSession()
}

// writeSession saves the pending changes, unless some are being saved.
func (a App) writeSession() App {
	if a.saving.writing || len(a.saving.pending) == 0 {
		return a
	}
	a.saving.writing = true
	memory, waiting := a.saving.store, a.saving.pending
	return a.starts(func() tea.Msg {
		s, err := memory.Update(inSequence(waiting))
		return sessionMsg{len(waiting), s, err}
	})
}

func inSequence(all []sessionChange) sessionChange {
	return func(s session.Session) session.Session {
		for _, c := range all {
			s = c(s)
		}
		return s
	}
}

// sessionMsg is the session as it was saved with the first pending changes, which another program may have changed too.
type sessionMsg struct {
	changes int // how many of them
	session session.Session
	err     error
}

func (msg sessionMsg) on(a App) App {
	a.saving.writing, a.saving.pending = false, a.saving.pending[msg.changes:]
	if msg.err != nil {
		a.overlays.notice = "not saved, kept only until you quit: " + sanitize.Line(msg.err.Error())
	} else {
		a.env.session.current = inSequence(a.saving.pending)(msg.session)
	}
	return a.writeSession()
}

// SaveSession saves the session after the program has ended: the pending changes, and the
// view that was left.
func (a App) SaveSession() error {
	if a.saving.store == nil {
		return nil
	}
	view := a.viewToSave()
	_, err := a.saving.store.Update(func(s session.Session) session.Session {
		s = inSequence(a.saving.pending)(s)
		s.View = view
		return s
	})
	return err
}

func (a App) viewToSave() *session.View {
	set, usual := a.env.settings.now, session.View{KeepPos: 1, KeepNeg: 1}
	v := session.View{
		KeepPos: set.KeepPos, KeepNeg: set.KeepNeg, Recompute: set.Recompute, SolvedAt: string(set.SolvedAt), Truncated: set.Truncated, Overlong: set.Overlong, GroupFilter: set.GroupFilter, Loss: set.Loss, StageOptions: set.StageOptions, Filter: a.env.settings.filter,
		Reversed: a.env.settings.order.reversed, Figure: a.panes.distribution.figure, LogScale: a.panes.distribution.logScale,
		Metric: a.views.steps.metric, OpenView: a.position.savedViewName(),
	}
	if e := session.EstimatorOf(set); a.env.session.estimatorChosen || e != a.env.session.autoEstimator {
		v.Estimator = &e
	}
	if a.env.settings.order.column > 0 {
		v.Sort = sortings()[a.env.settings.order.column].words
	}
	if a.views.sweep.figure > 0 {
		v.Sweep = sweep.Figures()[a.views.sweep.figure-1].Name
	}
	if a.env.place.scope.chosen {
		v.Scope = a.env.place.scope.String()
	}
	if g := a.views.sweep.sweepGoal(); g != usualGoal() {
		v.Goal = g.String()
	}
	switch before := a.env.session.current.View; {
	case a.env.display.themeByUser:
		v.Theme = a.env.display.theme.Name
	case a.env.display.noColor && before != nil:
		v.Theme = before.Theme // for the next terminal
	}
	if v == usual {
		return nil
	}
	return &v
}

func savedViews() map[viewName]string {
	return map[viewName]string{viewSteps: "steps", viewSweep: "sweep", viewCompare: "compare"}
}

// savedViewName returns the name of the view on the screen, or of the nearest one behind it
// that is restored; "" for the overview.
func (p position) savedViewName() string {
	for _, v := range slices.Backward(append(slices.Clip(p.backStack), p.viewInSight())) {
		if v == viewOverview {
			return ""
		}
		if name := savedViews()[v]; name != "" {
			return name
		}
	}
	return ""
}

func (a App) restoreSession(o Options) App {
	a.saving.store = o.SessionStore
	a.env.session = sessionState{current: o.Session, defaults: o.Settings, given: o.Given, autoEstimator: session.EstimatorOf(o.Settings), estimatorChosen: o.Given.HasEstimator()}
	v := o.Session.View
	if v == nil {
		return a
	}
	a.env.settings.now = v.ApplyTo(o.Settings, func(option string) bool { return o.SetByFlag != nil && o.SetByFlag(option) })
	a.env.session.restored = v.Estimator != nil && !o.Given.HasEstimator() && session.EstimatorOf(a.env.settings.now) == *v.Estimator
	a.env.session.estimatorChosen = a.env.session.estimatorChosen || a.env.session.restored
	if _, err := figures.ParseQuery(v.Filter); err == nil {
		a.env.settings.filter = v.Filter
	}
	if saved, err := parseScopeWords(strings.Fields(v.Scope), defaultLastSteps); err == nil {
		a = a.withScope(saved)
		a.env.place.scope.decided, a.env.place.scope.chosen = true, true
	}
	a.env.settings.order.reversed = v.Reversed
	a.env.settings.order.column = max(0, slices.IndexFunc(sortings(), func(s sorting) bool { return s.words == v.Sort }))
	a.panes.distribution.figure, a.panes.distribution.logScale, a.views.steps.metric = v.Figure, v.LogScale, v.Metric
	a.views.sweep.figure = 1 + slices.IndexFunc(sweep.Figures(), func(f sweep.Figure) bool { return f.Name == v.Sweep })
	if g, err := sweep.ParseGoal(v.Goal); err == nil {
		a.views.sweep.goal = g
	}
	a.env.display.themeByUser = v.Theme != "" && v.Theme == o.Theme
	return a.restoreView(v.OpenView).noticeRestored()
}

func (a App) restoreView(name string) App {
	for v, known := range savedViews() {
		if known != name || v == viewCompare && a.env.second.source == nil {
			continue
		}
		if e, err := a.env.settings.now.FindEstimator(); v == viewSweep && (err != nil || !e.CanFilter) {
			continue
		}
		a.views.sweep = a.views.sweep.at(a.env.settings.now.KeepPos, a.env.settings.now.KeepNeg)
		a.position.backStack, a.position.view = []viewName{viewOverview}, v
	}
	return a
}

func (a App) noticeRestored() App {
	var parts []string
	if set := a.env.settings.now; set != a.env.session.defaults {
		words := settingsInWords(set)
		if !a.env.session.restored { // the log may name another estimator
			words = strings.TrimPrefix(words, fmt.Sprintf("%s, scale %s, ", set.Computes(), set.Scale))
		}
		parts = append(parts, words)
	}
	if a.env.place.scope.kind != scopeStep {
		parts = append(parts, a.env.place.scope.inWords())
	}
	if a.env.settings.filter != "" {
		parts = append(parts, "filter "+sanitize.Line(a.env.settings.filter))
	}
	if a.env.settings.order != (order{}) {
		parts = append(parts, sortings()[a.env.settings.order.column].words)
	}
	if name := a.position.savedViewName(); name != "" {
		parts = append(parts, "the "+name+a.env.againstSecond())
	}
	if len(parts) > 0 {
		a = a.addNotice("restored from the last session: " + strings.Join(parts, " · ") + " (:forget resets it)")
	}
	return a
}

func (a App) addNotice(text string) App {
	if a.overlays.notice != "" {
		text = a.overlays.notice + "; " + text
	}
	return a.says(text)
}

// forget restores the defaults, on the screen and in the session. Undo brings the settings back.
func (a App) forget() App {
	a.env.session.restored, a.env.session.estimatorChosen = false, a.env.session.given.HasEstimator()
	defaults := a.env.session.defaults
	if a.env.session.given.Rewards == "" {
		defaults.Weights = a.env.session.autoWeights
	}
	set, chosen := match.Choose(defaults, a.env.session.given, a.env.snap.Run.Framework, a.env.loggedMatch.latest.report)
	a.env.session.autoEstimator, a.env.session.autoOrigin = session.EstimatorOf(set), chosen.Origin
	a.panes.distribution, a.views.steps, a.views.sweep.figure = distributionState{}, stepsState{}, 0
	a.views.sweep.goal = sweep.Goal{}
	a = a.showGroups()
	if a.env.display.themeByUser {
		a.env.display.themeByUser, a.env.display.themeFixed = false, false
		a = a.starts(tea.RequestBackgroundColor)
	}
	a = a.changeSession(func(s session.Session) session.Session { s.View = nil; return s })
	a = a.apply(a.env.settings.push(undoState{now: set}))
	if a.env.place.scope.chosen {
		a = a.withScope(scope{})
		a.env.place.scope = scopeState{}
	}
	a.overlays.notice = "settings and view reset: u undoes"
	return a.rearrange()
}

func (a App) chooseTheme(t *themes.Theme) App {
	a.env.display.theme, a.env.display.themeFixed, a.env.display.themeByUser = t, true, true
	return a.says("theme: " + t.Name + ", " + t.Doc)
}
