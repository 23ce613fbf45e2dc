package tui

import (
	"math"
	"slices"

	"vantage/model/analysis"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/tui/cells"
)

// groupColumn is a column that the table of groups has on the whole screen only.
type groupColumn struct {
	name  string
	width int // with a space before it
	cell  func(g *analysis.Group) string
}

// The widths of the mean length, of the flips, and of why a group has its fate.
const (
	lengthWidth = 8
	flipsWidth  = 6
	minWhyWidth = 30
)

// groupColumnsMore returns the columns that fit into so many cells more than the table needs: the mean
// length, why the group has its fate, the means of the reward components, and the flips. why is the least
// width of the reason, 0 if there is no room for it.
func (a App) groupColumnsMore(room int) (columns []groupColumn, why int) {
	x := a.result.analysis
	if !a.panes.fullScreen || x == nil {
		return nil, 0
	}
	if room >= minWhyWidth+lengthWidth {
		why, room = minWhyWidth, room-minWhyWidth
	}
	all := []groupColumn{{a.lengthName(), lengthWidth, func(g *analysis.Group) string { return meanLength(x.Lengths[g.Start:g.End]) }}}
	for _, c := range a.components() {
		k := slices.Index(a.snap.Run.ComponentNames, c.name)
		all = append(all, groupColumn{componentHeader(c.name), componentWidth, func(g *analysis.Group) string {
			step, ok := a.stepOf(g)
			if !ok || k >= len(step.Components) || step.Components[k] == nil {
				return units.Missing
			}
			return meanComponent(step.Components[k], x.InputRow[g.Start:g.End])
		}})
	}
	all = append(all, groupColumn{"flips", flipsWidth, func(g *analysis.Group) string { return units.Count(g.Flips.Total()) }})
	for _, c := range all {
		if c.width <= room {
			columns, room = append(columns, c), room-c.width
		}
	}
	return columns, why
}

// meanLength returns the mean of the lengths that are known.
func meanLength(lengths []int32) string {
	sum, n := 0, 0
	for _, l := range lengths {
		if l >= 0 {
			sum, n = sum+int(l), n+1
		}
	}
	if n == 0 {
		return units.Missing
	}
	return units.Count(int(math.Round(float64(sum) / float64(n))))
}

// meanComponent returns the mean of a reward component over some rows of the log, of those that have it.
func meanComponent(values []float64, rows []int32) string {
	sum, n := 0.0, 0
	for _, row := range rows {
		if v := values[row]; v-v == 0 {
			sum, n = sum+v, n+1
		}
	}
	if n == 0 {
		return units.Missing
	}
	return firstFitting(componentWidth-1, units.Fixed(sum/float64(n), 3), units.Short(sum/float64(n)), units.Brief(sum/float64(n)))
}

// moreCells returns what a row of the table has in its further columns.
func (c groupColumns) moreCells(g *analysis.Group) string {
	line := ""
	for _, column := range c.more {
		line += " " + cells.FitRight(column.cell(g), column.width-1)
	}
	return line
}

// moreHeaders returns the names of the further columns.
func (c groupColumns) moreHeaders() string {
	line := ""
	for _, column := range c.more {
		line += " " + cells.FitRight(sanitize.Line(column.name), column.width-1)
	}
	return line
}

// whyCell returns why group g has its fate.
func (c groupColumns) whyCell(g int) string {
	if c.why == 0 {
		return ""
	}
	return cells.Fit("  "+sanitize.Line(c.cause(g)), c.why)
}
