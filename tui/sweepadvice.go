package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/sweep"
	"vantage/model/trainer"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
)

// adviceRequest is all that the recommendation of a map depends on.
type adviceRequest struct {
	grid      *sweep.Grid
	stride    int // only every so many ratios are on the map
	goal      sweep.Goal
	recompute bool
}

func (s sweepState) sweepGoal() sweep.Goal {
	if s.goal == (sweep.Goal{}) {
		return sweep.DefaultGoal()
	}
	return s.goal
}

// updateAdvice finds what suits the goal best on the map that is on the screen, and puts the cursor there
// until the map is complete, unless it was moved. Only what is on the map is advised, since Enter sets
// what is under the cursor.
func (a App) updateAdvice() App {
	want := adviceRequest{a.sweep.grid, a.sweepStride(), a.sweep.sweepGoal(), a.settings.now.Recompute}
	if a.position.view != viewSweep || want == a.sweep.adviceOf {
		return a
	}
	a.sweep.adviceOf, a.sweep.advice = want, sweep.Recommendation{}
	if want.grid == nil {
		return a
	}
	a.sweep.advice = want.grid.Every(want.stride).Recommend(want.goal, want.recompute)
	if a.sweep.followStar {
		a = a.sweepCursorToStar()
		a.sweep.followStar = a.sweep.job.busy()
	}
	return a
}

// sweepCursorToStar puts the cursor on the recommended cell, if there is one.
func (a App) sweepCursorToStar() App {
	if c := a.sweep.advice.Cell; c != nil {
		r := sweep.DefaultRatios()
		a.sweep.pos, a.sweep.neg = nearestIndex(r.Pos, c.KeepPos), nearestIndex(r.Neg, c.KeepNeg)
	}
	return a
}

// toggleStar moves the cursor to the star, or from there to the cell that is set.
func (a App) toggleStar() App {
	i, j := a.sweep.pos, a.sweep.neg
	a.sweep.followStar = false
	if a = a.sweepCursorToStar(); a.sweep.pos == i && a.sweep.neg == j {
		a = a.sweepCursorToSettings()
	}
	return a
}

func (a App) nextGoal() App {
	names := sweep.GoalNames()
	g := a.sweep.sweepGoal()
	g.Name = names[(slices.Index(names, g.Name)+1)%len(names)]
	a.sweep.goal, a.sweep.followStar = g, true
	return a
}

func runGoal(a App, args []string) (App, error) {
	g, err := sweep.ParseGoal(strings.Join(args, " "))
	if err != nil {
		return a, err
	}
	a.sweep.goal = g
	a = a.openSweep()
	return a, nil
}

// The marks of cells that suit the goal.
const (
	starMark  = "★" // the best
	frontMark = "☆" // no other beats it, and it raises no warning
)

// adviceMark returns the mark of a cell, "" if it has none.
func (s sweepState) adviceMark(c *sweep.Cell) string {
	switch {
	case s.advice.IsChoice(c):
		return starMark
	case c.Warned == (sweep.StepWarnings{}) && s.advice.OnFront(c):
		return frontMark
	}
	return ""
}

// adviceSentence says what suits the goal best, or why nothing does; that the trainer cannot filter is said
// if it fits into w cells.
func (s sweepState) adviceSentence(w int) string {
	r := s.advice
	if r.Cell == nil {
		return r.Reason
	}
	text := fmt.Sprintf("%s %s: keeps %s of Σ|A|, kills %s, flips %s", starMark, r.Cell.Name(), shareText(r.Cell.AbsRatio()), units.Count(r.Cell.Killed), units.Count(r.Cell.Flips))
	if r.NotInTrainer {
		text = cells.JoinFitting(w, " ", text, fmt.Sprintf("(%s has no such filter)", s.grid.Settings.Framework))
	}
	return text
}

func shareText(x float64) string {
	if x != x {
		return units.Missing
	}
	return fmt.Sprintf("%.0f%%", 100*x)
}

// The columns of the table beside the map.
const (
	adviceLabelWidth  = 9
	adviceColumnWidth = 6
	adviceWidth       = adviceLabelWidth + 3*adviceColumnWidth
)

// adviceLines says what suits the goal best, in lines of w cells: in words, and in figures next to
// the pair under the cursor and what is set.
func (s sweepState) adviceLines(e env, w int) []string {
	t, r := e.display.theme, s.advice
	if s.grid == nil {
		return nil
	}
	goal := s.sweepGoal()
	lines := []string{t.Paint(themes.Dim, "goal ") + t.Paint(themes.Accent, goal.Name)}
	if goal.KeepsShare() {
		lines[0] += t.Paint(themes.Dim, fmt.Sprintf(", %.3g%%+ of Σ|A|", 100*goal.Least))
	}
	for _, line := range cells.Wrap(s.adviceSentence(math.MaxInt32), w) {
		lines = append(lines, t.Paint(themes.Title, line))
	}
	i, j := s.sweepCursor(e)
	columns := []*sweep.Cell{s.grid.At(e.settings.now.Recompute, i, j), r.Cell, s.setCell(e)}
	header := cells.Spaces(adviceLabelWidth)
	for _, name := range []string{"here", starMark, "set"} {
		header += cells.FitRight(name, adviceColumnWidth)
	}
	lines = append(lines, t.Paint(themes.Dim, header))
	for _, row := range adviceRows() {
		line := t.Paint(themes.Dim, cells.Fit(row.name, adviceLabelWidth))
		for _, c := range columns {
			text := units.Missing
			if c != nil {
				text = row.text(c)
			}
			line += cells.FitRight(text, adviceColumnWidth)
		}
		lines = append(lines, line)
	}
	return lines
}

// setCell returns the cell of the settings at work, nil if it is not on the map.
func (s sweepState) setCell(e env) *sweep.Cell {
	g, set := s.grid, e.settings.now
	i, j := nearestIndex(g.Pos, set.KeepPos), nearestIndex(g.Neg, set.KeepNeg)
	if abs(g.Pos[i]-set.KeepPos) > 1e-9 || abs(g.Neg[j]-set.KeepNeg) > 1e-9 {
		return nil
	}
	return g.At(set.Recompute, i, j)
}

// adviceRow is a figure of the table beside the map.
type adviceRow struct {
	name string
	text func(*sweep.Cell) string
}

func adviceRows() []adviceRow {
	return []adviceRow{
		{"signal", func(c *sweep.Cell) string { return units.Percent(c.Signal, c.Groups) }},
		{"kept", func(c *sweep.Cell) string { return units.Percent(c.Kept, c.Samples) }},
		{"Σ|A|", func(c *sweep.Cell) string { return shareText(c.AbsRatio()) }},
		{"effective", func(c *sweep.Cell) string { return units.Brief(c.Effective()) }},
		{"trained", func(c *sweep.Cell) string { return units.Percent(c.Trained, c.Samples) }},
		{"flips", func(c *sweep.Cell) string { return units.Count(c.Flips) }},
		{"killed", func(c *sweep.Cell) string { return units.Count(c.Killed) }},
		{"short", func(c *sweep.Cell) string { return units.Count(c.Short) }},
		{"+ : − %", (*sweep.Cell).MassText},
	}
}

// sweepConfig returns what to write into a trainer's configuration for a pair, and whose it is: that of
// the trainer at work, or of EasyR1 if only that one can filter so.
func sweepConfig(set model.Settings) (framework string, lines []string) {
	e, err := set.FindEstimator()
	d, ok := trainer.Find(set.Framework)
	if !ok || err != nil || set.Filtering() && !e.TrainerFilters {
		d = trainer.Dialects()[0]
	}
	return d.Framework, d.Emit(set)
}

// cellSettings returns the settings at work with the ratios under the cursor.
func (s sweepState) cellSettings(e env) model.Settings {
	i, j := s.sweepCursor(e)
	set := e.settings.now
	set.KeepPos, set.KeepNeg = s.grid.Pos[i], s.grid.Neg[j]
	return set
}

// configTitle names the pair under the cursor and whose configuration is below, and says why it is another
// trainer's if that fits into w cells; the advice says it too.
func (s sweepState) configTitle(e env, w int) string {
	set := s.cellSettings(e)
	framework, _ := sweepConfig(set)
	text := fmt.Sprintf(" keep_pos %s  keep_neg %s · for %s", units.Fixed(set.KeepPos, 2), units.Fixed(set.KeepNeg, 2), framework)
	if framework == set.Framework || !set.Filtering() {
		return text
	}
	return cells.JoinFitting(w-2, ": ", text, set.Framework+" has no such filter")
}

func (s sweepState) configLines(e env, w int) []string {
	_, lines := sweepConfig(s.cellSettings(e))
	return joinWords(strings.Fields(strings.Join(lines, " ")), " ", w)
}

// joinWords joins words to lines of at most w cells, and breaks only those that are longer.
func joinWords(words []string, separator string, w int) []string {
	var lines []string
	for _, word := range words {
		if last := len(lines) - 1; last >= 0 && cells.Width(lines[last]+separator+word) <= w {
			lines[last] += separator + word
			continue
		}
		lines = append(lines, cells.Wrap(word, w)...)
	}
	return lines
}

func (a App) copyPair() App {
	if a.sweep.grid == nil {
		a.notice = "nothing to copy yet"
		return a
	}
	_, lines := sweepConfig(a.sweep.cellSettings(a.env))
	return a.copyAndSave("pair.txt", strings.Join(lines, "\n")+"\n")
}
