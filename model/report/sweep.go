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
	Choice    choice.Choice // who chose the estimator of the grid
	Figures   []sweep.Figure
	Recompute []bool // without recompute, with it, or both
}

// SweepText writes a table per figure and recompute, a row per keep_pos_ratio and a column
// per keep_neg_ratio, and the recommendation.
func SweepText(w io.Writer, s Sweep) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s over %s, %s, scale %s\n", "keep ratios", units.Plural(s.Grid.Steps, "steps"), estimatorText(s.Grid.Settings, s.Choice), s.Grid.Settings.Scale)
	if options := s.Grid.Settings.Options; options != "" {
		fmt.Fprintf(out, "options %s\n", sanitize.Line(options.String()))
	}
	if text := s.Grid.RolloutText(); text != "" {
		fmt.Fprintln(out, text)
	}
	if s.Choice.Rewards.IsChoice() {
		fmt.Fprintf(out, "reward %s\n", sanitize.Line(s.Choice.Rewards.String()))
	}
	for _, recompute := range s.Recompute {
		for _, f := range s.Figures {
			s.writeTable(out, f, recompute)
		}
	}
	a := s.Grid.Recommend(s.Recompute...)
	fmt.Fprintf(out, "\nrule       %s\n", a.Rule)
	if a.Cell != nil {
		fmt.Fprintf(out, "choice     keep_pos_ratio %s, keep_neg_ratio %s, compute_new_adv %s\n", units.Fixed(a.Cell.KeepPos, 2), units.Fixed(a.Cell.KeepNeg, 2), onOff(a.Cell.Recompute))
	}
	fmt.Fprintf(out, "because    %s\n\ncomplete: %s\n", a.Reason, units.Plural(s.cellCount(), "cells"))
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

// SweepCSV writes a row per cell: steps, samples, groups, keep_pos_ratio, keep_neg_ratio,
// compute_new_adv, then every figure by name. The last line is a comment that counts the
// rows.
func SweepCSV(w io.Writer, s Sweep) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, "steps,samples,groups,keep_pos_ratio,keep_neg_ratio,compute_new_adv")
	for _, f := range s.Figures {
		fmt.Fprint(out, ","+f.Name)
	}
	fmt.Fprintln(out)
	s.eachCell(func(c *sweep.Cell) {
		fmt.Fprintf(out, "%d,%d,%d,%g,%g,%t", s.Grid.Steps, c.Samples, c.Groups, c.KeepPos, c.KeepNeg, c.Recompute)
		for _, f := range s.Figures {
			fmt.Fprint(out, ","+formatFloat(f.Value(c)))
		}
		fmt.Fprintln(out)
	})
	fmt.Fprintf(out, "# complete: %d rows\n", s.cellCount())
	return out.Flush()
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

// SweepJSON writes one object:
//
//	{"schema": "vantage.sweep/1", "steps": 3, "settings": {…}, "estimator": {…}, "cells": [{"keep_pos_ratio": 0.5, "keep_neg_ratio": 1, "compute_new_adv": false,
//	 "samples": 512, "groups": 32, "signal": 20, …}, …], "recommendation": {…},
//	 "complete": true}
//
// estimator and reward are as in [JSON]. complete comes last. A cell has the selected figures under their names; numbers that JSON
// lacks are strings.
func SweepJSON(w io.Writer, s Sweep) error {
	type recommendation struct {
		Rule      string   `json:"rule"`
		Why       string   `json:"because"`
		KeepPos   *float64 `json:"keep_pos_ratio,omitempty"`
		KeepNeg   *float64 `json:"keep_neg_ratio,omitempty"`
		Recompute *bool    `json:"compute_new_adv,omitempty"`
	}
	a := s.Grid.Recommend(s.Recompute...)
	best := recommendation{Rule: a.Rule, Why: a.Reason}
	if a.Cell != nil {
		best.KeepPos, best.KeepNeg, best.Recompute = &a.Cell.KeepPos, &a.Cell.KeepNeg, &a.Cell.Recompute
	}
	var cells []json.RawMessage
	s.eachCell(func(c *sweep.Cell) { cells = append(cells, s.cellJSON(c)) })
	return writeJSON(w, struct {
		Schema         string            `json:"schema"`
		Steps          int               `json:"steps"`
		Settings       settingsJSON      `json:"settings"`
		Estimator      *choiceJSON       `json:"estimator,omitempty"`
		Reward         *rewardJSON       `json:"reward,omitempty"`
		Rows           int               `json:"rows"` // of the log: more than samples if these are rollouts of several rows
		Cells          []json.RawMessage `json:"cells"`
		Recommendation recommendation    `json:"recommendation"`
		Complete       bool              `json:"complete"`
	}{"vantage.sweep/1", s.Grid.Steps, newSettingsJSON(s.Grid.Settings), newChoiceJSON(s.Choice), newRewardJSON(s.Choice.Rewards), s.Grid.Rows, cells, best, true})
}

func (s Sweep) cellJSON(c *sweep.Cell) json.RawMessage {
	out := fmt.Appendf(nil, `{"keep_pos_ratio":%g,"keep_neg_ratio":%g,"compute_new_adv":%t,"samples":%d,"groups":%d`, c.KeepPos, c.KeepNeg, c.Recompute, c.Samples, c.Groups)
	for _, f := range s.Figures {
		out = fmt.Appendf(out, `,%q:`, f.Name)
		out = appendNumber(out, f.Value(c), 64)
	}
	return append(out, '}')
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
	if a := s.Grid.Recommend(s.Recompute...); a.Cell != nil && a.Cell.Recompute == recompute {
		j, i := slices.Index(s.Grid.Neg, a.Cell.KeepNeg), slices.Index(s.Grid.Pos, a.Cell.KeepPos)
		fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#bc4c00" stroke-width="2"><title>recommended</title></rect>`+"\n",
			left+j*cell+1, y+top+(len(s.Grid.Pos)-1-i)*cell+1, cell-2, cell-2)
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
