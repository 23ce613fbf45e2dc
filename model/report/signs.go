package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/compare"
	"vantage/model/match"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Signs is the comparison of a run under two settings.
type Signs struct {
	Head     Head
	Where    string            // what was selected, in a sentence; "" for all groups
	With     []string          // what the second settings have, as it was given
	Settings [2]model.Settings // effective
	Choices  [2]match.Choice
	*compare.Signs
}

// maxSignGroups is how many groups the text lists: the other formats have all.
const maxSignGroups = 10

// settingsText says whose arithmetic it is, and what differs from a plain computation.
func (s *Signs) settingsText(k int) string {
	set := s.Settings[k]
	parts := append([]string{s.Choices[k].WithScale()}, filterTexts(set)...)
	for _, stage := range slices.Concat([]string{set.Options.String()}, set.Stages(), []string{set.StageOptions.String()}) {
		if stage != "" {
			parts = append(parts, stage)
		}
	}
	return strings.Join(parts, " · ")
}

// Sentence says how many signs change, and how.
func (s *Signs) Sentence() string {
	n := s.Changes.Total()
	text := fmt.Sprintf("%s of the samples change sign", units.Fraction(n, s.Samples))
	if n > 0 {
		text += ": " + s.Changes.String()
	}
	if s.Unknown > 0 {
		text += "; " + units.Plural(s.Unknown, "samples") + " without an advantage are not counted"
	}
	return text
}

// SignsText writes a page of text.
func SignsText(w io.Writer, s *Signs) error {
	out := bufio.NewWriter(w)
	if line := s.Head.line(); line != "" {
		fmt.Fprintln(out, line)
	}
	scope := fmt.Sprintf("%s, %s, %s", units.Plural(s.Steps, "steps"), units.Plural(s.Groups, "groups"), units.Plural(s.Samples, "samples"))
	writeFacts(out, 10, fact("first", s.settingsText(0)), fact("second", s.settingsText(1)), fact("with", strings.Join(s.With, " ")),
		fact("compared", scope), fact("selected", s.Where), fact("signs", s.Sentence()),
		fact("train", fmt.Sprintf("samples %s → %s, Σ|A| %s → %s", units.Count(s.Train[0]), units.Count(s.Train[1]), units.Short(s.Push[0]),
			units.Short(s.Push[1]))),
		fact("signal", fmt.Sprintf("groups %s → %s; another fate: %s", units.Count(s.Signal[0]), units.Count(s.Signal[1]),
			units.Fraction(s.Fates, s.Groups))))
	shown := s.Changed[:min(maxSignGroups, len(s.Changed))]
	if len(shown) > 0 {
		fmt.Fprintf(out, "\n%7s %7s  %-24s %-24s  %s\n", "step", "changes", "signs", "fate", "group")
	}
	for _, g := range shown {
		fate := g.Fates[0].String()
		if g.Fates[1] != g.Fates[0] {
			fate += " → " + g.Fates[1].String()
		}
		label := shorten(g.Name, maxGroupName)
		if prompt := sanitize.Line(g.Prompt); prompt != "" && prompt != label {
			label += "  " + cut(prompt, 40)
		}
		fmt.Fprintf(out, "%7d %7s  %-24s %-24s  %s\n", g.Step, fmt.Sprintf("%d/%d", g.Changes.Total(), g.Samples), g.Changes, fate, label)
	}
	fmt.Fprintf(out, "\ncomplete: %s of %s with a change\n", units.Count(len(shown)), units.Plural(len(s.Changed), "groups"))
	return out.Flush()
}

// Table is a row per group that changes.
func (s *Signs) Table() Table {
	t := Table{Title: "groups that change", Columns: []string{"step", "group", "samples", "fate_a", "fate_b", "changes"}}
	for _, k := range analysis.FlipKinds() {
		t.Columns = append(t.Columns, k.Name)
	}
	t.Columns = append(t.Columns, "prompt")
	for i := range s.Changed {
		g := &s.Changed[i]
		row := []any{g.Step, quotedCell(g.Name), g.Samples, g.Fates[0].Key(), g.Fates[1].Key(), g.Changes.Total()}
		for _, n := range g.Changes {
			row = append(row, int(n))
		}
		t.Rows = append(t.Rows, append(row, quotedCell(g.Prompt)))
	}
	return t
}

// SignsMarkdown writes a table of Markdown.
func SignsMarkdown(w io.Writer, s *Signs) error {
	if _, err := fmt.Fprintf(w, "%s.\n\n", escapeMarkdown(s.Sentence())); err != nil {
		return err
	}
	return TableMarkdown(w, s.Table())
}

// SignsJSON writes the object that the schema compare-settings@1 describes.
func SignsJSON(w io.Writer, s *Signs) error {
	side := func(k int) object {
		return slices.Concat(object{{"settings", settingsJSON(s.Settings[k])}}, choiceJSON(s.Choices[k]), object{
			{"nonzero_samples", s.Train[k]},
			{"signal_groups", s.Signal[k]},
			{"abs_advantage", s.Push[k]},
		})
	}
	return writeDocument(w, "vantage/compare-settings@1", object{
		{"path", some(sanitize.Line(s.Head.Path))},
		{"with", s.With},
		{"where", some(s.Where)},
		{"steps", s.Steps},
		{"groups", s.Groups},
		{"samples", s.Samples},
		{"a", side(0)},
		{"b", side(1)},
		{"changes", s.Changes.Total()},
		{"change_kinds", flipKindsJSON(&s.Changes)},
		{"unknown", some(s.Unknown)},
		{"other_fates", s.Fates},
		{"changed", s.Table()},
	})
}
