package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/units"
)

// selection is the figures of the groups that the filter shows.
type selection struct {
	asked    selectionQuestion
	busy     bool
	answered selectionQuestion // what the figures are of
	of, base model.Summary     // base is that of the baseline, if there is one
}

// selectionQuestion tells selections apart.
type selectionQuestion struct {
	of, base *model.Analysis
	filter   string
}

// selectionMsg is the figures of a selection.
type selectionMsg struct {
	asked    selectionQuestion
	of, base model.Summary
}

// narrowed reports whether the filter leaves groups out.
func (a App) narrowed() bool {
	return a.result.analysis != nil && len(a.result.rows) < a.result.analysis.Groups
}

// attendSelection asks for the figures of the groups shown, unless they are there or
// an answer is still to come: then they are asked for after it.
func (a App) attendSelection() (App, tea.Cmd) {
	if !a.narrowed() {
		a.result.selection = selection{busy: a.result.selection.busy} // it would hold a step that nobody looks at
		return a, nil
	}
	asked := selectionQuestion{of: a.result.analysis, base: a.result.base, filter: a.filterText()}
	if a.result.selection.busy || asked == a.result.selection.answered {
		return a, nil
	}
	a.result.selection.asked, a.result.selection.busy = asked, true
	groups := slices.Sorted(slices.Values(a.result.rows)) // sums in the order of the step, however it is sorted
	return a, selectGroups(asked, groups)
}

func selectGroups(asked selectionQuestion, groups []int) tea.Cmd {
	return func() tea.Msg {
		msg := selectionMsg{asked: asked, of: asked.of.Select(groups)}
		if base := asked.base; base != nil && base.Groups == asked.of.Groups {
			msg.base = base.Select(groups)
		}
		return msg
	}
}

func (a App) onSelection(msg selectionMsg) App {
	a.result.selection.busy = false
	if msg.asked == a.result.selection.asked {
		a.result.selection.answered, a.result.selection.of, a.result.selection.base = msg.asked, msg.of, msg.base
	}
	return a
}

// figuresShown are those of the groups on the screen: of all, or of those that the filter
// shows; nil while these are computed.
func (a App) figuresShown() *model.Summary {
	switch {
	case !a.narrowed():
		return &a.result.analysis.Summary
	case a.result.selection.answered.filter != a.filterText() || a.result.selection.of.Step != a.result.analysis.Step:
		return nil
	}
	return &a.result.selection.of
}

// figuresBefore are the same under the baseline, nil if there is none.
func (a App) figuresBefore() *model.Summary {
	switch base := a.against(); {
	case base == nil:
		return nil
	case !a.narrowed():
		return &base.Summary
	}
	return &a.result.selection.base
}

// shownOfAll says how many groups the filter shows: "[12/24]", "" if it shows all.
func (a App) shownOfAll() string {
	if a.filterText() == "" {
		return ""
	}
	return fmt.Sprintf("[%s/%s]", units.Count(len(a.result.rows)), units.Count(a.result.analysis.Groups))
}
