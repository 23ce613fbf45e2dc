package tui

import (
	"fmt"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/sanitize"
	"vantage/model/session"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
)

// stepsTable lists the steps around the one on the screen.
func (a App) stepsTable(w, h int) paneContent {
	t, trend := a.display.theme, a.result.trend
	c := paneContent{title: " all steps" + a.ofRun() + "  " + units.Count(len(trend.Steps))}
	if !trend.Complete() {
		c.title += t.Paint(themes.Dim, "  computed: "+a.trendProgress()+", newest first")
	}
	here := max(0, a.trendIndex())
	first := map[int][]string{}
	for _, o := range a.firstWarnings() {
		first[o.StepIndex] = append(first[o.StepIndex], string(o.Kind))
	}
	c.lines = []string{t.Paint(themes.Dim, stepColumns(w, "step", "samples", "groups", "reward", "signal", a.nonzeroName(), "kept", "Σ|A|", "flips")+"groups without signal")}
	a.addRows(&c, onStep, here, len(trend.Steps), w, h, func(i int) string { return a.stepRow(&trend.Steps[i], first[i], w) })
	return c
}

// stepRow returns the row of a step; firstWarnings are the kinds of warnings that appear
// there first.
func (a App) stepRow(s *analysis.Summary, firstWarnings []string, w int) string {
	t := a.display.theme
	if s.Pending {
		return t.Paint(themes.Dim, stepColumns(w, fmt.Sprint(s.Step), units.Count(s.Rows), "", "…", "…", "…", "…", "…", "…")+"computing")
	}
	mark, marked := a.session.current.FindMark(session.Mark{Step: s.Step})
	number := fmt.Sprint(s.Step)
	if marked {
		number = t.Paint(themes.Accent, "*") + number
	}
	line := stepColumns(w, number, units.Count(s.Rows), units.Count(s.Groups), units.Short(s.Metric("critic/score/mean")),
		signalText(s), nonzeroText(s), units.Fraction(s.Kept, s.Rows), units.Times(s.Metric("vantage/abs_advantage_ratio")), units.Count(s.Flips.Total()))
	if len(firstWarnings) > 0 {
		line = t.Paint(themes.Warn, "!") + strings.TrimPrefix(line, " ")
		if w < widthForFirstWarnings-2 { // else there is a list of them
			line += t.Paint(themes.Warn, "first "+strings.Join(firstWarnings, ", ")) + "  "
		}
	}
	if mark.Note != "" {
		line += t.Paint(themes.Accent, "* ") + sanitize.Line(mark.Note) + "  "
	}
	return line + a.stepFates(s, w-cells.Width(line))
}

// stepColumns lays out the columns of a row; a narrow table leaves some out: samples and groups, which
// the shares are of, and kept, of which those with an advantage are the part that trains.
func stepColumns(w int, step, samples, groups, reward, signal, nonzero, kept, abs, flips string) string {
	line := " " + cells.FitRight(step, 7)
	if w >= 128 {
		line += cells.FitRight(samples, 9) + cells.FitRight(groups, 8)
	}
	line += cells.FitRight(reward, 8) + "  " + cells.Fit(signal, 14)
	if w >= 76 {
		line += cells.Fit(nonzero, 18)
	}
	if w >= 96 {
		line += cells.Fit(kept, 18)
	}
	return line + cells.FitRight(abs, 7) + cells.FitRight(flips, 6) + "  "
}

// stepFates counts the groups without signal by fate, in w cells: first those that are due
// to the settings, then those that are due to the rewards.
func (e env) stepFates(s *analysis.Summary, w int) string {
	if s.Open {
		return e.display.theme.Paint(themes.Warn, e.groupsSoFar(s)+", still growing")
	}
	var parts []string
	for _, f := range []model.Fate{
		model.FateShort, model.FateKilled, model.FateInvalid, model.FateNoise,
		model.FateAllWrong, model.FateConstant, model.FateSingle, model.FateAllCorrect, model.FateSkipped,
	} {
		if n := s.Fates[f]; n > 0 {
			parts = append(parts, e.display.theme.Paint(e.fateRole(f), fmt.Sprintf("%d %s", n, f)))
		}
	}
	line := cells.JoinFitting(w-2, "  ", parts...)
	if line != strings.Join(parts, "  ") {
		line += e.display.theme.Paint(themes.Dim, " …")
	}
	return line
}
