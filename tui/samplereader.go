package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/tui/layout"
	"vantage/tui/richtext"
)

// reader is the state of the group that is read. Texts stay where they were
// logged: only the one on the screen and the last few are held.
type reader struct {
	source Reader // nil: the source has no texts to show

	group  string // whose samples these are
	sample int    // row of the table
	inText bool   // keys go to the text
	scroll int    // first line of the text seen
	diff   bool   // the winner against a loser
	open   bool   // thoughts are unfolded
	raw    bool   // as logged

	search search
	job    job
	page   *richtext.Page
	shown  request // what the page is of
	err    error   // why there is none
	kept   []heldText
	held   int64 // the step that holds still while it is read
	resume bool  // the newest step was followed before
}

// job is the text that was asked for last.
type job struct {
	asked    request
	revision int
	cancel   context.CancelFunc
}

// request is a page: of which texts, and how it is set.
type request struct {
	sample, best textKey // of the sample that is read; of the winner it is compared with
	diff         bool
	folded, raw  bool
	width        int

	winner, loser string // what the two of a diff are called
}

// like reports whether two pages are of the same texts, however they are set.
func (r request) like(o request) bool {
	return r.sample.at == o.sample.at && r.best.at == o.best.at && r.diff == o.diff
}

// textKey finds a text again: the same place may hold another one when the step
// was written anew.
type textKey struct {
	at       model.Place
	revision int
}

// heldText is a text that was read.
type heldText struct {
	key  textKey
	text model.Text
}

// keptTexts is how many texts are held: walking there and back reads nothing.
const keptTexts = 8

// pageMsg answers a request for a page.
type pageMsg struct {
	revision int
	page     *richtext.Page
	read     []heldText // the texts that it was made of
	err      error
}

// reading reports whether a group is on the screen.
func (a App) reading() bool { return a.place.view == viewGroup || a.place.view == viewSearch }

// attend asks for the page that belongs on the screen, if it is not there and was
// not asked for yet. It is called after every message, so that no key has to
// think of it.
func (a App) attend() (App, tea.Cmd) {
	if !a.reading() {
		return a.released()
	}
	g := a.selected()
	if g == nil || a.screen().TooSmall {
		return a, nil
	}
	if g.Name != a.reader.group {
		a.reader.group, a.reader.sample = g.Name, 0
	}
	want, ok := a.wanted(g)
	if !ok || want == a.reader.job.asked {
		return a, nil
	}
	if a.reader.job.cancel != nil {
		a.reader.job.cancel()
	}
	a.reader.job.asked = want
	a.reader.job.revision++
	var ctx context.Context
	ctx, a.reader.job.cancel = context.WithCancel(a.ctx)
	return a, a.readPage(ctx, want)
}

// released ends what goes on while a group is read, whichever way it was left: the
// text that is asked for, and the step that holds still, unless the person went to
// another.
func (a App) released() (App, tea.Cmd) {
	if a.reader.job.cancel != nil {
		a.reader.job.cancel()
		a.reader.job = job{revision: a.reader.job.revision + 1}
	}
	if a.place.view != viewOverview || !a.reader.resume {
		return a, nil
	}
	a.reader.resume = false
	if a.place.step != a.reader.held {
		return a, nil
	}
	return a.followNewest()
}

// wanted is the page that belongs on the screen; ok is false while the step in the
// log is ahead of the one that was computed.
func (a App) wanted(g *model.Group) (want request, ok bool) {
	step, ok := a.stepRead()
	if !ok || a.reader.source == nil {
		return request{}, false
	}
	order := a.ranking(g)
	row := order[within(a.reader.sample, len(order))]
	key := func(column int) textKey {
		return textKey{step.Place(int(a.result.analysis.Order[column])), step.Revision}
	}
	_, text := a.rooms()
	want = request{
		sample: key(row), width: min(readable, max(1, text.Inner().W-2)), diff: a.reader.diff,
		folded: !a.reader.open && a.reader.search.typed == "",
	}
	if a.reader.diff {
		want.best = key(order[0])
		if row == order[0] {
			want.sample = key(order[len(order)-1])
		}
		want.winner, want.loser = a.sideNames()
		return want, true
	}
	want.raw = a.reader.raw
	return want, true
}

// stepRead is the step on the screen as it was when it was computed.
func (a App) stepRead() (model.Step, bool) {
	i, found := a.snap.Find(a.result.analysis.Step)
	if !found || a.snap.Steps[i].Revision != a.result.analysis.Revision {
		return model.Step{}, false
	}
	return a.snap.Steps[i], true
}

// readPage reads what the page needs and is not held, and sets it.
func (a App) readPage(ctx context.Context, want request) tea.Cmd {
	source, held, revision := a.reader.source, a.reader.kept, a.reader.job.revision
	options := richtext.Options{Folded: want.folded, Raw: want.raw, ASCII: a.look.glyphs.ASCII}
	return func() tea.Msg {
		sample, err := textOf(ctx, source, held, want.sample)
		if err != nil {
			return pageMsg{revision: revision, err: err}
		}
		if !want.diff {
			return pageMsg{revision, richtext.Sample(sample.text, options).Wrap(want.width), []heldText{sample}, nil}
		}
		best, err := textOf(ctx, source, held, want.best)
		if err != nil {
			return pageMsg{revision: revision, err: err}
		}
		doc := richtext.Diff(richtext.Side{Name: want.winner, Text: best.text.Response}, richtext.Side{Name: want.loser, Text: sample.text.Response}, options)
		return pageMsg{revision, doc.Wrap(want.width), []heldText{best, sample}, ctx.Err()}
	}
}

// textOf is a text that is held, or read now.
func textOf(ctx context.Context, source Reader, held []heldText, key textKey) (heldText, error) {
	for _, h := range held {
		if h.key == key {
			return h, nil
		}
	}
	text, err := source.Text(ctx, key.at)
	return heldText{key, text}, err
}

// onPage puts a page on the screen, unless another one was asked for since.
func (a App) onPage(msg pageMsg) App {
	if msg.revision != a.reader.job.revision {
		return a
	}
	before, was := a.reader.page, a.reader.shown
	a.reader.page, a.reader.err, a.reader.shown = msg.page, msg.err, a.reader.job.asked
	if msg.err != nil {
		return a
	}
	a.reader.kept = withTexts(a.reader.kept, msg.read)
	a.reader.scroll = a.firstLine(before, was)
	return a.searched()
}

// withTexts is the held texts with some more, the oldest forgotten.
func withTexts(held, more []heldText) []heldText {
	all := slices.Clone(held)
	for _, m := range more {
		all = slices.DeleteFunc(all, func(h heldText) bool { return h.key == m.key })
		all = append(all, m)
	}
	return all[max(0, len(all)-keptTexts):]
}

// firstLine is where a page that has come is looked at: where one was if it is the
// same text, else where the answer begins, or where two part.
func (a App) firstLine(before *richtext.Page, was request) int {
	now, page := a.reader.shown, a.reader.page
	if before != nil && was.like(now) {
		if was.folded == now.folded && was.raw == now.raw {
			return page.CorrespondingLine(before, a.reader.scroll)
		}
		return a.reader.scroll - firstOf(before.AnchorLines(richtext.AnchorResponse)) + firstOf(page.AnchorLines(richtext.AnchorResponse))
	}
	h := a.textRows()
	if now.diff {
		if part := firstOf(page.AnchorLines(richtext.AnchorChange)); part >= h {
			return part - h/3
		}
		return 0
	}
	if answer := firstOf(page.AnchorLines(richtext.AnchorResponse)); answer >= h/2 {
		return answer
	}
	return 0
}

func firstOf(lines []int) int {
	if len(lines) == 0 {
		return 0
	}
	return lines[0]
}

// textRows is how many lines of the text are seen.
func (a App) textRows() int {
	_, text := a.rooms()
	return max(1, text.Inner().H)
}

// rooms says where the table and the text of the group's view stand, within the
// body.
func (a App) rooms() (samples, text layout.Rect) {
	s := a.screen()
	return layout.GroupView(a.look.w, max(0, a.look.h-s.Header.H-s.Hints.H), a.tableRoom(), a.reader.inText)
}

// scrolledText keeps the text in sight.
func (a App) scrolledText() App {
	lines := 0
	if a.reader.page != nil {
		lines = a.reader.page.Len()
	}
	a.reader.scroll = max(0, min(a.reader.scroll, lines-a.textRows()))
	return a
}
