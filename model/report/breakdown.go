package report

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/match"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Breakdown is who pays in some steps of a run, by something that samples have in common.
type Breakdown struct {
	Head     Head   // what it is of; the caller sets it
	By       string // "difficulty", "length", "step", or a column of the log
	Where    string // the query that selected the samples, "" for all
	Settings model.Settings
	Choice   match.Choice
	Unit     model.LengthUnit
	Parts    analysis.Breakdown
}

// Add adds the samples of a step that a query matches, each to its part. read reads the text of a sample again. The error is that of a
// column that no sample has, or of reading it.
func (b *Breakdown) Add(ctx context.Context, a *analysis.Analysis, where figures.Query, read analysis.TextFunc) error {
	partOf, err := a.PartNames(ctx, b.By, read)
	if err != nil {
		return err
	}
	b.Parts.Add(a, func(g, i int) string {
		if !where.MatchesSample(a, g, i) {
			return ""
		}
		return partOf(g, i)
	})
	return nil
}

// Sort puts parts with an order of their own in it, then numbers, then others by their number of samples.
func (b *Breakdown) Sort() {
	if b.By == "step" {
		return
	}
	slices.SortStableFunc(b.Parts.Parts, func(x, y analysis.Part) int {
		return cmp.Or(analysis.PartOrder(x.Name)-analysis.PartOrder(y.Name), cmp.Compare(partValue(x.Name), partValue(y.Name)),
			y.Samples-x.Samples)
	})
}

// partValue is the number that a part is named by, +Inf if it is none.
func partValue(name string) float64 {
	x, err := strconv.ParseFloat(name, 64)
	if err != nil || math.IsNaN(x) {
		return math.Inf(1)
	}
	return x
}

// BreakdownText writes a table for people.
func BreakdownText(w io.Writer, b *Breakdown) error {
	b.Sort()
	out := bufio.NewWriter(w)
	if line := b.Head.line(); line != "" {
		fmt.Fprintln(out, line)
	}
	stages := "" // that are set beside estimator and ratios
	for _, stage := range b.Settings.Stages() {
		stages += ", " + sanitize.Line(stage)
	}
	if b.Settings.Filtering() {
		stages += ", " + strings.Join(filterTexts(b.Settings), " ")
	}
	fmt.Fprintf(out, "breakdown by %s, over %s: %s, scale %s%s\n", sanitize.Line(b.By), units.Plural(b.Parts.Steps, "steps"),
		estimatorText(b.Settings, b.Choice), b.Settings.Scale, stages)
	writeFacts(out, 0, fact("only samples where", b.Where))
	fmt.Fprintln(out)
	for _, line := range b.Lines(math.MaxInt) {
		fmt.Fprintf(out, "%-28s%s\n", cut(line.Name, 28), line.Figures)
	}
	fmt.Fprintf(out, "\n%s\n", b.Legend())
	fmt.Fprintf(out, "\ncomplete: %s\n", units.Plural(len(b.Parts.Parts), "rows"))
	return out.Flush()
}

// Legend says what the figures of the table are.
func (b *Breakdown) Legend() string {
	return "Σ|A| and " + lengthHead(b.Unit) + " are shares of all rows; push is ΣA/Σ|A| of the part: +1 pushes all its samples up, −1 all down"
}

// lengthHead names a column of lengths.
func lengthHead(unit model.LengthUnit) string {
	if unit == model.LengthCharacters {
		return "chars"
	}
	return "tokens"
}

// BreakdownLine is a line of the table: the name of a part, and its figures.
type BreakdownLine struct{ Name, Figures string }

func (b *Breakdown) columns() []textColumn[*analysis.Part] {
	all := &b.Parts.All
	columns := []textColumn[*analysis.Part]{
		{"samples", 7, 0, func(p *analysis.Part) string { return units.Count(p.Samples) }},
		{"groups", 6, 0, func(p *analysis.Part) string { return units.Count(p.Groups) }},
		{"reward", 7, 2, func(p *analysis.Part) string { return units.Short(p.Reward()) }},
		{"signal", -13, 0, func(p *analysis.Part) string { return units.Fraction(p.Signal, p.Groups) }},
		{"admitted", -14, 4, func(p *analysis.Part) string { return units.Fraction(p.Admitted, p.Groups) }},
		{"train", -18, 3, func(p *analysis.Part) string { return units.Fraction(p.Nonzero, p.Samples) }},
		{"Σ|A|", 6, 0, func(p *analysis.Part) string { return percent(p.AbsProcessed, all.AbsProcessed) }},
		{"push", 6, 0, func(p *analysis.Part) string { return units.SignedOrMissing(p.Push / p.AbsProcessed) }},
		{lengthHead(b.Unit), 6, 0, func(p *analysis.Part) string { return percent(float64(p.Tokens), float64(all.Tokens)) }},
	}
	if b.Settings.Loss != "" {
		columns = append(columns, textColumn[*analysis.Part]{
			"Σw|A|", 6, 1,
			func(p *analysis.Part) string { return percent(p.Mass.Total(), all.Mass.Total()) },
		})
	}
	return columns
}

// Columns returns the names of the columns.
func (b *Breakdown) Columns() []string {
	return model.Mapped(b.columns(), func(c textColumn[*analysis.Part]) string { return c.head })
}

// Lines returns a head, a line per part, and if they are several one for all, with at most w columns of
// figures. Names are sanitised, and as long as they are.
func (b *Breakdown) Lines(w int) []BreakdownLine {
	names, rows := []string{b.By}, []*analysis.Part{}
	for i := range b.Parts.Parts {
		names, rows = append(names, b.Parts.Parts[i].Name), append(rows, &b.Parts.Parts[i])
	}
	if len(rows) > 1 {
		names, rows = append(names, "all"), append(rows, &b.Parts.All)
	}
	lines := make([]BreakdownLine, len(names))
	for i, figures := range textTable(fitting(b.columns(), w), " ", rows) {
		lines[i] = BreakdownLine{sanitize.Line(names[i]), figures}
	}
	return lines
}

// Table is the breakdown for other programs: sums, of which shares can be made.
func (b *Breakdown) Table() Table {
	b.Sort()
	t := Table{Title: "breakdown by " + sanitize.Line(b.By), Columns: []string{
		b.By, "samples", "groups", "signal_groups", "admitted_groups", "kept_samples", "nonzero_samples", "solved_samples", "judged_samples",
		"reward_mean", "tokens", "abs_advantage_original", "abs_advantage", "sum_advantage", "loss_weight", "loss_mass_positive",
		"loss_mass_negative",
	}}
	for i := range b.Parts.Parts {
		p := &b.Parts.Parts[i]
		t.Rows = append(t.Rows, []any{
			p.Name, p.Samples, p.Groups, p.Signal, p.Admitted, p.Kept, p.Nonzero, p.Solved, p.Judged,
			p.Reward(), p.Tokens, p.AbsUnfiltered, p.AbsProcessed, p.Push, p.Mass.Weight, p.Mass.Positive, p.Mass.Negative,
		})
	}
	return t
}

// BreakdownMarkdown writes a table of Markdown.
func BreakdownMarkdown(w io.Writer, b *Breakdown) error {
	if line := b.Head.line(); line != "" {
		if _, err := fmt.Fprintf(w, "%s\n\n", escapeMarkdown(line)); err != nil {
			return err
		}
	}
	return TableMarkdown(w, b.Table())
}

// BreakdownJSON writes the object that the schema breakdown@2 describes: its parts have the columns of the table, of which the
// first is called value.
func BreakdownJSON(w io.Writer, b *Breakdown) error {
	parts := b.Table()
	parts.Columns[0] = "value"
	return writeDocument(w, "vantage/breakdown@2", object{
		{"by", b.By},
		{"where", some(b.Where)},
		{"steps", b.Parts.Steps},
		{"settings", settingsJSON(b.Settings)},
	}, choiceJSON(b.Choice), object{{"parts", parts}})
}

// percent is x as a share of all: "61%".
func percent(x, all float64) string {
	if share := 100 * x / all; !math.IsNaN(share) && !math.IsInf(share, 0) {
		return fmt.Sprintf("%.0f%%", share)
	}
	return units.Missing
}

func cut(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}
