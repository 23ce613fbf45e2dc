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

	job job[breakdownKey, *report.Breakdown]
}

// breakdownKey is all that the figures depend on.
type breakdownKey struct {
	by, filter string
	analysis   *analysis.Analysis // of these steps, if they are on the screen; else nil
	scope      scope              // else the steps, of all of them the last one, and the revision of the snapshot
	end        int64
	revision   int
	set        model.Settings
}

// isOlder reports whether only rows came since a request.
func (r breakdownKey) isOlder(wanted breakdownKey) bool {
	if (r.analysis == nil) != (wanted.analysis == nil) || r.analysis != nil && r.analysis.Step != wanted.analysis.Step {
		return false
	}
	r.revision, r.analysis = wanted.revision, wanted.analysis
	return r == wanted
}

// updateBreakdown requests the figures while their view is open. A request that is left is cancelled, since it would keep its
// analysis in memory; the figures stay.
func (a App) updateBreakdown(msg tea.Msg) App {
	var isAnswer bool
	if a.breakdown.job, _, isAnswer = a.breakdown.job.take(msg); isAnswer {
		a = a.moveRow(onParts, 0)
	}
	if a.position.view != viewBreakdown || a.result.analysis == nil {
		a.breakdown.job = a.breakdown.job.stop()
		return a
	}
	key := a.wantedBreakdown()
	if !a.breakdown.job.lacks(key, breakdownKey.isOlder) {
		return a
	}
	snap := a.snap
	if key.analysis == nil {
		snap = snap.Only(key.scope.stepsOf(snap, a.stepIndex()))
	}
	var cmd tea.Cmd
	a.breakdown.job, cmd = a.breakdown.job.start(a.ctx, key, divide(key, snap, a.sampleReader.source))
	return a.starts(cmd)
}

// wantedBreakdown returns the request of the figures that belong on the screen. Those of all steps are of
// each of them, even if only some are on the overview.
func (a App) wantedBreakdown() breakdownKey {
	r := breakdownKey{by: a.breakdownBy(), filter: a.settings.filter, set: a.settings.now}
	switch s := a.breakdown.scope; {
	case s.kind == scopeStep:
		r.analysis = a.result.analysis.Last()
	case s == a.place.scope.scope && a.result.every == 1:
		r.analysis = a.result.analysis
	default:
		r.scope, r.end, r.revision = s, a.place.step, a.snap.Revision
	}
	return r
}

// errNoTexts says that a column of the log cannot be read.
var errNoTexts = errors.New("the samples of this source cannot be read again; difficulty, length, fate, step and numeric columns do not need it")

// divide computes the figures of a request.
func divide(r breakdownKey, snap model.Snapshot, source TextReader) work[*report.Breakdown] {
	read := func(context.Context, model.Place) (model.Text, error) { return model.Text{}, errNoTexts }
	if source != nil {
		read = source.Text
	}
	return once(func(ctx context.Context) (*report.Breakdown, error) {
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
		return &b, err
	})
}
