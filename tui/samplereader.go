package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/tui/layout"
	"vantage/tui/richtext"
)

// sampleReader is the state of the group that is read. Texts stay where they were
// logged: only the one on the screen and the last few are held.
type sampleReader struct {
	source TextReader // nil: the source has no texts to show

	group    string // whose samples these are
	sample   int    // row of the table
	inText   bool   // keys go to the text
	scroll   int    // first line of the text seen
	showDiff bool   // the winner against a loser
	unfolded bool   // thoughts are unfolded
	showRaw  bool   // as logged

	search       textSearch
	job          textJob
	page         *richtext.Page
	pageRequest  pageRequest // what the page is of
	err          error       // why there is none
	texts        []cachedText
	heldStep     int64 // the step that holds still while it is read
	resumeFollow bool  // the newest step was followed before
}

// textJob is the text that was asked for last.
type textJob struct {
	request  pageRequest
	revision int
	cancel   context.CancelFunc
}

// pageRequest is a page: of which texts, and how it is set.
type pageRequest struct {
	sample, best textKey // of the sample that is read; of the winner it is compared with
	diff         bool
	folded, raw  bool
	width        int

	winner, loser string // what the two of a diff are called
}

// sameTexts reports whether two pages are of the same texts, however they are set.
func (r pageRequest) sameTexts(o pageRequest) bool {
	return r.sample.place == o.sample.place && r.best.place == o.best.place && r.diff == o.diff
}

// textKey finds a text again: the same place may hold another one when the step
// was written anew.
type textKey struct {
	place    model.Place
	revision int
}

// cachedText is a text that was read.
type cachedText struct {
	key  textKey
	text model.Text
}

// maxCachedTexts is how many texts are held: walking there and back reads nothing.
const maxCachedTexts = 8

// readingGroup reports whether a group is on the screen.
func (a App) readingGroup() bool {
	return a.position.view == viewGroup || a.position.view == viewSearch
}

// requestText asks for the page that belongs on the screen, if it is not there and was
// not asked for yet. It is called after every message, so that no key has to
// think of it.
func (a App) requestText() (App, tea.Cmd) {
	if !a.readingGroup() {
		return a.stopReading()
	}
	g := a.selectedGroup()
	if g == nil || a.screen().TooSmall {
		return a, nil
	}
	if g.Name != a.sampleReader.group {
		a.sampleReader.group, a.sampleReader.sample = g.Name, 0
	}
	want, ok := a.wantedPage(g)
	if !ok || want == a.sampleReader.job.request {
		return a, nil
	}
	if a.sampleReader.job.cancel != nil {
		a.sampleReader.job.cancel()
	}
	a.sampleReader.job.request = want
	a.sampleReader.job.revision++
	var ctx context.Context
	ctx, a.sampleReader.job.cancel = context.WithCancel(a.ctx)
	return a, a.readPage(ctx, want)
}

// stopReading ends what goes on while a group is read, whichever way it was left: the
// text that is asked for, and the step that holds still, unless the person went to
// another.
func (a App) stopReading() (App, tea.Cmd) {
	if a.sampleReader.job.cancel != nil {
		a.sampleReader.job.cancel()
		a.sampleReader.job = textJob{revision: a.sampleReader.job.revision + 1}
	}
	if a.position.view != viewOverview || !a.sampleReader.resumeFollow {
		return a, nil
	}
	a.sampleReader.resumeFollow = false
	if a.position.step != a.sampleReader.heldStep {
		return a, nil
	}
	return a.followNewest()
}

// wantedPage is the page that belongs on the screen; ok is false while the step in the
// log is ahead of the one that was computed.
func (a App) wantedPage(g *model.Group) (want pageRequest, ok bool) {
	step, ok := a.analyzedStep()
	if !ok || a.sampleReader.source == nil {
		return pageRequest{}, false
	}
	order := a.rankedSamples(g)
	row := order[clampIndex(a.sampleReader.sample, len(order))]
	key := func(column int) textKey {
		return textKey{step.Place(int(a.result.analysis.Order[column])), step.Revision}
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

// analyzedStep is the step on the screen as it was when it was computed.
func (a App) analyzedStep() (model.Step, bool) {
	i, found := a.snap.Find(a.result.analysis.Step)
	if !found || a.snap.Steps[i].Revision != a.result.analysis.Revision {
		return model.Step{}, false
	}
	return a.snap.Steps[i], true
}

// readPage reads what the page needs and is not held, and sets it.
func (a App) readPage(ctx context.Context, want pageRequest) tea.Cmd {
	source, held, revision := a.sampleReader.source, a.sampleReader.texts, a.sampleReader.job.revision
	options := richtext.Options{Folded: want.folded, Raw: want.raw, ASCII: a.display.glyphs.ASCII}
	return func() tea.Msg {
		sample, err := textOf(ctx, source, held, want.sample)
		if err != nil {
			return pageMsg{revision: revision, err: err}
		}
		if !want.diff {
			return pageMsg{revision, richtext.Sample(sample.text, options).Wrap(want.width), []cachedText{sample}, nil}
		}
		best, err := textOf(ctx, source, held, want.best)
		if err != nil {
			return pageMsg{revision: revision, err: err}
		}
		doc := richtext.Diff(richtext.Side{Name: want.winner, Text: best.text.Response}, richtext.Side{Name: want.loser, Text: sample.text.Response}, options)
		return pageMsg{revision, doc.Wrap(want.width), []cachedText{best, sample}, ctx.Err()}
	}
}

// textOf is a text that is held, or read now.
func textOf(ctx context.Context, source TextReader, held []cachedText, key textKey) (cachedText, error) {
	for _, h := range held {
		if h.key == key {
			return h, nil
		}
	}
	text, err := source.Text(ctx, key.place)
	return cachedText{key, text}, err
}

// onPage puts a page on the screen, unless another one was asked for since.
func (a App) onPage(msg pageMsg) App {
	if msg.revision != a.sampleReader.job.revision {
		return a
	}
	before, was := a.sampleReader.page, a.sampleReader.pageRequest
	a.sampleReader.page, a.sampleReader.err, a.sampleReader.pageRequest = msg.page, msg.err, a.sampleReader.job.request
	if msg.err != nil {
		return a
	}
	a.sampleReader.texts = cacheTexts(a.sampleReader.texts, msg.texts)
	a.sampleReader.scroll = a.initialScroll(before, was)
	return a.updateSearch()
}

// cacheTexts is the held texts with some more, the oldest forgotten.
func cacheTexts(held, more []cachedText) []cachedText {
	all := slices.Clone(held)
	for _, m := range more {
		all = slices.DeleteFunc(all, func(h cachedText) bool { return h.key == m.key })
		all = append(all, m)
	}
	return all[max(0, len(all)-maxCachedTexts):]
}

// initialScroll is where a page that has come is looked at: where one was if it is the
// same text, else where the answer begins, or where two part.
func (a App) initialScroll(before *richtext.Page, was pageRequest) int {
	now, page := a.sampleReader.pageRequest, a.sampleReader.page
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

// textHeight is how many lines of the text are seen.
func (a App) textHeight() int {
	_, text := a.groupViewRects()
	return max(1, text.Inner().H)
}

// groupViewRects says where the table and the text of the group's view stand, within the
// body.
func (a App) groupViewRects() (samples, text layout.Rect) {
	s := a.screen()
	return layout.GroupView(a.display.w, max(0, a.display.h-s.Header.H-s.Hints.H), a.sampleTableWidth(), a.sampleReader.inText)
}

// clampTextScroll keeps the text in sight.
func (a App) clampTextScroll() App {
	lines := 0
	if a.sampleReader.page != nil {
		lines = a.sampleReader.page.Len()
	}
	a.sampleReader.scroll = max(0, min(a.sampleReader.scroll, lines-a.textHeight()))
	return a
}
