package report

import (
	"io"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/glance"
	"vantage/model/report/markup"
	"vantage/model/units"
)

// HTMLParts are the parts of the page of [HTML] that are not figures of the report.
type HTMLParts struct {
	Sweep   *Sweep                                   // of the same steps; nil if there is none
	NoSweep string                                   // why there is none
	Texts   int                                      // of how many of the worst groups two answers are shown
	Text    func(at model.Place) (model.Text, error) // reads the text of a sample; nil if Texts is 0
	Worst   []glance.Span                            // the worst steps first
}

// Bounds of a page, so that it can be sent whatever the run.
const (
	maxPagePoints = 200 // of a line: with more steps a point is the mean of several
	maxPageSteps  = 500 // rows of the table of steps, the newest
)

// htmlPage is a page of HTML being written, once all steps are known.
type htmlPage struct {
	*page
	*markup.Writer

	chain    chainTotal
	steps    []stepCells // the newest
	worst    worstGroups // candidates
	warnings []lastWarning
}

// HTML writes one page for a browser that needs nothing else: what was read and how, the stages from the reward to
// the loss, warnings, charts, the sweep, the groups that need a look and, of some, two answers, a row per step, and
// the settings to copy. It can be read without its script, which sorts and searches tables. The
// Content-Security-Policy of the page allows that script and nothing that is not in the page. The last line of the
// page says that it is not cut.
func HTML(w io.Writer, r *Report) (*Charts, error) {
	p, err := r.newPage(io.Discard, pageTrends(), maxPagePoints)
	if err != nil {
		return nil, err
	}
	h := &htmlPage{page: p, Writer: markup.New(w), worst: worstGroups{most: max(groupsPerFate, r.Parts.Texts)}}
	err = r.eachStep(func(s *analysis.Summary, a *analysis.Analysis) error {
		h.add(s, a)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := h.write(); err != nil {
		return nil, err
	}
	return p.charts, h.Flush()
}

func (h *htmlPage) add(s *analysis.Summary, a *analysis.Analysis) {
	h.page.add(s, a)
	if h.rows++; h.rows > len(h.Snap.Steps)-maxPageSteps {
		h.steps = append(h.steps, newStepCells(s))
	}
	if a != nil {
		h.chain.add(a)
	}
	if s.Open {
		return
	}
	h.addWarnings(s)
	if a != nil {
		h.worst.add(a)
	}
}

// section is a part of the page, which the list at its top links to.
type section struct {
	id, title string
	write     func(*htmlPage) error
	has       func(*htmlPage) bool // nil: always
}

// sections returns all parts, in the order of the page.
func sections() []section {
	return []section{
		{id: "chain", title: "From reward to loss", write: (*htmlPage).writeChain},
		{id: "warnings", title: "Warnings", write: (*htmlPage).writeWarnings},
		{id: "worst", title: "Worst steps", write: (*htmlPage).writeWorstSteps, has: func(h *htmlPage) bool { return h.charts.Steps > 1 && len(h.Parts.Worst) > 0 }},
		{id: "steps", title: "Over the steps", write: (*htmlPage).writeTrends, has: func(h *htmlPage) bool { return h.charts.Steps > 1 }},
		{id: "advantages", title: "Advantages and solve rates", write: (*htmlPage).writeDistributions, has: func(h *htmlPage) bool { return h.charts.hasDistribution() || h.charts.hasSolved() }},
		{id: "sweep", title: "What a filter would do", write: (*htmlPage).writeSweep},
		{id: "groups", title: "Groups", write: (*htmlPage).writeGroups, has: func(h *htmlPage) bool { return h.total.Groups > 0 }},
		{id: "texts", title: "Answers", write: (*htmlPage).writeTexts, has: func(h *htmlPage) bool { return h.Parts.Texts > 0 && len(h.worst.ranked()) > 0 }},
		{id: "table", title: "Every step", write: (*htmlPage).writeSteps},
		{id: "settings", title: "Settings to copy", write: (*htmlPage).writeSettings},
	}
}

func (h *htmlPage) write() error {
	var shown []section
	for _, s := range sections() {
		if s.has == nil || s.has(h) {
			shown = append(shown, s)
		}
	}
	h.begin(shown)
	for _, s := range shown {
		h.Open("section", markup.A("id", s.id), markup.A("aria-labelledby", s.id+"-title"))
		h.Element("h2", s.title, markup.A("id", s.id+"-title"))
		if err := s.write(h); err != nil {
			return err
		}
		h.Close()
		h.Break()
	}
	h.end()
	return nil
}

// note writes a paragraph that explains what is above or below it.
func (h *htmlPage) note(text string) {
	h.Element("p", text, markup.Class("note"))
}

// runSize says how much was read: "40 steps · 20480 samples · 2560 groups".
func (h *htmlPage) runSize() string {
	return units.Plural(len(h.Snap.Steps), "steps") + " · " + units.Plural(h.Snap.Rows, "samples") + " · " + units.Plural(h.total.Groups, "groups")
}
