package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"vantage/model/sweep"
	"vantage/model/units"
)

// writeRecommendation writes the choice for the goal and for the others, and the settings to choose from.
func (s Sweep) writeRecommendation(out io.Writer) {
	a := s.recommend(s.Goal)
	fmt.Fprintf(out, "\ngoal       %s: %s (--goal %s)\nrule       %s\n", a.Goal, a.Goal.Doc(), strings.Join(sweep.GoalNames(), ", "), a.Rule)
	if a.Cell == nil {
		fmt.Fprintf(out, "choice     none\nbecause    %s\n", a.Reason)
		return
	}
	fmt.Fprintf(out, "choice     %s\n           keep_pos_ratio %s, keep_neg_ratio %s, compute_new_adv %s\nbecause    %s\n",
		a.Cell.Sentence(), units.Fixed(a.Cell.KeepPos, 2), units.Fixed(a.Cell.KeepNeg, 2), onOff(a.Cell.Recompute), a.Reason)
	if s.Current == nil {
		fmt.Fprintln(out, "now        no filter")
	}
	if c := s.Current; c != nil {
		fmt.Fprintf(out, "now        %s\n           against it the choice %s\n", c.Sentence(), a.Cell.Against(c))
	}
	for _, name := range sweep.GoalNames() {
		if other := s.recommend(sweep.Goal{Name: name, Least: s.Goal.Least}); name != s.Goal.Name {
			fmt.Fprintf(out, "%-10s %s\n", name, other.Cell.Sentence())
		}
	}
	s.writeFront(out, a)
}

// maxFrontRows is how many settings of the front a table lists.
const maxFrontRows = 10

// writeFront writes a table of the choice, no filter, the current settings, and the front.
func (s Sweep) writeFront(out io.Writer, a sweep.Recommendation) {
	least := ""
	if a.Goal.KeepsShare() {
		least = fmt.Sprintf(" with at least %.3g%% of Σ|A|", 100*a.Goal.Least)
	}
	fmt.Fprintf(out, "\nfront: %s%s that no other beats in Σ|A|, effective samples, flips, groups killed or short, and the goal", units.Plural(len(a.Front), "settings"), least)
	fmt.Fprintf(out, "\n%24s %6s %10s %14s %6s %7s %6s %7s  %s\n", "", "Σ|A|", "effective", "trained", "flips", "killed", "short", "+:−", "warns")
	s.writeFrontRow(out, "choice", a.Cell)
	now := s.Current
	if now == nil {
		now = s.Grid.NoFilter()
	}
	s.writeFrontRow(out, "now", now)
	if a.Cell.Filtering() && now.Filtering() {
		s.writeFrontRow(out, "", s.Grid.NoFilter())
	}
	rest := slices.DeleteFunc(slices.Clone(a.Front), func(c *sweep.Cell) bool { return !c.Filtering() || a.IsChoice(c) })
	shown := quiet(rest)
	if len(shown) == 0 {
		shown = rest
	}
	for _, c := range thinned(shown, maxFrontRows) {
		s.writeFrontRow(out, "front", c)
	}
	if n := len(rest) - min(len(shown), maxFrontRows); n > 0 {
		fmt.Fprintf(out, "%d more are on the front; --format json has all\n", n)
	}
}

func (s Sweep) writeFrontRow(out io.Writer, mark string, c *sweep.Cell) {
	var warns []string
	for _, w := range c.Warned.Kinds() {
		warns = append(warns, fmt.Sprintf("%s %d/%d", w.Kind, w.Steps, s.Grid.Steps))
	}
	line := fmt.Sprintf("%-6s %-17s %6s %10s %14s %6s %7s %6s %7s  %s", mark, frontName(c), percentText(c.AbsRatio()), countText(c.Effective()),
		units.Count(c.Trained)+" ("+units.Percent(c.Trained, c.Samples)+")", units.Count(c.Flips), units.Count(c.Killed), units.Count(c.Short), c.MassText(), strings.Join(warns, ", "))
	fmt.Fprintln(out, strings.TrimRight(line, " "))
}

// frontName names settings in a column: "0.70/0.50 re on".
func frontName(c *sweep.Cell) string { return strings.Replace(c.Name(), "recompute", "re", 1) }

// quiet returns the cells that raise no warning.
func quiet(all []*sweep.Cell) []*sweep.Cell {
	return slices.DeleteFunc(slices.Clone(all), func(c *sweep.Cell) bool { return c.Warned != sweep.StepWarnings{} })
}

// thinned returns at most n of the cells, evenly spaced.
func thinned(all []*sweep.Cell, n int) []*sweep.Cell {
	if len(all) <= n {
		return all
	}
	some := make([]*sweep.Cell, n)
	for i := range some {
		some[i] = all[i*(len(all)-1)/(n-1)]
	}
	return some
}

// percentText writes a share in percent; 0% and 100% only if exact.
func percentText(share float64) string {
	switch {
	case math.IsNaN(share):
		return units.Missing
	case share > 0 && share < 0.005:
		return "<1%"
	case share > 0.995 && share < 1:
		return ">99%"
	}
	return fmt.Sprintf("%.0f%%", 100*share)
}

func countText(x float64) string {
	if math.IsNaN(x) {
		return units.Missing
	}
	return units.Count(int(math.Round(x)))
}
