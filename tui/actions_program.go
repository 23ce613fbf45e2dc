package tui

import (
	tea "charm.land/bubbletea/v2"

	"vantage/themes"
)

func (a App) nextTheme() App {
	all := themes.All()
	for i, t := range all {
		if t.Name == a.display.theme.Name {
			a.display = a.display.withTheme(all[(i+1)%len(all)])
			break
		}
	}
	a.notice = "theme: " + a.display.theme.Name + ", " + a.display.theme.Doc
	return a
}

// toggleHelp opens the help on the keys, turns it to the estimator, and closes it.
func (a App) toggleHelp() App {
	a.help.open, a.help.onEstimator = !a.help.onEstimator, a.help.open && !a.help.onEstimator
	a.help.search = helpSearch{}
	return a
}

func (a App) redraw() App { return a.starts(tea.ClearScreen) }

// suspend stops the program until the shell continues it.
func (a App) suspend() App {
	if a.outside.stopProgram == nil {
		a.notice = "cannot suspend: there is no shell to resume from"
		return a
	}
	return a.starts(tea.Exec(suspendCommand{a.outside.stopProgram}, nil))
}

func (a App) quit() App { return a.starts(tea.Quit) }
