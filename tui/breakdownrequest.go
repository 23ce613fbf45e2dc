package tui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/report"
)

// breakdownState is the state of the view of who pays.
type breakdownState struct {
	by      string // what divides the samples, "" for the first of analysis.PartKinds
	scope   scope  // of which steps, up to the one on the screen
	topLine int    // the first in sight

	request breakdownRequest // the latest
	number  int              // of the latest
	busy    bool             // its answer is still to come
	cancel  context.CancelFunc
	result  *report.Breakdown // nil: none yet
	err     error
}

// breakdownRequest is all that the figures depend on.
type breakdownRequest struct {
	by, filter string
	analysis   *analysis.Analysis // of these steps, if they are on the screen; else nil
	scope      scope              // else the steps, of all of them the last one, and the revision of the snapshot
	end        int64
	revision   int
	set        model.Settings
}

// isRefresh reports whether only rows came since another request.
func (r breakdownRequest) isRefresh(of breakdownRequest) bool {
	if (r.analysis == nil) != (of.analysis == nil) || r.analysis != nil && r.analysis.Step != of.analysis.Step {
		return false
	}
	r.revision, r.analysis = of.revision, of.analysis
	return r == of
}

// requestBreakdown requests the figures while their view is open, if they depend on something that has
// changed. New rows wait for an answer that is under way: a fast log would starve the screen.
func (a App) requestBreakdown() (App, tea.Cmd) {
	if a.position.view != viewBreakdown || a.result.analysis == nil {
		return a.stopBreakdown(), nil
	}
	request := a.wantedBreakdown()
	before := a.breakdown.request
	if request == before || a.breakdown.busy && request.isRefresh(before) {
		return a, nil
	}
	if a.breakdown.cancel != nil {
		a.breakdown.cancel()
	}
	a.breakdown.request, a.breakdown.busy = request, true
	a.breakdown.number++
	var ctx context.Context
	ctx, a.breakdown.cancel = context.WithCancel(a.ctx)
	snap := a.snap
	if request.analysis == nil {
		snap = snap.Only(request.scope.stepsOf(snap, a.stepIndex()))
	}
	return a, divide(ctx, a.breakdown.number, request, snap, a.sampleReader.source)
}

// wantedBreakdown returns the request of the figures that belong on the screen. Those of all steps are of
// each of them, even if only some are on the overview.
func (a App) wantedBreakdown() breakdownRequest {
	r := breakdownRequest{by: a.breakdownBy(), filter: a.settings.filter, set: a.settings.now}
	switch s := a.breakdown.scope; {
	case s.kind == scopeStep:
		r.analysis = a.result.analysis.Last()
	case s == a.position.scope.scope && a.result.every == 1:
		r.analysis = a.result.analysis
	default:
		r.scope, r.end, r.revision = s, a.position.step, a.snap.Revision
	}
	return r
}

// stopBreakdown cancels the request, which would keep its analysis in memory. The figures stay.
func (a App) stopBreakdown() App {
	if a.breakdown.cancel != nil {
		a.breakdown.cancel()
		a.breakdown.cancel, a.breakdown.request, a.breakdown.busy = nil, breakdownRequest{}, false
		a.breakdown.number++
	}
	return a
}

// errNoTexts says that a column of the log cannot be read.
var errNoTexts = errors.New("the samples of this source cannot be read again; difficulty, length, fate, step and numeric columns do not need it")

// divide computes the figures of a request.
func divide(ctx context.Context, number int, r breakdownRequest, snap model.Snapshot, source TextReader) tea.Cmd {
	read := func(context.Context, model.Place) (model.Text, error) { return model.Text{}, errNoTexts }
	if source != nil {
		read = source.Text
	}
	return func() tea.Msg {
		b := report.Breakdown{By: r.by, Where: r.filter, Note: analysis.PartsNote(&snap.Run, r.by), Settings: r.set.Effective()}
		where, err := figures.ParseQuery(r.filter)
		add := func(a *analysis.Analysis) error {
			partOf, err := a.PartNames(ctx, r.by, read)
			if err != nil {
				return err
			}
			b.Parts.Add(a, func(g, i int) string {
				if !where.MatchesSample(a, g, i) {
					return ""
				}
				return partOf(g, i)
			})
			return ctx.Err()
		}
		switch {
		case err != nil:
		case r.analysis != nil:
			for _, part := range r.analysis.Parts() {
				if err == nil {
					err = add(part)
				}
			}
		default:
			err = analysis.Each(ctx, snap, r.set, add)
		}
		b.Sort()
		return breakdownMsg{number, &b, err}
	}
}

// showIn shows the figures, unless others were requested since.
func (msg breakdownMsg) showIn(a App) App {
	if msg.number != a.breakdown.number {
		return a
	}
	a.breakdown.busy, a.breakdown.result, a.breakdown.err = false, msg.result, msg.err
	return a.scrollBreakdown(0)
}
