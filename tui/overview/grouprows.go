package overview

import (
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/tui/env"
)

// groupsTitle says how many groups are shown, by which filter and in which order.
func groupsTitle(e env.Env, w int) string {
	x := e.Result.Analysis
	title := "groups" + e.OfRun() + "  " + units.Count(x.Groups)
	if e.Result.Filter != "" {
		title = "groups" + e.OfRun() + "  " + e.ShownCount()
	}
	title = e.WithScopeWords(title, w)
	words := env.Sortings()[e.Settings.Order.Column].Words
	if e.Settings.Order.Reversed {
		words += ", reversed"
	}
	if text := sanitize.Line(e.Result.Filter); text != "" {
		return title + " · " + text + " · " + words
	}
	return title + " · " + words
}
