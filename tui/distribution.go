package tui

import (
	"fmt"
	"math"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/layout"
)

// spread is what the pane of distributions shows.
type spread struct {
	figure string // name of a distribution; "" is the first
	log    bool
	bin    int // the bin that is read, by column from the left
	read   bool
}

// distribution is a figure of each sample, all above the axis, kept ones below it.
type distribution struct {
	name       string
	above      []float64
	below      []float64
	use        []bool // of those below
	everywhere bool   // of groups, not of samples: the filter of samples is not asked
}

// distributions are those that the step has something for.
func (a App) distributions() []distribution {
	x := a.result.analysis
	kept := x.Keep.Between(0, x.Rows)
	all := []distribution{
		{name: "advantages", above: x.Original, below: x.ProcessedKept(), use: kept},
		{name: "rewards", above: x.Logged, below: x.Logged, use: kept},
	}
	lengths, known := make([]float64, x.Rows), false
	for i, l := range x.Lengths {
		lengths[i] = float64(l)
		if l < 0 {
			lengths[i] = math.NaN()
		}
		known = known || l >= 0
	}
	if known {
		all = append(all, distribution{name: "lengths, " + a.snap.Run.LengthUnit.String(), above: lengths, below: lengths, use: kept})
	}
	if i, ok := a.snap.Find(x.Step); ok {
		for k, part := range a.snap.Steps[i].Parts {
			if len(part) < x.Rows {
				continue
			}
			values := make([]float64, x.Rows)
			for at, row := range x.Order {
				values[at] = part[row]
			}
			all = append(all, distribution{name: sanitize.Line(a.snap.Run.Components[k]), above: values, below: values, use: kept})
		}
	}
	return append(all, a.solved())
}

// shows reports whether a distribution is the one that was chosen.
func (s spread) shows(d distribution) bool { return d.name == s.figure }

// distribution is the one on the screen; false for the advantages, and for one that
// the step has nothing for.
func (a App) distribution() (distribution, bool) {
	if a.place.spread.figure == "" {
		return distribution{}, false
	}
	all := a.distributions()
	i := slices.IndexFunc(all, a.place.spread.shows)
	return all[max(0, i)], i > 0
}

// solved is how many samples of each group have the best reward of the step.
func (a App) solved() distribution {
	x := a.result.analysis
	_, best := chart.Range(x.Logged)
	var counts []float64
	for _, g := range a.result.rows {
		n := 0
		for _, r := range x.Logged[x.Offsets[g]:x.Offsets[g+1]] {
			if r == best {
				n++
			}
		}
		counts = append(counts, float64(n))
	}
	return distribution{name: "groups by how many samples are solved", above: counts, everywhere: true}
}

func (a App) nextFigure() (App, tea.Cmd) {
	if a.result.analysis == nil {
		return a, nil
	}
	all := a.distributions()
	next := (max(0, slices.IndexFunc(all, a.place.spread.shows)) + 1) % len(all)
	a.place.spread.figure = ""
	if next > 0 {
		a.place.spread.figure = all[next].name
	}
	a.place.front = layout.Advantages
	return a, nil
}

func (a App) toggleLog() (App, tea.Cmd) {
	a.place.spread.log = !a.place.spread.log
	return a, nil
}

func (a App) binBack() (App, tea.Cmd) { return a.binBy(-1), nil }
func (a App) binOn() (App, tea.Cmd)   { return a.binBy(1), nil }

// binBy reads the bin beside; the first press reads the middle one.
func (a App) binBy(by int) App {
	if a.result.analysis == nil {
		return a
	}
	w := a.chartWidth()
	if !a.place.spread.read {
		a.place.spread.read, a.place.spread.bin = true, w/2
		return a
	}
	a.place.spread.bin = within(a.place.spread.bin+by, w)
	return a
}

// oddWidth is the width of a chart in a pane: odd, so that zero has a column.
func oddWidth(w int) int {
	w -= 2
	if w%2 == 0 {
		w--
	}
	return max(1, w)
}

// shownOf is which samples are drawn: those of the groups that the filter shows.
func (a App) shownOf(use []bool) []bool {
	if a.result.shown == nil {
		return use
	}
	if use == nil {
		return a.result.shown
	}
	both := make([]bool, len(use))
	for i := range both {
		both[i] = use[i] && a.result.shown[i]
	}
	return both
}

// paneSpread draws another figure than the advantages: all samples above the axis,
// kept ones below.
func (a App) paneSpread(m measured, w, h int) content {
	t, width, name, two := a.look.theme, oddWidth(w), m.spread.name, m.spread.below != nil
	lines, note := []string{" " + a.moments("all ", m.up, false, w-1)}, a.binRead(width, m.up, m.down)
	if h < lowChart {
		return content{title: name, note: note, lines: append(lines, a.mirror(m.up, m.down, width, h-1)...)}
	}
	words := 2
	if two {
		words++
	}
	lines = append(lines, a.mirror(m.up, m.down, width, h-words)...)
	left, right := units.Short(m.up.Axis.Lo), units.Short(m.up.Axis.Hi)
	lines = append(lines, " "+t.Paint(themes.Dim, cells.Justify(left, right, width)))
	title := a.ofShown(name)
	if two {
		lines = append(lines, " "+a.moments("kept", m.down, false, w-1))
		title += "  all over kept"
	}
	return content{title: title, note: note, lines: lines}
}

// scaled is a histogram as it is drawn: its counts, or their logarithms.
func (a App) scaled(h chart.Histogram) chart.Histogram {
	if a.place.spread.log {
		return h.Logarithmic()
	}
	return h
}

// binRead says what is in the bin that is read; "" if none is.
func (a App) binRead(w int, up, down chart.Histogram) string {
	if !a.place.spread.read {
		return ""
	}
	at := within(a.place.spread.bin, w)
	lo, hi := up.Axis.Edges(at, w)
	return fmt.Sprintf("%s to %s: %s above, %s below", units.Short(lo), units.Short(hi), units.Count(up.Counts[at]), units.Count(down.Counts[at]))
}
