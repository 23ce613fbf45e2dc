package commands

import (
	"context"
	"errors"
	"io"
	"time"

	"vantage/loaders"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/check"
)

// watch follows a run and writes transitions until a signal or the end of input. The exit
// code then says whether a rule fails at the newest step. A signal is no error: jobs end a
// watch that way.
func (p *Program) watch(ctx context.Context, paths []string, set model.Settings, rules []check.Rule, format checkFormat, formatName string) error {
	source, err := p.Open(paths, true)
	if err != nil {
		return err
	}
	defer source.Close()
	w := watcher{
		source: source, set: set, monitor: check.NewMonitor(rules),
		print: func(o check.Transition) error { return format.writeTransition(p.stdout(ctx), o) },
		choose: func(snap model.Snapshot, set model.Settings) (model.Settings, error) {
			set, chosen, err := p.choose(ctx, snap, set)
			if err == nil {
				p.noteChoice(formatName, chosen)
			}
			return set, err
		},
	}
	err = w.run(ctx)
	if err != nil && ctx.Err() == nil {
		return err
	}
	if w.monitor.Failing() {
		return &verdictError{errRuleFailed}
	}
	return nil
}

// watcher checks a run while it grows.
type watcher struct {
	source  *loaders.Source
	set     model.Settings
	monitor *check.Monitor
	print   func(check.Transition) error
	choose  func(model.Snapshot, model.Settings) (model.Settings, error)
	chosen  bool // set has the estimator to use
}

// minPollInterval is the minimum time between two checks of files. A stream is checked
// without pause, since its writer would block.
const minPollInterval = 500 * time.Millisecond

// run checks the steps whenever everything has been read.
func (w *watcher) run(ctx context.Context) error {
	store := model.NewStore()
	notReady := errors.New("the input ended without samples")
	for {
		chunk, err := w.source.Next(ctx)
		if errors.Is(err, io.EOF) {
			return notReady
		}
		if err != nil {
			return err
		}
		store.Append(chunk)
		if !chunk.Progress.CaughtUp {
			continue
		}
		snap := store.Snapshot()
		if snap.Rows == 0 {
			continue
		}
		if notReady, err = w.checkSteps(ctx, snap); err != nil {
			return err
		}
		if chunk.Progress.BytesAll > 0 {
			select {
			case <-time.After(minPollInterval):
			case <-ctx.Done():
			}
		}
	}
}

// checkSteps evaluates the rules on steps that have become complete. notReady says why
// nothing could be computed: samples that cannot be grouped yet may be later.
func (w *watcher) checkSteps(ctx context.Context, snap model.Snapshot) (notReady, err error) {
	var added []model.Step
	for i, step := range snap.Steps {
		if !snap.Open(i) && !w.monitor.Added(step.Number) {
			added = append(added, step)
		}
	}
	if len(added) > 0 && !w.chosen { // the advantages of the first complete steps decide
		if w.set, err = w.choose(snap, w.set); err != nil {
			return nil, err
		}
		w.chosen = true
	}
	var printErr error
	notReady = analysis.Each(ctx, snap.Only(added), w.set, func(a *analysis.Analysis) error {
		for _, o := range w.monitor.Add(&a.Summary) {
			if printErr = w.print(o); printErr != nil {
				return printErr
			}
		}
		return nil
	})
	switch {
	case printErr != nil:
		return nil, printErr
	case notReady != nil:
		return classifyError(notReady), ctx.Err()
	}
	if err := w.monitor.CheckNames(); err != nil {
		return nil, Usage(err)
	}
	return nil, nil
}
