package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/choice"
	"vantage/model/groupsize"
	"vantage/model/plan"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Plan is what other settings of the next launch would give, and how the log was computed.
type Plan struct {
	*plan.Plan
	Choice choice.Choice
}

// PlanText writes a table of the settings, what is recommended, and what the figures mean.
func PlanText(w io.Writer, p Plan) error {
	out := bufio.NewWriter(w)
	writeFacts(out, 10,
		fact("run", fmt.Sprintf("%s, %s, of which %s carry signal, as counted", units.Plural(p.Steps, "steps"), units.Plural(p.Groups, "groups"), units.Fraction(p.Signal, p.Groups))),
		fact("computed", sanitize.Line(fmt.Sprintf("%s, scale %s", estimatorText(p.Settings, p.Choice), p.Settings.Scale))))
	if text := p.Choice.Rewards.String(); text != "" {
		writeFacts(out, 10, fact("reward", sanitize.Line(text)))
	}
	fmt.Fprintln(out)
	for i, line := range textTable(planColumns(p.Rows), "", p.Rows) {
		marks := []string{" ", " "}
		if i > 1 && i-1 == p.Best {
			marks[0] = "→"
		}
		if i > 0 && p.Rows[i-1].Model {
			marks[1] = "~"
		}
		fmt.Fprintln(out, strings.Join(marks, "")+line)
	}
	fmt.Fprintln(out)
	what, why, _ := strings.Cut(p.Recommendation(), ": ")
	writeFacts(out, 10, fact("next", what), fact("", why))
	for _, text := range p.Missing {
		writeFacts(out, 10, fact("not asked", sanitize.Line(text)))
	}
	writeFacts(out, 10, p.meaning()...)
	fmt.Fprintf(out, "\ncomplete: %s\n", units.Plural(len(p.Rows), "settings"))
	return out.Flush()
}

// Recommendation says in a sentence what is worth changing, or that nothing is.
func (p Plan) Recommendation() string {
	if p.Best == 0 && p.Groups < plan.LeastSeen {
		return fmt.Sprintf("nothing is recommended: too few groups to model prompts by, %s of the %d that it takes", units.Count(p.Groups), plan.LeastSeen)
	}
	if p.Best == 0 {
		return fmt.Sprintf("nothing is worth changing: no row, scales apart, gives %s with a range above 1 and %.0f%% of Σ|A| left", timesText(plan.LeastGain), 100*plan.LeastKept)
	}
	r := p.Rows[p.Best]
	return fmt.Sprintf("%s: %s of the run's yield, %s in 90%% of repeats", r.Name, timesText(r.Yield.Value), spanText(r.Yield))
}

func (p Plan) meaning() []Fact {
	facts := []Fact{
		fact("alive", "groups with signal"),
		fact("made", p.Unit+" generated in a pass over the prompts; Σ|A| is of that pass"),
		fact("batch", "share of the samples made that the training step computes"),
		fact("effective", "(Σ|A|)²/ΣA² as a share of the samples made: how many push as evenly"),
		fact("yield", "effective samples of as much generation as the run's, and its range"),
	}
	if slices.ContainsFunc(p.Rows, func(r plan.Row) bool { return r.Kind == plan.Keep }) {
		facts = append(facts, fact("keep", "keep_pos_ratio and keep_neg_ratio; anew: with compute_new_adv"))
	}
	for _, r := range p.Rows {
		if r.Model {
			return append(facts, fact("~", "a model: new rewards come from each prompt's own solve rate, under"),
				fact("", "the policy of the log, and count as solved or not"),
				fact("drop", "prompts whose account is solved or hopeless; they must come again"))
		}
	}
	return facts
}

func planColumns(rows []plan.Row) []textColumn[plan.Row] {
	width := 23
	for _, r := range rows {
		width = max(width, utf8.RuneCountInString(r.Name)+2)
	}
	return []textColumn[plan.Row]{
		{"setting", -width, 0, func(r plan.Row) string { return " " + r.Name }},
		{"alive", 6, 0, func(r plan.Row) string { return percentText(r.Alive.Value) }},
		{"made", 7, 0, func(r plan.Row) string { return timesText(r.Generated.Value) }},
		{"Σ|A|", 7, 0, func(r plan.Row) string { return timesText(r.Abs.Value) }},
		{"batch", 6, 0, func(r plan.Row) string { return percentText(r.Batch.Value) }},
		{"effective", 10, 0, func(r plan.Row) string { return percentText(r.Effective.Value) }},
		{"yield", 7, 0, func(r plan.Row) string { return timesText(r.Yield.Value) }},
		{"range", 12, 0, func(r plan.Row) string {
			if r.Kind == plan.Run || math.IsNaN(r.Yield.Value) {
				return units.Missing
			}
			return spanText(r.Yield)
		}},
	}
}

func timesText(x float64) string {
	if x-x != 0 {
		return units.Missing
	}
	return units.Fixed(x, 2) + "×"
}

func spanText(r plan.Range) string { return units.Fixed(r.Low, 2) + "–" + units.Fixed(r.High, 2) }

// PlanTable is the settings for other programs, a row per setting.
func PlanTable(p Plan) Table {
	t := Table{Title: "settings of the next launch", Columns: []string{"kind", "setting", "modelled", "recommended"}}
	figures := []struct {
		name string
		of   func(plan.Row) plan.Range
	}{
		{"alive", func(r plan.Row) plan.Range { return r.Alive }},
		{"generated", func(r plan.Row) plan.Range { return r.Generated }},
		{"abs", func(r plan.Row) plan.Range { return r.Abs }},
		{"batch", func(r plan.Row) plan.Range { return r.Batch }},
		{"effective", func(r plan.Row) plan.Range { return r.Effective }},
		{"yield", func(r plan.Row) plan.Range { return r.Yield }},
	}
	for _, f := range figures {
		t.Columns = append(t.Columns, f.name, f.name+"_low", f.name+"_high")
	}
	for i, r := range p.Rows {
		row := []any{string(r.Kind), r.Name, r.Model, i > 0 && i == p.Best}
		for _, f := range figures {
			x := f.of(r)
			row = append(row, x.Value, x.Low, x.High)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// PlanCSV writes a row per setting.
func PlanCSV(w io.Writer, p Plan) error { return TableCSV(w, PlanTable(p)) }

// PlanJSON writes the object that the schema plan@1 describes. Its settings have the columns of the table.
func PlanJSON(w io.Writer, p Plan) error {
	return writeDocument(w, "vantage/plan@1", object{
		{"steps", p.Steps},
		{"groups", p.Groups},
		{"signal", p.Signal},
		{"unit", p.Unit},
		{"range", 0.9},
		{"recommendation", p.Recommendation()},
		{"not_asked", model.Mapped(p.Missing, sanitize.Line)},
		{"settings", PlanTable(p)},
	})
}

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
		fact("groups", fmt.Sprintf("%s %s in %s, of which %s are dead, as counted", units.Plural(r.Groups, "groups"), size, units.Plural(r.Steps, "steps"), units.Fraction(r.Dead, r.Groups))),
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
		facts = append(facts, fact("left out", units.Plural(r.LeftOut, "groups")+" with invalid rewards, or of a run whose rewards don't show which samples are solved"))
	}
	facts = append(facts,
		fact("rates", ratesText(r.Rates)),
		fact("cost", "samples to generate for each group that is not dead"),
		fact("dead", "all samples solved, or none; the table models new samples"),
		fact("range", "holds 90% of such repeats"))
	return slices.DeleteFunc(facts, func(f Fact) bool { return f.Text == "" })
}

func ratesText(r groupsize.Rates) string {
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
	switch {
	case math.IsInf(x, 1):
		return units.Missing
	case x >= 1e4:
		return ">9999"
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
		{"rates", model.Mapped(r.Rates, func(p groupsize.Part) object {
			if p.IsPoint() {
				return object{{"share", p.Share}, {"rate", p.Mean()}}
			}
			return object{{"share", p.Share}, {"rate", p.Mean()}, {"a", p.A}, {"b", p.B}}
		})},
		{"range", 0.9},
		{"sizes", SizesTable(r.Sizes)},
	})
}
