package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"vantage/model/choice"
	"vantage/model/groupsize"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// GroupSize is what other sizes of groups would do, and which columns are the reward.
type GroupSize struct {
	*groupsize.Result
	Rewards choice.Rewards
	Where   string // which groups are selected, a sentence; "" for all
}

// GroupSizeText writes what is known of the prompts, and a row per size.
func GroupSizeText(w io.Writer, r GroupSize) error {
	out := bufio.NewWriter(w)
	writeFacts(out, 10, GroupSizeFacts(r)...)
	fmt.Fprintln(out)
	for _, line := range GroupSizeTable(r.Result, groupSizeFullWidth) {
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
		fact("groups", fmt.Sprintf("%s %s in %s, of which %s are dead, as counted: all of their samples solved, or none", units.Plural(r.Groups, "groups"), size, units.Plural(r.Steps, "steps"), units.Fraction(r.Dead, r.Groups))),
		fact("selected", sanitize.Line(r.Where)),
	}
	for _, text := range r.Solved {
		facts = append(facts, fact("solved", sanitize.Line(text)))
	}
	facts = append(facts, fact("reward", sanitize.Line(r.Rewards.String())))
	if r.Partial > 0 {
		facts = append(facts, fact("", fmt.Sprintf("%s of the dead groups still have signal: their rewards differ, although all or none are solved", units.Count(r.Partial))))
	}
	if r.LeftOut > 0 {
		facts = append(facts, fact("left out", units.Plural(r.LeftOut, "groups")+" with invalid rewards, or of a run whose rewards do not say what is solved"))
	}
	facts = append(facts,
		fact("rates", fmt.Sprintf("solve rates of the prompts modelled as Beta(%s, %s), mean %s, fitted to the groups; each group uses its posterior", units.Short(r.Prior.A), units.Short(r.Prior.B), units.Fixed(r.Prior.Mean(), 2))),
		fact("cost", "samples to generate for each group that is not dead"),
		fact("range", "90% range of the figure if every prompt is sampled again"))
	return slices.DeleteFunc(facts, func(f Fact) bool { return f.Text == "" })
}

// groupSizeFullWidth is the width from which GroupSizeTable has all columns.
const groupSizeFullWidth = 70

// GroupSizeTable returns the lines of a table of at most w columns: a head, and a row per size. The size
// of the log's own groups has a mark.
func GroupSizeTable(r *groupsize.Result, w int) []string {
	span := func(text func(float64) string, low, high float64) string { return text(low) + " – " + text(high) }
	columns := []textColumn[groupsize.Estimate]{
		{"size", 5, 0, func(e groupsize.Estimate) string { return units.Count(e.Size) }},
		{"dead", 7, 0, func(e groupsize.Estimate) string { return percentText(e.Dead()) }},
		{"range", 11, 0, func(e groupsize.Estimate) string { return span(percentText, e.LowDead, e.HighDead) }},
		{"all wrong", 13, 1, func(e groupsize.Estimate) string { return percentText(e.NoneSolved) }},
		{"all correct", 13, 1, func(e groupsize.Estimate) string { return percentText(e.AllSolved) }},
		{"cost", 9, 0, func(e groupsize.Estimate) string { return costText(e.Cost()) }},
		{"range", 15, 1, func(e groupsize.Estimate) string {
			low, high := e.CostRange()
			return span(costText, low, high)
		}},
	}
	if w < groupSizeFullWidth {
		columns = slices.DeleteFunc(columns, func(c textColumn[groupsize.Estimate]) bool { return c.rank > 0 })
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
	if x > 1e6 {
		return units.Missing
	}
	return units.Fixed(x, 1)
}

// SizesTable is the estimates for other programs, a row per size.
func SizesTable(sizes []groupsize.Estimate) Table {
	t := Table{Title: "group sizes", Columns: []string{
		"size", "dead", "dead_low", "dead_high", "none_solved", "all_solved", "samples_per_alive", "samples_per_alive_low", "samples_per_alive_high",
	}}
	for _, e := range sizes {
		low, high := e.CostRange()
		t.Rows = append(t.Rows, []any{e.Size, e.Dead(), e.LowDead, e.HighDead, e.NoneSolved, e.AllSolved, e.Cost(), low, high})
	}
	return t
}

// GroupSizeCSV writes a row per size.
func GroupSizeCSV(w io.Writer, r GroupSize) error { return TableCSV(w, SizesTable(r.Sizes)) }

// GroupSizeJSON writes the object that the schema groupsize@1 describes. Its sizes have the columns of the table.
func GroupSizeJSON(w io.Writer, r GroupSize) error {
	return writeDocument(w, "vantage/groupsize@1", object{
		{"where", some(r.Where)},
		{"steps", r.Steps},
		{"groups", r.Groups},
		{"dead", r.Dead},
		{"partial", r.Partial},
		{"left_out", r.LeftOut},
		{"solved", r.Solved},
		{"reward", rewardJSON(r.Rewards)},
		{"prior", object{{"a", r.Prior.A}, {"b", r.Prior.B}}},
		{"range", 0.9},
		{"sizes", SizesTable(r.Sizes)},
	})
}
