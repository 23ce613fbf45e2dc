package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vantage/model"
	"vantage/model/match"
	"vantage/model/session"
	"vantage/tui/env"
	"vantage/tui/view"
)

// memoryStore is a SessionStore in memory.
type memoryStore struct {
	session session.Session
	err     error
}

func (s *memoryStore) Update(change func(session.Session) session.Session) (session.Session, error) {
	if s.err != nil {
		return session.Session{}, s.err
	}
	s.session = change(s.session)
	return s.session, nil
}

// driveSession drives App with the session of a store, and saves it at the end.
func driveSession(t *testing.T, s *memoryStore, o Options, f func(*driver)) {
	t.Helper()
	o.SessionStore, o.Session = s, s.session
	if o.Settings == (model.Settings{}) {
		o.Settings = model.DefaultSettings()
	}
	if s.session.View != nil && o.Theme == "" {
		o.Theme = s.session.View.Theme
	}
	driveWith(t, madeRun(3), 120, 36, o, func(d *driver) {
		f(d)
		if err := d.app.SaveSession(); err != nil && s.err == nil {
			t.Error(err)
		}
	})
}

// The session is restored, which a notice says; :forget restores the defaults, which undo
// takes back.
func TestViewIsRestored(t *testing.T) {
	t.Parallel()
	s := &memoryStore{}
	driveSession(t, s, Options{}, func(d *driver) {
		if d.app.overlays.notice != "" {
			t.Errorf("the first time: %q", d.app.overlays.notice)
		}
		d.press("f", "p", "p", "m", "r", "o", "o", "O", "v", "#", "t")
		d.press("/")
		d.typeText("std>0.1")
		d.press("enter", "3", "3", "v")
	})
	left := s.session.View
	driveSession(t, s, Options{}, func(d *driver) {
		a := d.app
		if set := a.env.Settings.Now; set.Framework != "twinkle" || set.KeepPos != 0.9 || set.KeepNeg != 0.95 || !set.Recompute {
			t.Errorf("settings %+v", set)
		}
		if a.env.Settings.Filter != "std>0.1" || a.env.Settings.Order != (env.Order{Column: 2, Reversed: true}) || a.views.panes.Distribution.Figure != "rewards" || !a.views.panes.Distribution.LogScale ||
			a.position.view != view.Steps || a.views.steps.Metric == "" || left.Theme == "" || a.env.Display.Theme.Name != left.Theme {
			t.Errorf("%q %+v %+v view %d %s", a.env.Settings.Filter, a.env.Settings.Order, a.views.panes.Distribution, a.position.view, a.env.Display.Theme.Name)
		}
		for _, want := range []string{"restored from the last session: Twinkle grpo", "keep 0.90+ 0.95−, recompute", "filter std>0.1", "by size", "the steps", ":forget"} {
			if !strings.Contains(a.overlays.notice, want) {
				t.Errorf("%q does not say %q", a.overlays.notice, want)
			}
		}
		if len(a.env.Result.Rows) == a.env.Result.Analysis.Groups {
			t.Error("the filter filters nothing")
		}
		d.wantText("restored from the last session")
		d.press("esc")
		if d.app.position.view != view.Overview || strings.Contains(ansi.Strip(d.frame()), "restored from the last session") {
			t.Error("the next key does not take the notice away")
		}
		d.press("3", "3")
	})
	if *s.session.View.Estimator != *left.Estimator || s.session.View.Metric != left.Metric || s.session.View.OpenView != "steps" {
		t.Errorf("left %+v, then %+v", left, s.session.View)
	}
	driveSession(t, s, Options{}, func(d *driver) {
		d.press(":")
		d.typeText("forget")
		d.press("enter")
		defaults := model.DefaultSettings()
		defaults.Assumed = true
		if a := d.app; a.env.Settings.Now != defaults || a.env.Settings.Filter != "" || a.env.Settings.Order != (env.Order{}) || a.position.view != view.Overview || !strings.Contains(a.overlays.notice, "settings and view reset") {
			t.Errorf("%+v %q", a.env.Settings.Now, a.overlays.notice)
		}
		d.press("u")
		if d.app.env.Settings.Now.Framework != "twinkle" || d.app.env.Settings.Filter != "std>0.1" {
			t.Error("undo does not bring the settings back")
		}
		d.press("ctrl+r")
	})
	if s.session.View != nil {
		t.Errorf("not forgotten: %+v", s.session.View)
	}
}

// Settings of the command line win; the others are restored.
func TestFlagsWinOverTheSession(t *testing.T) {
	t.Parallel()
	s := &memoryStore{}
	driveSession(t, s, Options{}, func(d *driver) { d.press("f", "p", "m", "m") })
	set := model.DefaultSettings()
	set.KeepPos = 0.3
	given := func(names ...string) func(string) bool {
		return func(option string) bool { return slices.Contains(names, option) }
	}
	driveSession(t, s, Options{Settings: set, SetByFlag: given("keep_pos_ratio")}, func(d *driver) {
		if got := d.app.env.Settings.Now; got.KeepPos != 0.3 || got.KeepNeg != 0.9 || got.Framework != "twinkle" {
			t.Errorf("%+v", got)
		}
	})
	driveSession(t, s, Options{Settings: set.WithFramework("verl"), Given: match.Given{Framework: match.FromFlag}, SetByFlag: given("framework", "keep_pos_ratio")}, func(d *driver) {
		if got := d.app.env.Settings.Now; got.Framework != "verl" {
			t.Errorf("%+v", got)
		}
	})
}

// An estimator that nobody chose is not saved, so that the next time the one that wrote the
// log is looked for again; ratios are saved.
func TestOnlyAChosenEstimatorIsSaved(t *testing.T) {
	t.Parallel()
	s := &memoryStore{}
	driveSession(t, s, Options{}, func(d *driver) { d.press("j", "w") })
	if s.session.View != nil {
		t.Errorf("looking leaves %+v", s.session.View)
	}
	driveSession(t, s, Options{}, func(d *driver) { d.press("p") })
	if v := s.session.View; v == nil || v.Estimator != nil || v.KeepPos != 0.95 {
		t.Errorf("%+v", v)
	}
	play := func(s *memoryStore, f func(*driver)) {
		o := Options{Settings: model.DefaultSettings(), SessionStore: s, Session: s.session}
		lessMean := func(_ int, reward float64) float64 { return reward - 0.25 }
		driveWith(t, runWithAdvantages(4, lessMean), 120, 36, o, func(d *driver) {
			f(d)
			if err := d.app.SaveSession(); err != nil {
				t.Error(err)
			}
		})
	}
	play(s, func(d *driver) {
		if set := d.app.env.Settings.Now; set.Framework != "trl" || set.Scale != "none" || set.KeepPos != 0.95 {
			t.Errorf("the estimator that wrote the log did not win: %+v", set)
		}
	})
	if s.session.View.Estimator != nil {
		t.Errorf("nobody chose %+v", s.session.View.Estimator)
	}
	play(s, func(d *driver) { d.press("u") }) // back to what was not automatic: a choice
	if e := s.session.View.Estimator; e == nil || e.Name != "grpo" {
		t.Errorf("the choice is lost: %+v", e)
	}
	play(s, func(d *driver) {
		if set := d.app.env.Settings.Now; set.Framework != "trl" || set.Estimator != "grpo" || set.Scale != "group" {
			t.Errorf("the choice does not win: %+v", d.app.env.Settings.Now)
		}
		d.wantText("s group as left ! 0/16", "TRL grpo with scale group is as you left it, but the logged advantages match TRL grpo with scale none: :forget goes")
		if strings.Contains(ansi.Strip(d.frame()), "chosen here") {
			t.Error("what was chosen the last time is not chosen here")
		}
		d.press(withText(":", "forget")...)
		d.press("enter")
		if set := d.app.env.Settings.Now; set.Scale != "none" {
			t.Errorf(":forget does not go back to what the log shows: %+v", set)
		}
	})
}

// If the session cannot be saved a notice says so.
func TestFailedSaveIsReported(t *testing.T) {
	t.Parallel()
	s := &memoryStore{err: errors.New("no space left")}
	driveSession(t, s, Options{}, func(d *driver) {
		d.press(withText(":", "forget")...)
		d.press("enter")
		if !strings.Contains(d.app.overlays.notice, "no space left") {
			t.Errorf("%q", d.app.overlays.notice)
		}
	})
}
