package tui

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"vantage/model/compare"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

func compareKeys() keySection {
	return keySection{"two runs", append(listKeys("j k prompt", onPair),
		binding{[]string{"enter"}, "⏎", "⏎ answers", "read both runs' answers to the prompt, side by side or as a word diff", App.openAnswers},
		binding{[]string{"o", "O"}, "o", "o reverse", "worst or best for the second run first", App.reversePairs},
		binding{[]string{"esc", "c"}, "Esc", "Esc back", "back", App.escape},
	)}
}

// openCompare opens the comparison of the two runs.
func (a App) openCompare() App {
	if a.second.source == nil {
		a.notice = "only one run is open: `vantage base=runs/a new=runs/b` opens two (b compares settings)"
		return a
	}
	return a.pushView(viewCompare)
}

func (a App) reversePairs() App {
	a.second.bestFirst, a.second.cursor = !a.second.bestFirst, 0
	return a
}

func (a App) pairs() []compare.Pair {
	if r := a.second.job.value.result; r != nil {
		return r.Pairs
	}
	return nil
}

// pairAt returns row i of the table of prompts.
func (a App) pairAt(i int) compare.Pair {
	pairs := a.second.job.value.result.Pairs
	if a.second.bestFirst {
		return pairs[len(pairs)-1-i]
	}
	return pairs[i]
}

// selectedPair returns the prompt under the cursor; ok is false if there is none.
func (a App) selectedPair() (p compare.Pair, ok bool) {
	if r := a.second.job.value.result; r != nil && len(r.Pairs) > 0 {
		return a.pairAt(clampIndex(a.second.cursor, len(r.Pairs))), true
	}
	return p, false
}

// compareView shows which run is better, at which difficulties, and on which prompts.
func (a App) compareView(w, h int) []string {
	t, r := a.display.theme, a.second.job.value.result
	names := a.runNames()
	title := " " + cells.JoinFitting(w-4, " · ", fmt.Sprintf("%s against %s, prompt by prompt", names[sideCandidate], names[sideBaseline]),
		fmt.Sprintf("Δ is %s − %s", names[sideCandidate], names[sideBaseline]))
	if r == nil {
		text := "comparing the runs prompt by prompt …"
		if err := cmp.Or(a.second.err, a.second.job.err); err != nil {
			text = sanitize.Line(err.Error())
		}
		return a.box(layout.Rect{W: w, H: h}, true, paneContent{title: title, lines: []string{"", "  " + t.Paint(themes.Dim, text)}})
	}
	above := a.comparisonLines(r, w-4)
	height := min(len(above)+2, h-6)
	return append(a.box(layout.Rect{W: w, H: height}, false, paneContent{title: title, lines: above}),
		a.box(layout.Rect{W: w, H: h - height}, true, a.pairTable(r, w-2, h-height-2))...)
}

func (e env) comparisonLines(r *compare.Result, w int) []string {
	var lines []string
	say := func(role themes.Role, text string) {
		for _, line := range cells.Wrap(text, w) {
			lines = append(lines, " "+e.display.theme.Paint(role, line))
		}
	}
	c := report.Comparison{Result: r}
	say(themes.Plain, c.Sentence())
	if len(r.Pairs) > 0 {
		lines = append(lines, " "+e.outcomeBar(r, w))
	}
	if r.Scales != "" {
		say(themes.Warn, r.Scales)
	}
	lines = append(lines, e.difficultyLines(r.Bins, w)...)
	if len(r.Pairs) > 0 {
		say(themes.Dim, "compared: "+c.Compared())
	}
	say(themes.Dim, "left out: "+c.LeftOut())
	return lines
}

// difficultyLines returns the mean difference at each difficulty, none for less than two of them.
func (e env) difficultyLines(bins []compare.Bin, w int) []string {
	if len(bins) < 2 {
		return nil
	}
	t, width := e.display.theme, min(16, (w-14)/len(bins))
	if width < 10 {
		return nil
	}
	names, values, counts := t.Paint(themes.Dim, cells.Fit("reward, both", 14)), t.Paint(themes.Dim, cells.Fit("mean Δ "+e.plusMinus()+" s.e.", 14)), t.Paint(themes.Dim, cells.Fit("prompts", 14))
	for _, b := range bins {
		delta := units.Missing
		if b.Pairs > 0 {
			delta = e.signedDelta(b.Delta)
		}
		if width >= 12 && b.Pairs > 1 {
			delta += t.Paint(themes.Dim, e.plusMinus()+strings.TrimPrefix(units.Fixed(b.StdErr, 2), "0"))
		}
		names += t.Paint(themes.Dim, cells.FitRight(units.Fixed(b.Lo, 2)+"–"+units.Fixed(b.Hi, 2), width))
		values += cells.FitRight(delta, width)
		counts += t.Paint(themes.Dim, cells.FitRight(units.Count(b.Pairs), width))
	}
	return []string{" " + names, " " + values, " " + counts}
}

// signedDelta returns a difference with its sign and its colour.
func (e env) signedDelta(d float64) string {
	return e.display.theme.Paint(deltaRole(d), units.Signed(d))
}

// outcomeBar returns a bar of wins, ties and losses.
func (e env) outcomeBar(r *compare.Result, w int) string {
	t, g := e.display.theme, e.display.glyphs
	barWidth := max(3, min(60, w-40))
	n := float64(max(1, len(r.Pairs)))
	wins := int(math.Round(float64(r.Wins) / n * float64(barWidth)))
	losses := min(barWidth-wins, int(math.Round(float64(r.Losses)/n*float64(barWidth))))
	bar := t.Paint(themes.Positive, strings.Repeat(g.MeterFull, wins)) + t.Paint(themes.Track, strings.Repeat(g.MeterEmpty, barWidth-wins-losses)) + t.Paint(themes.Negative, strings.Repeat(g.MeterFull, losses))
	return bar + fmt.Sprintf("  +%d better  %d equal  −%d worse", r.Wins, r.Ties, r.Losses)
}

func (a App) pairTable(r *compare.Result, w, h int) paneContent {
	t := a.display.theme
	if len(r.Pairs) == 0 {
		return paneContent{title: " prompts  no prompt is in both runs"}
	}
	names := a.runNames()
	var widths [2]int
	for side, name := range names {
		widths[side] = min(max(9, cells.Width(name)+2), max(11, w/6))
		names[side] = cells.TruncateLeft(name, widths[side]-2)
	}
	c := paneContent{lines: []string{t.Paint(themes.Dim, cells.FitRight(names[sideBaseline], widths[sideBaseline])+cells.FitRight(names[sideCandidate], widths[sideCandidate])+
		cells.FitRight("Δ", 8)+cells.FitRight("samples", 10)+"  prompt")}}
	cursor := clampIndex(a.second.cursor, len(r.Pairs))
	shared := sharedBeginning(len(r.Pairs), func(i int) string { return r.Pairs[i].Preview })
	a.addRows(&c, onPair, cursor, len(r.Pairs), w, h, func(i int) string {
		p := a.pairAt(i)
		return cells.FitRight(units.Fixed(p.Baseline, 2), widths[sideBaseline]) + cells.FitRight(units.Fixed(p.Candidate, 2), widths[sideCandidate]) + cells.FitRight(a.signedDelta(p.Delta()), 8) +
			cells.FitRight(fmt.Sprintf("%d/%d", p.OfBaseline, p.OfCandidate), 10) + "  " + withoutShared(p.Preview, shared)
	})
	order := "worst for " + a.runNames()[sideCandidate] + " first"
	if a.second.bestFirst {
		order = "best for " + a.runNames()[sideCandidate] + " first"
	}
	c.title = fmt.Sprintf(" prompts  %s · %s", units.Count(len(r.Pairs)), order)
	return c
}
