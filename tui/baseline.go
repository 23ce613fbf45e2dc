package tui

import (
	"fmt"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
)

// baseline is the settings that the present ones are compared with: A, those being B.
type baseline struct {
	on       bool
	settings model.Settings
}

// setBaseline makes the present settings the baseline, or removes it if they are.
func (a App) setBaseline() App {
	next := baseline{on: true, settings: a.settings.now}
	if a.settings.base == next {
		next = baseline{}
		a.notice = "baseline removed"
	} else {
		a.notice = "baseline (A): " + settingsInWords(a.settings.now) + " — changes from now on are the candidate (B), Δ is B − A; the key B swaps the two"
	}
	return a.apply(a.settings.withBaseline(next))
}

// swapBaseline exchanges the baseline and the present settings.
func (a App) swapBaseline() App {
	if !a.settings.base.on {
		a.notice = "no baseline to swap with: b sets one"
		return a
	}
	return a.apply(a.settings.swapped())
}

// settingsInWords returns settings as a line of text.
func settingsInWords(s model.Settings) string {
	text := fmt.Sprintf("%s %s, scale %s", s.Framework, s.Estimator, s.Scale)
	if s.Options != "" {
		text += ", " + sanitize.Line(s.Options.String())
	}
	if s.Filtering() {
		text += fmt.Sprintf(", keep %s+ %s−", units.Fixed(s.KeepPos, 2), units.Fixed(s.KeepNeg, 2))
		if s.Recompute {
			text += ", recompute"
		}
	}
	for _, stage := range []struct{ name, choice string }{{"length penalty", s.Overlong}, {"group filter", s.GroupFilter}, {"loss", s.Loss}} {
		if stage.choice != "" {
			text += ", " + stage.name + " " + stage.choice
		}
	}
	if s.SolvedAt != "" {
		text += ", solved from reward " + string(s.SolvedAt)
	}
	return text
}

// baselineAnalysis returns the steps on the screen under the baseline, nil if there is none.
func (e env) baselineAnalysis() *analysis.Analysis {
	if !e.settings.base.on || e.result.base == nil || !e.result.base.SameSteps(e.result.analysis) || e.result.base.Rows != e.result.analysis.Rows {
		return nil
	}
	return e.result.base
}

// delta returns how much now exceeds the baseline's value, as " Δ+4", or "" without a
// baseline.
func (e env) delta(now float64, was func(*analysis.Analysis) float64) string {
	base := e.baselineAnalysis()
	if base == nil {
		return ""
	}
	return e.paintDelta(now - was(base))
}

// stepDelta is delta for a value of the last step on the screen.
func (e env) stepDelta(now float64, was func(*analysis.Analysis) float64) string {
	return e.delta(now, func(base *analysis.Analysis) float64 { return was(base.Last()) })
}

// paintDelta returns B − A as " Δ+4".
func (e env) paintDelta(d float64) string {
	return e.display.theme.Paint(deltaRole(d), " Δ"+signedShort(d))
}

// deltaRole returns the look of a difference.
func deltaRole(d float64) themes.Role {
	switch {
	case d > 0:
		return themes.Positive
	case d < 0:
		return themes.Negative
	}
	return themes.Dim
}

// signedShort returns a difference with its sign.
func signedShort(d float64) string {
	switch {
	case d != d:
		return units.Missing
	case d == 0:
		return "0"
	case d > 0:
		return "+" + units.Short(d)
	}
	return "−" + units.Short(-d)
}

// baselineFate returns the fate of a group under the baseline, and whether it differs.
func (e env) baselineFate(g int) (model.Fate, bool) {
	base := e.baselineAnalysis()
	if base == nil || g >= base.Groups {
		return 0, false
	}
	fate := base.Table[g].Fate
	return fate, fate != e.result.analysis.Table[g].Fate
}
