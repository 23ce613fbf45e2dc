package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vantage/model/match"
	"vantage/model/units"
	"vantage/themes"
)

// logged is what is known of the advantages that the trainer logged.
type logged struct {
	asked  bool // the comparison was started: once a run is enough
	report *match.Report
}

// compareOnce starts the comparison when the first step has been read whole.
func (a App) compareOnce() (App, tea.Cmd) {
	if a.logged.asked || !a.snap.Run.Progress.CaughtUp || len(a.snap.Steps) == 0 {
		return a, nil
	}
	a.logged.asked = true
	return a, compare(a.ctx, a.snap, a.set.now)
}

// onMatch starts with the estimator that wrote the log, unless the person chose
// another or has changed something already.
func (a App) onMatch(msg matchMsg) (App, tea.Cmd) {
	if msg.err != nil {
		return a, nil // no advantages in the log, or no groups: nothing to compare
	}
	a.logged.report = msg.report
	if !msg.report.Match() || a.chosen || a.set.changed() {
		return a, nil
	}
	best := msg.report.Matches[0]
	set := a.set.now.WithFramework(best.Framework).WithEstimator(best.Estimator)
	set.Scale = best.Scale
	if set == a.set.now || set.Validate() != nil {
		return a, nil
	}
	a.notice = fmt.Sprintf("the advantages in the log are those of %s %s with scale %s: started there (u takes it back)", best.Framework, best.Estimator, best.Scale)
	return a.apply(a.set.with(set))
}

// verdict says in a few words whether the log's own advantages were reproduced.
func (a App) verdict() string {
	r := a.logged.report
	if r == nil {
		return ""
	}
	t := a.look.theme
	if !r.Match() {
		return t.Paint(themes.Warn, "! log: no estimator fits")
	}
	best := r.Matches[0]
	return t.Paint(themes.Good, a.look.glyphs.Kept) + fmt.Sprintf(" log: %s %s %s, %s bits", best.Framework, best.Estimator, best.Scale, units.Fraction(best.Equal, r.Compared))
}
