package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/groupsize"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

// groupSizeState is the state of the view of what other sizes of groups would do.
type groupSizeState struct {
	job     job[groupSizeKey, *groupsize.Result]
	topLine int // the first in sight
}

// groupSizeKey is all that the estimates depend on.
type groupSizeKey struct {
	revision int
	set      model.Settings // without a filter, which changes nothing
}

// updateGroupSize requests the estimates while their view is open.
func (a App) updateGroupSize(msg tea.Msg) App {
	a.groupSize.job, _, _ = a.groupSize.job.take(msg)
	key := groupSizeKey{a.snap.Revision, a.settings.now}
	key.set.KeepPos, key.set.KeepNeg, key.set.Recompute = 1, 1, false
	if a.position.view != viewGroupSize || a.snap.Rows == 0 || !a.groupSize.job.lacks(key, inTurn) {
		return a
	}
	var cmd tea.Cmd
	snap := a.snap
	a.groupSize.job, cmd = a.groupSize.job.start(a.ctx, key, once(func(ctx context.Context) (*groupsize.Result, error) {
		return groupsize.Run(ctx, snap, key.set, groupsize.DefaultSizes())
	}))
	return a.starts(cmd)
}

func groupSizeKeys() keySection {
	return keySection{"group size", append(listKeys("j k scroll", onSizes),
		binding{[]string{"esc"}, "Esc", "Esc back", "back", App.escape})}
}

// openGroupSize opens the view of what other sizes of groups would do.
func (a App) openGroupSize() App {
	a.groupSize.topLine = 0
	return a.pushView(viewGroupSize)
}

// groupSizeView draws a row per size, and below what the estimates are from.
func (a App) groupSizeView(w, h int) []string {
	lines := a.groupSizeLines(w - 4)
	c := paneContent{title: " group size — what groups of other sizes of the same prompts would do"}.scrolledTo(a.groupSize.topLine, lines, h)
	return a.box(layout.Rect{W: w, H: h}, true, c)
}

// groupSizeLines returns the lines of the view, w cells of text each.
func (a App) groupSizeLines(w int) []string {
	t, r := a.display.theme, a.groupSize.job.value
	if r == nil {
		text := "estimating from the solve rates of all groups …"
		if a.groupSize.job.err != nil {
			text = sanitize.Line(a.groupSize.job.err.Error())
		}
		lines := []string{""}
		for _, line := range cells.Wrap(text, min(w-2, sweepMessageWidth)) {
			lines = append(lines, "  "+t.Paint(themes.Dim, line))
		}
		return lines
	}
	var lines []string
	for i, line := range report.GroupSizeTable(r, w) {
		if i == 0 {
			line = t.Paint(themes.Dim, line)
		}
		lines = append(lines, " "+line)
	}
	lines = append(lines, "")
	for _, note := range report.GroupSizeNotes(report.GroupSize{Result: r, Rewards: a.rewards()}) {
		lines = append(lines, a.labelledLines(note.About, note.Text, w)...)
	}
	return lines
}

// exportedGroupSize returns the estimates.
func (a App) exportedGroupSize() report.Table {
	s := report.Table{Title: "group sizes", Columns: []string{"size", "dead", "dead_low", "dead_high", "none_solved", "all_solved", "samples_per_alive", "samples_per_alive_low", "samples_per_alive_high"}}
	if a.groupSize.job.value == nil {
		return s
	}
	for _, e := range a.groupSize.job.value.Sizes {
		low, high := e.CostRange()
		s.Rows = append(s.Rows, []any{e.Size, e.Dead(), e.LowDead, e.HighDead, e.NoneSolved, e.AllSolved, e.Cost(), low, high})
	}
	return s
}
