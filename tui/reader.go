package tui

import (
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
	job          job[samplePageKey, textPages]
	texts        []cachedText
	heldStep     int64 // does not change to a newer step while a group is open
	resumeFollow bool  // follow the newest step again when the group is left
}

// samplePageKey is all that the page of an open group depends on: of the sample and, for a diff, of the best one.
type samplePageKey struct{ pagesKey }

// sameTexts reports whether two pages are of the same texts, however they are laid out.
func (k samplePageKey) sameTexts(o samplePageKey) bool {
	return k.texts[0].place == o.texts[0].place && k.texts[1].place == o.texts[1].place && k.diff == o.diff
}

// pagesKey is all that pages of texts depend on.
type pagesKey struct {
	texts       [2]textKey
	names       [2]string // of the sides of a diff
	diff        bool      // of the second text and the first, on the first page
	folded, raw bool
	widths      [2]int
}

// textPages is pages and the texts that they are made of.
type textPages struct {
	pages [2]*richtext.Page
	texts []cachedText
}

// readPages reads the texts that are not in memory, and lays them out. A side without a source has none.
func readPages(key pagesKey, sources [2]TextReader, cached [2][]cachedText, ascii bool) work[textPages] {
	options := richtext.Options{Folded: key.folded, Raw: key.raw, ASCII: ascii}
	return once(func(ctx context.Context) (p textPages, err error) {
		for side, source := range sources {
			if source == nil {
				continue
			}
			read, err := textOf(ctx, source, cached[side], key.texts[side])
			if err != nil {
				return textPages{}, err
			}
			if p.texts = append(p.texts, read); !key.diff {
				p.pages[side] = richtext.Sample(read.text, options).Wrap(key.widths[side])
			}
		}
		if key.diff {
			second, first := richtext.Side{Name: key.names[1], Text: p.texts[1].text.Response}, richtext.Side{Name: key.names[0], Text: p.texts[0].text.Response}
			p.pages[0] = richtext.Diff(second, first, options).Wrap(key.widths[0])
		}
		return p, ctx.Err()
	})
}

// pageContent returns the h lines of a page from line top on, and which they are of all.
func (e env) pageContent(page *richtext.Page, top, h int, found richtext.Matches) (c paneContent) {
	last := min(page.Len(), top+h)
	for i := top; i < last; i++ {
		c.lines = append(c.lines, " "+page.Line(e.display.theme, e.display.glyphs.Vertical, i, found))
	}
	if page.Len() > h {
		c.note = fmt.Sprintf("%d–%d/%d", min(top+1, last), last, page.Len())
	}
	return c
}

// textKey identifies a text: after a step was rewritten its place may hold another one.
type textKey struct {
	place    model.Place
	revision int
}

type cachedText struct {
	key  textKey
	text model.Text
}

// maxCachedTexts bounds the texts in memory: going forth and back reads none again.
const maxCachedTexts = 8

// page returns the page on the screen, nil if there is none.
func (r sampleReader) page() *richtext.Page { return r.job.value.pages[0] }

func (a App) readingGroup() bool {
	return a.position.view == viewGroup || a.position.view == viewSearch
}

// updateSamplePage requests the page of the open group.
func (a App) updateSamplePage(msg tea.Msg) App {
	before, was := a.sampleReader.page(), a.sampleReader.job.of
	job, _, isAnswer := a.sampleReader.job.take(msg)
	if a.sampleReader.job = job; isAnswer && job.err == nil {
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
	sources := [2]TextReader{a.sampleReader.source}
	if want.diff {
		sources[1] = a.sampleReader.source
	}
	var cmd tea.Cmd
	a.sampleReader.job, cmd = a.sampleReader.job.start(a.ctx, want, readPages(want.pagesKey, sources, [2][]cachedText{a.sampleReader.texts, a.sampleReader.texts}, a.display.glyphs.ASCII))
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
func (a App) wantedPage(g *analysis.Group) (want samplePageKey, ok bool) {
	step, ok := a.stepOf(g)
	if !ok || a.sampleReader.source == nil {
		return want, false
	}
	order := a.rankedSamples(g)
	row := order[clampIndex(a.sampleReader.sample, len(order))]
	key := func(column int) textKey {
		return textKey{step.Place(int(a.result.analysis.InputRow[column])), step.Revision}
	}
	_, text := a.groupViewRects()
	want.widths[0] = min(maxProseWidth, max(1, text.Inner().W-2))
	want.texts[0], want.diff = key(row), a.sampleReader.showDiff
	want.folded = !a.sampleReader.unfolded && a.sampleReader.search.query == ""
	if want.diff {
		want.texts[1] = key(order[0])
		if row == order[0] {
			want.texts[0] = key(order[len(order)-1])
		}
		want.names[1], want.names[0] = a.sideNames()
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
func (a App) initialScroll(before *richtext.Page, was samplePageKey) int {
	now, page := a.sampleReader.job.of, a.sampleReader.page()
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

func (a App) groupViewBorders() []layout.Border {
	s := a.screen()
	_, _, borders := layout.GroupView(a.display.w, max(0, a.display.h-s.Header.H-s.Hints.H), a.sampleTableWidth(), a.sampleReader.inText, a.display.shares)
	return borders
}

func (a App) clampTextScroll() App {
	lines := 0
	if a.sampleReader.page() != nil {
		lines = a.sampleReader.page().Len()
	}
	a.sampleReader.scroll = max(0, min(a.sampleReader.scroll, lines-a.textHeight()))
	return a
}

func groupKeys() keySection {
	return keySection{"group", []binding{
		{[]string{"j", "down"}, "j ↓", "j k sample", "next sample; in the text a line down", move(App.moveReading, 1)},
		{[]string{"k", "up"}, "k ↑", "", "previous sample; in the text a line up", move(App.moveReading, -1)},
		{[]string{"J"}, "J", "J K group", "next group", move(App.moveGroup, 1)},
		{[]string{"K"}, "K", "", "previous group", move(App.moveGroup, -1)},
		{[]string{"tab", "shift+tab", "enter"}, "Tab ⏎", "Tab text", "switch between samples and text", App.toggleTextFocus},
		{[]string{"/"}, "/", "/ search", "search in the text", App.openSearch},
		{[]string{"n"}, "n", "", "next match, or next difference if there is no search", move(App.moveMatch, 1)},
		{[]string{"N"}, "N", "", "previous match or difference", move(App.moveMatch, -1)},
		{[]string{"d"}, "d", "d diff", "compare the best sample with the one under the cursor, or with the worst", App.toggleDiff},
		{[]string{"z"}, "z", "z thinking", "show or hide the thinking, also in a diff", flip(func(a *App) *bool { return &a.sampleReader.unfolded })},
		{[]string{"v"}, "v", "v as-logged", "show the text as logged, or with Markdown and LaTeX rendered", flip(func(a *App) *bool { return &a.sampleReader.showRaw })},
		{[]string{"1"}, "1", "", "to the prompt", scrollToAnchor(richtext.AnchorPrompt)},
		{[]string{"2"}, "2", "", "to the response", scrollToAnchor(richtext.AnchorResponse)},
		{[]string{"3"}, "3", "", "to the ground truth", scrollToAnchor(richtext.AnchorTruth)},
		{[]string{"ctrl+d", "pgdown", "space"}, "^D", "", "a page of text down", move(App.scrollTextPages, 1)},
		{[]string{"ctrl+u", "pgup"}, "^U", "", "a page of text up", move(App.scrollTextPages, -1)},
		{[]string{"g", "home"}, "g", "", "to the top", move(App.moveReading, math.MinInt32)},
		{[]string{"G", "end"}, "G", "", "to the end", move(App.moveReading, math.MaxInt32)},
		{[]string{"esc"}, "Esc", "Esc back", "back to the groups", App.escape},
	}}
}

// openGroup opens the group under the cursor. Newer steps are not followed meanwhile: text
// that changes cannot be read.
func (a App) openGroup() App {
	if a.selectedGroup() == nil {
		a.notice = "no group to open yet"
		return a
	}
	a.sampleReader.resumeFollow, a.sampleReader.heldStep = a.place.follow, a.place.step
	a.place.follow = false
	a.sampleReader.group, a.sampleReader.inText, a.sampleReader.showDiff = groupKey{}, false, false
	a.sampleReader.search = textSearch{}
	return a.pushView(viewGroup)
}

// moveGroup opens another group of the table at its best sample.
func (a App) moveGroup(by int) App {
	to := clampIndex(a.panes.cursor+by, len(a.result.rows))
	if to == a.panes.cursor {
		a.notice = "no further group"
	}
	a.panes.cursor = to
	return a.clampCursor()
}

// moveReading moves the cursor among the samples, or scrolls the text if it is focused.
func (a App) moveReading(by int) App {
	if a.sampleReader.inText {
		a.sampleReader.scroll += by
		return a.clampTextScroll()
	}
	return a.moveRow(onSample, by)
}

func (a App) samplesOpen() int {
	if g := a.selectedGroup(); g != nil {
		return g.Size()
	}
	return 0
}

// focusText focuses the text of the sample under the cursor.
func (a App) focusText() App { return a.clickReading(hit{n: 1}) }

func (a App) scrollTextPages(n int) App { return a.scrollText(n * (a.textHeight() - 1)) }

func (a App) scrollText(by int) App {
	a.sampleReader.scroll += by
	return a.clampTextScroll()
}

func (a App) toggleTextFocus() App {
	a.sampleReader.inText = !a.sampleReader.inText
	return a.clampTextScroll()
}

// toggleDiff compares the best sample with the one under the cursor. If that is the best,
// the cursor goes to the worst.
func (a App) toggleDiff() App {
	g := a.selectedGroup()
	if g == nil || g.Size() < 2 {
		a.notice = "only one sample: nothing to compare it with"
		return a
	}
	a.sampleReader.showDiff = !a.sampleReader.showDiff
	if a.sampleReader.showDiff && a.sampleReader.sample == 0 {
		a.sampleReader.sample = g.Size() - 1
	}
	return a
}

// scrollToAnchor returns the action that scrolls to a part of the text.
func scrollToAnchor(name string) action {
	return func(a App) App {
		if a.sampleReader.page() == nil {
			return a
		}
		lines := a.sampleReader.page().AnchorLines(name)
		if len(lines) == 0 {
			a.notice = "a diff has only the responses: d leaves it to show the " + name + " again"
			return a
		}
		a.sampleReader.scroll = lines[0]
		return a.clampTextScroll()
	}
}

// groupView draws the samples of a group, and to the right or below the text of one.
func (a App) groupView(_, _ int) []string {
	samples, text := a.groupViewRects()
	left := a.box(samples, !a.sampleReader.inText, a.sampleTable(samples.Inner().W, samples.Inner().H))
	right := a.box(text, a.sampleReader.inText, a.textPane(text.Inner().W, text.Inner().H))
	if text.X == 0 {
		return append(left, right...)
	}
	return joinColumns(left, right)
}

// textPane shows the text of the sample under the cursor, or the diff.
func (a App) textPane(w, h int) paneContent {
	var c paneContent
	r := a.sampleReader
	if r.page() != nil && r.job.err == nil {
		c = a.pageContent(r.page(), r.scroll, h, r.search.matches)
	}
	want, ok := a.wantedPage(a.selectedGroup())
	switch {
	case r.source == nil:
		c.lines = a.sentenceLines("This source has no texts: open the log's own file or directory to read prompts and responses.", themes.Warn, w)
	case r.page() == nil && r.job.err == nil, ok && !r.job.of.sameTexts(want):
		c.lines = a.sentenceLines("reading …", themes.Dim, w)
	case r.job.err != nil:
		c.lines = a.sentenceLines(sanitize.Line(r.job.err.Error()), themes.Warn, w)
	}
	c.title, c.target = " "+a.textTitle(), target{onReading, 1}
	return c
}

// sentenceLines returns a sentence to show in place of a text.
func (e env) sentenceLines(text string, role themes.Role, w int) []string {
	lines := []string{""}
	for _, line := range cells.Wrap(text, w-4) {
		lines = append(lines, "  "+e.display.theme.Paint(role, line))
	}
	return lines
}

func (a App) textTitle() string {
	t := a.display.theme
	if tally := a.sampleReader.search.status(a.position.view == viewSearch); tally != "" {
		return t.Paint(themes.Accent, sanitize.Line(tally))
	}
	if a.sampleReader.showDiff {
		return a.paneTitle("diff", a.sampleReader.inText) + "  " + t.Paint(themes.Positive, "+") + " best  " + t.Paint(themes.Negative, "−") + fmt.Sprintf(" sample %d", a.loserRow()+1)
	}
	title := a.paneTitle("text", a.sampleReader.inText) + fmt.Sprintf("  sample %d", a.sampleReader.sample+1)
	if a.sampleReader.showRaw {
		title += " · as logged"
	}
	return title
}

// loserRow returns the row of the sample that the best one is compared with.
func (a App) loserRow() int {
	if a.sampleReader.sample == 0 {
		return a.selectedGroup().Size() - 1
	}
	return a.sampleReader.sample
}

// sideNames returns the titles of the sides of a diff: the samples with their logged
// figures, not with their advantages, which change with the settings.
func (a App) sideNames() (winner, loser string) {
	g := a.selectedGroup()
	order, figures := a.rankedSamples(g), a.sampleColumns(g)
	name := func(row int) string {
		text := fmt.Sprintf("sample %d", row+1)
		for _, f := range figures[:len(figures)-advantageColumns] {
			value, _ := f.cell(order[row])
			text += "  " + f.name + " " + strings.TrimSpace(value)
		}
		return text
	}
	return name(0), name(a.loserRow())
}

type textSearch struct {
	query   string
	matches richtext.Matches
}

// maxSearchBytes bounds the query.
const maxSearchBytes = 80

func searchKeys() keySection {
	return keySection{"search in the text", []binding{
		{[]string{"enter"}, "⏎", "Enter keep", "keep the search for n and N", func(a App) App { return a.openView(viewGroup) }},
		{[]string{"down"}, "↓", "↓ ↑ match", "next match", move(App.moveMatch, 1)},
		{[]string{"up"}, "↑", "", "previous match", move(App.moveMatch, -1)},
		backspaceKey(),
		{[]string{"esc"}, "Esc", "Esc forget", "cancel the search", App.cancelSearch},
	}}
}

func (a App) openSearch() App {
	a.sampleReader.search = textSearch{}
	return a.openView(viewSearch)
}

func (a App) cancelSearch() App {
	a.sampleReader.search = textSearch{}
	return a.openView(viewGroup)
}

// updateSearch searches again and goes to the first match from the lines in sight on.
func (a App) updateSearch() App {
	a.sampleReader.search.matches = richtext.Matches{}
	page := a.sampleReader.page()
	if page == nil || a.sampleReader.search.query == "" {
		return a.clampTextScroll()
	}
	found := page.Find(a.sampleReader.search.query)
	found.Current = page.FirstMatchFrom(found, a.sampleReader.scroll)
	a.sampleReader.search.matches = found
	return a.scrollToMatch()
}

// moveMatch goes to another match, around the ends, or to another difference of a diff if
// nothing is searched for.
func (a App) moveMatch(by int) App {
	n := a.sampleReader.search.matches.Len()
	switch {
	case a.sampleReader.page() == nil:
	case a.sampleReader.search.query == "" && a.sampleReader.showDiff:
		return a.moveDifference(by)
	case a.sampleReader.search.query == "":
		a.notice = "no search: / starts one"
	case n > 0:
		a.sampleReader.search.matches.Current = (a.sampleReader.search.matches.Current + by + n) % n
		return a.scrollToMatch()
	}
	return a
}

// scrollToMatch scrolls the current match into sight.
func (a App) scrollToMatch() App {
	f := a.sampleReader.search.matches
	if f.Len() == 0 {
		return a.clampTextScroll()
	}
	return a.scrollToLine(a.sampleReader.page().LineOfMatch(f, f.Current))
}

// scrollToLine scrolls a line into sight, a third of the pane below the top.
func (a App) scrollToLine(line int) App {
	h := a.textHeight()
	if line < a.sampleReader.scroll || line >= a.sampleReader.scroll+h {
		a.sampleReader.scroll = line - h/3
	}
	return a.clampTextScroll()
}

// moveDifference scrolls the next difference of the two responses to a third of the pane
// below the top.
func (a App) moveDifference(by int) App {
	lines := a.sampleReader.page().AnchorLines(richtext.AnchorChange)
	at := a.sampleReader.scroll + a.textHeight()/3
	if line, found := nextLine(lines, at, by); found {
		return a.scrollText(line - at)
	}
	a.notice = "no further difference"
	return a
}

// status returns the query and how many matches it has.
func (s textSearch) status(typing bool) string {
	cursor := ""
	if typing {
		cursor = "▏"
	}
	n := s.matches.Len()
	switch {
	case s.query == "" && typing:
		return "/" + cursor + " type to search"
	case s.query == "":
		return ""
	case n == 0:
		return "/" + s.query + cursor + " not found"
	}
	of := units.Count(n)
	if s.matches.Truncated() {
		of += "+"
	}
	return fmt.Sprintf("/%s%s %d of %s", s.query, cursor, s.matches.Current+1, of)
}
