package tui

import "vantage/model/sweep"

// sweepState is the state of the map of what every pair of keep ratios does.
type sweepState struct {
	figure    int // index in sweep.Figures
	pos, neg  int // indexes of the ratios under the cursor
	scope     sweepScope
	lastRange sweepScope // the range that was typed last

	goal       sweep.Goal // zero: the default
	advice     sweep.Recommendation
	adviceOf   adviceRequest // what advice is of
	followStar bool          // the cursor goes to the star of the next grid

	job  job[sweepKey, sweepPart]
	grid *sweep.Grid // on the screen
}

func sweepKeys() keySection {
	return keySection{"sweep", []binding{
		{[]string{"h", "left"}, "h ←", "h j k l cell", "a lower keep_neg_ratio", move(App.moveSweepNeg, -1)},
		{[]string{"l", "right"}, "l →", "", "a higher keep_neg_ratio", move(App.moveSweepNeg, 1)},
		{[]string{"j", "down"}, "j ↓", "", "a lower keep_pos_ratio", move(App.moveSweepPos, -1)},
		{[]string{"k", "up"}, "k ↑", "", "a higher keep_pos_ratio", move(App.moveSweepPos, 1)},
		{[]string{"v"}, "v", "v figure", "next figure that is not the same for all pairs: signal, kept, killed, short, trained, effective, flips, Σ|A|, push, mean, std", move(App.moveSweepFigure, 1)},
		{[]string{"V"}, "V", "", "previous figure", move(App.moveSweepFigure, -1)},
		{[]string{"enter"}, "⏎", "Enter apply", "set these ratios", App.applySweep},
		{[]string{"y"}, "y", "y copy", "copy what to write into the trainer's configuration for this pair", App.copyPair},
		{[]string{"Y"}, "Y", "", "copy something else: the table of groups, the screen, the settings as they are", App.openCopy},
		{[]string{"x"}, "x", "x star", "to ★, which suits the goal best, or back to what is set; ☆ no pair beats, and it raises no warning", App.toggleStar},
		{[]string{"tab"}, "Tab", "Tab scope", "sweep the step, the groups that the filter shows, the last 10 steps, all; `:sweep 3 12` a range", App.nextScope},
		{[]string{"o"}, "o", "o goal", "goal of the recommendation: signal, balance or cost; `:goal cost 0.9` keeps 90% of Σ|A|", App.nextGoal},
		{[]string{"esc", "S"}, "Esc", "Esc back", "back without changes", App.escape},
	}}
}

// openSweep opens the map, the cursor on the present ratios and then on the star.
func (a App) openSweep() App {
	if e, err := a.settings.now.FindEstimator(); err != nil || !e.CanFilter {
		a.notice = "only GRPO estimators have this filter: select one with e or E first"
		return a
	}
	a.sweep.followStar = true
	return a.sweepCursorToSettings().sweepCursorToStar().pushView(viewSweep)
}

// sweepCursorToSettings puts the cursor on the cell nearest to the present ratios.
func (a App) sweepCursorToSettings() App {
	r := sweep.DefaultRatios()
	a.sweep.pos, a.sweep.neg = nearestIndex(r.Pos, a.settings.now.KeepPos), nearestIndex(r.Neg, a.settings.now.KeepNeg)
	return a
}

// nearestIndex returns the index of the value nearest to x.
func nearestIndex(values []float64, x float64) int {
	best := 0
	for i, v := range values {
		if abs(v-x) < abs(values[best]-x) {
			best = i
		}
	}
	return best
}

func abs(x float64) float64 { return max(x, -x) }

func (a App) moveSweepPos(by int) App {
	i, _ := a.sweepCursor()
	a.sweep.followStar = false
	a.sweep.pos = clampIndex(i+by*a.sweepStride(), len(sweep.DefaultRatios().Pos))
	return a
}

func (a App) moveSweepNeg(by int) App {
	_, j := a.sweepCursor()
	a.sweep.followStar = false
	a.sweep.neg = clampIndex(j+by*a.sweepStride(), len(sweep.DefaultRatios().Neg))
	return a
}

// sweepCursor returns the indexes of the cell under the cursor, rounded to one on the map.
func (a App) sweepCursor() (pos, neg int) {
	by := a.sweepStride()
	return a.sweep.pos - a.sweep.pos%by, a.sweep.neg - a.sweep.neg%by
}

func (a App) applySweep() App {
	r := sweep.DefaultRatios()
	set := a.settings.now
	i, j := a.sweepCursor()
	set.KeepPos, set.KeepNeg = r.Pos[i], r.Neg[j]
	if best := a.sweep.advice.Cell; best != nil && !best.Filtering() && !set.Filtering() {
		set.Recompute = false // which without a filter changes nothing but raises a warning
	}
	a = a.goBack()
	return a.trySettings(set)
}
