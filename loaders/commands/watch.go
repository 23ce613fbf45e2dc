package commands

import (
	"context"
	"errors"
	"io"
	"time"

	"vantage/loaders"
	"vantage/model"
	"vantage/model/check"
)

// watch follows a run and tells onsets until a signal ends it, or its input. Its exit
// code then says whether a rule fails at the newest step; a signal is how a job ends a
// watch, and no error.
func (p *Program) watch(ctx context.Context, paths []string, set model.Settings, rules []check.Rule, format checkFormat) error {
	source, err := p.Open(paths, true)
	if err != nil {
		return err
	}
	defer source.Close()
	w := watcher{source: source, set: set, watch: check.NewMonitor(rules), tell: func(o check.Transition) error {
		return format.onset(p.to(ctx), o)
	}}
	err = w.run(ctx)
	if err != nil && ctx.Err() == nil {
		return err
	}
	if w.watch.Failing() {
		return &verdict{errRule}
	}
	return nil
}

// watcher is a run that is watched.
type watcher struct {
	source *loaders.Source
	set    model.Settings
	watch  *check.Monitor
	tell   func(check.Transition) error
}

// lookPause is the least time between two looks at files: what comes meanwhile waits in
// them. Who writes a stream would wait.
const lookPause = 500 * time.Millisecond

// run looks whenever all that there is has been read.
func (w *watcher) run(ctx context.Context) error {
	store := model.NewStore()
	doubt := errors.New("no samples came before the input ended")
	for {
		chunk, err := w.source.Next(ctx)
		if errors.Is(err, io.EOF) {
			return doubt
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
		if doubt, err = w.look(ctx, snap); err != nil {
			return err
		}
		if chunk.Progress.BytesAll > 0 {
			select {
			case <-time.After(lookPause):
			case <-ctx.Done():
			}
		}
	}
}

// look holds the steps that are complete by now to the rules. The doubt is why nothing
// could be computed: what cannot be grouped yet may be later.
func (w *watcher) look(ctx context.Context, snap model.Snapshot) (doubt, err error) {
	var unseen []model.Step
	for i, step := range snap.Steps {
		if !snap.Open(i) && !w.watch.Added(step.Number) {
			unseen = append(unseen, step)
		}
	}
	var told error
	doubt = snap.Only(unseen).Each(ctx, w.set, func(a *model.Analysis) error {
		for _, o := range w.watch.Add(&a.Summary) {
			if told = w.tell(o); told != nil {
				return told
			}
		}
		return nil
	})
	switch {
	case told != nil:
		return nil, told
	case doubt != nil:
		return asked(doubt), ctx.Err()
	}
	if err := w.watch.UnknownName(); err != nil {
		return nil, Usage(err)
	}
	return nil, nil
}
