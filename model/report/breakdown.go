package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/choice"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Breakdown is who pays in some steps of a run, by something that samples have in common.
type Breakdown struct {
	By       string // "difficulty", "length", "step", or a column of the log
	Where    string // the query that selected the samples, "" for all
	Note     string // what is assumed of the column, "" if nothing
	Settings model.Settings
	Choice   choice.Choice
	Parts    analysis.Breakdown
}

// sort puts parts with an order of their own in it, and others by their number of samples.
func (b *Breakdown) sort() {
	if b.By == "step" {
		return
	}
	slices.SortStableFunc(b.Parts.Parts, func(x, y analysis.Part) int {
		if d := analysis.PartOrder(x.Name) - analysis.PartOrder(y.Name); d != 0 {
			return d
		}
		return y.Samples - x.Samples
	})
}

// BreakdownText writes a table for people.
func BreakdownText(w io.Writer, b *Breakdown) error {
	b.sort()
	all := b.Parts.All
	var out strings.Builder
	fmt.Fprintf(&out, "who pays, by %s, over %s: %s, scale %s%s\n", sanitize.Line(b.By), units.Plural(b.Parts.Steps, "steps"), estimatorText(b.Settings, b.Choice), b.Settings.Scale, b.stagesText())
	if b.Where != "" {
		fmt.Fprintf(&out, "only samples where %s\n", sanitize.Line(b.Where))
	}
	fmt.Fprintf(&out, "\n%-28s %8s %7s %8s %-14s %-14s %-18s %7s %6s %7s%s\n", sanitize.Line(b.By), "samples", "groups", "reward", "signal", "admitted", "A≠0", "Σ|A|", "push", "tokens", b.massHeader())
	for i := range b.Parts.Parts {
		b.writeRow(&out, &b.Parts.Parts[i], &all)
	}
	if len(b.Parts.Parts) > 1 {
		all.Name = "all"
		b.writeRow(&out, &all, &all)
	}
	out.WriteString("\nΣ|A| and tokens are shares of all rows; push is ΣA/Σ|A| of the part: +1 pushes all its samples up, −1 all down\n")
	if b.Note != "" {
		fmt.Fprintln(&out, sanitize.Line(b.Note))
	}
	fmt.Fprintf(&out, "\ncomplete: %s\n", units.Plural(len(b.Parts.Parts), "rows"))
	_, err := io.WriteString(w, out.String())
	return err
}

func (b *Breakdown) writeRow(out io.Writer, p, all *analysis.Part) {
	fmt.Fprintf(out, "%-28s %8s %7s %8s %-14s %-14s %-18s %7s %6s %7s%s\n", cut(sanitize.Line(p.Name), 28), units.Count(p.Samples), units.Count(p.Groups), units.Short(p.Reward()),
		units.Fraction(p.Signal, p.Groups), units.Fraction(p.Admitted, p.Groups), units.Fraction(p.Nonzero, p.Samples),
		percent(p.AbsProcessed, all.AbsProcessed), signed(p.Push/p.AbsProcessed), percent(float64(p.Tokens), float64(all.Tokens)), b.massCell(p, all))
}

// massHeader names the column of the loss, if there is one.
func (b *Breakdown) massHeader() string {
	if b.Settings.Loss == "" {
		return ""
	}
	return fmt.Sprintf(" %7s", "Σw|A|")
}

func (b *Breakdown) massCell(p, all *analysis.Part) string {
	if b.Settings.Loss == "" {
		return ""
	}
	return fmt.Sprintf(" %7s", percent(p.Mass.Total(), all.Mass.Total()))
}

// stagesText names the stages that are set beside estimator and ratios.
func (b *Breakdown) stagesText() string {
	text := ""
	for _, stage := range []string{b.Settings.Overlong, b.Settings.GroupFilter, b.Settings.Loss} {
		if stage != "" {
			text += ", " + sanitize.Line(stage)
		}
	}
	if b.Settings.Filtering() {
		text += fmt.Sprintf(", keep_pos_ratio %s keep_neg_ratio %s compute_new_adv %s", units.Fixed(b.Settings.KeepPos, 2), units.Fixed(b.Settings.KeepNeg, 2), onOff(b.Settings.Recompute))
	}
	return text
}

// table is the breakdown for other programs.
func (b *Breakdown) table() Table {
	b.sort()
	t := Table{Title: "who pays, by " + sanitize.Line(b.By), Columns: []string{
		b.By, "samples", "groups", "signal_groups", "admitted_groups", "kept_samples", "nonzero_samples", "solved_samples", "judged_samples",
		"reward_mean", "tokens", "abs_advantage_original", "abs_advantage", "sum_advantage", "loss_weight", "loss_mass_positive", "loss_mass_negative",
	}}
	for i := range b.Parts.Parts {
		p := &b.Parts.Parts[i]
		t.Rows = append(t.Rows, []any{
			p.Name, p.Samples, p.Groups, p.Signal, p.Admitted, p.Kept, p.Nonzero, p.Solved, p.Judged,
			p.Reward(), p.Tokens, p.AbsOriginal, p.AbsProcessed, p.Push, p.Mass.Weight, p.Mass.Positive, p.Mass.Negative,
		})
	}
	return t
}

// BreakdownMarkdown writes a table of Markdown.
func BreakdownMarkdown(w io.Writer, b *Breakdown) error { return TableMarkdown(w, b.table()) }

// BreakdownCSV writes a row per part: sums, of which shares can be made.
func BreakdownCSV(w io.Writer, b *Breakdown) error { return TableCSV(w, b.table()) }

// BreakdownJSON writes an object per line and part, with the columns of BreakdownCSV.
func BreakdownJSON(w io.Writer, b *Breakdown) error { return TableJSONL(w, b.table()) }

// percent is x as a share of all: "61%".
func percent(x, all float64) string {
	if share := 100 * x / all; !math.IsNaN(share) && !math.IsInf(share, 0) {
		return fmt.Sprintf("%.0f%%", share)
	}
	return units.Missing
}

// signed is a number with sign and two decimals.
func signed(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return units.Missing
	}
	return fmt.Sprintf("%+.2f", x)
}

// cut shortens a text to n characters.
func cut(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}
