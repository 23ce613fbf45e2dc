package report

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/match"
	"vantage/model/sanitize"
	"vantage/model/sweep"
	"vantage/model/units"
)

// Sweep selects what is written of a grid.
type Sweep struct {
	Grid      *sweep.Grid
	Where     string       // which groups are selected, a sentence; "" for all
	Choice    match.Choice // who chose the estimator of the grid
	Figures   []sweep.Figure
	Recompute []bool // without recompute, with it, or both
	Goal      sweep.Goal
	Current   *sweep.Cell // of the settings that were given; nil: they have no filter
}

func (s Sweep) recommend(goal sweep.Goal) sweep.Recommendation {
	return s.Grid.Recommend(goal, s.Recompute...)
}

// SweepText writes a table per figure and recompute, a row per keep_pos_ratio and a column
// per keep_neg_ratio, and the recommendation.
func SweepText(w io.Writer, s Sweep) error {
	out := bufio.NewWriter(w)
	set, filter := s.Grid.Settings, ""
	if set.GroupFilter != "" {
		filter = "groups by " + set.GroupFilter + " " + set.StageOptions.String()
	}
	policy := ""
	if set.OffPolicy != "" {
		policy = "off-policy rule " + set.OffPolicy + " " + set.StageOptions.String()
	}
	for _, f := range []struct{ what, text string }{
		{"keep ratios over ", fmt.Sprintf("%s, %s, scale %s", units.Plural(s.Grid.Steps, "steps"), estimatorText(set, s.Choice), set.Scale)},
		{"", s.Where},
		{"options ", set.Options.String()},
		{"", s.Grid.RolloutText()},
		{"", filter},
		{"", policy},
		{"reward ", s.Choice.Rewards.String()},
	} {
		if f.text != "" {
			fmt.Fprintln(out, f.what+sanitize.Line(f.text))
		}
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
	fmt.Fprintf(out, "\n%s: %s, compute_new_adv %s", f.Name, f.Doc, units.OnOff(recompute))
	if lo, hi := s.valueRange(f.Value, recompute, false); lo == hi && s.cellCount() > len(s.Recompute) {
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

// valueRange returns the least and the most of a figure, of the cells for which it is a number if finite; else NaN if it is NaN
// of one.
func (s Sweep) valueRange(value func(*sweep.Cell) float64, recompute, finite bool) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for c := range s.cells(recompute) {
		if x := value(c); !finite || units.IsFinite(x) {
			least, most = min(least, x), max(most, x)
		}
	}
	return least, most
}

func sweepValue(f sweep.Figure, c *sweep.Cell) string {
	if f.IsCount {
		return units.Count(int(f.Value(c)))
	}
	return units.Short(f.Value(c))
}

// SweepTable is a row per cell: what it is of, every figure by name, and whether it is on the front and the one recommended.
// No filter is the row of both ratios 1, if there is one.
func SweepTable(s Sweep) Table {
	t := Table{Title: "sweep", Columns: []string{"steps", "samples", "groups", "keep_pos_ratio", "keep_neg_ratio", "compute_new_adv"}}
	for _, f := range s.Figures {
		t.Columns = append(t.Columns, f.Name)
	}
	t.Columns = append(t.Columns, "on_front", "recommended")
	a := s.recommend(s.Goal)
	for c := range s.cells(s.Recompute...) {
		row := []any{s.Grid.Steps, c.Samples, c.Groups, c.KeepPos, c.KeepNeg, c.Recompute}
		for _, f := range s.Figures {
			row = append(row, f.Value(c))
		}
		t.Rows = append(t.Rows, append(row, a.OnFront(c), a.IsChoice(c)))
	}
	return t
}

func (s Sweep) cellCount() int { return len(s.Recompute) * len(s.Grid.Pos) * len(s.Grid.Neg) }

func (s Sweep) cells(recompute ...bool) iter.Seq[*sweep.Cell] {
	return func(yield func(*sweep.Cell) bool) {
		for _, r := range recompute {
			for i := range s.Grid.Pos {
				for j := range s.Grid.Neg {
					if !yield(s.Grid.At(r, i, j)) {
						return
					}
				}
			}
		}
	}
}

// writeRecommendation writes the choice for the goal and for the others, and the settings to choose from.
func (s Sweep) writeRecommendation(out io.Writer) {
	a := s.recommend(s.Goal)
	fmt.Fprintln(out)
	writeFacts(out, 10, fact("goal", fmt.Sprintf("%s: %s (--goal %s)", a.Goal, a.Goal.Doc(), strings.Join(sweep.GoalNames(), ", "))),
		fact("rule", a.Rule))
	if a.Cell == nil {
		writeFacts(out, 10, fact("choice", "none"), fact("because", a.Reason))
		return
	}
	writeFacts(out, 10, fact("choice", a.Cell.Sentence()),
		fact("", strings.Join(filterTexts(a.Cell.Apply(s.Grid.Settings)), ", ")),
		fact("because", a.Reason))
	if c := s.Current; c == nil {
		writeFacts(out, 10, fact("now", "no filter"))
	} else {
		writeFacts(out, 10, fact("now", c.Sentence()), fact("", "against it the choice "+a.Cell.Against(c)))
	}
	for _, name := range sweep.GoalNames() {
		if name != s.Goal.Name {
			writeFacts(out, 10, fact(name, s.recommend(sweep.Goal{Name: name, Least: s.Goal.Least}).Cell.Sentence()))
		}
	}
	s.writeFront(out, a)
}

const maxFrontRows = 10

func (s Sweep) writeFront(out io.Writer, a sweep.Recommendation) {
	least := ""
	if a.Goal.KeepsShare() {
		least = fmt.Sprintf(" with at least %.3g%% of Σ|A|", 100*a.Goal.Least)
	}
	fmt.Fprintf(out, "\nfront: %s%s that no other beats in Σ|A|, effective samples, flips, groups killed or short, and the goal",
		units.Plural(len(a.Front), "settings"), least)
	fmt.Fprintf(out, "\n%24s %6s %10s %14s %6s %7s %6s %7s  %s\n", "", "Σ|A|", "effective", "trained", "flips", "killed", "short", "+:−",
		"warns")
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
	for i := range rows { // all, or some of them, evenly spaced
		s.writeFrontRow(out, "front", shown[i*(len(shown)-1)/max(1, rows-1)])
	}
	if n := len(rest) - rows; n > 0 {
		fmt.Fprintf(out, "%d more are on the front; --format json has all\n", n)
	}
}

func (s Sweep) writeFrontRow(out io.Writer, mark string, c *sweep.Cell) {
	effective := units.Missing
	if x := c.Effective(); !math.IsNaN(x) {
		effective = units.Count(int(math.Round(x)))
	}
	warns := model.Mapped(c.Warned.Kinds(), func(w sweep.WarnedKind) string {
		return fmt.Sprintf("%s %d/%d", w.Kind, w.Steps, s.Grid.Steps)
	})
	train := units.Count(c.Trained) + " (" + units.Percent(c.Trained, c.Samples) + ")"
	line := fmt.Sprintf("%-6s %-17s %6s %10s %14s %6s %7s %6s %7s  %s",
		mark, strings.Replace(c.Name(), "recompute", "re", 1), percentText(c.AbsRatio()), effective, train,
		units.Count(c.Flips), units.Count(c.Killed), units.Count(c.Short), c.MassText(), strings.Join(warns, ", "))
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

// SweepJSON writes the object that the schema sweep@1 describes. The settings below the cells have what they are judged by,
// and in how many steps they raise which warnings. A log without signal has a recommendation without settings.
func SweepJSON(w io.Writer, s Sweep) error {
	a := s.recommend(s.Goal)
	cells, others := []object{}, []object(nil)
	for c := range s.cells(s.Recompute...) {
		cell := append(ratiosJSON(c.KeepPos, c.KeepNeg, c.Recompute), object{{"samples", c.Samples}, {"groups", c.Groups}}...)
		for _, f := range s.Figures {
			cell = append(cell, member{f.Name, f.Value(c)})
		}
		cells = append(cells, cell)
	}
	for _, name := range sweep.GoalNames() {
		if other := s.recommend(sweep.Goal{Name: name, Least: s.Goal.Least}); name != s.Goal.Name && other.Cell != nil {
			others = append(others, append(object{{"goal", name}}, cellJSON(other.Cell)...))
		}
	}
	return writeDocument(w, "vantage/sweep@1", object{
		{"steps", s.Grid.Steps},
		{"where", some(s.Where)},
		{"settings", settingsJSON(s.Grid.Settings)},
	}, choiceJSON(s.Choice), object{
		{"rows", s.Grid.Rows}, // of the log: more than samples if these are rollouts of several rows
		{"cells", cells},
		{"no_filter", cellJSON(s.Grid.NoFilter())},
		{"current", some(cellJSON(s.Current))},
		{"front", model.Mapped(a.Front, cellJSON)},
		{"recommendation", append(object{
			{"goal", a.Goal.Name},
			{"least_abs", a.Goal.Least}, // share of Σ|A| that goals other than signal keep at least
			{"rule", a.Rule},
			{"because", a.Reason},
		}, cellJSON(a.Cell)...)},
		{"other_goals", some(others)},
	})
}

// cellJSON is a setting with what it is judged by; nil for none.
func cellJSON(c *sweep.Cell) object {
	if c == nil {
		return nil
	}
	warnings := map[string]int{}
	for _, w := range c.Warned.Kinds() {
		warnings[string(w.Kind)] = w.Steps
	}
	return append(ratiosJSON(c.KeepPos, c.KeepNeg, c.Recompute), object{
		{"abs", c.AbsRatio()},
		{"effective", c.Effective()},
		{"trained", c.Trained},
		{"flips", c.Flips},
		{"killed", c.Killed},
		{"short", c.Short},
		{"push", c.Push()},
		{"warnings", some(warnings)},
	}...)
}

func ratiosJSON(pos, neg float64, recompute bool) object {
	return object{{"keep_pos_ratio", pos}, {"keep_neg_ratio", neg}, {"compute_new_adv", recompute}}
}

// SweepSVG draws a heat map per figure, with a frame around the recommended cell.
func SweepSVG(w io.Writer, s Sweep) error {
	const cell, left, top, gap = 34, 70, 40, 60
	rows, y := len(s.Grid.Pos), 0
	choice := s.recommend(s.Goal)
	text := func(x, y int, anchor, text string) markup {
		return tag("text", attr("x", x), attr("y", y), attr("text-anchor", anchor), text) + lineBreak
	}
	var drawn []markup
	for _, recompute := range s.Recompute {
		for _, f := range s.Figures {
			least, most := s.valueRange(f.Value, recompute, true)
			title := fmt.Sprintf("%s: %s, compute_new_adv %s", f.Name, f.Doc, units.OnOff(recompute))
			drawn = append(drawn, text(left, y+16, "start", title), text(left-8, y+top-6, "end", "keep_pos"))
			var frames []markup
			for i, pos := range s.Grid.Pos {
				row := y + top + (rows-1-i)*cell
				drawn = append(drawn, text(left-8, row+cell/2+4, "end", units.Fixed(pos, 2)))
				for j := range s.Grid.Neg {
					c, x := s.Grid.At(recompute, i, j), left+j*cell
					fill, textColour := shade(f.Value(c), least, most)
					drawn = append(drawn,
						emptyTag("rect", attr("x", x), attr("y", row), attr("width", cell), attr("height", cell), attr("fill", fill)),
						tag("text", attr("x", x+cell/2), attr("y", row+cell/2+4), attr("text-anchor", "middle"),
							attr("fill", textColour), sweepValue(f, c)),
						lineBreak)
					if choice.IsChoice(c) {
						frames = append(frames,
							tag("rect", attr("x", x+1), attr("y", row+1), attr("width", cell-2), attr("height", cell-2),
								attr("fill", "none"), attr("stroke", "#bc4c00"), attr("stroke-width", 2),
								tag("title", "recommended: goal "+s.Goal.String())),
							lineBreak)
					}
				}
			}
			drawn = append(drawn, frames...)
			below := y + top + rows*cell + 16
			for j, neg := range s.Grid.Neg {
				drawn = append(drawn, text(left+j*cell+cell/2, below, "middle", units.Fixed(neg, 2)))
			}
			drawn = append(drawn, text(left, below+16, "start", "keep_neg"))
			y += cell*rows + top + gap
		}
	}
	ground := emptyTag("rect", attr("width", "100%"), attr("height", "100%"), attr("fill", "#ffffff")) // the page around it may be dark
	_, err := io.WriteString(w,
		string(tag("svg", attr("xmlns", "http://www.w3.org/2000/svg"), attr("width", left+cell*len(s.Grid.Neg)+20), attr("height", y),
			attr("font-family", "sans-serif"), attr("font-size", 11), lineBreak, ground, lineBreak, drawn)+lineBreak))
	return err
}

// shade returns a blue for x, pale at lo and dark at hi, and a readable colour for text on it.
func shade(x, lo, hi float64) (fill, textColour string) {
	if !units.IsFinite(x) || hi <= lo {
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
