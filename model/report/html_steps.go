package report

import (
	"fmt"

	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/report/markup"
	"vantage/model/units"
)

// stepCells is a row of the table of steps.
type stepCells struct {
	Step                                       int64
	Rows, Groups, Signal, Kept, Nonzero, Flips int
	Reward, Length, AbsRatio                   float64
	Fates                                      string
}

func newStepCells(s *analysis.Summary) stepCells {
	return stepCells{
		s.Step, s.Rows, s.Groups, s.Signal, s.Kept, s.Nonzero, s.Flips.Total(),
		s.Metric("critic/score/mean"), s.Metric("response_length/mean"), s.Metric("vantage/abs_advantage_ratio"), notableFates(s),
	}
}

// writeSteps writes a row per step.
func (h *htmlPage) writeSteps() error {
	caption := "A row per step"
	if hidden := len(h.Snap.Steps) - len(h.steps); hidden > 0 {
		caption = fmt.Sprintf("The newest %s; the %d before them are in vantage report --format csv", units.Plural(len(h.steps), "steps"), hidden)
	}
	h.beginTable("steps", caption, withDocs(figures.Step, []tableColumn{
		{"step", "number", ""},
		{"samples", "number", ""},
		{"groups", "number", ""},
		{"reward", "number", ""},
		{"length", "number", ""},
		{"signal", "share", ""},
		{"kept", "share", ""},
		{"A≠0", "share", ""},
		{"Σ|A|", "number", ""},
		{"flips", "number", ""},
		{"needs a look", "text", "groups that are not alive, by fate"},
	}))
	for _, s := range h.steps {
		h.Open("tr")
		h.Element("th", fmt.Sprint(s.Step), markup.A("scope", "row"))
		for _, cell := range []string{
			units.Count(s.Rows), units.Count(s.Groups), meanText(s.Reward), meanText(s.Length), units.Fraction(s.Signal, s.Groups), units.Fraction(s.Kept, s.Rows),
			units.Fraction(s.Nonzero, s.Rows), units.Times(s.AbsRatio), units.Count(s.Flips),
		} {
			h.Element("td", cell)
		}
		h.Element("td", s.Fates, markup.Class("t fates-text"))
		h.Close()
		h.Break()
	}
	h.endTable()
	for _, line := range h.legend() {
		h.note(line + ".")
	}
	return nil
}
