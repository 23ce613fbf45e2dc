package tui

import (
	"regexp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"vantage/model/figures"
	"vantage/tui/glossary"
	"vantage/tui/view"
)

// figuresUnderCursor returns the figures of the row, cell or pane that has the cursor, the most telling first.
func (a App) figuresUnderCursor() glossary.List {
	if open, ok := a.viewOpen().(view.Explained); ok && a.env.Result.Analysis != nil {
		return open.Explains(a.env)
	}
	return nil
}

// figuresOnScreen returns the figures of the glossary whose names are on the screen, in the header or the body,
// without those that are known already.
func (a App) figuresOnScreen(known glossary.List) glossary.List {
	if a.env.Display.IsTooSmall() {
		return nil
	}
	a.overlays.help.Open, a.overlays.notice = false, ""
	text := passAt.ReplaceAllString(ansi.Strip(strings.Join(a.linesAbove(), "\n")), "pass@k")
	var l glossary.List
	if d := a.env.Diagnosis(); d != nil && d.Alarms() == 0 {
		l = l.At(figures.Check, d.Health()) // the header has it
	}
	for _, place := range []figures.Place{figures.Step, figures.Fates, figures.Metrics, figures.Warning, figures.Sweep, figures.Sample} {
		for _, e := range figures.All(place) {
			if glossary.ContainsEntry(known, e) {
				continue
			}
			i := slices.IndexFunc(e.AllNames(), func(name string) bool { return !l.Explains(name) && glossary.Mentions(text, name) })
			if i >= 0 {
				l = l.At(place, e.AllNames()[i])
			}
		}
	}
	return l
}

// passAt matches pass@8, of which the glossary has pass@k.
var passAt = regexp.MustCompile(`pass@\d+`)
