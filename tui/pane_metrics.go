package tui

import (
	"fmt"
	"strings"

	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

// metricRoom is the least width of a column of metrics.
const metricRoom = 38

// deltaRoom is the room for how a figure differs from the baseline's.
const deltaRoom = 10

// paneMetrics lists the figures of the step under the trainers' names, in as
// many columns as fit.
func (a App) paneMetrics(w, h int) content {
	x := a.figuresShown()
	if x == nil {
		return content{title: "metrics  " + a.shownOfAll(), lines: []string{" " + a.look.theme.Paint(themes.Dim, "computing those of the groups shown …")}}
	}
	all := x.Metrics
	across := max(1, w/metricRoom)
	width := w / across
	c := content{title: fmt.Sprintf("metrics  %d · step %d", len(all), x.Step)}
	if of := a.shownOfAll(); of != "" {
		c.title += " · " + of + " groups shown"
	}
	if hidden := a.metricsBeyond(); hidden > 0 {
		c.note = fmt.Sprintf("%d–%d/%d", a.place.scroll*across+1, min(len(all), (a.place.scroll+h)*across), len(all))
	}
	room, base := 0, a.figuresBefore()
	if base != nil {
		room = deltaRoom
		c.title += " · Δ against " + settingsInWords(a.set.base.set)
	}
	for y := range h {
		line := ""
		for x := range across {
			at := a.place.scroll*across + x*h + y
			if at >= len(all) {
				break
			}
			name := a.look.theme.Paint(themes.Dim, lastParts(sanitize.Line(all[at].Name), width-9-room))
			value := units.Short(all[at].Value)
			if base != nil {
				value += cells.FitRight(a.difference(all[at].Value-base.Metric(all[at].Name)), deltaRoom)
			}
			line += " " + cells.Justify(name, value, width-2) + " "
		}
		c.lines = append(c.lines, line)
	}
	return c
}

// lastParts is a name in w cells: where it is too long, without what it begins with,
// which it shares with others.
func lastParts(name string, w int) string {
	short := name
	for cells.Width(short) > w {
		_, rest, ok := strings.Cut(strings.TrimPrefix(short, "…/"), "/")
		if !ok {
			return cells.TruncateLeft(short, w)
		}
		short = "…/" + rest
	}
	return short
}

// metricsBeyond is how many rows of metrics do not fit.
func (a App) metricsBeyond() int {
	in := a.screen().Panes[layout.Metrics].Inner()
	if a.result.analysis == nil || in.H == 0 || a.figuresShown() == nil {
		return 0
	}
	across := max(1, in.W/metricRoom)
	rows := (len(a.figuresShown().Metrics) + across - 1) / across
	return max(0, rows-in.H)
}
