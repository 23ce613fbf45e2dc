package tui

import (
	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/match"
	"vantage/model/session"
	"vantage/themes"
	"vantage/tui/env"
	"vantage/tui/help"
	"vantage/tui/job"
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
	Judge        Judge                    // nil: off-policy rules judge nothing
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
	judging  judging
	position position
	saving   saving
	mouse    mouseState
	outside  outside
	commands job.Queue
}

// overlays is what is written over the views and below them.
type overlays struct {
	input        input
	notice       string // shown for noticeDuration or until the next key
	noticeNumber int    // of the latest notice, by which its timer knows it
	help         help.State
}

// outside is what the program is started with to reach beyond the screen, see Options.
type outside struct {
	files       FileSaver // nil: nothing is saved
	multiplexer Multiplexer
	keyMap      map[string]string
	stopProgram func() error
}

// starts has a command run after the message that is being handled.
func (a App) starts(cmd tea.Cmd) App {
	a.commands.Start(cmd)
	return a
}

// ownMessage is the answer of one of the program's own commands, but for those of jobs.
type ownMessage interface{ on(a App) App }

// Source is where samples come from: see [env.Source].
type Source = env.Source

// TextReader reads texts again: see [env.TextReader].
type TextReader = env.TextReader
