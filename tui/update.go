package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"vantage/model"
	"vantage/themes"
	"vantage/tui/chart"
	"vantage/tui/env"
	"vantage/tui/job"
	"vantage/tui/pane"
	"vantage/tui/view"
)

// New returns the program's model.
func New(ctx context.Context, source env.Source, o Options) App {
	a := App{source: source, store: model.NewStore(), commands: job.Queue{Ctx: ctx}}
	a.env = env.Env{
		Title: o.Title, Settings: env.History{State: env.State{Now: o.Settings}}, Place: env.Place{Follow: true},
		Display: pane.Display{Glyphs: chart.Unicode(), NoColor: o.NoColor, Mouse: o.Mouse},
	}
	a.outside = outside{o.Files, o.Multiplexer, o.KeyMap, o.Suspend}
	a.env.Texts[0], _ = source.(env.TextReader)
	a.env.Tokens.Reader, _ = source.(env.TokenReader)
	a.env.Texts[1], _ = o.Second.(env.TextReader)
	if a.env.Findings.Look = o.Look; o.Look == nil {
		a.env.Findings.Look = a.env.LookAtSamples
	}
	a.env.Second = env.SecondRun{Source: o.Second, Title: o.SecondTitle, Store: model.NewStore()}
	a.judging.judge = o.Judge
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

// Update handles a message, then brings up to date what all views read: the analysis first, because the others are about its steps, and the
// findings before the views, which ask about what was looked at. Each takes the message if that answers its request, and requests what it
// lacks. At last the views work, and the one on the screen draws ahead what its frames share.
func (a App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	before := a.overlays.notice
	a = a.handle(msg)
	handled := a.commands.Started
	a.commands.Started = nil
	a = a.updateJudged(msg).updateAnalysis(msg)
	a.commands.Started = append(a.commands.Started, handled...)
	a = a.resumeFollowing().updateSubset(msg)
	a.env.Second.Update(a.env, a.position.drawsSteps(), &a.commands, msg)
	a = a.updateFindings(msg)
	a.env.UpdateRows(&a.commands, msg)
	a.views.work(a.env, a.position.view, &a.commands, msg)
	a = a.timeNotice(msg, before).prepareFrame().updateHelp()
	all := a.commands.Started
	a.commands.Started = nil
	return a, tea.Batch(all...)
}

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

// prepareFrame has the view on the screen draw ahead what its frames share.
func (a App) prepareFrame() App {
	drawn, ok := a.viewDrawn().(view.Prepared)
	if ok && a.env.Result.Analysis != nil && !a.env.Display.IsTooSmall() {
		drawn.Prepare(a.env, a.env.Display.W, a.env.Display.BodyHeight())
	}
	return a
}
