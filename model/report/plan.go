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
	"vantage/model/match"
	"vantage/model/plan"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Plan is what other settings of the next launch would give, and how the log was computed.
type Plan struct {
	*plan.Plan
	Choice match.Choice
	Sizes  *GroupSize // what other sizes of groups would do; nil if that cannot be estimated
}

// PlanText writes a table of the settings, what is recommended, what the figures mean, and a table of group sizes.
func PlanText(w io.Writer, p Plan) error {
	out := bufio.NewWriter(w)
	writeFacts(out, 10,
		fact("run", fmt.Sprintf("%s, %s, of which %s carry signal, as counted", units.Plural(p.Steps, "steps"),
			units.Plural(p.Groups, "groups"), units.Fraction(p.Signal, p.Groups))),
		fact("computed", fmt.Sprintf("%s, scale %s", estimatorText(p.Settings, p.Choice), p.Settings.Scale)),
		fact("reward", p.Choice.Rewards.String()))
	fmt.Fprintln(out)
	for i, line := range textTable(planColumns(p.Rows), "", p.Rows) {
		best, modelled := " ", " "
		if i > 1 && i-1 == p.Best {
			best = "→"
		}
		if i > 0 && p.Rows[i-1].Model {
			modelled = "~"
		}
		fmt.Fprintln(out, best+modelled+line)
	}
	fmt.Fprintln(out)
	what, why, _ := strings.Cut(p.Recommendation(), ": ")
	writeFacts(out, 10, fact("next", what), fact("", why))
	for _, text := range p.Missing {
		writeFacts(out, 10, fact("not asked", text))
	}
	writeFacts(out, 10, p.meaning()...)
	if p.Sizes != nil {
		fmt.Fprintln(out)
		for _, line := range GroupSizeTable(p.Sizes.GroupSizes, groupSizeFullWidth) {
			fmt.Fprintln(out, line)
		}
		fmt.Fprintln(out)
		for _, f := range p.Sizes.meaning() {
			for line := range strings.SplitSeq(units.Wrap(f.Text, 69, 0), "\n") {
				writeFacts(out, 10, fact(f.Label, line))
				f.Label = ""
			}
		}
	}
	fmt.Fprintf(out, "\ncomplete: %s\n", units.Plural(len(p.Rows), "settings"))
	return out.Flush()
}

// Recommendation says in a sentence what is worth changing, or that nothing is.
func (p Plan) Recommendation() string {
	if p.Best == 0 {
		return fmt.Sprintf("nothing tried is worth changing: no row, scales apart, gives %s with a range above 1 and %.0f%% of Σ|A| left",
			timesText(plan.LeastGain), 100*plan.LeastKept)
	}
	r := p.Rows[p.Best]
	return fmt.Sprintf("%s: %s of the run's yield, %s in 90%% of repeats", r.Name, timesText(r.Yield.Value), spanText(r.Yield))
}

func (p Plan) meaning() []Fact {
	facts := []Fact{
		fact("alive", "groups with signal"),
		fact("made", p.Unit+" generated in a pass over the prompts; Σ|A| is of that pass"),
		fact("batch", "share of the samples made that the training step computes"),
		fact("effective", "(Σ|A|)²/ΣA² as a share of the samples made"),
		fact("yield", "effective samples per generated token, relative to this run"),
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
	if !units.IsFinite(x) {
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

// PlanJSON writes the object that the schema plan@1 describes. Its settings and sizes have the columns of their tables.
func PlanJSON(w io.Writer, p Plan) error {
	var sizes any
	if p.Sizes != nil {
		sizes = SizesTable(p.Sizes.Sizes)
	}
	return writeDocument(w, "vantage/plan@1", object{
		{"steps", p.Steps},
		{"groups", p.Groups},
		{"signal", p.Signal},
		{"unit", p.Unit},
		{"range", 0.9},
		{"recommendation", p.Recommendation()},
		{"not_asked", model.Mapped(p.Missing, sanitize.Line)},
		{"settings", PlanTable(p)},
		{"sizes", some(sizes)},
	})
}
