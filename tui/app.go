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
	Title           string // what was opened, as the person named it
	Settings        model.Settings
	EstimatorChosen bool   // the person named framework, estimator or scale: the log's own does not win
	ASCII           bool   // draw with plain characters only
	NoColor         bool   // whatever the terminal can do
	Second          Source // a second run to compare with, or nil
	SecondTitle     string
	Files           FileSaver                // nil writes nothing
	Multiplexer     Multiplexer              // between here and the terminal
	Notice          string                   // said at the start
	Mouse           bool                     // on from the start
	KeyMap          map[string]string        // what a key does instead: that of another key
	Suspend         func() error             // stops the program until its shell wakes it; nil: it has none
	Theme           string                   // by name; "" asks the terminal whether it is dark or light
	AssumeLight     bool                     // it is taken for light until it answers
	SessionStore    SessionStore             // nil keeps nothing of the run
	Session         session.Session          // what is kept of it
	SetByFlag       func(option string) bool // settings that win over those that are kept; nil: none
}

// App is the state of the screen.
type App struct {
	ctx    context.Context // ends with the program; commands derive theirs from it
	source Source
	store  *model.Store // only Update touches it
	title  string

	snap        model.Snapshot
	settings    undoHistory
	work        work
	result      result
	position    position
	sourceState sourceState
	display     display
	loggedMatch loggedMatch
	sweep       sweepState
	second      secondRun
	commandLine commandLine
	files       FileSaver // nil: nothing is written
	session     sessionState
	marks       marks

	multiplexer     Multiplexer
	keyMap          map[string]string // keys that do what others do; never written
	sampleReader    sampleReader
	estimatorChosen bool         // the person named an estimator at the start
	stopProgram     func() error // until the shell wakes the program; nil: nothing would

	notice          string // the answer to the last key, until the next one
	valuePrompt     valuePrompt
	helpOpen        bool
	helpSearch      helpSearch // in the help
	helpOnEstimator bool       // the help tells of the estimator, not of the keys
}

// work is what is being computed.
type work struct {
	revision  int // of the latest request
	cancel    context.CancelFunc
	busy      bool // a request is under way
	stale     bool // data arrived that the latest request does not cover
	throttled bool // a refresh from data was a moment ago
}

// result is what was computed last.
type result struct {
	analysis     *model.Analysis
	trend        *model.Trend
	base         *model.Analysis // of the baseline, nil if there is none
	baseTrend    *model.Trend
	rows         []int  // groups in the order of the table, as far as the filter shows them
	shownSamples []bool // which samples these are, by column; nil: all
	subset       subset
	err          error
	charts       chartCache // of analysis and base, for the charts
}

// position is where the person is.
type position struct {
	view          viewName
	backStack     []viewName // the views that back leads through; never written in place
	viewBelow     viewName   // what a line of choices was opened over
	picker        estimatorPicker
	step          int64
	follow        bool // go to the newest step as it comes
	cursor        int  // row of the table
	topRow        int  // first row seen
	focus         layout.Pane
	frontPane     layout.Pane       // which of the panes that share a place is seen
	warning       int               // index of the selected warning
	metricScroll  int               // first metric seen
	filterDraft   string            // the filter while it is typed
	steps         stepsState        // of the view of all steps
	problemScroll int               // first line of how the log was read
	distribution  distributionState // what the distribution shows
}

// sourceState is what is known of the source.
type sourceState struct {
	lastChunk    time.Time // when it last said something
	lastRow      time.Time // when the newest row was read
	shownLastRow time.Time // the same, as of what is on the screen: that does not change more often
	rate         readRate
	ended        bool
	err          error
}

// display is how things are drawn.
type display struct {
	theme       *themes.Theme
	glyphs      chart.Glyphs
	w, h        int
	noColor     bool
	mouse       bool
	themeFixed  bool // the theme is settled: the terminal is not asked
	themeByUser bool // here, so that it is kept
}

// New returns the program's model.
func New(ctx context.Context, source Source, o Options) App {
	a := App{
		ctx: ctx, source: source, store: model.NewStore(), title: o.Title,
		settings: undoHistory{undoState: undoState{now: o.Settings}}, estimatorChosen: o.EstimatorChosen, files: o.Files, multiplexer: o.Multiplexer,
		position: position{follow: true},
		display:  display{theme: themes.Default(!o.AssumeLight), glyphs: chart.Unicode(), noColor: o.NoColor},
	}
	a.sampleReader.source, _ = source.(TextReader)
	a.second = secondRun{source: o.Second, title: o.SecondTitle, store: model.NewStore()}
	a.notice, a.display.mouse, a.keyMap, a.stopProgram = o.Notice, o.Mouse, o.KeyMap, o.Suspend
	if o.ASCII {
		a.display.glyphs = chart.ASCII()
	}
	if o.NoColor {
		a.display.theme = themes.Mono()
	}
	if t, ok := themes.Find(o.Theme); ok {
		a.display.theme, a.display.themeFixed = t, true
	}
	return a.restoreSession(o)
}

// Init starts reading and asks the terminal whether it is dark; nothing waits
// for the answer.
func (a App) Init() tea.Cmd {
	first := []tea.Cmd{readChunk(a.ctx, a.source, 0), tea.RequestBackgroundColor}
	if a.second.source != nil {
		first = append(first, readSecond(a.ctx, a.second.source, 0))
	}
	return guarded(tea.Batch(first...))
}

// Update handles a message, and asks for what then belongs on the screen and is not
// there yet.
func (a App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	a, cmd := a.handle(msg)
	a, text := a.requestText()
	a, grid := a.requestSweep()
	a, pairs := a.requestComparison()
	a, figures := a.requestSubset()
	a = a.updateChartCache()
	return a, guarded(tea.Batch(cmd, text, grid, pairs, figures))
}

// handle sends each message of the terminal to its handler.
func (a App) handle(msg tea.Msg) (App, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return a.onKey(msg)
	case tea.WindowSizeMsg:
		a.display.w, a.display.h = msg.Width, msg.Height
		return a.clampCursor(), nil
	case tea.BackgroundColorMsg:
		return a.onBackground(msg.IsDark()), nil
	case tea.ColorProfileMsg:
		return a.onProfile(msg.Profile), nil
	case tea.MouseMsg:
		return a.onMouse(msg), nil
	}
	return a.handleAnswer(msg)
}

// handleAnswer sends each answer of the commands to its handler.
func (a App) handleAnswer(msg tea.Msg) (App, tea.Cmd) {
	switch msg := msg.(type) {
	case chunkMsg:
		return a.onChunk(msg)
	case analysisMsg:
		return a.onAnalysis(msg)
	case trendMsg:
		return a.onTrend(msg)
	case matchMsg:
		return a.onMatch(msg)
	case pageMsg:
		return a.onPage(msg), nil
	case sweepMsg:
		return a.onSweep(msg)
	case subsetMsg:
		return a.onSubset(msg), nil
	case sessionMsg:
		return a.onSession(msg)
	case secondChunkMsg:
		return a.onSecondChunk(msg)
	case comparisonMsg:
		return a.onComparison(msg)
	case panicMsg:
		panic(msg.String())
	case throttleEndedMsg:
		a.work.throttled = false
		return a.catchUp()
	}
	return a, nil
}

func (a App) onBackground(isDark bool) App {
	if !a.display.noColor && !a.display.themeFixed {
		a.display.theme = themes.Default(isDark)
	}
	return a
}

// onProfile goes without colour where the terminal has none: a selection marked
// by a background colour would not be seen.
func (a App) onProfile(p colorprofile.Profile) App {
	if p <= colorprofile.ASCII {
		a.display.noColor = true
		a.display.theme = themes.Mono()
	}
	return a
}

// onChunk takes over what was read, and reads on.
func (a App) onChunk(msg chunkMsg) (App, tea.Cmd) {
	if msg.err != nil {
		a.sourceState.ended = true
		if !errors.Is(msg.err, io.EOF) && !errors.Is(msg.err, context.Canceled) {
			a.sourceState.err = msg.err
		}
		return a, nil
	}
	a.store.Append(msg.chunk)
	a.sourceState.lastChunk = msg.at
	if len(msg.chunk.Records)+len(msg.chunk.Blocks) > 0 {
		a.sourceState.lastRow = msg.at
	}
	a.work.stale = true
	a, cmd := a.catchUp()
	return a, tea.Batch(cmd, readChunk(a.ctx, a.source, pauseAfter(msg.chunk.Progress)))
}

// catchUp refreshes from new data, unless a computation is under way (it is
// waited for, never cancelled: a fast log would starve the screen) or the last
// refresh was a moment ago.
func (a App) catchUp() (App, tea.Cmd) {
	if !a.work.stale || a.work.busy || a.work.throttled {
		return a, nil
	}
	a.work.stale = false
	a.work.throttled = true
	a.snap = a.store.Snapshot()
	a.sourceState.shownLastRow = a.sourceState.lastRow
	a.sourceState.rate = a.sourceState.rate.updated(a.sourceState.lastChunk, a.snap.Run.Progress)
	if a.position.follow && len(a.snap.Steps) > 0 {
		a.position.step = a.newestStep()
	}
	a, cmd := a.requestAnalysis()
	a, also := a.requestMatch()
	return a, tea.Batch(cmd, also, throttle())
}

// requestAnalysis asks for the step on screen anew; an earlier request is void.
func (a App) requestAnalysis() (App, tea.Cmd) {
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
	return a, analyze(ctx, a.work.revision, a.snap, a.stepIndex(), a.settings, a.result)
}

// newestStep is the step to follow: the newest that is complete, so that what is on
// the screen has been judged and holds still; the first one while it grows.
func (a App) newestStep() int64 {
	last := len(a.snap.Steps) - 1
	if last > 0 && a.snap.Open(last) {
		last--
	}
	return a.snap.Steps[last].Number
}

// stepIndex is where the step on screen is in the snapshot, or the nearest one.
func (a App) stepIndex() int {
	i, _ := a.snap.Find(a.position.step)
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
	return a.showAnalysis(msg.analysis).continueTrend(a.firstTrendPart())
}

func (a App) onTrend(msg trendMsg) (App, tea.Cmd) {
	if msg.revision != a.work.revision {
		return a, nil
	}
	if msg.err == nil {
		a.result.trend, a.result.baseTrend = msg.trend, msg.base
		if !msg.trend.Complete() || msg.base != nil && !msg.base.Complete() {
			return a.continueTrend(2 * msg.samples)
		}
	}
	a.work.busy = false
	return a.catchUp()
}

// showAnalysis puts an analysis on the screen. The cursor stays on its group, or at the
// top, with the worst, if it was never moved from there.
func (a App) showAnalysis(next *model.Analysis) App {
	selected := ""
	if g := a.selectedGroup(); g != nil && (a.position.cursor > 0 || a.readingGroup() || slices.Contains(a.position.backStack, viewGroup)) {
		selected = g.Name
	}
	a.result.analysis, a.result.err = next, nil
	a.position.step = next.Step
	a = a.arrangeRows(selected).arriveAtMark()
	a.position.warning = min(a.position.warning, max(0, len(a.warningLines())-1))
	return a.clampCursor()
}

// selectedGroup is the group under the cursor, nil if there is none.
func (a App) selectedGroup() *model.Group {
	if a.result.analysis == nil || a.position.cursor >= len(a.result.rows) {
		return nil
	}
	return &a.result.analysis.Table[a.result.rows[a.position.cursor]]
}

// clampCursor keeps the cursor within the table and in sight.
func (a App) clampCursor() App {
	a.position.cursor = max(0, min(a.position.cursor, len(a.result.rows)-1))
	seen := max(1, a.visibleGroups())
	a.position.topRow = max(0, min(a.position.topRow, len(a.result.rows)-seen))
	a.position.topRow = min(a.position.topRow, a.position.cursor)
	a.position.topRow = max(a.position.topRow, a.position.cursor-seen+1)
	return a
}

// screen says where the panes are.
func (a App) screen() layout.Screen {
	return layout.NewScreen(a.display.w, a.display.h, a.position.frontPane)
}
