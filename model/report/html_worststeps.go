package report

import (
	"vantage/model/glance"
	"vantage/model/report/markup"
	"vantage/model/units"
)

// writeWorstSteps writes the worst steps with their causes, and how they are ranked.
func (h *htmlPage) writeWorstSteps() error {
	spans := h.Parts.Worst
	h.note("Ranked " + glance.Order() + ". A healthy run has worst steps too: read why, and how many groups have signal.")
	caption := "The worst first"
	if more := len(spans) - MaxWorst; more > 0 {
		caption = "The worst " + units.Count(MaxWorst) + ", the worst first; " + units.Count(more) + " more are less bad"
	}
	h.beginTable("worst-steps", caption, []tableColumn{
		{"steps", "number", "a step, or neighbouring ones that are bad for the same reason"},
		{"why", "text", ""},
		{"signal", "share", "groups with an advantage that is not 0"},
		{"A≠0", "share", "samples whose advantage is not 0: only these train"},
	})
	for i := range spans[:min(MaxWorst, len(spans))] {
		h.worstRow(&spans[i])
	}
	h.endTable()
	return nil
}

func (h *htmlPage) worstRow(s *glance.Span) {
	h.Open("tr")
	h.Element("th", s.Name(), markup.A("scope", "row"))
	h.Element("td", upperFirst(s.Cause), markup.Class("t why"))
	h.Element("td", units.Fraction(s.Signal, s.Groups))
	h.Element("td", units.Fraction(s.Nonzero, s.Rows))
	h.Close()
	h.Break()
}
