package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/diagnosis"
	"vantage/tui/env"
	"vantage/tui/job"
)

// updateFindings requests a look at the run when everything that was there has been read and computed, and again when other steps are
// complete. What was found before stays until then.
func (a App) updateFindings(msg tea.Msg) App {
	selected, open := a.views.glance.Selection(a.env), a.env.Found(a.views.finding)
	if a.env.Findings.Job.Take(&a.commands, msg) {
		if look := a.env.Findings.Job.Value.Look; look != nil {
			a.env.Snap.Run.Progress.RowTime = look.Dated
		}
		a.views.glance.Cursor, a.views.finding = a.views.glance.Index(a.env, selected), 0
		if open != nil {
			a.views.finding = max(0, slices.IndexFunc(a.env.FoundList(), func(f diagnosis.Finding) bool { return f.Kind == open.Kind }))
		}
	}
	if t := a.env.Result.Trend; t == nil || !t.Complete() || a.env.IsReading() {
		return a
	}
	if a.env.Findings.Snapshots != a.work.snapshots {
		a.env.Findings.Snapshots, a.env.Findings.Steps = a.work.snapshots, env.HashOfComplete(a.env.Snap)
	}
	now, ofLog := a.env.Settings.Now, a.env.Session.AutoEstimator
	key := env.FindingsKey{Steps: a.env.Findings.Steps, Set: model.Settings{
		Reward: now.Reward, Weights: now.Weights, SolvedAt: now.SolvedAt,
		GroupBy: now.GroupBy, NumGenerations: now.NumGenerations, Proved: now.Proved,
		Framework: ofLog.Framework, Estimator: ofLog.Name, Scale: estimators.Scale(ofLog.Scale), Options: ofLog.Options,
		Assumed: now.Assumed,
	}}
	if !a.env.Findings.Job.Lacks(key, func(was, wanted env.FindingsKey) bool { return was.Set == wanted.Set }) {
		return a
	}
	look, snap, previous, again := a.env.Findings.Look, a.env.Snap, a.env.Findings.Job.Value, time.Time{}
	sawHalf := previous.Look != nil && previous.Diagnosis != nil && 2*previous.Diagnosis.Steps >= len(a.env.Snap.Steps)
	if a.env.Findings.Job.Of.Set == key.Set && sawHalf { // else there is more to see than was seen
		again = previous.Again
	}
	a.env.Findings.Job.Start(&a.commands, key, job.Once(func(ctx context.Context) (x env.FinishedLook, err error) {
		if err := job.Rest(ctx, again); err != nil {
			return x, err
		}
		began := time.Now()
		x.Look, err = look(ctx, snap, key.Set, previous.Look)
		x.Again = job.Again(began)
		return x, err
	}))
	return a
}
