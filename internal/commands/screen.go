package commands

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/diagnosis"
	"vantage/themes"
	"vantage/tui"
	"vantage/tui/tty"
)

func (p *explorer) checkTheme() error {
	if _, ok := themes.Find(p.theme); !ok && p.theme != "" {
		return usage(fmt.Errorf("unknown theme %q: choose %s", p.theme, estimators.Alternatives(themes.Names())))
	}
	return nil
}

// runScreen runs a screen until it quits or ctx ends, and returns its last state.
func (p *explorer) runScreen(ctx context.Context, first tea.Model, noColor bool) (last tea.Model, err error) {
	profile := colorprofile.ASCII
	if !noColor {
		profile = colorprofile.Detect(p.out, os.Environ())
	}
	screen, err := tty.New(first, p.out, profile)
	if err != nil {
		return first, err
	}
	stop := context.AfterFunc(ctx, screen.Quit)
	defer stop()
	p.end.screen.Store(screen)
	defer p.end.screen.Store(nil)
	return screen.Run()
}

// options returns the screen's options from the command line, the saved session and the
// user's configuration, in this order of precedence.
func (p *explorer) options(set model.Settings, runs []openRun, home home) tui.Options {
	o := tui.Options{
		Title: runs[0].title, Settings: set, Given: p.given(), SetByFlag: p.isSet, ASCII: p.ascii, Theme: p.theme, Assumed: assumedTheme(),
		NoColor: os.Getenv("NO_COLOR") != "",
	}
	if suspend := suspendFunc(); suspend != nil {
		o.Suspend = func() error { return p.end.screen.Load().Outside(suspend) }
	}
	if texts, ok := runs[0].source.(tui.TextReader); ok {
		o.Look = func(ctx context.Context, snap model.Snapshot, set model.Settings, previous *diagnosis.Look) (*diagnosis.Look, error) {
			return lookAt(ctx, texts, snap, set, diagnosis.Reading{}, previous)
		}
	}
	if reader, ok := runs[0].source.(judge); ok {
		o.Judge = reader.Judge
	}
	if len(runs) > 1 {
		o.Second, o.SecondTitle = runs[1].source, runs[1].title
	}
	o.ASCII, o.Mouse, o.KeyMap = o.ASCII || home.config.ASCII, p.mouse || home.config.Mouse, home.config.Keys
	switch {
	case os.Getenv("TMUX") != "":
		o.Multiplexer = tui.Tmux
	case os.Getenv("STY") != "":
		o.Multiplexer = tui.Screen
	}
	o.SessionStore, o.Session = home.store, home.session
	if home.files != nil {
		for _, run := range runs {
			home.files = home.files.Protect(run.paths) // nothing is saved beside the logs
		}
		o.Files = home.files
	}
	if o.Theme == "" && o.Session.View != nil && !o.NoColor {
		o.Theme = o.Session.View.Theme
	}
	o.Theme = cmp.Or(o.Theme, home.config.Theme)
	o.Notice = p.configSummary
	for _, err := range home.errs {
		o.Notice = strings.TrimPrefix(o.Notice+"; "+err.Error(), "; ")
	}
	return o
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(term.File)
	return ok && term.IsTerminal(f.Fd())
}

// assumedTheme returns the theme for the background that ends COLORFGBG, which some terminals set: 7 and 15
// are light; nil if it is not set.
func assumedTheme() *themes.Theme {
	colours := os.Getenv("COLORFGBG")
	if colours == "" {
		return nil
	}
	last := colours[strings.LastIndexByte(colours, ';')+1:]
	return themes.Default(last != "7" && last != "15")
}

// asciiTerminal guesses whether the terminal shows only ASCII: a bare console, or a locale
// without UTF-8.
func asciiTerminal() bool {
	switch os.Getenv("TERM") {
	case "linux", "dumb", "vt100":
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(os.Getenv(name)); locale != "" {
			return !strings.Contains(locale, "utf-8") && !strings.Contains(locale, "utf8")
		}
	}
	return false
}
