package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/compare"
	"vantage/model/match"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

// secondRun is the candidate that the first run, the baseline, is compared with prompt by prompt.
type secondRun struct {
	source Source // nil if there is none
	title  string
	store  *model.Store
	chunks int   // that came
	err    error // why nothing was read
	trend  job[secondRunKey, trends]
}

// compareState is the state of the view of both runs, prompt by prompt.
type compareState struct {
	job       job[comparisonKey, comparison]
	cursor    int  // row of the table of prompts
	bestFirst bool // prompts on which the candidate is better come first
}

// comparisonKey is all that a comparison depends on.
type comparisonKey struct {
	revision int // of the first run
	secondRunKey
}

// secondRunKey is what all that is computed of the second run depends on.
type secondRunKey struct {
	chunks      int
	set         model.Settings
	autoRewards bool // the second run has its own columns of the reward
}

// of returns the settings for the second run: with its own columns of the reward, unless they were given.
func (k secondRunKey) of(ctx context.Context, snap model.Snapshot) model.Settings {
	set := k.set
	if k.autoRewards {
		set.Weights = ""
		set, _ = match.ChooseRewards(ctx, snap, set, match.Given{})
	}
	return set
}

func (e env) secondRunKey() secondRunKey {
	return secondRunKey{chunks: e.second.chunks, set: e.settings.now, autoRewards: e.rewardsAreOpen()}
}

// comparison is the comparison with the second run.
type comparison struct {
	result *compare.Result
	sets   [2]model.Settings // of the baseline and of the candidate: which columns are the reward
	unit   model.LengthUnit  // of the candidate's lengths
}

// secondChunkMsg is a chunk of the second run, or the error that ends reading.
type secondChunkMsg chunkMsg

func readSecond(ctx context.Context, s Source, pause time.Duration) tea.Cmd {
	read := readChunk(ctx, s, pause)
	return func() tea.Msg { return secondChunkMsg(read().(chunkMsg)) }
}

func (msg secondChunkMsg) on(a App) App {
	if msg.err != nil {
		if a.env.second.store.Snapshot().Rows == 0 && !errors.Is(msg.err, context.Canceled) {
			a.env.second.err = msg.err
		}
		return a
	}
	a.env.second.store.Append(msg.chunk)
	a.env.second.chunks++
	return a.starts(readSecond(a.commands.ctx, a.env.second.source, pauseAfter(msg.chunk.Progress)))
}

// update requests the comparison while its view is open. The cursor stays on its prompt, at the top it stays there.
func (s *compareState) update(e env, open bool, c *commands, msg tea.Msg) {
	before, wasSelected := s.selected()
	if s.job.take(c, msg) && wasSelected && (s.cursor > 0 || !open) {
		for i := range s.pairs() {
			if s.pairAt(i).Hash == before.Hash {
				s.cursor = i
			}
		}
	}
	key := comparisonKey{e.snap.Revision, e.secondRunKey()}
	if !open || e.second.chunks == 0 || e.snap.Rows == 0 || !s.job.lacks(key, inTurn) {
		return
	}
	first, second, names := e.snap, e.second.store.Snapshot(), e.runNames()
	if second.Rows == 0 {
		return
	}
	s.job.start(c, key, once(func(ctx context.Context) (c comparison, err error) {
		c.unit, c.sets = second.Run.LengthUnit, [2]model.Settings{key.set, key.of(ctx, second)}
		c.result, err = compare.Runs(ctx, compare.Run{Name: names[sideBaseline], Snap: first, Set: c.sets[sideBaseline]},
			compare.Run{Name: names[sideCandidate], Snap: second, Set: c.sets[sideCandidate]})
		return c, err
	}))
}

// isOlder reports whether only chunks came since a request.
func (k secondRunKey) isOlder(wanted secondRunKey) bool {
	k.chunks = wanted.chunks
	return k == wanted
}

// update computes the figures of the second run, in parts, while charts show them. If they cannot be computed, charts
// show the first run only.
func (s *secondRun) update(e env, drawn bool, c *commands, msg tea.Msg) {
	s.trend.take(c, msg)
	if s.chunks == 0 || !drawn || e.snap.Rows == 0 {
		if s.trend.busy() {
			s.trend.stop()
		}
		return
	}
	key := e.secondRunKey()
	if !s.trend.lacks(key, secondRunKey.isOlder) {
		return
	}
	snap := s.store.Snapshot()
	if snap.Rows == 0 {
		return
	}
	known := s.trend.value
	s.trend.start(c, key, func(ctx context.Context) (trends, work[trends], error) {
		return computeTrend(snap, undoState{now: key.of(ctx, snap)}, nil, nil, known, firstTrendSamples)(ctx)
	})
}

// viewInSight returns the view on the screen, or the one under a line of input or of choices.
func (p position) viewInSight() viewName {
	switch v := p.view; v {
	case viewCommand, viewCopy:
		return p.viewBelow
	default:
		return v
	}
}

func (p position) drawsSteps() bool {
	return p.viewInSight() == viewSteps || p.viewInSight() == viewFigures
}

func compareKeys() keySection {
	return keySection{"two runs", append(listKeys("j k prompt", onPair),
		binding{[]string{"enter"}, "⏎", "Enter answers", "read both runs' answers to the prompt, side by side or as a word diff", App.openAnswers},
		binding{[]string{"o", "O"}, "o", "o reverse", "worst or best for the second run first", func(a App) App {
			a.views.compare.bestFirst, a.views.compare.cursor = !a.views.compare.bestFirst, 0
			return a
		}},
		binding{[]string{"esc", "c"}, "Esc", "Esc back", "back", App.escape},
	)}
}

func (a App) openCompare() App {
	if a.env.second.source == nil {
		return a.says("only one run is open: `vantage base=runs/a new=runs/b` opens two (b compares settings)")
	}
	return a.pushView(viewCompare)
}

// pairs returns the prompts that both runs have, the worst for the candidate first.
func (s compareState) pairs() []compare.Pair {
	if r := s.job.value.result; r != nil {
		return r.Pairs
	}
	return nil
}

func (s compareState) pairAt(i int) compare.Pair {
	if pairs := s.pairs(); s.bestFirst {
		return pairs[len(pairs)-1-i]
	}
	return s.pairs()[i]
}

// which returns which of the prompts is under the cursor, as "3/12"; "" without any.
func (s compareState) which() string {
	if n := len(s.pairs()); n > 0 {
		return fmt.Sprintf("%d/%d", clampIndex(s.cursor, n)+1, n)
	}
	return ""
}

// selected returns the prompt under the cursor; ok is false if there is none.
func (s compareState) selected() (p compare.Pair, ok bool) {
	if n := len(s.pairs()); n > 0 {
		return s.pairAt(clampIndex(s.cursor, n)), true
	}
	return p, false
}

// view shows which run is better, at which difficulties, and on which prompts.
func (s compareState) view(e env, w, h int) []string {
	t, r := e.display.theme, s.job.value.result
	names := e.runNames()
	title := " " + cells.JoinFitting(w-4, " · ", fmt.Sprintf("%s against %s, prompt by prompt", names[sideCandidate], names[sideBaseline]),
		fmt.Sprintf("Δ is %s − %s", names[sideCandidate], names[sideBaseline]))
	if r == nil {
		text := "comparing the runs prompt by prompt …"
		if err := cmp.Or(e.second.err, s.job.err); err != nil {
			text = sanitize.Line(err.Error())
		}
		return e.display.box(layout.Rect{W: w, H: h}, true, paneContent{title: title, lines: []string{"", "  " + t.Paint(themes.Dim, text)}})
	}
	above := e.comparisonLines(r, w-4)
	height := min(len(above)+2, h-6)
	return append(e.display.box(layout.Rect{W: w, H: height}, false, paneContent{title: title, lines: above}),
		e.display.box(layout.Rect{W: w, H: h - height}, true, s.table(e, r, w-2, h-height-2))...)
}

func (e env) comparisonLines(r *compare.Result, w int) []string {
	var lines []string
	say := func(role themes.Role, text string) {
		lines = append(lines, e.display.wrapped(" ", role, text, w)...)
	}
	c := report.Comparison{Result: r}
	say(themes.Plain, c.Sentence())
	if len(r.Pairs) > 0 {
		t, g, width, n := e.display.theme, e.display.glyphs, max(3, min(60, w-40)), float64(len(r.Pairs))
		wins := int(math.Round(float64(r.Wins) / n * float64(width)))
		losses := min(width-wins, int(math.Round(float64(r.Losses)/n*float64(width))))
		lines = append(lines, " "+t.Paint(themes.Positive, strings.Repeat(g.MeterFull, wins))+t.Paint(themes.Track, strings.Repeat(g.MeterEmpty, width-wins-losses))+
			t.Paint(themes.Negative, strings.Repeat(g.MeterFull, losses))+fmt.Sprintf("  +%d better  %d equal  −%d worse", r.Wins, r.Ties, r.Losses))
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
	row := func(head string, cell func(compare.Bin) string) string {
		return " " + t.Paint(themes.Dim, cells.Fit(head, 14)) + strings.Join(model.Mapped(bins, cell), "")
	}
	return []string{
		row("reward, both", func(b compare.Bin) string {
			return t.Paint(themes.Dim, cells.FitRight(units.Fixed(b.Lo, 2)+"–"+units.Fixed(b.Hi, 2), width))
		}),
		row("mean Δ "+e.display.plusMinus()+" s.e.", func(b compare.Bin) string {
			delta := units.Missing
			if b.Pairs > 0 {
				delta = e.display.signedDelta(b.Delta)
			}
			if width >= 12 && b.Pairs > 1 {
				delta += t.Paint(themes.Dim, e.display.plusMinus()+strings.TrimPrefix(units.Fixed(b.StdErr, 2), "0"))
			}
			return cells.FitRight(delta, width)
		}),
		row("prompts", func(b compare.Bin) string { return t.Paint(themes.Dim, cells.FitRight(units.Count(b.Pairs), width)) }),
	}
}

func (d display) signedDelta(x float64) string {
	return d.theme.Paint(signRole(x), units.Signed(x))
}

func (s compareState) table(e env, r *compare.Result, w, h int) paneContent {
	t := e.display.theme
	if len(r.Pairs) == 0 {
		return paneContent{title: " prompts  none in common"}
	}
	names := e.runNames()
	var widths [2]int
	for side, name := range names {
		widths[side] = min(max(9, cells.Width(name)+2), max(11, w/6))
		names[side] = cells.TruncateLeft(name, widths[side]-2)
	}
	c := paneContent{lines: []string{t.Paint(themes.Dim, cells.FitRight(names[sideBaseline], widths[sideBaseline])+cells.FitRight(names[sideCandidate], widths[sideCandidate])+
		cells.FitRight("Δ", 9)+cells.FitRight("samples", 10)+"  prompt")}}
	cursor := clampIndex(s.cursor, len(r.Pairs))
	shared := sharedBeginning(len(r.Pairs), func(i int) string { return r.Pairs[i].Preview })
	e.display.addRows(&c, onPair, cursor, len(r.Pairs), w, h, func(i int) string {
		p := s.pairAt(i)
		return cells.FitRight(units.Fixed(p.Baseline, 3), widths[sideBaseline]) + cells.FitRight(units.Fixed(p.Candidate, 3), widths[sideCandidate]) + cells.FitRight(e.display.theme.Paint(signRole(p.Delta()), report.SignedDelta(p.Delta())), 9) +
			cells.FitRight(fmt.Sprintf("%d/%d", p.OfBaseline, p.OfCandidate), 10) + "  " + withoutShared(p.Preview, shared)
	})
	order := "worst for " + e.runNames()[sideCandidate] + " first"
	if s.bestFirst {
		order = "best for " + e.runNames()[sideCandidate] + " first"
	}
	c.title = fmt.Sprintf(" prompts  %s · %s", units.Count(len(r.Pairs)), order)
	return c
}

func (s compareState) exported(e env) report.Table {
	names := e.runNames()
	t := report.Table{Title: fmt.Sprintf("%s against %s, prompt by prompt", names[sideCandidate], names[sideBaseline]), Columns: []string{
		"prompt", "reward of " + names[sideBaseline], "reward of " + names[sideCandidate], "delta",
		"samples of " + names[sideBaseline], "samples of " + names[sideCandidate], "samples_compared", "same_steps",
	}}
	for i := range s.pairs() {
		p := s.pairAt(i)
		t.Rows = append(t.Rows, []any{p.Preview, p.Baseline, p.Candidate, p.Delta(), p.OfBaseline, p.OfCandidate, p.Samples, p.SameSteps})
	}
	return t
}
