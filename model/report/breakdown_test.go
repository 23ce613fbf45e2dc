package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/analysis"
)

// Lines have the columns that fit; the share of the loss, which a person chose, stays longest.
func TestBreakdownFits(t *testing.T) {
	set := model.DefaultSettings()
	set.Loss = "verl/token-mean"
	b := Breakdown{By: "source", Settings: set, Parts: analysis.Breakdown{Parts: []analysis.Part{{Name: "a\x1b[31m", Samples: 4}, {Name: "b", Samples: 4}}, All: analysis.Part{Samples: 8}}}
	for w, want := range map[int]string{
		1000: "samples groups reward signal admitted train Σ|A| push tokens Σw|A|",
		98:   "samples groups reward signal train Σ|A| push tokens Σw|A|",
		70:   "samples groups reward signal Σ|A| push tokens Σw|A|",
		60:   "samples groups signal Σ|A| push tokens Σw|A|",
		52:   "samples groups signal Σ|A| push tokens",
	} {
		lines := b.Lines(w)
		if got := strings.Join(strings.Fields(lines[0].Figures), " "); got != want {
			t.Errorf("in %d columns %q, want %q", w, got, want)
		}
		for _, line := range lines {
			if n := utf8.RuneCountInString(line.Figures); n > w || strings.Contains(line.Name, "\x1b") {
				t.Errorf("in %d columns %d: %q %q", w, n, line.Name, line.Figures)
			}
		}
		if len(lines) != 4 || lines[3].Name != "all" {
			t.Errorf("%+v", lines)
		}
	}
}

// Parts of no order of their own are sorted by value if they are numbers, then by samples.
func TestBreakdownOrder(t *testing.T) {
	var b Breakdown
	for i, name := range []string{"math", "10", "empty", "9", "code"} {
		b.Parts.Parts = append(b.Parts.Parts, analysis.Part{Name: name, Samples: i + 1})
	}
	b.Sort()
	var names []string
	for _, p := range b.Parts.Parts {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, " "); got != "9 10 code empty math" {
		t.Error(got)
	}
}
