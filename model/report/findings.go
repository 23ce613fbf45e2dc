package report

import (
	"fmt"
	"strings"

	"vantage/model/diagnosis"
	"vantage/model/sanitize"
)

// findingJSON is a finding as it says of itself in every answer. What cut leaves out is absent.
func findingJSON(f *diagnosis.Finding, cut findingCut) object {
	o := object{{"kind", f.Kind}, {"severity", f.Severity}, {"since", f.Since}, {"until", f.Until}}
	if cut.title {
		o = append(o, member{"title", shorten(f.Title, 160)})
	}
	if n := min(cut.evidence, len(f.Evidence)); n > 0 {
		o = append(o, member{"evidence", evidenceTexts(f)[:n]})
	}
	if cut.example {
		o = append(o, member{"example", object{{"step", f.Example.Step}, {"group", some(shorten(f.Example.Group, 64))}}})
	}
	if cut.cost && f.Cost.Samples > 0 {
		o = append(o, member{"cost", object{{"samples", f.Cost.Samples}, {"tokens", some(f.Cost.Tokens)}, {"share", rounded(f.Cost.Share)}}})
	}
	if cut.advice {
		o = append(o, member{"advice", withoutKeys(shorten(f.Advice, 240))})
	}
	return o
}

// findingCut is which parts of a finding there is room for.
type findingCut struct {
	title, example, cost, advice bool
	evidence                     int
}

func evidenceTexts(f *diagnosis.Finding) []string {
	texts := make([]string, len(f.Evidence))
	for i, e := range f.Evidence {
		texts[i] = shorten(e.String(), 140)
	}
	return texts
}

// findingLines are the same in words, the first without its kind.
func findingLines(f *diagnosis.Finding, cut findingCut) []string {
	first := fmt.Sprintf("%s %s", f.Kind, f.When())
	if cut.title {
		first += ": " + shorten(f.Title, 160)
	}
	lines := append([]string{first}, evidenceTexts(f)[:min(cut.evidence, len(f.Evidence))]...)
	if cut.example {
		look := fmt.Sprintf("look at step %d", f.Example.Step)
		if f.Example.Group != "" {
			look += ", group " + shorten(f.Example.Group, 64)
		}
		lines = append(lines, look)
	}
	if cost := f.Cost.String(); cut.cost && cost != "" {
		lines = append(lines, "generated since then: "+cost)
	}
	if cut.advice {
		lines = append(lines, "do: "+withoutKeys(shorten(f.Advice, 240)))
	}
	return lines
}

// kindNames lists kinds: "answer_collapse, truncation".
func kindNames(kinds []diagnosis.Kind) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	return strings.Join(names, ", ")
}

// blindLines says what cannot be told, a line for each reason.
func blindLines(d *diagnosis.Diagnosis) []string {
	var lines []string
	for _, b := range d.Blindnesses() {
		lines = append(lines, "cannot tell "+kindNames(b.Kinds)+": "+sanitize.Line(b.Why))
	}
	return lines
}
