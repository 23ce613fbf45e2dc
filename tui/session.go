package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vantage/model/figures"
	"vantage/model/match"
	"vantage/model/sanitize"
	"vantage/model/session"
	"vantage/model/sweep"
	"vantage/themes"
	"vantage/tui/env"
	"vantage/tui/overview"
	"vantage/tui/steps"
	"vantage/tui/view"
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

// sessionChange returns a session with something changed.
type sessionChange = func(session.Session) session.Session

// changeSession changes the session at once, and saves it in the background, one change
// after the other.
func (a App) changeSession(c sessionChange) App {
	a.env.Session.Current = c(a.env.Session.Current)
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
		a.env.Session.Current = inSequence(a.saving.pending)(msg.session)
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
	set, usual := a.env.Settings.Now, session.View{KeepPos: 1, KeepNeg: 1}
	v := session.View{
		KeepPos: set.KeepPos, KeepNeg: set.KeepNeg, Recompute: set.Recompute, SolvedAt: string(set.SolvedAt), Truncated: set.Truncated,
		Overlong: set.Overlong, GroupFilter: set.GroupFilter, OffPolicy: set.OffPolicy, Loss: set.Loss, StageOptions: set.StageOptions,
		Filter:   a.env.Settings.Filter,
		Reversed: a.env.Settings.Order.Reversed, Figure: a.views.panes.Distribution.Figure, LogScale: a.views.panes.Distribution.LogScale,
		Metric: a.views.steps.Metric, OpenView: a.position.savedViewName(),
	}
	if e := session.EstimatorOf(set); a.env.Session.EstimatorChosen || e != a.env.Session.AutoEstimator {
		v.Estimator = &e
	}
	if a.env.Settings.Order.Column > 0 {
		v.Sort = env.Sortings()[a.env.Settings.Order.Column].Words
	}
	if a.views.sweep.Figure > 0 {
		v.Sweep = sweep.Figures()[a.views.sweep.Figure-1].Name
	}
	if a.env.Place.Scope.Chosen {
		v.Scope = a.env.Place.Scope.String()
	}
	if g := a.views.sweep.SweepGoal(); g != sweep.UsualGoal() {
		v.Goal = g.String()
	}
	switch before := a.env.Session.Current.View; {
	case a.env.Display.ThemeByUser:
		v.Theme = a.env.Display.Theme.Name
	case a.env.Display.NoColor && before != nil:
		v.Theme = before.Theme // for the next terminal
	}
	if v == usual {
		return nil
	}
	return &v
}

// savedViewName returns the name of the view on the screen, or of the nearest one behind it
// that is restored; "" for the overview.
func (p position) savedViewName() string {
	var all views
	for _, v := range slices.Backward(append(slices.Clip(p.backStack), p.drawn())) {
		if v == view.Overview {
			return ""
		}
		if saved, ok := all.at(v).(view.Saved); ok && saved.SavedAs() != "" {
			return saved.SavedAs()
		}
	}
	return ""
}

func (a App) restoreSession(o Options) App {
	a.saving.store = o.SessionStore
	a.env.Session = env.SessionState{
		Current: o.Session, Defaults: o.Settings, Given: o.Given, AutoEstimator: session.EstimatorOf(o.Settings),
		EstimatorChosen: o.Given.HasEstimator(),
	}
	v := o.Session.View
	if v == nil {
		return a
	}
	a.env.Settings.Now = v.ApplyTo(o.Settings, func(option string) bool { return o.SetByFlag != nil && o.SetByFlag(option) })
	a.env.Session.Restored = v.Estimator != nil && !o.Given.HasEstimator() && session.EstimatorOf(a.env.Settings.Now) == *v.Estimator
	a.env.Session.EstimatorChosen = a.env.Session.EstimatorChosen || a.env.Session.Restored
	if _, err := figures.ParseQuery(v.Filter); err == nil {
		a.env.Settings.Filter = v.Filter
	}
	if saved, err := env.ParseScopeWords(strings.Fields(v.Scope), env.DefaultLastSteps); err == nil {
		a = a.withScope(saved)
		a.env.Place.Scope.Decided, a.env.Place.Scope.Chosen = true, true
	}
	a.env.Settings.Order.Reversed = v.Reversed
	a.env.Settings.Order.Column = max(0, slices.IndexFunc(env.Sortings(), func(s env.Sorting) bool { return s.Words == v.Sort }))
	a.views.panes.Distribution.Figure, a.views.panes.Distribution.LogScale, a.views.steps.Metric = v.Figure, v.LogScale, v.Metric
	a.views.sweep.Figure = 1 + slices.IndexFunc(sweep.Figures(), func(f sweep.Figure) bool { return f.Name == v.Sweep })
	if g, err := sweep.ParseGoal(v.Goal); err == nil {
		a.views.sweep.Goal = g
	}
	a.env.Display.ThemeByUser = v.Theme != "" && v.Theme == o.Theme
	return a.restoreView(v.OpenView).noticeRestored()
}

func (a App) restoreView(name string) App {
	if name == "" {
		return a
	}
	for v, one := range a.views.all() {
		if saved, ok := one.(view.Saved); ok && saved.SavedAs() == name {
			said := a.overlays.notice
			a = a.pushView(view.Name(v))
			a.overlays.notice = said // one that cannot be opened is not missed
		}
	}
	return a
}

func (a App) noticeRestored() App {
	var parts []string
	if set := a.env.Settings.Now; set != a.env.Session.Defaults {
		words := env.SettingsInWords(set)
		if !a.env.Session.Restored { // the log may name another estimator
			words = strings.TrimPrefix(words, fmt.Sprintf("%s, scale %s, ", set.Computes(), set.Scale))
		}
		parts = append(parts, words)
	}
	if a.env.Place.Scope.Kind != env.ScopeStep {
		parts = append(parts, a.env.Place.Scope.InWords())
	}
	if a.env.Settings.Filter != "" {
		parts = append(parts, "filter "+sanitize.Line(a.env.Settings.Filter))
	}
	if a.env.Settings.Order != (env.Order{}) {
		parts = append(parts, env.Sortings()[a.env.Settings.Order.Column].Words)
	}
	if name := a.position.savedViewName(); name != "" {
		parts = append(parts, "the "+name+a.env.AgainstSecond())
	}
	if len(parts) > 0 {
		a = a.addNotice("restored from the last session: " + strings.Join(parts, " · ") + " (:forget resets it)")
	}
	return a
}

// forget restores the defaults, on the screen and in the session. Undo brings the settings back.
func (a App) forget() App {
	a.env.Session.Restored, a.env.Session.EstimatorChosen = false, a.env.Session.Given.HasEstimator()
	defaults := a.env.Session.Defaults
	if a.env.Session.Given.Rewards == "" {
		defaults.Weights = a.env.Session.AutoWeights
	}
	set, chosen := match.Choose(defaults, a.env.Session.Given, a.env.Snap.Run.Framework, a.env.LoggedMatch.Latest.Report)
	a.env.Session.AutoEstimator, a.env.Session.AutoOrigin = session.EstimatorOf(set), chosen.Origin
	a.views.panes.Distribution, a.views.steps, a.views.sweep.Figure = overview.DistributionState{}, steps.View{}, 0
	a.views.sweep.Goal = sweep.Goal{}
	a = a.showGroups()
	if a.env.Display.ThemeByUser {
		a.env.Display.ThemeByUser, a.env.Display.ThemeFixed = false, false
		a = a.starts(tea.RequestBackgroundColor)
	}
	a = a.changeSession(func(s session.Session) session.Session { s.View = nil; return s })
	a = a.apply(a.env.Settings.Push(env.State{Now: set}))
	if a.env.Place.Scope.Chosen {
		a = a.withScope(env.Scope{})
		a.env.Place.Scope = env.ScopeState{}
	}
	a.overlays.notice = "settings and view reset: u undoes"
	return a.rearrange()
}

func (a App) chooseTheme(t *themes.Theme) App {
	a.env.Display.Theme, a.env.Display.ThemeFixed, a.env.Display.ThemeByUser = t, true, true
	return a.says("theme: " + t.Name + ", " + t.Doc)
}
