package report

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"vantage/model/units"
)

// Sizes in characters.
const (
	plotColumns = 61 // odd: one column is the zero
	plotRows    = 5  // above and below the axis
	barColumns  = 40
)

// Text returns the charts drawn with characters.
func (c *Charts) Text() []string {
	var lines []string
	if c.hasDistribution() {
		lines = append(lines, "", fmt.Sprintf("advantages of %s: original above the line, processed below", c.stepRange()))
		lines = append(lines, indent(c.textDistribution())...)
	}
	if c.Steps > 1 {
		lines = append(lines, "")
		lines = append(lines, c.textTrends()...)
	}
	if c.hasSolved() {
		lines = append(lines, "", fmt.Sprintf("groups of %s by how many of their samples reach %s", c.stepRange(), c.SolvedAt))
		lines = append(lines, indent(c.textSolved())...)
	}
	return lines
}

func indent(lines []string) []string {
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}

// stepRange returns "step 3" or "steps 1 to 40".
func (c *Charts) stepRange() string {
	if c.Steps == 1 {
		return fmt.Sprintf("step %d", c.FirstStep)
	}
	return fmt.Sprintf("steps %d to %d", c.FirstStep, c.LastStep)
}

// textDistribution draws both histograms on one axis and scale, with their moments below.
func (c *Charts) textDistribution() []string {
	limit, original, processed, tallest := c.bins(plotColumns)
	var lines []string
	for row := range plotRows {
		lines = append(lines, plotRow(original, tallest, plotRows-1-row, []rune("▁▂▃▄▅▆▇█")))
	}
	half := strings.Repeat("─", plotColumns/2)
	lines = append(lines, half+"┼"+half)
	for row := range plotRows {
		lines = append(lines, plotRow(processed, tallest, row, []rune("▔▀█")))
	}
	end := units.Short(limit)
	gap := plotColumns/2 - 1 - utf8.RuneCountInString(end)
	lines = append(trimBlank(lines), "−"+end+strings.Repeat(" ", gap)+"0"+strings.Repeat(" ", gap)+"+"+end)
	return append(lines, momentsText("original", c.Original), momentsText("processed", c.Processed))
}

// plotRow draws one row of columns, numbered from the axis. A nonzero count always shows.
func plotRow(columns []int, tallest, row int, levels []rune) string {
	var b strings.Builder
	for _, n := range columns {
		height := float64(n)/float64(tallest)*plotRows - float64(row)
		switch {
		case height <= 0 || n == 0:
			b.WriteByte(' ')
		default:
			at := int(math.Round(height * float64(len(levels))))
			b.WriteRune(levels[min(len(levels), max(1, at))-1])
		}
	}
	return b.String()
}

// trimBlank removes blank lines at both ends.
func trimBlank(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func momentsText(name string, h *histogram) string {
	if h.N == h.NotFinite {
		return fmt.Sprintf("%-10s none", name)
	}
	text := fmt.Sprintf("%-10s %s samples, %s of them 0 and not drawn; mean %s  std %s  largest %s", name,
		units.Count(h.N), units.Count(h.Zeros), strings.TrimSpace(units.Signed(h.Mean())), units.Fixed(h.Std(), 2), units.Fixed(h.MaxAbs, 2))
	if h.NotFinite > 0 {
		text += fmt.Sprintf("  not numbers %s", units.Count(h.NotFinite))
	}
	return text
}

// textTrends draws each figure as a sparkline between its minimum and maximum.
func (c *Charts) textTrends() []string {
	w := len(c.Trends[0].Values)
	head := fmt.Sprintf("%-*s", max(w, 2*maxPoints/3), fmt.Sprintf("%d … %d", c.FirstStep, c.LastStep))
	lines := []string{fmt.Sprintf("over the steps  %s %8s %8s %8s %8s", head, "first", "newest", "least", "most")}
	for _, l := range c.Trends {
		if l.hasValue() {
			lines = append(lines, fmt.Sprintf("  %-13s %-*s %8s %8s %8s %8s", l.Name, utf8.RuneCountInString(head), sparkline(l),
				units.Short(l.First), units.Short(l.Last), units.Short(l.Min), units.Short(l.Max)))
		}
	}
	return lines
}

func sparkline(l trendLine) string {
	levels := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, x := range l.Values {
		at := 0
		if !units.NearlyEqual(l.Min, l.Max) {
			at = int(math.Round((x/2 - l.Min/2) / (l.Max/2 - l.Min/2) * float64(len(levels)-1)))
		}
		if x != x {
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(levels[min(len(levels)-1, max(0, at))])
	}
	return b.String()
}

// textSolved draws a bar per solve rate.
func (c *Charts) textSolved() []string {
	tallest, all := c.solvedTotals()
	var lines []string
	for i, name := range solveBinNames() {
		n := c.Solved[i].Count
		lines = append(lines, fmt.Sprintf("%-13s %-*s %s", name, barColumns, horizontalBar(n/max(1, tallest)), units.Fraction(int(n), int(all))))
	}
	return lines
}

// solveBinNames returns labels for the bins of model.SolveNames.
func solveBinNames() []string {
	return []string{"none", "up to 25 %", "up to 50 %", "up to 75 %", "below all", "all"}
}

// horizontalBar draws a share of barColumns, to an eighth of a character.
func horizontalBar(share float64) string {
	eighths := int(math.Round(share * barColumns * 8))
	if share > 0 {
		eighths = max(1, eighths)
	}
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return bar
}
