package tui

import (
	"fmt"
	"math"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vantage/model/compare"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

func compareKeys() keySection {
	return keySection{"two runs", []binding{
		{[]string{"j", "down"}, "j ↓", "j k scroll", "next prompts", move(App.scrollPairs, 1)},
		{[]string{"k", "up"}, "k ↑", "", "previous prompts", move(App.scrollPairs, -1)},
		{[]string{"ctrl+d", "pgdown"}, "^D", "", "a page down", move(App.scrollPairs, 10)},
		{[]string{"ctrl+u", "pgup"}, "^U", "", "a page up", move(App.scrollPairs, -10)},
		{[]string{"o", "O"}, "o", "o reverse", "worst or best for B first", App.reversePairs},
		{[]string{"esc", "c"}, "Esc", "Esc back", "back", App.escape},
	}}
}

// openCompare opens the comparison of the two runs.
func (a App) openCompare() (App, tea.Cmd) {
	if a.second.source == nil {
		a.notice = "one run is open: `vantage base=runs/a new=runs/b` compares two (b compares settings)"
		return a, nil
	}
	return a.pushView(viewCompare)
}

func (a App) scrollPairs(by int) App {
	if r := a.second.result; r != nil {
		a.second.topPair = clampIndex(a.second.topPair+by, len(r.Pairs))
	}
	return a
}

func (a App) reversePairs() (App, tea.Cmd) {
	a.second.bestFirst, a.second.topPair = !a.second.bestFirst, 0
	return a, nil
}

// compareView shows which run is better, at which difficulties, and on which prompts.
func (a App) compareView(w, h int) []string {
	t, r := a.display.theme, a.second.result
	title := fmt.Sprintf(" A %s   B %s", sanitize.Line(a.title), sanitize.Line(a.second.title))
	if r == nil {
		text := "comparing the runs prompt by prompt …"
		if a.second.err != nil {
			text = sanitize.Line(a.second.err.Error())
		}
		return a.box(layout.Rect{W: w, H: h}, true, paneContent{title: title, lines: []string{"", "  " + t.Paint(themes.Dim, text)}})
	}
	above := a.comparisonLines(r, w-4)
	height := min(len(above)+2, h-5)
	return append(a.box(layout.Rect{W: w, H: height}, false, paneContent{title: title, lines: above}),
		a.box(layout.Rect{W: w, H: h - height}, true, a.pairTable(r, w-2, h-height-2))...)
}

func (a App) comparisonLines(r *compare.Result, w int) []string {
	t := a.display.theme
	var lines []string
	for _, line := range cells.Wrap(report.Comparison{Result: r}.Sentence(), w) {
		lines = append(lines, " "+line)
	}
	lines = append(lines, " "+a.outcomeBar(r, w), " "+t.Paint(themes.Dim, fmt.Sprintf("%d prompts only in A, %d only in B", r.OnlyA, r.OnlyB)))
	if len(r.Bins) < 2 {
		return lines
	}
	names, values := t.Paint(themes.Dim, cells.Fit("reward under A", 15)), t.Paint(themes.Dim, cells.Fit("mean Δ", 15))
	binWidth := min(14, (w-16)/len(r.Bins))
	for _, b := range r.Bins {
		delta := units.Missing
		if b.Pairs > 0 {
			delta = a.signedDelta(b.Delta)
		}
		names += t.Paint(themes.Dim, cells.FitRight(units.Fixed(b.Lo, 2)+"–"+units.Fixed(b.Hi, 2), binWidth))
		values += cells.FitRight(fmt.Sprintf("%s of %d", delta, b.Pairs), binWidth)
	}
	return append(lines, " "+names, " "+values)
}

// signedDelta returns a difference with its sign and its colour.
func (a App) signedDelta(d float64) string {
	return a.display.theme.Paint(deltaRole(d), units.Signed(d))
}

// outcomeBar returns a bar of wins, ties and losses.
func (a App) outcomeBar(r *compare.Result, w int) string {
	t, g := a.display.theme, a.display.glyphs
	barWidth := max(3, min(60, w-40))
	n := float64(max(1, len(r.Pairs)))
	wins := int(math.Round(float64(r.Wins) / n * float64(barWidth)))
	losses := min(barWidth-wins, int(math.Round(float64(r.Losses)/n*float64(barWidth))))
	bar := t.Paint(themes.Positive, strings.Repeat(g.MeterFull, wins)) + t.Paint(themes.Track, strings.Repeat(g.MeterEmpty, barWidth-wins-losses)) + t.Paint(themes.Negative, strings.Repeat(g.MeterFull, losses))
	return bar + fmt.Sprintf("  +%d wins  %s  −%d losses", r.Wins, units.Plural(r.Ties, "ties"), r.Losses)
}

func (a App) pairTable(r *compare.Result, w, h int) paneContent {
	lines := []string{a.display.theme.Paint(themes.Dim, cells.FitRight("A", 8)+cells.FitRight("B", 8)+cells.FitRight("Δ", 8)+cells.FitRight("samples", 10)+"  prompt")}
	for i := a.second.topPair; i < len(r.Pairs) && len(lines) < h; i++ {
		p := r.Pairs[i]
		if a.second.bestFirst {
			p = r.Pairs[len(r.Pairs)-1-i]
		}
		line := cells.FitRight(units.Fixed(p.A, 2), 8) + cells.FitRight(units.Fixed(p.B, 2), 8) + cells.FitRight(a.signedDelta(p.Delta()), 8) +
			cells.FitRight(fmt.Sprintf("%d/%d", p.SamplesA, p.SamplesB), 10) + "  " + sanitize.Line(p.Preview)
		lines = append(lines, cells.Fit(line, w))
	}
	order := "worst for B first"
	if a.second.bestFirst {
		order = "best for B first"
	}
	return paneContent{title: fmt.Sprintf(" prompts  %s · %s", units.Count(len(r.Pairs)), order), note: fmt.Sprintf("%d/%d", min(a.second.topPair+1, len(r.Pairs)), len(r.Pairs)), lines: lines}
}
