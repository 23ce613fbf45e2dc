package tui

import (
	"fmt"
	"slices"

	"vantage/tui/env"
	"vantage/tui/pane"
	"vantage/tui/reader"
	"vantage/tui/view"
)

// openSample opens the group under the cursor at a sample, given by its row in the log.
func (a App) openSample(sample int) App {
	g := a.env.SelectedGroup()
	if sample > g.Size() {
		return a.says(fmt.Sprintf("the group no longer has a row %d", sample))
	}
	a = a.openGroup()
	a.views.sampleReader.Group, a.views.sampleReader.Sample = env.KeyOf(g), slices.Index(a.env.RankedSamples(g), g.Start+sample-1)
	return a
}

// resumeFollowing follows the newest step again after a group was left, unless the person went to another step meanwhile.
func (a App) resumeFollowing() App {
	if a.position.view != view.Overview || !a.views.sampleReader.ResumeFollow {
		return a
	}
	a.views.sampleReader.ResumeFollow = false
	if a.env.Place.Step != a.views.sampleReader.HeldStep {
		return a
	}
	return a.followNewest().requestAnalysis()
}

// openGroup opens the group under the cursor. Newer steps are not followed meanwhile: text
// that changes cannot be read.
func (a App) openGroup() App {
	if a.env.SelectedGroup() == nil {
		return a.says("no group to open yet")
	}
	a.views.sampleReader.ResumeFollow, a.views.sampleReader.HeldStep = a.env.Place.Follow, a.env.Place.Step
	a.env.Place.Follow = false
	a.views.sampleReader.Group, a.views.sampleReader.InText, a.views.sampleReader.ShowDiff = env.GroupKey{}, false, false
	a.views.sampleReader.Search = reader.TextSearch{}
	return a.pushView(view.Group)
}

// moveGroup opens another group of the table at its best sample.
func (a App) moveGroup(by int) App {
	to := pane.ClampIndex(a.env.Place.Row+by, len(a.env.Result.Rows))
	if to == a.env.Place.Row {
		a.overlays.notice = "no further group"
	}
	a.env.Place.Row = to
	return a.clampCursor()
}
