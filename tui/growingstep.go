package tui

import (
	"fmt"

	"vantage/model/analysis"
	"vantage/model/units"
)

// growingText says how much of the newest step, with index last, is there while another
// one is on the screen.
func (a App) growingText(last int) string {
	step := a.snap.Steps[last]
	if t := a.result.trend; t != nil {
		if i, ok := t.Find(step.Number); ok && t.Steps[i].Open && t.Steps[i].Groups > 0 {
			return fmt.Sprintf("step %d growing, %s", step.Number, a.groupsSoFar(&t.Steps[i]))
		}
	}
	return fmt.Sprintf("step %d growing, %s", step.Number, units.Plural(len(step.Rewards), "rows"))
}

// groupsSoFar returns the groups of a step that is being written, out of as many as the
// step before had if that is known: the steps of a run are of about one size.
func (a App) groupsSoFar(s *analysis.Summary) string {
	if t := a.result.trend; t != nil {
		if i, ok := t.Find(s.Step); ok && i > 0 && t.Steps[i-1].Groups >= s.Groups {
			return units.Count(s.Groups) + "/" + units.Plural(t.Steps[i-1].Groups, "groups")
		}
	}
	return units.Plural(s.Groups, "groups")
}
