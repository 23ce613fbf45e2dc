package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/match"
	"vantage/model/plan"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// GroupSize is what other sizes of groups would do, and which columns are the reward.
type GroupSize struct {
	*plan.GroupSizes
	Rewards match.Rewards
	Where   string // which groups are selected, a sentence; "" for all
}

// GroupSizeText writes what is known of the prompts, and a row per size.
func GroupSizeText(w io.Writer, r GroupSize) error {
	out := bufio.NewWriter(w)
	writeFacts(out, 10, GroupSizeFacts(r)...)
	fmt.Fprintln(out)
	for _, line := range GroupSizeTable(r.GroupSizes, groupSizeFullWidth) {
		fmt.Fprintln(out, line)
	}
	fmt.Fprintf(out, "\ncomplete: %s\n", units.Plural(len(r.Sizes), "sizes"))
	return out.Flush()
}

// GroupSizeFacts say what the estimates are from, and what they assume.
func GroupSizeFacts(r GroupSize) []Fact {
	size := "of different sizes"
	if n := r.OwnSize(); n > 0 {
		size = "of " + units.Count(n)
	}
	facts := []Fact{
		fact("groups", fmt.Sprintf("%s %s in %s, of which %s are dead, as counted", units.Plural(r.Groups, "groups"), size,
			units.Plural(r.Steps, "steps"), units.Fraction(r.Dead, r.Judged()))),
		fact("selected", sanitize.Line(r.Where)),
	}
	for _, text := range r.Solved {
		facts = append(facts, fact("solved", sanitize.Line(text)))
	}
	facts = append(facts, fact("reward", sanitize.Line(r.Rewards.String())))
	if r.Partial > 0 {
		facts = append(facts, fact("",
			fmt.Sprintf("%s of the dead groups still have signal: their rewards differ, although all or none are solved",
				units.Count(r.Partial))))
	}
	if r.LeftOut > 0 {
		facts = append(facts, fact("left out",
			fmt.Sprintf("%s of these groups, with invalid rewards, or of a run whose rewards don't show which samples are solved",
				units.Count(r.LeftOut))))
	}
	facts = append(facts, r.meaning()...)
	return slices.DeleteFunc(facts, func(f Fact) bool { return f.Text == "" })
}

// meaning says what the figures of the table mean.
func (r GroupSize) meaning() []Fact {
	return []Fact{
		fact("rates", ratesText(r.Rates)),
		fact("cost", "samples to generate for each group that is not dead"),
		fact("dead", "all samples solved, or none; the table models new samples"),
		fact("range", "holds 90% of such repeats"),
	}
}

func ratesText(r plan.Rates) string {
	var parts []string
	for _, p := range r {
		share := percentText(p.Share) + " "
		switch {
		case p.Share < 0.005:
			continue
		case len(r) == 1:
			share = ""
		}
		switch {
		case p.A == 0:
			share += "never solved"
		case p.B == 0:
			share += "always"
		case p.IsPoint():
			share += "at " + units.Fixed(p.Mean(), 2)
		default:
			share += fmt.Sprintf("Beta(%s, %s)", units.Short(p.A), units.Short(p.B))
		}
		parts = append(parts, share)
	}
	return "of the prompts, as fitted: " + strings.Join(parts, ", ") + "; mean " + units.Fixed(r.Mean(), 2)
}

// groupSizeFullWidth is the width from which GroupSizeTable has all columns.
const groupSizeFullWidth = 70

// GroupSizeTable returns the lines of a table of at most w columns: a head, and a row per size. The size
// of the log's own groups has a mark.
func GroupSizeTable(r *plan.GroupSizes, w int) []string {
	span := func(text func(float64) string, low, high float64) string { return text(low) + " – " + text(high) }
	columns := []textColumn[plan.Estimate]{
		{"size", 5, 0, func(e plan.Estimate) string { return units.Count(e.Size) }},
		{"dead", 7, 0, func(e plan.Estimate) string { return percentText(e.Dead()) }},
		{"range", 11, 0, func(e plan.Estimate) string { return span(percentText, e.LowDead, e.HighDead) }},
		{"all wrong", 13, 1, func(e plan.Estimate) string { return percentText(e.NoneSolved) }},
		{"all correct", 13, 1, func(e plan.Estimate) string { return percentText(e.AllSolved) }},
		{"cost", 9, 0, func(e plan.Estimate) string { return costText(e.Cost()) }},
		{"range", 15, 1, func(e plan.Estimate) string {
			low, high := e.CostRange()
			return span(costText, low, high)
		}},
	}
	if w < groupSizeFullWidth {
		columns = slices.DeleteFunc(columns, func(c textColumn[plan.Estimate]) bool { return c.rank > 0 })
	}
	lines := textTable(columns, "", r.Sizes)
	for i := range lines {
		mark := " "
		if i > 0 && r.Sizes[i-1].Size == r.OwnSize() {
			mark = "→"
		}
		lines[i] = mark + lines[i]
	}
	return lines
}

// costText writes samples per group with signal, which is infinite if every group is dead.
func costText(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return units.Missing
	case x >= 1e4:
		return ">9999"
	}
	return units.Fixed(x, 1)
}

// SizesTable is the estimates for other programs, a row per size.
func SizesTable(sizes []plan.Estimate) Table {
	t := Table{Title: "group sizes", Columns: []string{
		"size", "dead", "dead_low", "dead_high", "none_solved", "all_solved", "samples_per_alive", "samples_per_alive_low",
		"samples_per_alive_high",
	}}
	for _, e := range sizes {
		low, high := e.CostRange()
		t.Rows = append(t.Rows, []any{e.Size, e.Dead(), e.LowDead, e.HighDead, e.NoneSolved, e.AllSolved, e.Cost(), low, high})
	}
	return t
}

// GroupSizeJSON writes the object that the schema groupsize@2 describes. Its sizes have the columns of the table.
func GroupSizeJSON(w io.Writer, r GroupSize) error {
	return writeDocument(w, "vantage/groupsize@2", object{
		{"where", some(r.Where)},
		{"steps", r.Steps},
		{"groups", r.Groups},
		{"dead", r.Dead},
		{"partial", r.Partial},
		{"left_out", r.LeftOut},
		{"solved", r.Solved},
		{"reward", rewardJSON(r.Rewards)},
		{"rates", model.Mapped(r.Rates, func(p plan.Part) object {
			if p.IsPoint() {
				return object{{"share", p.Share}, {"rate", p.Mean()}}
			}
			return object{{"share", p.Share}, {"rate", p.Mean()}, {"a", p.A}, {"b", p.B}}
		})},
		{"range", 0.9},
		{"sizes", SizesTable(r.Sizes)},
	})
}
