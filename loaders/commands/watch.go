package commands

import (
	"context"
	"errors"
	"io"
	"time"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/check"
	"vantage/model/choice"
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
		source: source, given: set, monitor: check.NewMonitor(rules),
		print: func(o check.Transition) error { return format.writeTransition(p.output(ctx, formatName), o) },
		choose: func(snap model.Snapshot, set model.Settings) (model.Settings, bool, error) {
			set, chosen, err := p.choose(ctx, snap, set)
			if err == nil {
				p.noteChoice(formatName, chosen)
			}
			return set, chosen.Rewards.Origin != choice.Assumed, err
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

// chunkSource is a log that is followed.
type chunkSource interface {
	Next(context.Context) (*model.Chunk, error)
}

// watcher checks a run while it grows.
type watcher struct {
	source  chunkSource
	given   model.Settings // before anything is chosen by the log
	set     model.Settings // to compute with
	monitor *check.Monitor
	print   func(check.Transition) error
	recheck <-chan time.Time // when to check a short step again; nil if never
	choose  func(model.Snapshot, model.Settings) (_ model.Settings, settled bool, _ error)
	settled bool // later steps cannot change set
	steps   int  // when set was chosen; 0: it was not
}

// minPollInterval is the minimum time between two checks of files. A stream is checked
// without pause, since its writer would block.
const minPollInterval = 500 * time.Millisecond

// run checks the steps whenever everything has been read.
func (w *watcher) run(ctx context.Context) error {
	store := model.NewStore()
	notReady := errors.New("the input ended without samples")
	chunks := make(chan readResult, 1)
	w.read(ctx, chunks)
	for {
		var got readResult
		select {
		case got = <-chunks:
		case <-w.recheck:
		}
		if got.chunk != nil {
			store.Append(got.chunk)
		}
		ended := errors.Is(got.err, io.EOF)
		if got.err != nil && !ended {
			return got.err
		}
		if got.caughtUp() {
			if snap := store.Snapshot(); snap.Rows > 0 {
				var err error
				if notReady, err = w.checkSteps(ctx, snap, ended); err != nil {
					return err
				}
			}
		}
		if ended {
			return notReady
		}
		if got.chunk != nil {
			got.pause(ctx)
			w.read(ctx, chunks)
		}
	}
}

// readResult is the next chunk of the source or its error; the zero value says that the steps are to
// be checked again without one.
type readResult struct {
	chunk *model.Chunk
	err   error
}

// caughtUp reports whether everything that is there has been read.
func (r readResult) caughtUp() bool { return r.chunk == nil || r.chunk.Progress.CaughtUp }

// pause waits before files are read again once everything has been read.
func (r readResult) pause(ctx context.Context) {
	if r.caughtUp() && r.chunk.Progress.BytesAll > 0 {
		select {
		case <-time.After(minPollInterval):
		case <-ctx.Done():
		}
	}
}

// read reads the next chunk in the background.
func (w *watcher) read(ctx context.Context, chunks chan<- readResult) {
	go func() {
		chunk, err := w.source.Next(ctx)
		chunks <- readResult{chunk, err}
	}()
}

// awaitRows makes a short last step be checked again once it counts as complete, and reports whether
// it does not yet.
func (w *watcher) awaitRows(snap model.Snapshot, ended bool) (step int64, pending bool) {
	w.recheck = nil
	s, short := check.FindShortStep(snap)
	left := time.Until(s.CompleteAfter)
	if !short || ended || left <= 0 {
		return 0, false
	}
	w.recheck = time.After(left)
	return s.Step, true
}

// chooseSettings lets the advantages of the first complete steps decide, and again those of twice as many
// while the reward is only assumed.
func (w *watcher) chooseSettings(snap model.Snapshot) (err error) {
	if w.settled || len(snap.Steps) < 2*w.steps {
		return nil
	}
	w.set, w.settled, err = w.choose(snap, w.given)
	w.steps = len(snap.Steps)
	return err
}

// checkSteps evaluates the rules on steps that have become complete. notReady says why
// nothing could be computed: samples that cannot be grouped yet may be later.
func (w *watcher) checkSteps(ctx context.Context, snap model.Snapshot, ended bool) (notReady, err error) {
	var added []model.Step
	short, pending := w.awaitRows(snap, ended)
	for i, step := range snap.Steps {
		if pending && step.Number == short {
			continue
		}
		if !snap.Open(i) && !w.monitor.Added(step.Number) {
			added = append(added, step)
		}
	}
	if len(added) > 0 {
		if err := w.chooseSettings(snap); err != nil {
			return nil, err
		}
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
	for _, o := range w.monitor.AddLog(check.LogOf(snap), snap.Steps[len(snap.Steps)-1].Number) {
		if printErr == nil {
			printErr = w.print(o)
		}
	}
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
