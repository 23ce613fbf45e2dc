// Package reader is the views of texts: the samples of an open group, their diff, and the answers of two runs to a prompt.
package reader

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
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/glossary"
	"vantage/tui/job"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/richtext"
	"vantage/tui/samples"
	"vantage/tui/view"
)

// reader shows texts: that of a sample, those of two side by side, or the diff of two. Texts stay in the log: only the pages on
// the screen and the last few texts are in memory.
type reader struct {
	thinking thinking
	raw      bool // the texts as logged, their Markdown and LaTeX not rendered
	Scroll   int  // the first line in sight, counted from the responses of texts that are side by side
	Job      job.Job[PagesKey, TextPages]
	Cached   []cachedText
}

// thinking is when <think> sections are shown in full.
type thinking int

const (
	thinkingIfFits thinking = iota // with all the rest of the page
	thinkingHidden
	thinkingShown
)

// PagesKey is all that pages of texts depend on.
type PagesKey struct {
	Texts     [2]textKey // the second one counts if there are two
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
func (k PagesKey) sameTexts(o PagesKey) bool {
	sameFirst, sameSecond := k.Texts[0].Place == o.Texts[0].Place, k.Texts[1].Place == o.Texts[1].Place
	firstAlone := k.diffBelow || o.diffBelow
	return sameFirst && (sameSecond || firstAlone) && k.diff == o.diff
}

// textKey identifies a text: after a step was rewritten its place may hold another one.
type textKey struct {
	run      int // of those that are open
	Place    model.Place
	revision int
}

type cachedText struct {
	key  textKey
	text model.Text
}

// maxCachedTexts bounds the texts in memory: going forth and back reads none again.
const maxCachedTexts = 8

// TextPages is pages and the texts that they are made of.
type TextPages struct {
	pages  [2]*richtext.Page
	folded bool // the pages hide thinking, if there is any
	texts  []cachedText
}

func (r reader) Page(side int) *richtext.Page { return r.Job.Value.pages[side] }

// Request reads the texts of some pages, unless they are in memory, and lays them out.
func (r *reader) Request(e env.Env, c *job.Queue, key PagesKey) {
	if !r.Job.Lacks(key, job.Never) {
		return
	}
	sources, cached, wanted := e.Texts, r.Cached, key.Texts[:1]
	if key.two || key.diffBelow {
		wanted = key.Texts[:]
	}
	options := richtext.Options{Raw: key.raw, ASCII: e.Display.Glyphs.ASCII}
	r.Job.Start(c, key, job.Once(func(ctx context.Context) (p TextPages, err error) {
		for _, text := range wanted {
			read := cachedText{key: text}
			if i := slices.IndexFunc(cached, func(c cachedText) bool { return c.key == text }); i >= 0 {
				read = cached[i]
			} else if read.text, err = sources[text.run].Text(ctx, text.Place); err != nil {
				return TextPages{}, err
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
func (p *TextPages) layOut(key PagesKey, o richtext.Options) {
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
func (p TextPages) side(key PagesKey, n int) richtext.Side {
	return richtext.Side{Name: key.names[n], Text: p.texts[n].text.Response}
}

// longest returns the lines of the longer page, without fields of the record that are no text.
func (p TextPages) longest() int {
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
	if r.Job.Value.folded {
		r.thinking = thinkingShown
	}
}

// Take takes the pages that msg brings, and reports whether it does.
func (r *reader) Take(c *job.Queue, msg tea.Msg) bool {
	if !r.Job.Take(c, msg) || r.Job.Err != nil {
		return false
	}
	for _, t := range r.Job.Value.texts {
		others := slices.DeleteFunc(slices.Clone(r.Cached), func(c cachedText) bool { return c.key == t.key })
		r.Cached = append(others[max(0, len(others)+1-maxCachedTexts):], t)
	}
	return true
}

// origin returns the line of a side's page from which scroll counts.
func (r reader) origin(side int) int {
	if page := r.Page(side); page != nil && r.Job.Of.two && !r.Job.Of.diff {
		return firstOrZero(page.AnchorLines(richtext.AnchorResponse))
	}
	return 0
}

// scrollBy scrolls panes of h lines, no further than the longest text goes.
func (r *reader) scrollBy(by, h int) {
	lowest, highest := 0, 0
	for side, page := range r.Job.Value.pages {
		if page != nil {
			lowest, highest = min(lowest, -r.origin(side)), max(highest, page.Len()-h-r.origin(side))
		}
	}
	r.Scroll = max(lowest, min(r.Scroll+by, highest))
}

// toDifference scrolls the next difference of a diff, or for a negative by the one before, to a third of h lines below the top.
// It reports whether there is one.
func (r *reader) toDifference(by, h int) (found bool) {
	at, to := r.Scroll+h/3, 0
	for _, line := range r.Page(0).AnchorLines(richtext.AnchorChange) {
		isFirstBelow, isAbove := line > at && !found, line < at
		if by > 0 && isFirstBelow || by < 0 && isAbove { // of those above the last one stays
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
func (r reader) pane(e env.Env, side, w, h int, found richtext.Matches, wanted PagesKey, known bool) (c pane.Content) {
	page := r.Page(side)
	switch {
	case page == nil && r.Job.Err == nil, known && !r.Job.Of.sameTexts(wanted):
		return pane.Content{Lines: e.Display.SentenceLines("reading …", themes.Dim, w)}
	case r.Job.Err != nil:
		return pane.Content{Lines: e.Display.SentenceLines(sanitize.Line(r.Job.Err.Error()), themes.Warn, w)}
	}
	top := max(0, min(r.origin(side)+r.Scroll, page.Len()-h))
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

// Group is the state of the open group.
type Group struct {
	reader
	Group        env.GroupKey // that is open
	Sample       int          // row of its table
	InText       bool         // the text is focused, not the table
	ShowDiff     bool         // the best sample against this one
	Search       TextSearch
	tokens       tokens
	HeldStep     int64 // does not change to a newer step while a group is open
	ResumeFollow bool  // follow the newest step again when the group is left
}

// heightForDiffBelow is the height of the text from which the diff to the best sample follows it, where both have room.
const heightForDiffBelow = 40

// Work requests the page of the open group, and cancels the request when the group is left, however that was done.
func (r *Group) Work(e env.Env, open bool, c *job.Queue, msg tea.Msg) {
	before, was := r.Job.Value, r.Job.Of
	if r.Take(c, msg) {
		r.Scroll = r.initialScroll(e, before, was)
		r.updateSearch(e)
	}
	r.updateTokens(e, open, c, msg)
	if !open {
		r.Job.Stop()
		return
	}
	g := e.SelectedGroup()
	if g == nil || e.Display.IsTooSmall() {
		return
	}
	if env.KeyOf(g) != r.Group {
		r.Group, r.Sample = env.KeyOf(g), 0
	}
	if want, ok := r.Wanted(e, g); ok {
		r.Request(e, c, want)
	}
}

// Wanted returns the request of the page that belongs on the screen; ok is false if
// there are no texts, or while the snapshot's step is newer than the one analysed.
func (r Group) Wanted(e env.Env, g *analysis.Group) (want PagesKey, ok bool) {
	step, ok := e.AnalyzedStep(g.Step)
	if !ok || e.Texts[0] == nil {
		return want, false
	}
	order := e.RankedSamples(g)
	row := order[pane.ClampIndex(r.Sample, len(order))]
	key := func(column int) textKey {
		return textKey{0, step.Place(int(e.Result.Analysis.InputRow[column])), step.Revision}
	}
	_, text := r.parts(e)
	want.widths[0] = min(pane.MaxProseWidth, max(1, text.Inner().W-2))
	want.Texts[0], want.diff, want.two = key(row), r.ShowDiff, r.ShowDiff
	searches := r.Search.query != ""
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
		want.room = r.pageHeight(e, text.Inner().H)
	}
	if want.diff || want.diffBelow {
		want.Texts[1] = key(other)
		want.names[1], want.names[0] = r.sideNames(e)
	}
	return want.winnerLast(), true
}

// winnerLast has the better answer second in a diff, of which it is the first text in a page of the best answer.
func (k PagesKey) winnerLast() PagesKey {
	switch {
	case k.diff && k.best:
		k.Texts[0], k.Texts[1] = k.Texts[1], k.Texts[0]
	case k.best:
		k.names[0], k.names[1] = k.names[1], k.names[0]
	}
	return k
}

// initialScroll returns the first line to show of a new page. Of the texts of the page
// before it is the line shown then; else the response, or the first difference, comes
// into sight.
func (r Group) initialScroll(e env.Env, pages TextPages, was PagesKey) int {
	now, page, before := r.Job.Of, r.Page(0), pages.pages[0]
	if before != nil && was.sameTexts(now) {
		if pages.folded == r.Job.Value.folded && was.raw == now.raw {
			return page.CorrespondingLine(before, r.Scroll)
		}
		return r.Scroll - firstOrZero(before.AnchorLines(richtext.AnchorResponse)) + firstOrZero(page.AnchorLines(richtext.AnchorResponse))
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

func (r Group) textHeight(e env.Env) int {
	_, text := r.parts(e)
	return max(1, r.pageHeight(e, text.Inner().H))
}

// pageHeight is what is left of h lines for the text above the strip of its tokens.
func (r Group) pageHeight(e env.Env, h int) int {
	if r.hasStrip(e) {
		h -= stripRows
	}
	return h
}

// parts returns where the table and the text of the open group are in the body.
func (r Group) parts(e env.Env) (table, text layout.Rect) {
	size, width := 0, samples.WidthOf(nil)
	if g := e.SelectedGroup(); g != nil {
		size, width = g.Size(), samples.WidthOf(samples.SampleColumns(e, g)) // at which every column fits
	}
	return layout.GroupView(e.Display.W, e.Display.BodyHeight(), width, size, r.InText)
}

// ScrollLines scrolls the text, no further than it goes.
func (r *Group) ScrollLines(e env.Env, by int) view.Want {
	r.scrollBy(by, r.textHeight(e))
	return nil
}

// Rows makes the samples a list.
func (r *Group) Rows(e env.Env) (*int, int) { return &r.Sample, samplesOpen(e) }

// OpenRow focuses its text.
func (r *Group) OpenRow(e env.Env) view.Want { return r.focus(e, 1) }

// OnMouse focuses the samples or the text, and scrolls what the pointer is on.
func (r *Group) OnMouse(e env.Env, m view.Mouse) (view.Want, bool) {
	switch {
	case m.On.Kind == pane.OnBody:
		return nil, true
	case m.On.Kind != pane.OnReading || m.Twice:
		return nil, false
	case m.Click:
		return r.focus(e, m.On.N), true
	case m.On.N == 1:
		return r.ScrollLines(e, view.WheelLines*m.Wheel), true
	}
	return view.MoveRow(r, e, m.Wheel), true
}

// Draw draws the samples of the group and the text of one.
func (r *Group) Draw(e env.Env, _, _ int) []string { return r.view(e, nil) }

// Exported returns the samples.
func (*Group) Exported(e env.Env) report.Table { return samples.ExportedSamples(e) }

// Explains returns those of the sample.
func (*Group) Explains(e env.Env) glossary.List { return samples.FiguresOfSample(e) }

// Keys of an open group.
func (*Group) Keys() view.Section {
	return view.Section{Name: "group", Bindings: []view.Binding{
		{
			Keys: []string{"j", "down"}, Label: "j ↓", Hint: "j k sample",
			Doc: "next sample; in the text a line down",
			Do:  view.By((*Group).move, 1),
		},
		{Keys: []string{"k", "up"}, Label: "k ↑", Doc: "previous sample; in the text a line up", Do: view.By((*Group).move, -1)},
		{Keys: []string{"J"}, Label: "J", Hint: "J K group", Doc: "next group", Do: view.Ask(view.NextGroup(1))},
		{Keys: []string{"K"}, Label: "K", Doc: "previous group", Do: view.Ask(view.NextGroup(-1))},
		{
			Keys: []string{"tab", "shift+tab", "enter"}, Label: "Tab ⏎", Hint: "Tab text",
			Doc: "switch between samples and text",
			Do:  view.Key((*Group).toggleFocus),
		},
		{Keys: []string{"/"}, Label: "/", Hint: "/ search", Doc: "search in the text", Do: view.Key((*Group).startSearch)},
		{
			Keys: []string{"n"}, Label: "n",
			Doc: "next match, or next difference if there is no search",
			Do:  view.By((*Group).moveMatch, 1),
		},
		{Keys: []string{"N"}, Label: "N", Doc: "previous match or difference", Do: view.By((*Group).moveMatch, -1)},
		{
			Keys: []string{"d"}, Label: "d", Hint: "d diff",
			Doc: "compare the best sample with the one under the cursor, or with the worst",
			Do:  view.Key((*Group).toggleDiff),
		},
		{
			Keys: []string{"T"}, Label: "T", Hint: "T thinking",
			Doc: "hide or show the thinking, also in a diff",
			Do:  view.Key((*Group).foldThinking),
		},
		{
			Keys: []string{"I"}, Label: "I", Hint: "I as-is",
			Doc: "show the text as logged, or with Markdown and LaTeX rendered",
			Do:  view.Key((*Group).toggleRaw),
		},
		{Keys: []string{"1"}, Label: "1", Doc: "to the prompt", Do: toAnchor(richtext.AnchorPrompt)},
		{Keys: []string{"2"}, Label: "2", Doc: "to the response", Do: toAnchor(richtext.AnchorResponse)},
		{Keys: []string{"3"}, Label: "3", Doc: "to the ground truth", Do: toAnchor(richtext.AnchorTruth)},
		{Keys: []string{"ctrl+d", "pgdown", "space"}, Label: "^D", Doc: "a page of text down", Do: view.By((*Group).scrollPages, 1)},
		{Keys: []string{"ctrl+u", "pgup"}, Label: "^U", Doc: "a page of text up", Do: view.By((*Group).scrollPages, -1)},
		{Keys: []string{"g", "home"}, Label: "g", Doc: "to the top", Do: view.By((*Group).move, math.MinInt32)},
		{Keys: []string{"G", "end"}, Label: "G", Doc: "to the end", Do: view.By((*Group).move, math.MaxInt32)},
		{Keys: []string{"esc"}, Label: "Esc", Hint: "Esc back", Doc: "back to the groups", Do: view.Ask(view.Escape{})},
	}}
}

// move moves the cursor among the samples, or scrolls the text if it is focused.
func (r *Group) move(e env.Env, by int) view.Want {
	if r.InText {
		return r.ScrollLines(e, by)
	}
	r.Sample = pane.ClampIndex(r.Sample+by, samplesOpen(e))
	return nil
}

func samplesOpen(e env.Env) int {
	if g := e.SelectedGroup(); g != nil {
		return g.Size()
	}
	return 0
}

// focus focuses a part: the samples are 0, the text is 1.
func (r *Group) focus(e env.Env, part int) view.Want {
	r.InText = part == 1
	return r.ScrollLines(e, 0)
}

func (r *Group) toggleFocus(e env.Env) view.Want {
	r.InText = !r.InText
	return r.ScrollLines(e, 0)
}

// toggleDiff compares the best sample with the one under the cursor. If that is the best,
// the cursor goes to the worst.
func (r *Group) toggleDiff(e env.Env) view.Want {
	g := e.SelectedGroup()
	if g == nil || g.Size() < 2 {
		return view.Say("only one sample: nothing to compare it with")
	}
	r.ShowDiff = !r.ShowDiff
	if r.ShowDiff && r.Sample == 0 {
		r.Sample = g.Size() - 1
	}
	return nil
}

func (r *Group) scrollPages(e env.Env, by int) view.Want {
	return r.ScrollLines(e, by*max(1, r.textHeight(e)-1))
}

func (r *Group) startSearch(env.Env) view.Want {
	r.Search = TextSearch{}
	return view.Open{View: view.Search}
}

func (r *Group) foldThinking(env.Env) view.Want {
	r.toggleThinking()
	return nil
}

func (r *Group) toggleRaw(env.Env) view.Want {
	if r.ShowDiff {
		return view.Say("v changes nothing in a diff: d leaves it")
	}
	r.raw = !r.raw
	return nil
}

// toAnchor is a key that scrolls to a part of the page.
func toAnchor(name string) view.Do {
	return view.Key(func(r *Group, e env.Env) view.Want { return r.scrollToAnchor(e, name) })
}

func (r *Group) scrollToAnchor(e env.Env, name string) view.Want {
	page := r.Page(0)
	if page == nil {
		return nil
	}
	lines := page.AnchorLines(name)
	if len(lines) == 0 {
		return view.Say("a diff has only the responses: d leaves it to show the " + name + " again")
	}
	return r.ScrollLines(e, lines[0]-r.Scroll)
}

// view draws the samples of a group, and to the right or below the text of one, in which typed is searched; nil: nothing is typed.
func (r Group) view(e env.Env, typed *cells.Line) []string {
	samples, text := r.parts(e)
	left := e.Display.Box(samples, !r.InText, r.table(e, samples.Inner().W, samples.Inner().H))
	right := e.Display.Box(text, r.InText, r.textPane(e, typed, text.Inner().W, text.Inner().H))
	if text.X == 0 {
		return append(left, right...)
	}
	return pane.JoinColumns(left, right)
}

func (r Group) textPane(e env.Env, typed *cells.Line, w, h int) pane.Content {
	want, known := r.Wanted(e, e.SelectedGroup())
	page := r.pageHeight(e, h)
	c := r.pane(e, 0, w, page, r.Search.Matches, want, known)
	if e.Texts[0] == nil {
		c.Lines = e.Display.SentenceLines(
			"This source has no texts: open the log's own file or directory to read prompts and responses.", themes.Warn, w,
		)
	}
	if page < h {
		c.Lines = append(append(c.Lines, make([]string, max(0, page-len(c.Lines)))...), r.strip(e, w)...)
	}
	c.Title, c.Target = " "+r.textTitle(e, typed), pane.Target{Kind: pane.OnReading, N: 1}
	return c
}

func (r Group) textTitle(e env.Env, typed *cells.Line) string {
	t := e.Display.Theme
	if tally := r.Search.status(typed); tally != "" {
		return t.Paint(themes.Accent, sanitize.Line(tally))
	}
	if r.ShowDiff {
		best := " best  "
		if g := e.SelectedGroup(); g.RewardStd <= 1e-12*math.Abs(g.RewardMean) { // of 0.2 eight times it is 3e-17
			best = " sample 1, rewarded equally  "
		}
		added, gone := t.Paint(themes.Positive, "+")+best, t.Paint(themes.Negative, "−")+fmt.Sprintf(" sample %d", r.loserRow(e)+1)
		return e.Display.PaneTitle("diff", r.InText) + "  " + added + gone
	}
	title := e.Display.PaneTitle("text", r.InText) + fmt.Sprintf("  sample %d", r.Sample+1)
	if r.raw {
		title += " · as logged"
	}
	return title
}

// loserRow returns the row of the sample that the best one is compared with.
func (r Group) loserRow(e env.Env) int {
	if r.Sample == 0 {
		return e.SelectedGroup().Size() - 1
	}
	return r.Sample
}

// sideNames returns the titles of the sides of a diff: the samples with their logged
// figures, not with their advantages, which change with the settings.
func (r Group) sideNames(e env.Env) (winner, loser string) {
	g := e.SelectedGroup()
	order, figures := e.RankedSamples(g), samples.SampleColumns(e, g)
	name := func(row int) string {
		text := fmt.Sprintf("sample %d", row+1)
		for _, f := range figures {
			if slices.Contains([]string{"adv", "orig", "proc"}, f.Name) {
				break
			}
			value, _ := f.Cell(order[row])
			text += "  " + f.Name + " " + strings.TrimSpace(value)
		}
		return text
	}
	return name(0), name(r.loserRow(e))
}

// TextSearch is what is searched for in the text.
type TextSearch struct {
	query   string
	Matches richtext.Matches
}

const maxSearchBytes = 80

// Search is the open group while what is searched for is typed.
type Search struct{ *Group }

// StateOf is that of the group.
func (Search) StateOf() view.Name { return view.Group }

// Draw draws the group with the search.
func (s Search) Draw(e env.Env, _, _ int) []string { return s.view(e, &e.Typing) }

// Text and the others make it a view with a line.
func (s Search) Text() *string { return &s.Search.query }

// Limit is that of a search.
func (Search) Limit() int { return maxSearchBytes }

// Edited searches again.
func (s Search) Edited(e env.Env, _ bool) view.Want { return s.updateSearch(e) }

// Keys of the search.
func (Search) Keys() view.Section {
	return view.Section{Name: "search in the text", Bindings: []view.Binding{
		{
			Keys: []string{"enter"}, Label: "⏎", Hint: "Enter keep",
			Doc: "keep the search for n and N",
			Do:  view.Ask(view.Open{View: view.Group}),
		},
		{Keys: []string{"down"}, Label: "↓", Hint: "↓ ↑ match", Doc: "next match", Do: view.By(Search.moveMatch, 1)},
		{Keys: []string{"up"}, Label: "↑", Doc: "previous match", Do: view.By(Search.moveMatch, -1)},
		{Keys: []string{"esc"}, Label: "Esc", Hint: "Esc forget", Doc: "cancel the search", Do: view.Key(Search.forget)},
	}}
}

// forget forgets the search.
func (s Search) forget(env.Env) view.Want {
	s.Search = TextSearch{}
	return view.Open{View: view.Group}
}

// updateSearch searches again and goes to the first match from the lines in sight on.
func (r *Group) updateSearch(e env.Env) view.Want {
	r.Search.Matches = richtext.Matches{}
	page := r.Page(0)
	if page == nil || r.Search.query == "" {
		return r.ScrollLines(e, 0)
	}
	found := page.Find(r.Search.query)
	found.Current = page.FirstMatchFrom(found, r.Scroll)
	r.Search.Matches = found
	return r.scrollToMatch(e)
}

// moveMatch goes to another match, around the ends, or to another difference of a diff if
// nothing is searched for.
func (r *Group) moveMatch(e env.Env, by int) view.Want {
	n := r.Search.Matches.Len()
	switch {
	case r.Page(0) == nil:
	case r.Search.query == "" && r.ShowDiff:
		if !r.toDifference(by, r.textHeight(e)) {
			return view.Say("no further difference")
		}
	case r.Search.query == "":
		return view.Say("no search: / starts one")
	case n > 0:
		r.Search.Matches.Current = (r.Search.Matches.Current + by + n) % n
		return r.scrollToMatch(e)
	}
	return nil
}

// scrollToMatch scrolls the current match into sight, a third of the pane below the top.
func (r *Group) scrollToMatch(e env.Env) view.Want {
	found, h := r.Search.Matches, r.textHeight(e)
	if found.Len() == 0 {
		return r.ScrollLines(e, 0)
	}
	line := r.Page(0).LineOfMatch(found, found.Current)
	if line < r.Scroll || line >= r.Scroll+h {
		r.Scroll = line - h/3
	}
	return r.ScrollLines(e, 0)
}

// maxSearchShown is how many cells of a query are in sight while it is typed.
const maxSearchShown = 40

// status returns the query and how many matches it has.
func (s TextSearch) status(typed *cells.Line) string {
	query := s.query
	if typed != nil {
		query = typed.Shown(maxSearchShown)
	}
	n := s.Matches.Len()
	switch {
	case s.query == "" && typed != nil:
		return "/" + query + " type to search the prompt, the answer and the truth of this sample"
	case s.query == "":
		return ""
	case n == 0:
		return "/" + query + " not found"
	}
	of := units.Count(n)
	if s.Matches.Truncated() {
		of += "+"
	}
	return fmt.Sprintf("/%s %d of %s", query, s.Matches.Current+1, of)
}
