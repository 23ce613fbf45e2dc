// Package baseline draws the lines that compare the present settings with the baseline, below the overview and the run at a glance.
package baseline

import (
	"math"
	"strings"

	"vantage/model/analysis"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/pane"
)

// comparedFigure is a figure that stands under the baseline, under the present settings, and as the difference of the two.
type comparedFigure struct {
	name    string
	value   func(*analysis.Analysis) float64
	text    func(float64) string
	differs func(float64) string // writes the difference
}

// comparedFigures are the six that say what a change of the settings does, in the order of the table.
func comparedFigures() []comparedFigure {
	count := func(x float64) string { return units.Count(int(x)) }
	return []comparedFigure{
		{"train", func(f *analysis.Analysis) float64 { return float64(f.Nonzero) }, count, pane.SignedShort},
		{"kept", func(f *analysis.Analysis) float64 { return float64(f.Kept) }, count, pane.SignedShort},
		{"signal", func(f *analysis.Analysis) float64 { return float64(f.Signal) }, count, pane.SignedShort},
		{"flips", func(f *analysis.Analysis) float64 { return float64(f.Flips.Total()) }, count, pane.SignedShort},
		{"Σ|A|", func(f *analysis.Analysis) float64 { return f.Metric("vantage/abs_advantage_ratio") }, units.Times, signedTimes},
		{"mean A", keptMean, units.Signed, signedMean},
	}
}

// keptMean is the mean of the advantages that the filter keeps, as the histogram has it: not weighted by tokens.
func keptMean(x *analysis.Analysis) float64 {
	sum, n := 0.0, 0
	for i, value := range x.Processed {
		if x.Keep[i] && units.IsFinite(value) {
			sum, n = sum+value, n+1
		}
	}
	return sum / float64(n)
}

const (
	comparisonLabel  = 4  // cells of A, B and Δ
	comparisonColumn = 14 // of a figure, at most
	comparisonRows   = 4
	comparisonScreen = 18 // lines of a screen that has room for it

	leastDifference = 1e-6 // less is what float32 leaves of none
)

// ComparisonHeight is how many lines below the panes compare the two settings: none without a baseline. It depends neither on the step
// nor on what is computed, so that no border moves with them.
func ComparisonHeight(e env.Env) int {
	if !e.Settings.Base.On || e.Result.Analysis == nil || e.Display.H < comparisonScreen {
		return 0
	}
	return comparisonRows
}

// WithComparison is a body of h lines, above the figures of the step under the baseline, A, under the present settings, B, and how much B
// exceeds A. No column is ever left out: they share the width.
func WithComparison(e env.Env, w, h int, body func(h int) []string) []string {
	n := min(h, ComparisonHeight(e))
	lines := body(h - n)
	if n == 0 {
		return lines
	}
	return append(lines, baselineLines(e, w)[:n]...)
}

func baselineLines(e env.Env, w int) []string {
	t, all := e.Display.Theme, comparedFigures()
	column := min(comparisonColumn, (w-comparisonLabel)/len(all))
	head, a := cells.Spaces(comparisonLabel), cells.Fit(" A", comparisonLabel)
	b, delta := cells.Fit(" B", comparisonLabel), cells.Fit(" Δ", comparisonLabel)
	for _, f := range all {
		was, now := compared(f, e.BaselineAnalysis()), compared(f, e.Result.Analysis)
		difference := now - was
		if math.Abs(difference) < leastDifference {
			difference = 0
		}
		head += cells.FitRight(f.name, column)
		a += cells.FitRight(f.shown(was), column)
		b += cells.FitRight(f.shown(now), column)
		delta += t.Paint(pane.SignRole(difference), cells.FitRight(f.differs(difference), column))
	}
	return []string{cells.Fit(t.Paint(themes.Dim, head), w), cells.Fit(a, w), cells.Fit(b, w), cells.Fit(delta, w)}
}

// compared is a figure of a step, NaN where it is not known: while it is computed, or written.
func compared(f comparedFigure, x *analysis.Analysis) float64 {
	if x == nil || x.Open {
		return math.NaN()
	}
	return f.value(x)
}

// signedMean writes the difference of two means of advantages, with the minus of the other differences.
func signedMean(d float64) string { return strings.Replace(units.SignedOrMissing(d), "-", "−", 1) }

// signedTimes writes the difference of two factors as they are written: −0.13×.
func signedTimes(d float64) string {
	switch {
	case d == 0 || math.IsNaN(d):
		return pane.SignedShort(d)
	case d > 0:
		return "+" + units.Times(d)
	}
	return "−" + units.Times(-d)
}

func (f comparedFigure) shown(x float64) string {
	if math.IsNaN(x) {
		return units.Missing
	}
	return f.text(x)
}
