package tui

import (
	"fmt"
	"strings"

	"vantage/model"
	"vantage/model/trainer"
	"vantage/model/units"
	"vantage/tui/cells"
)

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
func (a App) cellSettings() model.Settings {
	i, j := a.sweepCursor()
	set := a.settings.now
	set.KeepPos, set.KeepNeg = a.sweep.grid.Pos[i], a.sweep.grid.Neg[j]
	return set
}

// configTitle names the pair under the cursor and whose configuration is below, and says why it is another
// trainer's if that fits into w cells; the advice says it too.
func (a App) configTitle(w int) string {
	set := a.cellSettings()
	framework, _ := sweepConfig(set)
	text := fmt.Sprintf(" keep_pos %s  keep_neg %s · for %s", units.Fixed(set.KeepPos, 2), units.Fixed(set.KeepNeg, 2), framework)
	if framework == set.Framework || !set.Filtering() {
		return text
	}
	return cells.JoinFitting(w-2, ": ", text, set.Framework+" has no such filter")
}

// configLines returns the configuration of the pair in as few lines of w cells as hold it.
func (a App) configLines(w int) []string {
	_, lines := sweepConfig(a.cellSettings())
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

// copyPair copies the configuration of the pair under the cursor.
func (a App) copyPair() App {
	if a.sweep.grid == nil {
		a.notice = "nothing to copy yet"
		return a
	}
	_, lines := sweepConfig(a.cellSettings())
	return a.copyAndSave("pair.txt", strings.Join(lines, "\n")+"\n")
}
