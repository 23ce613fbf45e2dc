package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/sanitize"
)

// CSV writes a table: a row per step with the counts of samples and groups, the flips of each kind, the groups of each
// fate and every metric under its name; the same with steps in the place of step and open for the run; or a row per
// group. The glossary has a line on every column. Floats are the shortest decimals that parse to the same value. There
// is nothing but the table, so that it loads as it is.
func CSV(w io.Writer, r *Report) (*Charts, error) {
	t := &csvTable{}
	return r.write(w, pageFormat{head: t.head, step: t.step, groups: t.groupsOf, foot: t.foot})
}

// csvTable has the columns of a table; a row per step or run begins with more than those.
type csvTable struct {
	steps  []figures.Column[*analysis.StepFigures]
	groups []figures.Column[figures.GroupOf]
}

func (t *csvTable) head(p *page) {
	var flips, fates []string
	for _, k := range analysis.FlipKinds() {
		flips = append(flips, "flips/"+k.Name)
	}
	for _, f := range model.Fates() {
		fates = append(fates, f.Key()+"_groups")
	}
	if p.Per == PerGroup {
		t.groups = figures.Select(figures.Groups(), slices.Concat([]string{
			"step", "group", "fate", "samples", "kept_pos", "kept_zero", "kept_neg", "flips", "reward_mean", "reward_std", "invalid", "prompt",
			"refused", "rollouts", "nonzero",
		}, flips, []string{"admitted", "why_skipped"})...)
		p.printf("%s\n", strings.Join(namesOf(t.groups), ","))
		return
	}
	t.steps = append(slices.Clip(p.counts), figures.Select(figures.Steps(), slices.Concat(flips, fates)...)...)
	for _, name := range p.metricNames {
		t.steps = append(t.steps, figures.Metric(name))
	}
	first := map[Per]string{PerStep: "step,open", PerRun: "steps"}[p.Per]
	for _, name := range namesOf(t.steps) {
		first += "," + csvText(name)
	}
	p.printf("%s\n", first)
}

func (t *csvTable) step(p *page, s *analysis.StepFigures) {
	p.printf("%d,%t,%s\n", s.Step, s.Open, csvCells(t.steps, s))
}

func (t *csvTable) groupsOf(p *page, a *analysis.Analysis) {
	for i := range a.Table {
		p.printf("%s\n", csvCells(t.groups, figures.NewGroupOf(a, i)))
	}
}

func (t *csvTable) foot(p *page) {
	if p.Per == PerRun {
		p.printf("%d,%s\n", p.total.Steps, csvCells(t.steps, p.total.summary()))
	}
}

// csvCells returns the cells of a row. Texts of the log are quoted.
func csvCells[T any](columns []figures.Column[T], of T) []byte {
	var line []byte
	for k, c := range columns {
		line = appendComma(line, k)
		number := c.Value(of)
		switch cell := number.Cell().(type) {
		case float64:
			line = appendFloat(line, cell, 64)
		case string:
			if number.IsText() {
				cell = quoteCSV(csvText(cell))
			}
			line = append(line, cell...)
		default:
			line = fmt.Append(line, cell)
		}
	}
	return line
}

// appendComma appends what stands before column k.
func appendComma(line []byte, k int) []byte {
	if k > 0 {
		line = append(line, ',')
	}
	return line
}

// formatFloat returns the shortest decimal that parses to x, and that is no integer: see appendFloat.
func formatFloat(x float64) string { return string(appendFloat(nil, x, 64)) }

// appendFloat appends the shortest decimal that parses to x as a float of that many bits. A whole number has
// ".0": polars and others take a column of which the first hundred rows are integers for one of integers, and
// refuse the first fraction.
func appendFloat(line []byte, x float64, bits int) []byte {
	return appendFraction(strconv.AppendFloat(line, x, 'g', -1, bits), len(line))
}

// appendFraction appends ".0" if what follows the first n bytes of line is an integer.
func appendFraction(line []byte, n int) []byte {
	for _, c := range line[n:] {
		if c != '-' && (c < '0' || c > '9') {
			return line
		}
	}
	return append(line, ".0"...)
}

// csvText returns text of a log as a cell of CSV: sanitised, and with an apostrophe before it where a
// spreadsheet would take it for a formula and run it. Numbers stay as they are.
func csvText(s string) string {
	s = sanitize.Line(s)
	if s == "" || !strings.ContainsRune("=+-@", rune(s[0])) {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}
