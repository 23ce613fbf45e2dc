package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/tui/layout"
	"vantage/tui/richtext"
)

// sampleReader is the state of the open group. Texts stay in the log: only the page on the
// screen and the last few texts are in memory.
type sampleReader struct {
	source TextReader // nil: the source has no texts

	group    groupKey // that is open
	sample   int      // row of its table
	inText   bool     // the text is focused, not the table
	scroll   int      // the first line of the text in sight
	showDiff bool     // the best sample against this one
	unfolded bool     // <think> sections are shown in full
	showRaw  bool     // the text as logged, its Markdown and LaTeX not rendered

	search       textSearch
	job          job[pageRequest, textPage]
	texts        []cachedText
	heldStep     int64 // does not change to a newer step while a group is open
	resumeFollow bool  // follow the newest step again when the group is left
}

// pageRequest is all that a page depends on.
type pageRequest struct {
	sample, best textKey // best is set for a diff only
	diff         bool
	folded, raw  bool
	width        int

	winner, loser string // the titles of the two sides of a diff
}

// textPage is the text of a sample, or of two as a diff.
type textPage struct {
	page  *richtext.Page
	texts []cachedText // that the page is made of
}

// sameTexts reports whether two pages are of the same texts, however they are laid out.
func (r pageRequest) sameTexts(o pageRequest) bool {
	return r.sample.place == o.sample.place && r.best.place == o.best.place && r.diff == o.diff
}

// textKey identifies a text: after a step was rewritten its place may hold another one.
type textKey struct {
	place    model.Place
	revision int
}

// cachedText is a text in memory.
type cachedText struct {
	key  textKey
	text model.Text
}

// maxCachedTexts bounds the texts in memory: going forth and back reads none again.
const maxCachedTexts = 8

// readingGroup reports whether a group is open.
func (a App) readingGroup() bool {
	return a.position.view == viewGroup || a.position.view == viewSearch
}

// updateSamplePage requests the page of the open group.
func (a App) updateSamplePage(msg tea.Msg) App {
	before, was, isAnswer := a.sampleReader.job.value.page, a.sampleReader.job.of, false
	if a.sampleReader.job, _, isAnswer = a.sampleReader.job.take(msg); isAnswer && a.sampleReader.job.err == nil {
		a.sampleReader.texts = cacheTexts(a.sampleReader.texts, a.sampleReader.job.value.texts)
		a.sampleReader.scroll = a.initialScroll(before, was)
		a = a.updateSearch()
	}
	if !a.readingGroup() {
		return a.stopReading()
	}
	g := a.selectedGroup()
	if g == nil || a.screen().TooSmall {
		return a
	}
	if keyOf(g) != a.sampleReader.group {
		a.sampleReader.group, a.sampleReader.sample = keyOf(g), 0
	}
	want, ok := a.wantedPage(g)
	if !ok || !a.sampleReader.job.lacks(want, never) {
		return a
	}
	var cmd tea.Cmd
	a.sampleReader.job, cmd = a.sampleReader.job.start(a.ctx, want, a.readPage(want))
	return a.starts(cmd)
}

// stopReading cancels the request of a group that was left, however it was left. The
// newest step is followed again unless the person went to another step meanwhile.
func (a App) stopReading() App {
	a.sampleReader.job = a.sampleReader.job.stop()
	if a.position.view != viewOverview || !a.sampleReader.resumeFollow {
		return a
	}
	a.sampleReader.resumeFollow = false
	if a.place.step != a.sampleReader.heldStep {
		return a
	}
	return a.followNewest().requestAnalysis()
}

// wantedPage returns the request of the page that belongs on the screen; ok is false if
// there are no texts, or while the snapshot's step is newer than the one analysed.
func (a App) wantedPage(g *analysis.Group) (want pageRequest, ok bool) {
	step, ok := a.stepOf(g)
	if !ok || a.sampleReader.source == nil {
		return pageRequest{}, false
	}
	order := a.rankedSamples(g)
	row := order[clampIndex(a.sampleReader.sample, len(order))]
	key := func(column int) textKey {
		return textKey{step.Place(int(a.result.analysis.InputRow[column])), step.Revision}
	}
	_, text := a.groupViewRects()
	want = pageRequest{
		sample: key(row), width: min(maxProseWidth, max(1, text.Inner().W-2)), diff: a.sampleReader.showDiff,
		folded: !a.sampleReader.unfolded && a.sampleReader.search.query == "",
	}
	if a.sampleReader.showDiff {
		want.best = key(order[0])
		if row == order[0] {
			want.sample = key(order[len(order)-1])
		}
		want.winner, want.loser = a.sideNames()
		return want, true
	}
	want.raw = a.sampleReader.showRaw
	return want, true
}

// stepOf returns the step of a group on the screen, unless the snapshot has a newer revision of it than
// was analysed.
func (e env) stepOf(g *analysis.Group) (model.Step, bool) { return e.analyzedStep(g.Step) }

// analyzedStep is stepOf for the number of a step.
func (e env) analyzedStep(number int64) (model.Step, bool) {
	i, found := e.snap.Find(number)
	of := e.result.analysis.Of(number)
	if !found || of == nil || e.snap.Steps[i].Revision != of.Revision {
		return model.Step{}, false
	}
	return e.snap.Steps[i], true
}

// readPage reads the texts of a page that are not in memory, and lays it out.
func (a App) readPage(want pageRequest) work[textPage] {
	source, cached := a.sampleReader.source, a.sampleReader.texts
	options := richtext.Options{Folded: want.folded, Raw: want.raw, ASCII: a.display.glyphs.ASCII}
	return once(func(ctx context.Context) (textPage, error) {
		sample, err := textOf(ctx, source, cached, want.sample)
		if err != nil {
			return textPage{}, err
		}
		if !want.diff {
			return textPage{richtext.Sample(sample.text, options).Wrap(want.width), []cachedText{sample}}, nil
		}
		best, err := textOf(ctx, source, cached, want.best)
		if err != nil {
			return textPage{}, err
		}
		doc := richtext.Diff(richtext.Side{Name: want.winner, Text: best.text.Response}, richtext.Side{Name: want.loser, Text: sample.text.Response}, options)
		return textPage{doc.Wrap(want.width), []cachedText{best, sample}}, ctx.Err()
	})
}

// textOf returns a text that is in memory, or reads it.
func textOf(ctx context.Context, source TextReader, cached []cachedText, key textKey) (cachedText, error) {
	for _, c := range cached {
		if c.key == key {
			return c, nil
		}
	}
	text, err := source.Text(ctx, key.place)
	return cachedText{key, text}, err
}

// cacheTexts returns cached with some texts more, without the oldest beyond the bound.
func cacheTexts(cached, more []cachedText) []cachedText {
	all := slices.Clone(cached)
	for _, m := range more {
		all = slices.DeleteFunc(all, func(h cachedText) bool { return h.key == m.key })
		all = append(all, m)
	}
	return all[max(0, len(all)-maxCachedTexts):]
}

// initialScroll returns the first line to show of a new page. Of the texts of the page
// before it is the line shown then; else the response, or the first difference, comes
// into sight.
func (a App) initialScroll(before *richtext.Page, was pageRequest) int {
	now, page := a.sampleReader.job.of, a.sampleReader.job.value.page
	if before != nil && was.sameTexts(now) {
		if was.folded == now.folded && was.raw == now.raw {
			return page.CorrespondingLine(before, a.sampleReader.scroll)
		}
		return a.sampleReader.scroll - firstOrZero(before.AnchorLines(richtext.AnchorResponse)) + firstOrZero(page.AnchorLines(richtext.AnchorResponse))
	}
	h := a.textHeight()
	if now.diff {
		if part := firstOrZero(page.AnchorLines(richtext.AnchorChange)); part >= h {
			return part - h/3
		}
		return 0
	}
	if answer := firstOrZero(page.AnchorLines(richtext.AnchorResponse)); answer >= h/2 {
		return answer
	}
	return 0
}

func firstOrZero(lines []int) int {
	if len(lines) == 0 {
		return 0
	}
	return lines[0]
}

// textHeight returns how many lines of the text are in sight.
func (a App) textHeight() int {
	_, text := a.groupViewRects()
	return max(1, text.Inner().H)
}

// groupViewRects returns where the table and the text of the open group are in the body.
func (a App) groupViewRects() (samples, text layout.Rect) {
	s := a.screen()
	samples, text, _ = layout.GroupView(a.display.w, max(0, a.display.h-s.Header.H-s.Hints.H), a.sampleTableWidth(), a.sampleReader.inText, a.display.shares)
	return samples, text
}

// groupViewBorders returns the borders of these that can be moved.
func (a App) groupViewBorders() []layout.Border {
	s := a.screen()
	_, _, borders := layout.GroupView(a.display.w, max(0, a.display.h-s.Header.H-s.Hints.H), a.sampleTableWidth(), a.sampleReader.inText, a.display.shares)
	return borders
}

// clampTextScroll scrolls no further than the text goes.
func (a App) clampTextScroll() App {
	lines := 0
	if a.sampleReader.job.value.page != nil {
		lines = a.sampleReader.job.value.page.Len()
	}
	a.sampleReader.scroll = max(0, min(a.sampleReader.scroll, lines-a.textHeight()))
	return a
}
