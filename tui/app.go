package tui

import (
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"vantage/model"
	"vantage/model/match"
	"vantage/model/session"
	"vantage/themes"
	"vantage/tui/chart"
	"vantage/tui/env"
	"vantage/tui/job"
	"vantage/tui/layout"
	"vantage/tui/pane"
)

// Options are what the program is started with.
type Options struct {
	Title        string // what is open, as the person named it
	Settings     model.Settings
	Given        match.Given // which of framework, estimator and scale the command line sets
	ASCII        bool        // draw with ASCII characters only
	NoColor      bool        // even if the terminal has colours
	Second       env.Source  // a second run to compare with, or nil
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
	Look         env.LookAtRun            // nil: it looks at the samples alone
	SetByFlag    func(option string) bool // reports whether a flag sets an option: it wins over the session; nil: none does
}

// App is the state of the screen: what all views share, the views, and what is around them.
type App struct {
	env      env.Env
	views    views
	overlays overlays
	source   env.Source
	store    *model.Store // only Update touches it
	work     background
	position position
	panes    panes
	saving   saving
	mouse    mouseState
	outside  outside
	commands job.Queue
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
	problems     int              // the first line in sight of how the log was read
	destination  *env.Destination // of the cursor, when its step is analysed; nil: none
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

// New returns the program's model.
func New(ctx context.Context, source env.Source, o Options) App {
	a := App{source: source, store: model.NewStore(), commands: job.Queue{Ctx: ctx}}
	a.env = env.Env{
		Title: o.Title, Settings: env.History{State: env.State{Now: o.Settings}}, Place: env.Place{Follow: true},
		Display: pane.Display{Glyphs: chart.Unicode(), NoColor: o.NoColor, Mouse: o.Mouse},
	}
	a.outside = outside{o.Files, o.Multiplexer, o.KeyMap, o.Suspend}
	a.env.Texts[0], _ = source.(env.TextReader)
	a.env.Texts[1], _ = o.Second.(env.TextReader)
	if a.env.Findings.Look = o.Look; o.Look == nil {
		a.env.Findings.Look = a.env.LookAtSamples
	}
	a.env.Second = env.SecondRun{Source: o.Second, Title: o.SecondTitle, Store: model.NewStore()}
	a.overlays.notice = o.Notice
	if o.ASCII {
		a.env.Display.Glyphs = chart.ASCII()
	}
	a.env.Display.Theme, a.env.Display.ThemeFixed = themes.First(o.Theme, o.Assumed, o.NoColor)
	return a.restoreSession(o)
}

// Init starts reading.
func (a App) Init() tea.Cmd {
	first := []tea.Cmd{readChunk(a.commands.Ctx, a.source, 0)}
	if a.env.Second.Source != nil {
		first = append(first, readSecond(a.commands.Ctx, a.env.Second.Source, 0))
	}
	if a.overlays.notice != "" {
		first = append(first, endNotice(a.commands.Ctx, a.overlays.noticeNumber))
	}
	return tea.Batch(first...)
}

// Update handles a message. Then each part of the screen takes the message if it is its answer, and requests what it shows and
// has not got yet, the analysis first.
func (a App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	before := a.overlays.notice
	a = a.handle(msg)
	handled := a.commands.Started
	a.commands.Started = nil
	a = a.updateAnalysis(msg)
	a.commands.Started = append(a.commands.Started, handled...)
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
	a.env.Second.Update(a.env, a.position.drawsSteps(), c, msg)
	a = a.updateFindings(msg)
	a.views.glance.update(a.env, view == viewGlance, c, msg)
	if a = a.timeNotice(msg, before); a.env.Result.Analysis != nil { // what the next frame draws from
		a.panes.distribution.cache = a.panes.distribution.charts(a.env, a.panes.chartWidth(a.env))
	}
	a = a.updateFigureCache().updateHelp()
	all := a.commands.Started
	a.commands.Started = nil
	return a, tea.Batch(all...)
}

// starts has a command run after the message that is being handled.
func (a App) starts(cmd tea.Cmd) App {
	a.commands.Start(cmd)
	return a
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
		a.env.Display.W, a.env.Display.H = msg.Width, msg.Height
		return a.clampCursor()
	case tea.BackgroundColorMsg:
		if !a.env.Display.NoColor && !a.env.Display.ThemeFixed {
			a.env.Display.Theme = themes.Default(msg.IsDark())
		}
	case tea.ColorProfileMsg:
		if msg.Profile <= colorprofile.ASCII { // a cursor that is only a background colour would not be seen
			a.env.Display.NoColor, a.env.Display.Theme = true, themes.Mono()
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
	n, visible := len(a.env.Result.Rows), max(1, a.panes.visibleGroups(a.env))
	a.env.Place.Row = pane.ClampIndex(a.env.Place.Row, n)
	a.panes.topRow = max(0, min(a.panes.topRow, n-visible, a.env.Place.Row), a.env.Place.Row-visible+1)
	return a
}

func (p panes) screen(e env.Env) layout.Screen {
	held := layout.Held{Groups: 2, OneStep: len(e.Snap.Steps) == 1}
	if x := e.Result.Analysis; x != nil { // of the cursor it does not depend: no border moves with it
		held.Groups += x.Groups + 4 + (x.Rows+x.Groups-1)/max(1, x.Groups)
	}
	s, below := layout.NewScreen(e.Display.W, e.Display.H, p.frontPane, held), comparisonHeight(e)
	if e.Display.Shortened || below > 0 && !s.TooSmall {
		s = layout.Arrange(e.Display.W, e.Display.H-below, p.frontPane, held)
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
		a.env.SourceState.Ended = true
		a = a.chooseFirstView()
		if !errors.Is(msg.err, io.EOF) && !errors.Is(msg.err, context.Canceled) {
			a.env.SourceState.Err = msg.err
		}
		return a
	}
	a.store.Append(msg.chunk)
	a.env.SourceState.LastChunk = msg.at
	a.work.stale = true
	return a.starts(readChunk(a.commands.Ctx, a.source, pauseAfter(msg.chunk.Progress)))
}

// readChunk waits for the next chunk, after a pause. Each answer issues it again.
func readChunk(ctx context.Context, s env.Source, pause time.Duration) tea.Cmd {
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

func (suspendCommand) SetStdin(io.Reader) {}

func (suspendCommand) SetStdout(io.Writer) {}

func (suspendCommand) SetStderr(io.Writer) {}

// Source and TextReader are what the program is opened with: see [env.Source].
type (
	Source     = env.Source
	TextReader = env.TextReader
)
