// Package tui is the screen: what a person sees and what their keys do.
//
// The program is a Bubble Tea model. Update is a switchboard; work runs in
// commands on frozen snapshots and carries the revision of its request, so that
// an answer to a question that nobody asks any more is dropped. View changes
// nothing.
package tui

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"vantage/model"
	"vantage/model/session"
	"vantage/themes"
	"vantage/tui/chart"
	"vantage/tui/layout"
)

// Options are what the program was started with.
type Options struct {
	Title       string // what was opened, as the person named it
	Settings    model.Settings
	Chosen      bool   // the person named framework, estimator or scale: the log's own does not win
	ASCII       bool   // draw with plain characters only
	NoColor     bool   // whatever the terminal can do
	Other       Source // a second run to compare with, or nil
	OtherTitle  string
	Desk        Desk                     // nil writes nothing
	Multiplexer Multiplexer              // between here and the terminal
	Notice      string                   // said at the start
	Mouse       bool                     // on from the start
	Keys        map[string]string        // what a key does instead: that of another key
	Suspend     func() error             // stops the program until its shell wakes it; nil: it has none
	Theme       string                   // by name; "" asks the terminal whether it is dark or light
	Light       bool                     // it is taken for light until it answers
	Memory      Memory                   // nil keeps nothing of the run
	Session     session.Session          // what is kept of it
	Given       func(option string) bool // settings that win over those that are kept; nil: none
}

// App is the state of the screen.
type App struct {
	ctx    context.Context // ends with the program; commands derive theirs from it
	source Source
	store  *model.Store // only Update touches it
	title  string

	snap   model.Snapshot
	set    history
	work   work
	ahead  ahead
	result result
	place  place
	live   live
	look   look
	logged logged
	sweep  sweeping
	other  otherRun
	line   commandLine
	desk   Desk // nil: nothing is written
	kept   keeping
	marks  marks

	multiplexer Multiplexer
	remapped    map[string]string // keys that do what others do; never written
	reader      reader
	chosen      bool         // the person named an estimator at the start
	suspends    func() error // until the shell wakes the program; nil: nothing would

	notice string // the answer to the last key, until the next one
	prompt prompt
	help   bool
	sought sought // in the help
	about  bool   // the help tells of the estimator, not of the keys
}

// work is what is being computed.
type work struct {
	revision int // of the latest request
	cancel   context.CancelFunc
	busy     bool // a request is under way
	stale    bool // data arrived that the latest request does not cover
	resting  bool // a refresh from data was a moment ago
}

// result is what was computed last.
type result struct {
	analysis  *model.Analysis
	trend     *model.Trend
	ahead     *model.Analysis // stands for analysis where it is built on, if something was computed ahead
	base      *model.Analysis // of the baseline, nil if there is none
	baseTrend *model.Trend
	rows      []int   // groups in the order of the table, as far as the filter shows them
	ordered   ordered // what the rows come from
	shown     []bool  // which samples these are, by column; nil: all
	selection selection
	err       error
	measured  measured // of analysis and base, for the charts
}

// place is where the person is.
type place struct {
	view    viewName
	path    []viewName // the views that back leads through; never written in place
	under   viewName   // what a line of choices was opened over
	picker  picker
	step    int64
	follow  bool // go to the newest step as it comes
	cursor  int  // row of the table
	top     int  // first row seen
	focus   layout.Pane
	front   layout.Pane // which of the panes that share a place is seen
	warning int         // index of the selected warning
	scroll  int         // first metric seen
	draft   string      // the filter while it is typed
	steps   stepsState  // of the view of all steps
	problem int         // first line of how the log was read
	spread  spread      // what the distribution shows
}

// live is what is known of the source.
type live struct {
	heard   time.Time // when it last said something
	rowAt   time.Time // when the newest row was read
	lastRow time.Time // the same, as of what is on the screen: that does not change more often
	pace    pace
	ended   bool
	err     error
}

// look is how things are drawn.
type look struct {
	theme   *themes.Theme
	glyphs  chart.Glyphs
	w, h    int
	noColor bool
	mouse   bool
	chosen  bool // the theme is settled: the terminal is not asked
	byHand  bool // here, so that it is kept
}

// New returns the program's model.
func New(ctx context.Context, source Source, o Options) App {
	a := App{
		ctx: ctx, source: source, store: model.NewStore(), title: o.Title,
		set: history{moment: moment{now: o.Settings}}, chosen: o.Chosen, desk: o.Desk, multiplexer: o.Multiplexer,
		place: place{follow: true}, ahead: largeSteps(),
		look: look{theme: themes.Default(!o.Light), glyphs: chart.Unicode(), noColor: o.NoColor},
	}
	a.reader.source, _ = source.(Reader)
	a.other = otherRun{source: o.Other, title: o.OtherTitle, store: model.NewStore()}
	a.notice, a.look.mouse, a.remapped, a.suspends = o.Notice, o.Mouse, o.Keys, o.Suspend
	if o.ASCII {
		a.look.glyphs = chart.ASCII()
	}
	if o.NoColor {
		a.look.theme = themes.Mono()
	}
	if t, ok := themes.Find(o.Theme); ok {
		a.look.theme, a.look.chosen = t, true
	}
	return a.recalled(o)
}

// Init starts reading and asks the terminal whether it is dark; nothing waits
// for the answer.
func (a App) Init() tea.Cmd {
	first := []tea.Cmd{read(a.ctx, a.source, 0), tea.RequestBackgroundColor}
	if a.other.source != nil {
		first = append(first, readOther(a.ctx, a.other.source, 0))
	}
	return guarded(tea.Batch(first...))
}

// Update handles a message, and asks for what then belongs on the screen and is not
// there yet.
func (a App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	a, cmd := a.handle(msg)
	a, text := a.attend()
	a, grid := a.attendSweep()
	a, pairs := a.attendPairs()
	a, figures := a.attendSelection()
	a = a.measureNow()
	return a, guarded(tea.Batch(cmd, text, grid, pairs, figures))
}

// handle sends each message of the terminal to its handler.
func (a App) handle(msg tea.Msg) (App, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return a.onKey(msg)
	case tea.WindowSizeMsg:
		a.look.w, a.look.h = msg.Width, msg.Height
		return a.scrolled(), nil
	case tea.BackgroundColorMsg:
		return a.onBackground(msg.IsDark()), nil
	case tea.ColorProfileMsg:
		return a.onProfile(msg.Profile), nil
	case tea.MouseMsg:
		return a.onMouse(msg), nil
	}
	return a.answered(msg)
}

// answered sends each answer of the commands to its handler.
func (a App) answered(msg tea.Msg) (App, tea.Cmd) {
	switch msg := msg.(type) {
	case chunkMsg:
		return a.onChunk(msg)
	case analysisMsg:
		return a.onAnalysis(msg)
	case trendMsg:
		return a.onTrend(msg)
	case idleMsg:
		return a.onIdle(msg)
	case aheadMsg:
		return a.onAhead(msg)
	case matchMsg:
		return a.onMatch(msg)
	case pageMsg:
		return a.onPage(msg), nil
	case sweepMsg:
		return a.onSweep(msg)
	case selectionMsg:
		return a.onSelection(msg), nil
	case keptMsg:
		return a.onKept(msg)
	case otherChunkMsg:
		return a.onOtherChunk(msg)
	case pairMsg:
		return a.onPairs(msg)
	case fault:
		panic(msg.String())
	case restedMsg:
		return a.onRested()
	}
	return a, nil
}

func (a App) onBackground(isDark bool) App {
	if !a.look.noColor && !a.look.chosen {
		a.look.theme = themes.Default(isDark)
	}
	return a
}

// onProfile goes without colour where the terminal has none: a selection marked
// by a background colour would not be seen.
func (a App) onProfile(p colorprofile.Profile) App {
	if p <= colorprofile.ASCII {
		a.look.noColor = true
		a.look.theme = themes.Mono()
	}
	return a
}

// onChunk takes over what was read, and reads on.
func (a App) onChunk(msg chunkMsg) (App, tea.Cmd) {
	if msg.err != nil {
		a.live.ended = true
		if !errors.Is(msg.err, io.EOF) && !errors.Is(msg.err, context.Canceled) {
			a.live.err = msg.err
		}
		return a, nil
	}
	a.store.Append(msg.chunk)
	a.live.heard = msg.at
	if len(msg.chunk.Records)+len(msg.chunk.Blocks) > 0 {
		a.live.rowAt = msg.at
	}
	a.work.stale = true
	a, cmd := a.catchUp()
	return a, tea.Batch(cmd, read(a.ctx, a.source, pauseAfter(msg.chunk.Progress)))
}

// catchUp refreshes from new data, unless a computation is under way (it is
// waited for, never cancelled: a fast log would starve the screen) or the last
// refresh was a moment ago.
func (a App) catchUp() (App, tea.Cmd) {
	if !a.work.stale || a.work.busy || a.work.resting {
		return a, nil
	}
	a.work.stale = false
	a.work.resting = true
	a.snap = a.store.Snapshot()
	a.live.lastRow = a.live.rowAt
	a.live.pace = a.live.pace.at(a.live.heard, a.snap.Run.Progress)
	if a.place.follow && len(a.snap.Steps) > 0 {
		a.place.step = a.newest()
	}
	a, cmd := a.request()
	a, also := a.compareLogged()
	return a, tea.Batch(cmd, also, rest())
}

// request asks for the step on screen anew; an earlier request is void.
func (a App) request() (App, tea.Cmd) {
	if len(a.snap.Steps) == 0 {
		a.result = result{}
		return a, nil
	}
	if a.work.cancel != nil {
		a.work.cancel()
	}
	a.work.revision++
	a.work.busy = true
	var ctx context.Context
	ctx, a.work.cancel = context.WithCancel(a.ctx)
	return a, analyze(ctx, a.work.revision, a.snap, a.stepIndex(), a.set, a.result)
}

// newest is the step to follow: the newest that is complete, so that what is on
// the screen has been judged and holds still; the first one while it grows.
func (a App) newest() int64 {
	last := len(a.snap.Steps) - 1
	if last > 0 && a.snap.Open(last) {
		last--
	}
	return a.snap.Steps[last].Number
}

// stepIndex is where the step on screen is in the snapshot, or the nearest one.
func (a App) stepIndex() int {
	i, _ := a.snap.Find(a.place.step)
	return min(i, len(a.snap.Steps)-1)
}

// onAnalysis shows the step and asks for the others.
func (a App) onAnalysis(msg analysisMsg) (App, tea.Cmd) {
	if msg.revision != a.work.revision {
		return a, nil
	}
	if msg.err != nil {
		a.work.busy = false
		a.result = result{err: msg.err}
		return a.catchUp()
	}
	a.result.base = msg.base
	return a.show(msg.analysis).fill(a.firstPart())
}

func (a App) onTrend(msg trendMsg) (App, tea.Cmd) {
	if msg.revision != a.work.revision {
		return a, nil
	}
	if msg.err == nil {
		a.result.trend, a.result.baseTrend = msg.trend, msg.base
		if !msg.trend.Complete() || msg.base != nil && !msg.base.Complete() {
			return a.fill(2 * msg.samples)
		}
	}
	a.work.busy = false
	if a, cmd := a.catchUp(); a.work.busy {
		return a, cmd
	}
	return a.thinkAhead()
}

// show puts an analysis on the screen. The cursor stays on its group, or at the
// top, with the worst, if it was never moved from there.
func (a App) show(next *model.Analysis) App {
	selected := ""
	if g := a.selected(); g != nil && (a.place.cursor > 0 || a.reading() || slices.Contains(a.place.path, viewGroup)) {
		selected = g.Name
	}
	a.result.analysis, a.result.ahead, a.result.err = next, nil, nil
	a.place.step = next.Step
	a = a.arrange(selected).arrived()
	a.place.warning = min(a.place.warning, max(0, len(a.doubts())-1))
	return a.scrolled()
}

// selected is the group under the cursor, nil if there is none.
func (a App) selected() *model.Group {
	if a.result.analysis == nil || a.place.cursor >= len(a.result.rows) {
		return nil
	}
	g := a.result.analysis.Group(a.result.rows[a.place.cursor])
	return &g
}

// scrolled keeps the cursor within the table and in sight.
func (a App) scrolled() App {
	a.place.cursor = max(0, min(a.place.cursor, len(a.result.rows)-1))
	seen := max(1, a.tableRows())
	a.place.top = max(0, min(a.place.top, len(a.result.rows)-seen))
	a.place.top = min(a.place.top, a.place.cursor)
	a.place.top = max(a.place.top, a.place.cursor-seen+1)
	return a
}

// screen says where the panes are.
func (a App) screen() layout.Screen { return layout.NewScreen(a.look.w, a.look.h, a.place.front) }
