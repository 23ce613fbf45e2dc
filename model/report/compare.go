package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"vantage/model/compare"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Comparison is the result of comparing two runs, with their names.
type Comparison struct {
	A, B string
	*compare.Result
}

// maxPairs is how many of the best and of the worst prompts are listed.
const maxPairs = 10

// Sentence says which run is better and how sure that is.
func (c Comparison) Sentence() string {
	if len(c.Pairs) == 0 {
		return "the runs have no prompt in common"
	}
	text := fmt.Sprintf("B wins %d, loses %d, ties %d of %s; mean Δ %s", c.Wins, c.Losses, c.Ties, units.Plural(len(c.Pairs), "prompts"), signedDelta(c.Delta))
	if c.Wins+c.Losses == 0 {
		return text
	}
	certainty := "may well be chance"
	if c.PValue < 0.05 {
		certainty = "is hardly chance"
	}
	return text + fmt.Sprintf("; wins are %.0f–%.0f %% of what is decided (95 %%), sign test p = %.2g: that %s", 100*c.WinShare[0], 100*c.WinShare[1], c.PValue, certainty)
}

func signedDelta(x float64) string {
	if x != x {
		return units.Missing
	}
	text := fmt.Sprintf("%+.3f", x)
	if text == "-0.000" {
		return "+0.000"
	}
	return text
}

// CompareText writes the comparison as a page of text.
func CompareText(w io.Writer, c Comparison) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "A          %s\nB          %s\nverdict    %s\n", sanitize.Line(c.A), sanitize.Line(c.B), c.Sentence())
	fmt.Fprintf(out, "unpaired   %d prompts only in A, %d only in B\n", c.OnlyA, c.OnlyB)
	if len(c.Pairs) > 0 {
		fmt.Fprintf(out, "\n%-18s %8s %9s\n", "reward under A", "prompts", "mean Δ")
		for _, b := range c.Bins {
			fmt.Fprintf(out, "%-18s %8d %9s\n", units.Short(b.Lo)+" – "+units.Short(b.Hi), b.Pairs, signedDelta(b.Delta))
		}
		for _, end := range c.pairLists() {
			writePairs(out, end.title, end.pairs)
		}
	}
	fmt.Fprintf(out, "\ncomplete: %s compared\n", units.Plural(len(c.Pairs), "prompts"))
	return out.Flush()
}

// pairList is a list of prompts with its title.
type pairList struct {
	title string
	pairs []compare.Pair
}

// pairLists returns the worst and the best prompts for B, or all if they are few.
func (c Comparison) pairLists() []pairList {
	switch {
	case len(c.Pairs) == 0:
		return nil
	case len(c.Pairs) <= 2*maxPairs:
		return []pairList{{"worst for B first", c.Pairs}}
	}
	best := slices.Clone(c.Pairs[len(c.Pairs)-maxPairs:])
	slices.Reverse(best)
	return []pairList{{"worst for B", c.Pairs[:maxPairs]}, {"best for B", best}}
}

func writePairs(out io.Writer, title string, pairs []compare.Pair) {
	fmt.Fprintf(out, "\n%-18s %7s %7s %8s %6s  %s\n", title, "A", "B", "Δ", "n", "prompt")
	for _, p := range pairs {
		fmt.Fprintf(out, "%-18s %7s %7s %8s %6s  %.80s\n", "", units.Short(p.A), units.Short(p.B), signedDelta(p.Delta()), fmt.Sprintf("%d/%d", p.SamplesA, p.SamplesB), sanitize.Line(p.Preview))
	}
}

// CompareMarkdown writes the comparison as Markdown.
func CompareMarkdown(w io.Writer, c Comparison) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "## %s against %s\n\n%s. Unpaired: %d prompts only in A, %d only in B.\n\n| reward under A | prompts | mean Δ |\n| :--- | ---: | ---: |\n",
		escapeMarkdown(c.B), escapeMarkdown(c.A), c.Sentence(), c.OnlyA, c.OnlyB)
	for _, b := range c.Bins {
		fmt.Fprintf(out, "| %s – %s | %d | %s |\n", units.Short(b.Lo), units.Short(b.Hi), b.Pairs, signedDelta(b.Delta))
	}
	for _, end := range c.pairLists() {
		fmt.Fprintf(out, "\n| %s | A | B | Δ |\n| :--- | ---: | ---: | ---: |\n", end.title)
		for _, p := range end.pairs {
			fmt.Fprintf(out, "| %.80s | %s | %s | %s |\n", escapeMarkdown(p.Preview), units.Short(p.A), units.Short(p.B), signedDelta(p.Delta()))
		}
	}
	fmt.Fprintf(out, "\n*complete: %s compared*\n", units.Plural(len(c.Pairs), "prompts"))
	return out.Flush()
}

// CompareCSV writes a row per prompt, worst first: reward_a, reward_b, delta,
// samples_a, samples_b, prompt. The last line is a comment that counts the rows.
func CompareCSV(w io.Writer, c Comparison) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "reward_a,reward_b,delta,samples_a,samples_b,prompt")
	for _, p := range c.Pairs {
		fmt.Fprintf(out, "%s,%s,%s,%d,%d,%s\n", formatFloat(p.A), formatFloat(p.B), formatFloat(p.Delta()), p.SamplesA, p.SamplesB, quoteCSV(csvText(p.Preview)))
	}
	fmt.Fprintf(out, "# complete: %d rows\n", len(c.Pairs))
	return out.Flush()
}

// quoteCSV returns s as a quoted CSV cell.
func quoteCSV(s string) string {
	b := []byte{'"'}
	for i := range len(s) {
		if s[i] == '"' {
			b = append(b, '"')
		}
		b = append(b, s[i])
	}
	return string(append(b, '"'))
}

// CompareJSON writes {"a": …, "b": …, "wins": …, "losses": …, "ties": …, "delta": …,
// "p": …, "win_share_95": [lo, hi], "only_a": …, "only_b": …, "difficulty": [{"from", "to",
// "prompts", "delta"}], "pairs": [{"prompt", "a", "b", "samples_a", "samples_b"}],
// "complete": true}. complete comes last.
func CompareJSON(w io.Writer, c Comparison) error {
	difficulty, pairs := []map[string]any{}, []map[string]any{}
	for _, b := range c.Bins {
		d := map[string]any{"from": b.Lo, "to": b.Hi, "prompts": b.Pairs}
		if b.Pairs > 0 {
			d["delta"] = b.Delta
		}
		difficulty = append(difficulty, d)
	}
	for _, p := range c.Pairs {
		pairs = append(pairs, map[string]any{"prompt": sanitize.Line(p.Preview), "a": p.A, "b": p.B, "samples_a": p.SamplesA, "samples_b": p.SamplesB})
	}
	out := struct {
		A          string           `json:"a"`
		B          string           `json:"b"`
		Verdict    string           `json:"verdict"`
		Wins       int              `json:"wins"`
		Losses     int              `json:"losses"`
		Ties       int              `json:"ties"`
		Delta      *float64         `json:"delta,omitempty"`
		P          float64          `json:"p"`
		Share      [2]float64       `json:"win_share_95"`
		OnlyA      int              `json:"only_a"`
		OnlyB      int              `json:"only_b"`
		Difficulty []map[string]any `json:"difficulty"`
		Pairs      []map[string]any `json:"pairs"`
		Complete   bool             `json:"complete"`
	}{c.A, c.B, c.Sentence(), c.Wins, c.Losses, c.Ties, nil, c.PValue, c.WinShare, c.OnlyA, c.OnlyB, difficulty, pairs, true}
	if len(c.Pairs) > 0 {
		out.Delta = &c.Delta
	}
	return writeJSON(w, out)
}
