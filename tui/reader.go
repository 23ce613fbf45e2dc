package tui

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/job"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/richtext"
)

// reader shows texts: that of a sample, those of two side by side, or the diff of two. Texts stay in the log: only the pages on
// the screen and the last few texts are in memory.
type reader struct {
	thinking thinking
	raw      bool // the texts as logged, their Markdown and LaTeX not rendered
	scroll   int  // the first line in sight, counted from the responses of texts that are side by side
	job      job.Job[pagesKey, textPages]
	cached   []cachedText
}

// thinking is when <think> sections are shown in full.
type thinking int

const (
	thinkingIfFits thinking = iota // with all the rest of the page
	thinkingHidden
	thinkingShown
)

// pagesKey is all that pages of texts depend on.
type pagesKey struct {
	texts     [2]textKey // the second one counts if there are two
	two       bool
	diff      bool      // of the second text and the first, on the first page
	diffBelow bool      // the diff follows the first text, if it has room too
	best      bool      // the first text is the winner of that diff
	names     [2]string // of the sides of a diff
	thinking  thinking
	raw       bool
	widths    [2]int
	room      int // the lines that a page has to fit in for its thinking, or a diff below it, to be shown; 0 if it does not matter
}

// sameTexts reports whether two pages are of the same texts, however they are laid out.
func (k pagesKey) sameTexts(o pagesKey) bool {
	return k.texts[0].place == o.texts[0].place && (k.texts[1].place == o.texts[1].place || k.diffBelow || o.diffBelow) && k.diff == o.diff
}

// textKey identifies a text: after a step was rewritten its place may hold another one.
type textKey struct {
	run      int // of those that are open
	place    model.Place
	revision int
}

type cachedText struct {
	key  textKey
	text model.Text
}

// maxCachedTexts bounds the texts in memory: going forth and back reads none again.
const maxCachedTexts = 8

// textPages is pages and the texts that they are made of.
type textPages struct {
	pages  [2]*richtext.Page
	folded bool // the pages hide thinking, if there is any
	texts  []cachedText
}

func (r reader) page(side int) *richtext.Page { return r.job.Value.pages[side] }

// request reads the texts of some pages, unless they are in memory, and lays them out.
func (r *reader) request(e env.Env, c *job.Queue, key pagesKey) {
	if !r.job.Lacks(key, job.Never) {
		return
	}
	sources, cached, wanted := e.Texts, r.cached, key.texts[:1]
	if key.two || key.diffBelow {
		wanted = key.texts[:]
	}
	options := richtext.Options{Raw: key.raw, ASCII: e.Display.Glyphs.ASCII}
	r.job.Start(c, key, job.Once(func(ctx context.Context) (p textPages, err error) {
		for _, text := range wanted {
			read := cachedText{key: text}
			if i := slices.IndexFunc(cached, func(c cachedText) bool { return c.key == text }); i >= 0 {
				read = cached[i]
			} else if read.text, err = sources[text.run].Text(ctx, text.place); err != nil {
				return textPages{}, err
			}
			p.texts = append(p.texts, read)
		}
		if key.thinking != thinkingHidden {
			p.layOut(key, options)
		}
		if p.folded = key.thinking == thinkingHidden || key.thinking == thinkingIfFits && p.longest() > key.room; p.folded {
			options.Folded = true
			p.layOut(key, options)
		}
		if key.diffBelow {
			title, winner, loser := "against the best answer", p.side(key, 1), p.side(key, 0)
			if key.best {
				title, winner, loser = "against the worst answer", loser, winner
			}
			if with := richtext.SampleAndDiff(p.texts[0].text, title, winner, loser, options).Wrap(key.widths[0]); with.Len() <= key.room {
				p.pages[0] = with
			}
		}
		return p, ctx.Err()
	}))
}

// layOut makes the pages of the texts.
func (p *textPages) layOut(key pagesKey, o richtext.Options) {
	switch {
	case key.diff:
		p.pages[0] = richtext.Diff(p.side(key, 1), p.side(key, 0), o).Wrap(key.widths[0])
	case key.two:
		p.pages[1] = richtext.Sample(p.texts[1].text, o).Wrap(key.widths[1])
		fallthrough
	default:
		p.pages[0] = richtext.Sample(p.texts[0].text, o).Wrap(key.widths[0])
	}
}

// side is a text as one of a diff.
func (p textPages) side(key pagesKey, n int) richtext.Side {
	return richtext.Side{Name: key.names[n], Text: p.texts[n].text.Response}
}

// longest returns the lines of the longer page, without fields of the record that are no text.
func (p textPages) longest() int {
	n := 0
	for _, page := range p.pages {
		if page != nil {
			n = max(n, cmp.Or(firstOrZero(page.AnchorLines(richtext.AnchorFields)), page.Len()))
		}
	}
	return n
}

// toggleThinking hides the thinking if the pages show it, and shows it if they hide it.
func (r *reader) toggleThinking() {
	r.thinking = thinkingHidden
	if r.job.Value.folded {
		r.thinking = thinkingShown
	}
}

// take takes the pages that msg brings, and reports whether it does.
func (r *reader) take(c *job.Queue, msg tea.Msg) bool {
	if !r.job.Take(c, msg) || r.job.Err != nil {
		return false
	}
	for _, t := range r.job.Value.texts {
		others := slices.DeleteFunc(slices.Clone(r.cached), func(c cachedText) bool { return c.key == t.key })
		r.cached = append(others[max(0, len(others)+1-maxCachedTexts):], t)
	}
	return true
}

// origin returns the line of a side's page from which scroll counts.
func (r reader) origin(side int) int {
	if page := r.page(side); page != nil && r.job.Of.two && !r.job.Of.diff {
		return firstOrZero(page.AnchorLines(richtext.AnchorResponse))
	}
	return 0
}

// scrollBy scrolls panes of h lines, no further than the longest text goes.
func (r *reader) scrollBy(by, h int) {
	lowest, highest := 0, 0
	for side, page := range r.job.Value.pages {
		if page != nil {
			lowest, highest = min(lowest, -r.origin(side)), max(highest, page.Len()-h-r.origin(side))
		}
	}
	r.scroll = max(lowest, min(r.scroll+by, highest))
}

// toDifference scrolls the next difference of a diff, or for a negative by the one before, to a third of h lines below the top.
// It reports whether there is one.
func (r *reader) toDifference(by, h int) (found bool) {
	at, to := r.scroll+h/3, 0
	for _, line := range r.page(0).AnchorLines(richtext.AnchorChange) {
		if by > 0 && line > at && !found || by < 0 && line < at {
			to, found = line, true
		}
	}
	if found {
		r.scrollBy(to-at, h)
	}
	return found
}

// pane returns the lines of a side's page that are in sight in h lines of w cells, and which they are of all, or why there is no
// page. wanted is the page that belongs there, if that is known.
func (r reader) pane(e env.Env, side, w, h int, found richtext.Matches, wanted pagesKey, known bool) (c pane.Content) {
	page := r.page(side)
	switch {
	case page == nil && r.job.Err == nil, known && !r.job.Of.sameTexts(wanted):
		return pane.Content{Lines: e.Display.SentenceLines("reading …", themes.Dim, w)}
	case r.job.Err != nil:
		return pane.Content{Lines: e.Display.SentenceLines(sanitize.Line(r.job.Err.Error()), themes.Warn, w)}
	}
	top := max(0, min(r.origin(side)+r.scroll, page.Len()-h))
	last := min(page.Len(), top+h)
	for i := top; i < last; i++ {
		c.Lines = append(c.Lines, " "+page.Line(e.Display.Theme, e.Display.Glyphs.Vertical, i, found))
	}
	if page.Len() > h {
		c.Note = fmt.Sprintf("%d–%d/%d", min(top+1, last), last, page.Len())
	}
	return c
}

func firstOrZero(lines []int) int {
	if len(lines) == 0 {
		return 0
	}
	return lines[0]
}

// sampleReader is the state of the open group.
type sampleReader struct {
	reader
	group        env.GroupKey // that is open
	sample       int          // row of its table
	inText       bool         // the text is focused, not the table
	showDiff     bool         // the best sample against this one
	search       textSearch
	heldStep     int64 // does not change to a newer step while a group is open
	resumeFollow bool  // follow the newest step again when the group is left
}

func (p position) readingGroup() bool {
	return p.view == viewGroup || p.view == viewSearch
}

// updateSamplePage requests the page of the open group.
func (a App) updateSamplePage(msg tea.Msg) App {
	before, was := a.views.sampleReader.job.Value, a.views.sampleReader.job.Of
	if a.views.sampleReader.take(&a.commands, msg) {
		a.views.sampleReader.scroll = a.views.sampleReader.initialScroll(a.env, before, was)
		a.views.sampleReader.updateSearch(a.env)
	}
	if !a.position.readingGroup() {
		return a.stopReading()
	}
	g := a.env.SelectedGroup()
	if g == nil || a.env.Display.IsTooSmall() {
		return a
	}
	if env.KeyOf(g) != a.views.sampleReader.group {
		a.views.sampleReader.group, a.views.sampleReader.sample = env.KeyOf(g), 0
	}
	if want, ok := a.views.sampleReader.wanted(a.env, g); ok {
		a.views.sampleReader.request(a.env, &a.commands, want)
	}
	return a
}

// stopReading cancels the request of a group that was left, however it was left. The
// newest step is followed again unless the person went to another step meanwhile.
func (a App) stopReading() App {
	a.views.sampleReader.job.Stop()
	if a.position.view != viewOverview || !a.views.sampleReader.resumeFollow {
		return a
	}
	a.views.sampleReader.resumeFollow = false
	if a.env.Place.Step != a.views.sampleReader.heldStep {
		return a
	}
	return a.followNewest().requestAnalysis()
}

// heightForDiffBelow is the height of the text from which the diff to the best sample follows it, where both have room.
const heightForDiffBelow = 40

// wanted returns the request of the page that belongs on the screen; ok is false if
// there are no texts, or while the snapshot's step is newer than the one analysed.
func (r sampleReader) wanted(e env.Env, g *analysis.Group) (want pagesKey, ok bool) {
	step, ok := e.AnalyzedStep(g.Step)
	if !ok || e.Texts[0] == nil {
		return want, false
	}
	order := e.RankedSamples(g)
	row := order[pane.ClampIndex(r.sample, len(order))]
	key := func(column int) textKey {
		return textKey{0, step.Place(int(e.Result.Analysis.InputRow[column])), step.Revision}
	}
	_, text := r.parts(e)
	want.widths[0] = min(pane.MaxProseWidth, max(1, text.Inner().W-2))
	want.texts[0], want.diff, want.two = key(row), r.showDiff, r.showDiff
	searches := r.search.query != ""
	if want.thinking = r.thinking; searches {
		want.thinking = thinkingShown
	}
	want.raw = r.raw && !want.diff
	other, rewards := order[0], e.Result.Analysis.LoggedRewards
	want.best = row == other
	if want.best {
		other = order[len(order)-1]
	}
	want.diffBelow = text.H >= heightForDiffBelow && !want.diff && !want.raw && !searches && rewards[row]-rewards[other] != 0
	if want.thinking == thinkingIfFits || want.diffBelow {
		want.room = text.Inner().H
	}
	if want.diff || want.diffBelow {
		want.texts[1] = key(other)
		want.names[1], want.names[0] = r.sideNames(e)
	}
	return want.winnerLast(), true
}

// winnerLast has the better answer second in a diff, of which it is the first text in a page of the best answer.
func (k pagesKey) winnerLast() pagesKey {
	switch {
	case k.diff && k.best:
		k.texts[0], k.texts[1] = k.texts[1], k.texts[0]
	case k.best:
		k.names[0], k.names[1] = k.names[1], k.names[0]
	}
	return k
}

// initialScroll returns the first line to show of a new page. Of the texts of the page
// before it is the line shown then; else the response, or the first difference, comes
// into sight.
func (r sampleReader) initialScroll(e env.Env, pages textPages, was pagesKey) int {
	now, page, before := r.job.Of, r.page(0), pages.pages[0]
	if before != nil && was.sameTexts(now) {
		if pages.folded == r.job.Value.folded && was.raw == now.raw {
			return page.CorrespondingLine(before, r.scroll)
		}
		return r.scroll - firstOrZero(before.AnchorLines(richtext.AnchorResponse)) + firstOrZero(page.AnchorLines(richtext.AnchorResponse))
	}
	h := r.textHeight(e)
	change, answer := firstOrZero(page.AnchorLines(richtext.AnchorChange)), firstOrZero(page.AnchorLines(richtext.AnchorResponse))
	switch {
	case now.diff && change >= h:
		return change - h/3
	case !now.diff && answer > max(h/2-1, min(h-3, 5)): // a short prompt stays in sight
		return answer
	}
	return 0
}

func (r sampleReader) textHeight(e env.Env) int {
	_, text := r.parts(e)
	return max(1, text.Inner().H)
}

// parts returns where the table and the text of the open group are in the body.
func (r sampleReader) parts(e env.Env) (samples, text layout.Rect) {
	size, width := 0, widthOf(nil)
	if g := e.SelectedGroup(); g != nil {
		size, width = g.Size(), widthOf(sampleColumns(e, g)) // at which every column fits
	}
	return layout.GroupView(e.Display.W, e.Display.BodyHeight(), width, size, r.inText)
}

func (r *sampleReader) scrollLines(e env.Env, by int) action {
	r.scrollBy(by, r.textHeight(e))
	return nil
}

func groupKeys() keySection {
	return keySection{"group", []binding{
		{[]string{"j", "down"}, "j ↓", "j k sample", "next sample; in the text a line down", within(readerOf, by((*sampleReader).move, 1))},
		{[]string{"k", "up"}, "k ↑", "", "previous sample; in the text a line up", within(readerOf, by((*sampleReader).move, -1))},
		{[]string{"J"}, "J", "J K group", "next group", move(App.moveGroup, 1)},
		{[]string{"K"}, "K", "", "previous group", move(App.moveGroup, -1)},
		{[]string{"tab", "shift+tab", "enter"}, "Tab ⏎", "Tab text", "switch between samples and text", within(readerOf, (*sampleReader).toggleFocus)},
		{[]string{"/"}, "/", "/ search", "search in the text", searching(viewSearch)},
		{[]string{"n"}, "n", "", "next match, or next difference if there is no search", within(readerOf, by((*sampleReader).moveMatch, 1))},
		{[]string{"N"}, "N", "", "previous match or difference", within(readerOf, by((*sampleReader).moveMatch, -1))},
		{[]string{"d"}, "d", "d diff", "compare the best sample with the one under the cursor, or with the worst", within(readerOf, (*sampleReader).toggleDiff)},
		{[]string{"z"}, "z", "z thinking", "hide or show the thinking, also in a diff", func(a App) App { a.views.sampleReader.toggleThinking(); return a }},
		{[]string{"v"}, "v", "v as-logged", "show the text as logged, or with Markdown and LaTeX rendered", func(a App) App {
			if a.views.sampleReader.showDiff {
				return a.says("v changes nothing in a diff: d leaves it")
			}
			a.views.sampleReader.raw = !a.views.sampleReader.raw
			return a
		}},
		{[]string{"1"}, "1", "", "to the prompt", scrollToAnchor(richtext.AnchorPrompt)},
		{[]string{"2"}, "2", "", "to the response", scrollToAnchor(richtext.AnchorResponse)},
		{[]string{"3"}, "3", "", "to the ground truth", scrollToAnchor(richtext.AnchorTruth)},
		{[]string{"ctrl+d", "pgdown", "space"}, "^D", "", "a page of text down", within(readerOf, func(r *sampleReader, e env.Env) action { return r.scrollLines(e, max(1, r.textHeight(e)-1)) })},
		{[]string{"ctrl+u", "pgup"}, "^U", "", "a page of text up", within(readerOf, func(r *sampleReader, e env.Env) action { return r.scrollLines(e, -max(1, r.textHeight(e)-1)) })},
		{[]string{"g", "home"}, "g", "", "to the top", within(readerOf, by((*sampleReader).move, math.MinInt32))},
		{[]string{"G", "end"}, "G", "", "to the end", within(readerOf, by((*sampleReader).move, math.MaxInt32))},
		{[]string{"esc"}, "Esc", "Esc back", "back to the groups", App.escape},
	}}
}

// openGroup opens the group under the cursor. Newer steps are not followed meanwhile: text
// that changes cannot be read.
func (a App) openGroup() App {
	if a.env.SelectedGroup() == nil {
		return a.says("no group to open yet")
	}
	a.views.sampleReader.resumeFollow, a.views.sampleReader.heldStep = a.env.Place.Follow, a.env.Place.Step
	a.env.Place.Follow = false
	a.views.sampleReader.group, a.views.sampleReader.inText, a.views.sampleReader.showDiff = env.GroupKey{}, false, false
	a.views.sampleReader.search = textSearch{}
	return a.pushView(viewGroup)
}

// moveGroup opens another group of the table at its best sample.
func (a App) moveGroup(by int) App {
	to := pane.ClampIndex(a.env.Place.Row+by, len(a.env.Result.Rows))
	if to == a.env.Place.Row {
		a.overlays.notice = "no further group"
	}
	a.env.Place.Row = to
	return a.clampCursor()
}

// move moves the cursor among the samples, or scrolls the text if it is focused.
func (r *sampleReader) move(e env.Env, by int) action {
	if r.inText {
		return r.scrollLines(e, by)
	}
	r.sample = pane.ClampIndex(r.sample+by, samplesOpen(e))
	return nil
}

func samplesOpen(e env.Env) int {
	if g := e.SelectedGroup(); g != nil {
		return g.Size()
	}
	return 0
}

// focus focuses a part: the samples are 0, the text is 1.
func (r *sampleReader) focus(e env.Env, part int) action {
	r.inText = part == 1
	return r.scrollLines(e, 0)
}

func (r *sampleReader) toggleFocus(e env.Env) action {
	r.inText = !r.inText
	return r.scrollLines(e, 0)
}

// toggleDiff compares the best sample with the one under the cursor. If that is the best,
// the cursor goes to the worst.
func (r *sampleReader) toggleDiff(e env.Env) action {
	g := e.SelectedGroup()
	if g == nil || g.Size() < 2 {
		return saying("only one sample: nothing to compare it with")
	}
	r.showDiff = !r.showDiff
	if r.showDiff && r.sample == 0 {
		r.sample = g.Size() - 1
	}
	return nil
}

func scrollToAnchor(name string) action {
	return within(readerOf, func(r *sampleReader, e env.Env) action {
		page := r.page(0)
		if page == nil {
			return nil
		}
		lines := page.AnchorLines(name)
		if len(lines) == 0 {
			return saying("a diff has only the responses: d leaves it to show the " + name + " again")
		}
		return r.scrollLines(e, lines[0]-r.scroll)
	})
}

// view draws the samples of a group, and to the right or below the text of one, in which typed is searched; nil: nothing is typed.
func (r sampleReader) view(e env.Env, typed *cells.Line) []string {
	samples, text := r.parts(e)
	left := e.Display.Box(samples, !r.inText, r.table(e, samples.Inner().W, samples.Inner().H))
	right := e.Display.Box(text, r.inText, r.textPane(e, typed, text.Inner().W, text.Inner().H))
	if text.X == 0 {
		return append(left, right...)
	}
	return pane.JoinColumns(left, right)
}

func (r sampleReader) textPane(e env.Env, typed *cells.Line, w, h int) pane.Content {
	want, known := r.wanted(e, e.SelectedGroup())
	c := r.pane(e, 0, w, h, r.search.matches, want, known)
	if e.Texts[0] == nil {
		c.Lines = e.Display.SentenceLines("This source has no texts: open the log's own file or directory to read prompts and responses.", themes.Warn, w)
	}
	c.Title, c.Target = " "+r.textTitle(e, typed), pane.Target{Kind: pane.OnReading, N: 1}
	return c
}

func (r sampleReader) textTitle(e env.Env, typed *cells.Line) string {
	t := e.Display.Theme
	if tally := r.search.status(typed); tally != "" {
		return t.Paint(themes.Accent, sanitize.Line(tally))
	}
	if r.showDiff {
		best := " best  "
		if g := e.SelectedGroup(); g.RewardStd <= 1e-12*math.Abs(g.RewardMean) { // of 0.2 eight times it is 3e-17
			best = " sample 1, rewarded equally  "
		}
		return e.Display.PaneTitle("diff", r.inText) + "  " + t.Paint(themes.Positive, "+") + best + t.Paint(themes.Negative, "−") + fmt.Sprintf(" sample %d", r.loserRow(e)+1)
	}
	title := e.Display.PaneTitle("text", r.inText) + fmt.Sprintf("  sample %d", r.sample+1)
	if r.raw {
		title += " · as logged"
	}
	return title
}

// loserRow returns the row of the sample that the best one is compared with.
func (r sampleReader) loserRow(e env.Env) int {
	if r.sample == 0 {
		return e.SelectedGroup().Size() - 1
	}
	return r.sample
}

// sideNames returns the titles of the sides of a diff: the samples with their logged
// figures, not with their advantages, which change with the settings.
func (r sampleReader) sideNames(e env.Env) (winner, loser string) {
	g := e.SelectedGroup()
	order, figures := e.RankedSamples(g), sampleColumns(e, g)
	name := func(row int) string {
		text := fmt.Sprintf("sample %d", row+1)
		for _, f := range figures {
			if slices.Contains([]string{"adv", "orig", "proc"}, f.name) {
				break
			}
			value, _ := f.cell(order[row])
			text += "  " + f.name + " " + strings.TrimSpace(value)
		}
		return text
	}
	return name(0), name(r.loserRow(e))
}

type textSearch struct {
	query   string
	matches richtext.Matches
}

const maxSearchBytes = 80

func searchKeys() keySection {
	return keySection{"search in the text", []binding{
		{[]string{"enter"}, "⏎", "Enter keep", "keep the search for n and N", opening(viewGroup)},
		{[]string{"down"}, "↓", "↓ ↑ match", "next match", within(readerOf, by((*sampleReader).moveMatch, 1))},
		{[]string{"up"}, "↑", "", "previous match", within(readerOf, by((*sampleReader).moveMatch, -1))},
		{[]string{"esc"}, "Esc", "Esc forget", "cancel the search", searching(viewGroup)},
	}}
}

// searching forgets the search, and opens a view.
func searching(v viewName) action {
	return func(a App) App { a.views.sampleReader.search = textSearch{}; return a.openView(v) }
}

// updateSearch searches again and goes to the first match from the lines in sight on.
func (r *sampleReader) updateSearch(e env.Env) action {
	r.search.matches = richtext.Matches{}
	page := r.page(0)
	if page == nil || r.search.query == "" {
		return r.scrollLines(e, 0)
	}
	found := page.Find(r.search.query)
	found.Current = page.FirstMatchFrom(found, r.scroll)
	r.search.matches = found
	return r.scrollToMatch(e)
}

// moveMatch goes to another match, around the ends, or to another difference of a diff if
// nothing is searched for.
func (r *sampleReader) moveMatch(e env.Env, by int) action {
	n := r.search.matches.Len()
	switch {
	case r.page(0) == nil:
	case r.search.query == "" && r.showDiff:
		if !r.toDifference(by, r.textHeight(e)) {
			return saying("no further difference")
		}
	case r.search.query == "":
		return saying("no search: / starts one")
	case n > 0:
		r.search.matches.Current = (r.search.matches.Current + by + n) % n
		return r.scrollToMatch(e)
	}
	return nil
}

// scrollToMatch scrolls the current match into sight, a third of the pane below the top.
func (r *sampleReader) scrollToMatch(e env.Env) action {
	found, h := r.search.matches, r.textHeight(e)
	if found.Len() == 0 {
		return r.scrollLines(e, 0)
	}
	line := r.page(0).LineOfMatch(found, found.Current)
	if line < r.scroll || line >= r.scroll+h {
		r.scroll = line - h/3
	}
	return r.scrollLines(e, 0)
}

// maxSearchShown is how many cells of a query are in sight while it is typed.
const maxSearchShown = 40

// status returns the query and how many matches it has.
func (s textSearch) status(typed *cells.Line) string {
	query := s.query
	if typed != nil {
		query = typed.Shown(maxSearchShown)
	}
	n := s.matches.Len()
	switch {
	case s.query == "" && typed != nil:
		return "/" + query + " type to search the prompt, the answer and the truth of this sample"
	case s.query == "":
		return ""
	case n == 0:
		return "/" + query + " not found"
	}
	of := units.Count(n)
	if s.matches.Truncated() {
		of += "+"
	}
	return fmt.Sprintf("/%s %d of %s", query, s.matches.Current+1, of)
}
