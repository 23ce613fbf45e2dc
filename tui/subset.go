package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/units"
)

// subset is the figures of the groups that the filter shows.
type subset struct {
	request              subsetRequest
	busy                 bool
	answered             subsetRequest // what the figures are of
	figures, baseFigures model.Summary // base is that of the baseline, if there is one
}

// subsetRequest tells selections apart.
type subsetRequest struct {
	analysis, base *model.Analysis
	filter         string
}

// isFiltered reports whether the filter leaves groups out.
func (a App) isFiltered() bool {
	return a.result.analysis != nil && len(a.result.rows) < a.result.analysis.Groups
}

// requestSubset asks for the figures of the groups shown, unless they are there or
// an answer is still to come: then they are asked for after it.
func (a App) requestSubset() (App, tea.Cmd) {
	if !a.isFiltered() {
		a.result.subset = subset{busy: a.result.subset.busy} // it would hold a step that nobody looks at
		return a, nil
	}
	asked := subsetRequest{analysis: a.result.analysis, base: a.result.base, filter: a.activeFilter()}
	if a.result.subset.busy || asked == a.result.subset.answered {
		return a, nil
	}
	a.result.subset.request, a.result.subset.busy = asked, true
	groups := slices.Sorted(slices.Values(a.result.rows)) // sums in the order of the step, however it is sorted
	return a, computeSubset(asked, groups)
}

func computeSubset(asked subsetRequest, groups []int) tea.Cmd {
	return func() tea.Msg {
		msg := subsetMsg{request: asked, figures: asked.analysis.Subset(groups)}
		if base := asked.base; base != nil && base.Groups == asked.analysis.Groups {
			msg.baseFigures = base.Subset(groups)
		}
		return msg
	}
}

func (a App) onSubset(msg subsetMsg) App {
	a.result.subset.busy = false
	if msg.request == a.result.subset.request {
		a.result.subset.answered, a.result.subset.figures, a.result.subset.baseFigures = msg.request, msg.figures, msg.baseFigures
	}
	return a
}

// shownFigures are those of the groups on the screen: of all, or of those that the filter
// shows; nil while these are computed.
func (a App) shownFigures() *model.Summary {
	switch {
	case !a.isFiltered():
		return &a.result.analysis.Summary
	case a.result.subset.answered.filter != a.activeFilter() || a.result.subset.figures.Step != a.result.analysis.Step:
		return nil
	}
	return &a.result.subset.figures
}

// baselineFigures are the same under the baseline, nil if there is none.
func (a App) baselineFigures() *model.Summary {
	switch base := a.baselineAnalysis(); {
	case base == nil:
		return nil
	case !a.isFiltered():
		return &base.Summary
	}
	return &a.result.subset.baseFigures
}

// shownCount says how many groups the filter shows: "[12/24]", "" if it shows all.
func (a App) shownCount() string {
	if a.activeFilter() == "" {
		return ""
	}
	return fmt.Sprintf("[%s/%s]", units.Count(len(a.result.rows)), units.Count(a.result.analysis.Groups))
}
