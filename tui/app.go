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
	"vantage/model/analysis"
	"vantage/model/match"
	"vantage/model/session"
	"vantage/themes"
	"vantage/tui/chart"
	"vantage/tui/layout"
)

// Options are what the program is started with.
type Options struct {
	Title        string // what is open, as the person named it
	Settings     model.Settings
	Given        match.Given // which of framework, estimator and scale the command line sets
	ASCII        bool        // draw with ASCII characters only
	NoColor      bool        // even if the terminal has colours
	Second       Source      // a second run to compare with, or nil
	SecondTitle  string
	Files        FileSaver                // nil: copies and exports are not saved
	Multiplexer  Multiplexer              // between the program and the terminal
	Notice       string                   // shown at the start
	Mouse        bool                     // on from the start
	KeyMap       map[string]string        // from a key to the one whose action it has
	Suspend      func() error             // stops the program until its shell continues it; nil: it has no shell
	Theme        string                   // by name; "" asks the terminal whether it is dark or light
	Assumed      *themes.Theme            // until the terminal tells its background; nil: one for any
	SessionStore SessionStore             // nil: the session is not saved
	Session      session.Session          // as it was saved last
	Look         lookAtRun                // nil: it looks at the samples alone
	SetByFlag    func(option string) bool // reports whether a flag sets an option: it wins over the session; nil: none does
}

// App is the state of the screen: what all views share, the views, and what is around them.
type App struct {
	env      env
	views    views
	overlays overlays
	source   Source
	store    *model.Store // only Update touches it
	work     background
	position position
	panes    panes
	saving   saving
	mouse    mouseState
	outside  outside
	commands commands
}

// commands are those that the message starts that is being handled.
type commands struct {
	ctx     context.Context // ends with the program; theirs derive from it
	started []tea.Cmd
}

// env is what all views draw from, and none changes.
type env struct {
	title       string
	texts       [2]TextReader // of both runs; nil: a source has none
	snap        model.Snapshot
	settings    undoHistory
	result      result
	subset      job[subsetKey, subset]
	loggedMatch loggedMatch
	second      secondRun
	session     sessionState
	findings    findings
	place       place
	sourceState sourceState
	display     display
}

type place struct {
	step   int64
	scope  scopeState // how many steps up to that one
	row    int        // of the table of groups, under the cursor
	follow bool       // go to newer steps as they come
}

type views struct {
	sampleReader sampleReader
	sweep        sweepState
	groupSize    groupSizeState
	breakdown    breakdownState
	prompts      promptsState
	grep         grepState
	compare      compareState
	answers      answerReader
	finding      int // index of the one whose view is shown
	glance       glanceState
	steps        stepsState
	chain        chainState
	picker       estimatorPicker
	problems     int          // the first line in sight of how the log was read
	destination  *destination // of the cursor, when its step is analysed; nil: none
}

// overlays is what is written over the views and below them.
type overlays struct {
	input        input
	command      string // while it is typed
	value        typedValues
	notice       string // shown for noticeDuration or until the next key
	noticeNumber int    // of the latest notice, by which its timer knows it
	help         help
}

// outside is what the program is started with to reach beyond the screen, see Options.
type outside struct {
	files       FileSaver // nil: nothing is saved
	multiplexer Multiplexer
	keyMap      map[string]string
	stopProgram func() error
}

type result struct {
	analysis     *analysis.Analysis
	trend        *analysis.Trend
	base         *analysis.Analysis // of the baseline, nil if there is none
	baseTrend    *analysis.Trend
	sharedPrompt int    // bytes at the beginning of the prompts that all groups share
	every        int    // of the steps of the scope every n-th is in analysis; 1: all are
	filter       string // at work: while one is typed, that
	rows         []int  // groups that the filter shows, in the order of the table
	shownSamples []bool // by column of analysis: in a group of rows; nil: all are
	err          error
}

// position is where in the views the person is.
type position struct {
	view      viewName
	backStack []viewName // the views before this one, the latest last; never written in place
	viewBelow viewName   // under a line of input or of choices
}

type panes struct {
	topRow       int // the first row of groups in sight
	focus        layout.Pane
	fullScreen   bool              // the focused pane has the place of all
	frontPane    layout.Pane       // of panes that share a rectangle, the one in sight
	warning      int               // the selected line of the warnings
	metric       int               // index of the metric under the cursor
	metricScroll int               // the first row of metrics in sight
	filterDraft  string            // the filter while it is typed
	distribution distributionState // of the pane of distributions
}

// sourceState is what is known of the source.
type sourceState struct {
	lastChunk time.Time // when the last chunk came
	clock     time.Time // what the screen takes for now: the last chunk, or when words on time had to change
	nextClock time.Time // when they have to change next; zero if never
	rate      readRate
	ended     bool
	err       error
}

// display is the screen and how it is drawn on.
type display struct {
	theme       *themes.Theme
	glyphs      chart.Glyphs
	w, h        int
	shortened   bool // h is without lines that a notice has taken: only while a frame is drawn
	noColor     bool
	mouse       bool
	marking     []string // the names of keys, while it is looked up what can be clicked: no frame is sent with marks
	themeFixed  bool     // whatever the terminal answers
	themeByUser bool     // chosen by a key or a command, now or in the session: it is saved
}

// New returns the program's model.
func New(ctx context.Context, source Source, o Options) App {
	a := App{source: source, store: model.NewStore(), commands: commands{ctx: ctx}}
	a.env = env{
		title: o.Title, settings: undoHistory{undoState: undoState{now: o.Settings}}, place: place{follow: true},
		display: display{glyphs: chart.Unicode(), noColor: o.NoColor, mouse: o.Mouse},
	}
	a.outside = outside{o.Files, o.Multiplexer, o.KeyMap, o.Suspend}
	a.env.texts[0], _ = source.(TextReader)
	a.env.texts[1], _ = o.Second.(TextReader)
	if a.env.findings.look = o.Look; o.Look == nil {
		a.env.findings.look = a.env.lookAtSamples
	}
	a.env.second = secondRun{source: o.Second, title: o.SecondTitle, store: model.NewStore()}
	a.overlays.notice = o.Notice
	if o.ASCII {
		a.env.display.glyphs = chart.ASCII()
	}
	a.env.display.theme, a.env.display.themeFixed = themes.First(o.Theme, o.Assumed, o.NoColor)
	return a.restoreSession(o)
}

// Init starts reading.
func (a App) Init() tea.Cmd {
	first := []tea.Cmd{readChunk(a.commands.ctx, a.source, 0)}
	if a.env.second.source != nil {
		first = append(first, readSecond(a.commands.ctx, a.env.second.source, 0))
	}
	if a.overlays.notice != "" {
		first = append(first, endNotice(a.commands.ctx, a.overlays.noticeNumber))
	}
	return tea.Batch(first...)
}

// Update handles a message. Then each part of the screen takes the message if it is its answer, and requests what it shows and
// has not got yet, the analysis first.
func (a App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	before := a.overlays.notice
	a = a.handle(msg)
	handled := a.commands.started
	a.commands.started = nil
	a = a.updateAnalysis(msg)
	a.commands.started = append(a.commands.started, handled...)
	a = a.updateSamplePage(msg)
	view, c := a.position.view, &a.commands // what is computed or read in the background
	a.views.sweep.update(a.env, view == viewSweep, c, msg)
	a.views.sweep.advise(a.env, view == viewSweep)
	a.views.compare.update(a.env, view == viewCompare, c, msg)
	a.views.answers.update(a.env, view == viewAnswers, c, msg)
	a.views.groupSize.update(a.env, view == viewGroupSize, c, msg)
	a.views.breakdown.update(a.env, view == viewBreakdown, c, msg)
	a.views.prompts.update(a.env, view == viewPrompts || view == viewPromptFilter, c, msg)
	a.views.grep.update(a.env, view == viewGrep, c, msg)
	a = a.updateSubset(msg)
	a.env.second.update(a.env, a.position.drawsSteps(), c, msg)
	a = a.updateFindings(msg)
	a.views.glance.update(a.env, view == viewGlance, c, msg)
	if a = a.timeNotice(msg, before); a.env.result.analysis != nil { // what the next frame draws from
		a.panes.distribution.cache = a.panes.distribution.charts(a.env, a.panes.chartWidth(a.env))
	}
	a = a.updateFigureCache().updateHelp()
	all := a.commands.started
	a.commands.started = nil
	return a, tea.Batch(all...)
}

// starts has a command run after the message that is being handled.
func (a App) starts(cmd tea.Cmd) App {
	a.commands.start(cmd)
	return a
}

func (c *commands) start(cmd tea.Cmd) {
	if cmd != nil {
		c.started = append(slices.Clip(c.started), cmd)
	}
}

// ownMessage is the answer of one of the program's own commands, but for those of jobs.
type ownMessage interface{ on(a App) App }

func (a App) handle(msg tea.Msg) App {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return a.onKey(msg.String(), msg.Text)
	case tea.PasteMsg:
		return a.paste(msg.Content)
	case tea.WindowSizeMsg:
		a.env.display.w, a.env.display.h = msg.Width, msg.Height
		return a.clampCursor()
	case tea.BackgroundColorMsg:
		if !a.env.display.noColor && !a.env.display.themeFixed {
			a.env.display.theme = themes.Default(msg.IsDark())
		}
	case tea.ColorProfileMsg:
		if msg.Profile <= colorprofile.ASCII { // a cursor that is only a background colour would not be seen
			a.env.display.noColor, a.env.display.theme = true, themes.Mono()
		}
	case tea.MouseMsg:
		return a.onMouse(msg)
	case tea.ResumeMsg:
		return a.onClock(time.Now())
	case ownMessage:
		return msg.on(a)
	}
	return a
}

func (a App) clampCursor() App {
	n, visible := len(a.env.result.rows), max(1, a.panes.visibleGroups(a.env))
	a.env.place.row = clampIndex(a.env.place.row, n)
	a.panes.topRow = max(0, min(a.panes.topRow, n-visible, a.env.place.row), a.env.place.row-visible+1)
	return a
}

func (p panes) screen(e env) layout.Screen {
	held := layout.Held{Groups: 2, OneStep: len(e.snap.Steps) == 1}
	if x := e.result.analysis; x != nil { // of the cursor it does not depend: no border moves with it
		held.Groups += x.Groups + 4 + (x.Rows+x.Groups-1)/max(1, x.Groups)
	}
	s, below := layout.NewScreen(e.display.w, e.display.h, p.frontPane, held), e.comparisonHeight()
	if e.display.shortened || below > 0 && !s.TooSmall {
		s = layout.Arrange(e.display.w, e.display.h-below, p.frontPane, held)
	}
	if p.fullScreen {
		s = s.Only(p.focus)
	}
	return s
}

// chunkMsg is a chunk of the source, or the error that ends reading.
type chunkMsg struct {
	chunk *model.Chunk
	at    time.Time // when it came
	err   error     // io.EOF: the source has ended
}

func (msg chunkMsg) on(a App) App {
	if msg.err != nil {
		a.env.sourceState.ended = true
		a = a.chooseFirstView()
		if !errors.Is(msg.err, io.EOF) && !errors.Is(msg.err, context.Canceled) {
			a.env.sourceState.err = msg.err
		}
		return a
	}
	a.store.Append(msg.chunk)
	a.env.sourceState.lastChunk = msg.at
	a.work.stale = true
	return a.starts(readChunk(a.commands.ctx, a.source, pauseAfter(msg.chunk.Progress)))
}

// readChunk waits for the next chunk, after a pause. Each answer issues it again.
func readChunk(ctx context.Context, s Source, pause time.Duration) tea.Cmd {
	return func() tea.Msg {
		if pause > 0 {
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			}
		}
		chunk, err := s.Next(ctx)
		return chunkMsg{chunk: chunk, at: time.Now(), err: err}
	}
}

// pauseAfter returns how long reading can pause after a chunk. New rows of a file can wait
// in it for the next refresh; the writer of a stream must not be kept waiting.
func pauseAfter(p model.Progress) time.Duration {
	if p.CaughtUp && p.BytesAll > 0 {
		return refreshInterval
	}
	return 0
}

// suspendCommand stops the program and returns when it is continued. Bubble Tea runs it
// like an editor: it reads no keys meanwhile.
type suspendCommand struct{ stop func() error }

var _ tea.ExecCommand = suspendCommand{}

func (s suspendCommand) Run() error { return s.stop() }

func (suspendCommand) SetStdin(io.Reader)  {}
func (suspendCommand) SetStdout(io.Writer) {}
func (suspendCommand) SetStderr(io.Writer) {}

// Source is where samples come from: main passes one in, so the screen knows nothing of
// files. Next blocks until something is new and returns io.EOF when nothing more comes.
type Source interface {
	Next(ctx context.Context) (*model.Chunk, error)
}

// TextReader is a Source that can read the text of a sample again. The samples of one
// that cannot are shown without texts.
type TextReader interface {
	Text(ctx context.Context, at model.Place) (model.Text, error)
}
