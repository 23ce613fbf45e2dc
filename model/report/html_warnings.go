package report

import (
	"fmt"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/report/markup"
	"vantage/model/units"
)

// lastWarning is the newest step that raises a kind of warning, with what it says there.
type lastWarning struct {
	Kind     model.WarningKind
	Step     int64
	Warnings []model.Warning // several if one kind warns of both ratios
}

// addWarnings remembers the warnings of a step as the newest of their kinds.
func (h *htmlPage) addWarnings(s *analysis.Summary) {
	for _, w := range s.Warnings {
		i := slices.IndexFunc(h.warnings, func(l lastWarning) bool { return l.Kind == w.Kind })
		if i < 0 {
			i = len(h.warnings)
			h.warnings = append(h.warnings, lastWarning{Kind: w.Kind})
		}
		if last := &h.warnings[i]; last.Step != s.Step || last.Warnings == nil {
			last.Step, last.Warnings = s.Step, nil
		}
		h.warnings[i].Warnings = append(h.warnings[i].Warnings, w)
	}
}

// writeWarnings writes each kind of warning with how often it occurs, and what it says at the newest step of these.
func (h *htmlPage) writeWarnings() error {
	if len(h.warnings) == 0 {
		h.note("No complete step raises a warning.")
		h.writeProblems()
		return nil
	}
	h.Open("ul", markup.Class("warnings"))
	for _, kind := range h.warnings {
		h.Open("li")
		h.Element("h3", strings.ReplaceAll(string(kind.Kind), "-", " "))
		h.Element("p", h.warningSpan(kind), markup.Class("where"))
		for _, w := range kind.Warnings {
			h.Element("p", strings.TrimSuffix(w.Sentence(), ".")+".")
			if e := h.example(w); e != nil && e.Group+e.Prompt != "" {
				h.Open("p", markup.Class("example"))
				h.Text("For example group ")
				h.Element("code", e.Group, markup.A("dir", "auto"))
				h.Text(" ")
				h.Element("q", e.Prompt, markup.A("dir", "auto"))
				h.Close()
			}
			h.Element("p", withoutKeys(w.Advice), markup.Class("advice"))
		}
		h.Close()
	}
	h.Close()
	h.writeProblems()
	return nil
}

// warningSpan says at which steps a kind of warning occurs.
func (h *htmlPage) warningSpan(kind lastWarning) string {
	for _, s := range h.total.warningSpans {
		if s.Kind == kind.Kind && h.total.Steps > 1 {
			return fmt.Sprintf("at %s steps, first %d; at step %d:", units.Fraction(s.Steps, h.charts.Steps), s.First, kind.Step)
		}
	}
	return fmt.Sprintf("at step %d:", kind.Step)
}

// writeProblems lists what could not be read.
func (h *htmlPage) writeProblems() {
	problems := h.Snap.Run.Problems
	if len(problems) == 0 {
		return
	}
	all := max(h.Snap.Run.Skipped, len(problems))
	h.Element("h3", "Could not read "+units.Plural(all, "places"))
	h.Open("ul", markup.Class("problems"))
	shown := problems[:min(len(problems), maxProblems)]
	for _, problem := range shown {
		h.Element("li", problem.String())
	}
	if more := all - len(shown); more > 0 {
		h.Element("li", fmt.Sprintf("and %d more", more))
	}
	h.Close()
}
