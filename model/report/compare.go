package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/compare"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Comparison is the result of comparing two runs. Sentences and tables call them by [compare.Result.Names].
type Comparison struct {
	Titles [2]string // paths or labels by which the runs were opened
	*compare.Result
}

const maxPairs = 10

// Sentence says which run is better and how sure that is, or why nothing can be compared.
func (c Comparison) Sentence() string {
	if why := c.WhyNothing(); why != "" {
		return why
	}
	text := fmt.Sprintf("%s wins %d, loses %d, ties %d of %s", c.Names[1], c.Wins, c.Losses, c.Ties, units.Plural(len(c.Pairs), "prompts"))
	if c.Wins+c.Losses > 0 {
		p := fmt.Sprintf("%.2g", c.PValue)
		if mantissa, exponent, ok := strings.Cut(fmt.Sprintf("%.0e", c.PValue), "e-"); ok && c.PValue < 0.001 { // 6e-7
			p = mantissa + "e-" + strings.TrimLeft(exponent, "0")
		}
		text += fmt.Sprintf("; win rate 95%% CI %.0f–%.0f%%, p=%s", 100*c.WinShare[0], 100*c.WinShare[1], p)
	}
	return text + "; mean Δ " + withStdErr(c.Delta, c.StdErr)
}

// withStdErr writes a mean difference with its standard error, if it has one.
func withStdErr(delta, stdErr float64) string {
	if stdErr != stdErr {
		return SignedDelta(delta)
	}
	return SignedDelta(delta) + fmt.Sprintf(" ± %.3f", stdErr)
}

// Compared says what of both runs is compared.
func (c Comparison) Compared() string {
	n := 0
	for _, p := range c.Pairs {
		n += p.Samples
	}
	text := fmt.Sprintf("%s that both runs have, %s that both saw in them, %s of each run", units.Plural(c.Steps, "steps"),
		units.Plural(len(c.Pairs), "prompts"), units.Plural(n, "samples"))
	if c.OtherSteps > 0 {
		text += fmt.Sprintf("; %s were seen at different steps by the two runs, so their Δ includes the learning in between",
			units.Fraction(c.OtherSteps, len(c.Pairs)))
	}
	return text
}

// LeftOut says what of each run is not compared.
func (c Comparison) LeftOut() string {
	return "of " + c.Names[0] + " " + leftOut(c.Baseline) + "; of " + c.Names[1] + " " + leftOut(c.Candidate)
}

func leftOut(s compare.Scope) string {
	var parts, why []string
	for _, part := range []struct {
		n, of int
		noun  string
	}{{s.LeftOutSteps, s.Steps, "steps"}, {s.LeftOutPrompts, s.Prompts, "prompts"}, {s.LeftOutSamples, s.Samples, "samples"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%s/%s %s", units.Count(part.n), units.Count(part.of), part.noun))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	for _, cause := range []struct {
		n          int
		noun, text string
	}{
		{s.OpenSteps, "steps", "still being written"},
		{s.SurplusSamples, "samples", "more than the other run has of a prompt"},
		{s.InvalidSamples, "samples", "without a finite reward"},
	} {
		if cause.n > 0 {
			why = append(why, units.Plural(cause.n, cause.noun)+" "+cause.text)
		}
	}
	text := strings.Join(parts, ", ")
	if len(why) > 0 {
		text += " (" + strings.Join(why, ", ") + ")"
	}
	return text
}

// SignedDelta writes a difference of mean rewards with sign and three decimals, those of the means next to it.
func SignedDelta(x float64) string {
	if x != x {
		return units.Missing
	}
	text := fmt.Sprintf("%+.3f", x)
	return strings.Replace(text, "-0.000", "+0.000", 1)
}

// CompareText writes the comparison as a page of text.
func CompareText(w io.Writer, c Comparison) error {
	out := bufio.NewWriter(w)
	writeFacts(out, 10, fact("first", c.Titles[0]), fact("second", c.Titles[1]), fact("verdict", c.Sentence()),
		fact("compared", c.Compared()),
		fact("left out", c.LeftOut()), fact("note", c.Scales))
	if len(c.Pairs) > 0 {
		fmt.Fprintf(out, "\n%-18s %8s %17s\n", "reward under both", "prompts", "mean Δ ± s.e.")
		for _, b := range c.Bins {
			fmt.Fprintf(out, "%-18s %8d %17s\n", units.Short(b.Lo)+" – "+units.Short(b.Hi), b.Pairs, withStdErr(b.Delta, b.StdErr))
		}
	}
	var heads [2]string // the ends of the names, where they differ
	var widths [2]int
	for i, name := range c.Names {
		if r := []rune(name); len(r) > maxNameWidth {
			name = "…" + string(r[len(r)-maxNameWidth+1:])
		}
		heads[i], widths[i] = name, max(9, utf8.RuneCountInString(name))
	}
	for _, list := range c.pairLists() {
		fmt.Fprintf(out, "\n%s\n  %*s %*s %8s %6s  %s\n", list.title, widths[0], heads[0], widths[1], heads[1], "Δ", "n", "prompt")
		for _, p := range list.pairs {
			fmt.Fprintf(out, "  %*s %*s %8s %6s  %.80s\n", widths[0], units.Short(p.Baseline), widths[1], units.Short(p.Candidate),
				SignedDelta(p.Delta()),
				fmt.Sprintf("%d/%d", p.OfBaseline, p.OfCandidate), sanitize.Line(p.Preview))
		}
	}
	fmt.Fprintf(out, "\ncomplete: %s compared\n", units.Plural(len(c.Pairs), "prompts"))
	return out.Flush()
}

type pairList struct {
	title string
	pairs []compare.Pair
}

// pairLists returns the worst and the best prompts for the second run, or all if they are few.
func (c Comparison) pairLists() []pairList {
	switch {
	case len(c.Pairs) == 0:
		return nil
	case len(c.Pairs) <= 2*maxPairs:
		return []pairList{{"worst for " + c.Names[1] + " first", c.Pairs}}
	}
	best := slices.Clone(c.Pairs[len(c.Pairs)-maxPairs:])
	slices.Reverse(best)
	return []pairList{{"worst for " + c.Names[1], c.Pairs[:maxPairs]}, {"best for " + c.Names[1], best}}
}

const maxNameWidth = 24

// CompareMarkdown writes the comparison as Markdown.
func CompareMarkdown(w io.Writer, c Comparison) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "## %s against %s\n\n%s.\n\nCompared: %s.\n\nLeft out: %s.\n\n",
		escapeMarkdown(c.Titles[1]), escapeMarkdown(c.Titles[0]), escapeMarkdown(c.Sentence()), c.Compared(), escapeMarkdown(c.LeftOut()))
	if c.Scales != "" {
		fmt.Fprintf(out, "Note: %s.\n\n", escapeMarkdown(c.Scales))
	}
	fmt.Fprint(out, "| reward under both | prompts | mean Δ ± s.e. |\n| :--- | ---: | ---: |\n")
	for _, b := range c.Bins {
		fmt.Fprintf(out, "| %s – %s | %d | %s |\n", units.Short(b.Lo), units.Short(b.Hi), b.Pairs, withStdErr(b.Delta, b.StdErr))
	}
	for _, end := range c.pairLists() {
		fmt.Fprintf(out, "\n| %s | %s | %s | Δ |\n| :--- | ---: | ---: | ---: |\n", escapeMarkdown(end.title), escapeMarkdown(c.Names[0]),
			escapeMarkdown(c.Names[1]))
		for _, p := range end.pairs {
			fmt.Fprintf(out, "| %.80s | %s | %s | %s |\n", escapeMarkdown(p.Preview), units.Short(p.Baseline), units.Short(p.Candidate),
				SignedDelta(p.Delta()))
		}
	}
	fmt.Fprintf(out, "\n*complete: %s compared*\n", units.Plural(len(c.Pairs), "prompts"))
	return out.Flush()
}

// CompareCSV writes a row per prompt, worst first.
func CompareCSV(w io.Writer, c Comparison) error {
	t := Table{Columns: []string{"reward_a", "reward_b", "delta", "samples_a", "samples_b", "samples", "same_steps", "prompt"}}
	for _, p := range c.Pairs {
		t.Rows = append(t.Rows, []any{
			p.Baseline, p.Candidate, p.Delta(), p.OfBaseline, p.OfCandidate, p.Samples, p.SameSteps,
			quotedCell(p.Preview),
		})
	}
	return TableCSV(w, t)
}

// CompareJSON writes the object that the schema compare@2 describes.
func CompareJSON(w io.Writer, c Comparison) error {
	finite := func(x float64) any { // left out where there is none
		if !units.IsFinite(x) {
			return absent{}
		}
		return x
	}
	scope := func(s compare.Scope) object {
		return object{
			{"steps", s.LeftOutSteps},
			{"of_steps", s.Steps},
			{"open_steps", s.OpenSteps},
			{"prompts", s.LeftOutPrompts},
			{"of_prompts", s.Prompts},
			{"samples", s.LeftOutSamples},
			{"of_samples", s.Samples},
			{"invalid_samples", s.InvalidSamples},
			{"surplus_samples", s.SurplusSamples},
		}
	}
	bins := model.Mapped(c.Bins, func(b compare.Bin) object {
		return object{{"from", b.Lo}, {"to", b.Hi}, {"prompts", b.Pairs}, {"delta", finite(b.Delta)}, {"std_err", finite(b.StdErr)}}
	})
	pairs := model.Mapped(c.Pairs, func(p compare.Pair) object {
		return object{
			{"prompt", sanitize.Line(p.Preview)},
			{"a", p.Baseline},
			{"b", p.Candidate},
			{"samples_a", p.OfBaseline},
			{"samples_b", p.OfCandidate},
			{"samples", p.Samples},
			{"same_steps", p.SameSteps},
		}
	})
	return writeDocument(w, "vantage/compare@2", object{
		{"a", c.Titles[0]},
		{"b", c.Titles[1]},
		{"names", c.Names},
		{"verdict", c.Sentence()},
		{"wins", c.Wins},
		{"losses", c.Losses},
		{"ties", c.Ties},
		{"delta", finite(c.Delta)},
		{"std_err", finite(c.StdErr)},
		{"p", c.PValue},
		{"win_share_95", c.WinShare},
		{"steps", c.Steps},
		{"other_steps", c.OtherSteps},
		{"only_a", c.Baseline.LeftOutPrompts},
		{"only_b", c.Candidate.LeftOutPrompts},
		{"left_out", object{{"a", scope(c.Baseline)}, {"b", scope(c.Candidate)}}},
		{"note", some(c.Scales)},
		{"difficulty", bins},
		{"pairs", pairs},
	})
}
