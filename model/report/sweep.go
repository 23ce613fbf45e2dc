package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"vantage/model/choice"
	"vantage/model/sanitize"
	"vantage/model/sweep"
	"vantage/model/units"
)

// Sweep selects what is written of a grid.
type Sweep struct {
	Grid      *sweep.Grid
	Where     string        // which groups are selected, a sentence; "" for all
	Choice    choice.Choice // who chose the estimator of the grid
	Figures   []sweep.Figure
	Recompute []bool // without recompute, with it, or both
	Goal      sweep.Goal
	Current   *sweep.Cell // of the settings that were given; nil: they have no filter
}

// recommend returns the setting for a goal.
func (s Sweep) recommend(goal sweep.Goal) sweep.Recommendation {
	return s.Grid.Recommend(goal, s.Recompute...)
}

// SweepText writes a table per figure and recompute, a row per keep_pos_ratio and a column
// per keep_neg_ratio, and the recommendation.
func SweepText(w io.Writer, s Sweep) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s over %s, %s, scale %s\n", "keep ratios", units.Plural(s.Grid.Steps, "steps"), estimatorText(s.Grid.Settings, s.Choice), s.Grid.Settings.Scale)
	if s.Where != "" {
		fmt.Fprintln(out, sanitize.Line(s.Where))
	}
	if options := s.Grid.Settings.Options; options != "" {
		fmt.Fprintf(out, "options %s\n", sanitize.Line(options.String()))
	}
	if text := s.Grid.RolloutText(); text != "" {
		fmt.Fprintln(out, text)
	}
	if set := s.Grid.Settings; set.GroupFilter != "" {
		fmt.Fprintf(out, "groups by %s %s\n", sanitize.Line(set.GroupFilter), sanitize.Line(set.StageOptions.String()))
	}
	if s.Choice.Rewards.IsChoice() {
		fmt.Fprintf(out, "reward %s\n", sanitize.Line(s.Choice.Rewards.String()))
	}
	for _, recompute := range s.Recompute {
		for _, f := range s.Figures {
			s.writeTable(out, f, recompute)
		}
	}
	s.writeRecommendation(out)
	fmt.Fprintf(out, "\ncomplete: %s\n", units.Plural(s.cellCount(), "cells"))
	return out.Flush()
}

// writeTable writes a figure of all cells, as one line if they are equal.
func (s Sweep) writeTable(out io.Writer, f sweep.Figure, recompute bool) {
	fmt.Fprintf(out, "\n%s: %s, compute_new_adv %s", f.Name, f.Doc, onOff(recompute))
	if lo, hi := s.valueRange(f, recompute); lo == hi && s.cellCount() > len(s.Recompute) {
		fmt.Fprintf(out, ": %s in every cell\n", sweepValue(f, s.Grid.At(recompute, 0, 0)))
		return
	}
	fmt.Fprintf(out, "\n%10s", "pos \\ neg")
	for _, neg := range s.Grid.Neg {
		fmt.Fprintf(out, " %7s", units.Fixed(neg, 2))
	}
	fmt.Fprintln(out)
	for i, pos := range s.Grid.Pos {
		fmt.Fprintf(out, "%10s", units.Fixed(pos, 2))
		for j := range s.Grid.Neg {
			fmt.Fprintf(out, " %7s", sweepValue(f, s.Grid.At(recompute, i, j)))
		}
		fmt.Fprintln(out)
	}
}

// valueRange returns the minimum and maximum of a figure, NaN if a cell's value is NaN.
func (s Sweep) valueRange(f sweep.Figure, recompute bool) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for i := range s.Grid.Pos {
		for j := range s.Grid.Neg {
			x := f.Value(s.Grid.At(recompute, i, j))
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	return lo, hi
}

func sweepValue(f sweep.Figure, c *sweep.Cell) string {
	if f.IsCount {
		return units.Count(int(f.Value(c)))
	}
	return units.Short(f.Value(c))
}

// SweepCSV writes a row per cell: what it is of, every figure by name, and whether it is on the front and the one recommended.
// No filter is the row of both ratios 1, if there is one.
func SweepCSV(w io.Writer, s Sweep) error {
	t := Table{Columns: []string{"steps", "samples", "groups", "keep_pos_ratio", "keep_neg_ratio", "compute_new_adv"}}
	for _, f := range s.Figures {
		t.Columns = append(t.Columns, f.Name)
	}
	t.Columns = append(t.Columns, "on_front", "recommended")
	a := s.recommend(s.Goal)
	s.eachCell(func(c *sweep.Cell) {
		row := []any{s.Grid.Steps, c.Samples, c.Groups, c.KeepPos, c.KeepNeg, c.Recompute}
		for _, f := range s.Figures {
			row = append(row, f.Value(c))
		}
		t.Rows = append(t.Rows, append(row, a.OnFront(c), a.IsChoice(c)))
	})
	return TableCSV(w, t)
}

// cellCount returns how many cells are written.
func (s Sweep) cellCount() int { return len(s.Recompute) * len(s.Grid.Pos) * len(s.Grid.Neg) }

func (s Sweep) eachCell(do func(*sweep.Cell)) {
	for _, recompute := range s.Recompute {
		for i := range s.Grid.Pos {
			for j := range s.Grid.Neg {
				do(s.Grid.At(recompute, i, j))
			}
		}
	}
}

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
	shown := slices.DeleteFunc(slices.Clone(rest), func(c *sweep.Cell) bool { return c.Warned != sweep.StepWarnings{} })
	if len(shown) == 0 { // each raises a warning
		shown = rest
	}
	rows := min(len(shown), maxFrontRows)
	for i := range rows {
		if len(shown) > rows { // some of them, evenly spaced
			s.writeFrontRow(out, "front", shown[i*(len(shown)-1)/(rows-1)])
		} else {
			s.writeFrontRow(out, "front", shown[i])
		}
	}
	if n := len(rest) - rows; n > 0 {
		fmt.Fprintf(out, "%d more are on the front; --format json has all\n", n)
	}
}

func (s Sweep) writeFrontRow(out io.Writer, mark string, c *sweep.Cell) {
	var warns []string
	for _, w := range c.Warned.Kinds() {
		warns = append(warns, fmt.Sprintf("%s %d/%d", w.Kind, w.Steps, s.Grid.Steps))
	}
	line := fmt.Sprintf("%-6s %-17s %6s %10s %14s %6s %7s %6s %7s  %s", mark, strings.Replace(c.Name(), "recompute", "re", 1), percentText(c.AbsRatio()), countText(c.Effective()),
		units.Count(c.Trained)+" ("+units.Percent(c.Trained, c.Samples)+")", units.Count(c.Flips), units.Count(c.Killed), units.Count(c.Short), c.MassText(), strings.Join(warns, ", "))
	fmt.Fprintln(out, strings.TrimRight(line, " "))
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

// SweepJSON writes the object that the schema sweep@1 describes. The settings below the cells have what they are judged by,
// and in how many steps they raise which warnings. A log without signal has a recommendation without settings.
func SweepJSON(w io.Writer, s Sweep) error {
	a := s.recommend(s.Goal)
	cells, front, others := []object{}, []object{}, []object(nil)
	exact := func(x float64) json.Number { return json.Number(fmt.Sprint(x)) }
	s.eachCell(func(c *sweep.Cell) {
		cell := object{{"keep_pos_ratio", exact(c.KeepPos)}, {"keep_neg_ratio", exact(c.KeepNeg)}, {"compute_new_adv", c.Recompute}, {"samples", c.Samples}, {"groups", c.Groups}}
		for _, f := range s.Figures {
			cell = append(cell, member{f.Name, f.Value(c)})
		}
		cells = append(cells, cell)
	})
	for _, c := range a.Front {
		front = append(front, cellJSON(c))
	}
	for _, name := range sweep.GoalNames() {
		if other := s.recommend(sweep.Goal{Name: name, Least: s.Goal.Least}); name != s.Goal.Name && other.Cell != nil {
			others = append(others, append(object{{"goal", name}}, cellJSON(other.Cell)...))
		}
	}
	return writeJSON(w, object{
		{"schema", "vantage/sweep@1"},
		{"steps", s.Grid.Steps},
		{"where", some(s.Where)},
		{"settings", newSettingsJSON(s.Grid.Settings)},
		{"estimator", some(newChoiceJSON(s.Choice))},
		{"reward", some(newRewardJSON(s.Choice.Rewards))},
		{"rows", s.Grid.Rows}, // of the log: more than samples if these are rollouts of several rows
		{"cells", cells},
		{"no_filter", cellJSON(s.Grid.NoFilter())},
		{"current", some(cellJSON(s.Current))},
		{"front", front},
		{"recommendation", append(object{
			{"goal", a.Goal.Name},
			{"least_abs", plainFloat(a.Goal.Least)}, // share of Σ|A| that goals other than signal keep at least
			{"rule", a.Rule},
			{"because", a.Reason},
		}, cellJSON(a.Cell)...)},
		{"other_goals", some(others)},
		{"complete", true},
	})
}

// cellJSON is a setting with what it is judged by; nil for none.
func cellJSON(c *sweep.Cell) object {
	if c == nil {
		return nil
	}
	var warnings map[string]int
	for _, w := range c.Warned.Kinds() {
		if warnings == nil {
			warnings = map[string]int{}
		}
		warnings[string(w.Kind)] = w.Steps
	}
	return object{
		{"keep_pos_ratio", plainFloat(c.KeepPos)},
		{"keep_neg_ratio", plainFloat(c.KeepNeg)},
		{"compute_new_adv", c.Recompute},
		{"abs", c.AbsRatio()},
		{"effective", c.Effective()},
		{"trained", c.Trained},
		{"flips", c.Flips},
		{"killed", c.Killed},
		{"short", c.Short},
		{"push", c.Push()},
		{"warnings", some(warnings)},
	}
}

// SweepSVG draws a heat map per figure, with a frame around the recommended cell.
func SweepSVG(w io.Writer, s Sweep) error {
	const cell, left, top, gap = 34, 70, 40, 60
	width := left + cell*len(s.Grid.Neg) + 20
	height := cell*len(s.Grid.Pos) + top + gap
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">`+"\n", width, height*len(s.Figures)*len(s.Recompute))
	fmt.Fprintln(out, `<rect width="100%" height="100%" fill="#ffffff"/>`) // the page around it may be dark
	y := 0
	for _, recompute := range s.Recompute {
		for _, f := range s.Figures {
			s.heatMap(out, f, recompute, y, cell, left, top)
			y += height
		}
	}
	fmt.Fprint(out, "</svg>\n")
	return out.Flush()
}

func (s Sweep) heatMap(out io.Writer, f sweep.Figure, recompute bool, y, cell, left, top int) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range s.Grid.Pos {
		for j := range s.Grid.Neg {
			if x := f.Value(s.Grid.At(recompute, i, j)); x-x == 0 {
				lo, hi = min(lo, x), max(hi, x)
			}
		}
	}
	text := func(x, y int, anchor, t string) {
		fmt.Fprintf(out, `<text x="%d" y="%d" text-anchor="%s">%s</text>`+"\n", x, y, anchor, svgEscape(t))
	}
	text(left, y+16, "start", fmt.Sprintf("%s: %s, compute_new_adv %s", f.Name, f.Doc, onOff(recompute)))
	text(left-8, y+top-6, "end", "keep_pos")
	for i := range s.Grid.Pos {
		row := y + top + (len(s.Grid.Pos)-1-i)*cell
		text(left-8, row+cell/2+4, "end", units.Fixed(s.Grid.Pos[i], 2))
		for j := range s.Grid.Neg {
			c := s.Grid.At(recompute, i, j)
			fill, textColour := shade(f.Value(c), lo, hi)
			fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`, left+j*cell, row, cell, cell, fill)
			fmt.Fprintf(out, `<text x="%d" y="%d" text-anchor="middle" fill="%s">%s</text>`+"\n", left+j*cell+cell/2, row+cell/2+4, textColour, svgEscape(sweepValue(f, c)))
		}
	}
	a := s.recommend(s.Goal)
	for i := range s.Grid.Pos {
		for j := range s.Grid.Neg {
			if a.IsChoice(s.Grid.At(recompute, i, j)) {
				fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#bc4c00" stroke-width="2"><title>recommended: goal %s</title></rect>`+"\n",
					left+j*cell+1, y+top+(len(s.Grid.Pos)-1-i)*cell+1, cell-2, cell-2, svgEscape(s.Goal.String()))
			}
		}
	}
	below := y + top + len(s.Grid.Pos)*cell + 16
	for j, neg := range s.Grid.Neg {
		text(left+j*cell+cell/2, below, "middle", units.Fixed(neg, 2))
	}
	text(left, below+16, "start", "keep_neg")
}

// shade returns a blue for x, pale at lo and dark at hi, and a readable colour for text on it.
func shade(x, lo, hi float64) (fill, textColour string) {
	if x-x != 0 || hi <= lo {
		return "#eeeeee", "#000000"
	}
	at := (x - lo) / (hi - lo)
	mix := func(from, to float64) int { return int(math.Round(from + at*(to-from))) }
	textColour = "#000000"
	if at > 0.6 {
		textColour = "#ffffff"
	}
	return fmt.Sprintf("#%02x%02x%02x", mix(240, 8), mix(246, 69), mix(252, 148)), textColour
}

func svgEscape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}
