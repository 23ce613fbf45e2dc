package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/check"
	"vantage/model/diagnosis"
	"vantage/model/fault"
	"vantage/model/match"
	"vantage/model/units"
)

// watch follows a run and writes transitions until a signal or the end of input. The exit
// code then says whether a rule fails at the newest step. A signal is no error: jobs end a
// watch that way.
func (c *call) watch(ctx context.Context, o *checkOptions) error {
	source, err := c.p.open(c.paths, true)
	if err != nil {
		return err
	}
	defer source.Close()
	ctx, stop := c.p.whileRead(ctx)
	defer stop()
	w := watcher{
		source: source, log: source, given: c.set, set: c.set, monitor: check.NewMonitor(check.ByKind(o.rules)),
		print:   func(t check.Transition) error { return o.write.transition(c.output(ctx), t) },
		choose:  c.p.choose,
		judged:  c.p.judged,
		note:    c.noteChoice,
		every:   o.texts.every,
		link:    linkWatch{note: func(text string) { c.note(text) }},
		nothing: func(problem string) { c.note("no samples so far: " + problem + c.p.whereAverages(c.paths)) },
	}
	err = w.run(ctx, ctx)
	if err != nil && ctx.Err() == nil {
		return err
	}
	switch {
	case w.monitor.Failing():
		return &verdictError{errRuleFailed}
	case errors.Is(context.Cause(ctx), syscall.EPIPE):
		return syscall.EPIPE
	case w.attempt == 0: // there was no sample to check
		return stopped(ctx)
	}
	return nil
}

// whileRead returns a context that also ends when nothing reads the pipe or socket any more that the output is: a command that follows a
// log may write nothing for hours.
func (p *program) whileRead(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	out, ok := p.out.(interface {
		Fd() uintptr
		Stat() (os.FileInfo, error)
	})
	if !ok {
		return ctx, func() { cancel(nil) }
	}
	if info, err := out.Stat(); err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 {
		fd := []unix.PollFd{{Fd: int32(out.Fd())}} // no events: errors and its end are told without
		fault.Go(func() {
			for {
				if n, err := unix.Poll(fd, -1); n > 0 || err != unix.EINTR {
					break
				}
			}
			if fd[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0 {
				cancel(unix.EPIPE)
			}
		})
	}
	return ctx, func() { cancel(nil) }
}

// chunkSource is a log that is followed.
type chunkSource interface {
	Next(context.Context) (*model.Chunk, error)
}

// watcher checks a run while it grows.
type watcher struct {
	source    chunkSource
	log       textReader     // that can be read again; nil if it cannot
	given     model.Settings // before anything is chosen by the log
	set       model.Settings // to compute with
	monitor   *check.Monitor
	print     func(check.Transition) error
	recheck   <-chan time.Time // when to check a short step or stalls again; nil if never
	recheckAt time.Time        // when that is
	choose    func(context.Context, model.Snapshot, model.Settings) (model.Settings, match.Choice, error)
	judged    func(ctx context.Context, log textReader, snap model.Snapshot, settings ...model.Settings) (model.Snapshot, error)
	note      func(match.Choice)
	chosen    match.Choice // of set; the zero value before the first complete step
	steps     int          // when set was chosen
	attempt   int          // of the run whose steps were added to monitor

	each    func(*analysis.StepFigures) error // what else is done with each complete step; may be nil
	backlog int                               // of the steps that are complete at the beginning only so many of the newest count; 0 is all
	begun   bool                              // some steps were added
	newest  int64                             // number of the newest step that was seen

	every   bool                                  // all texts are read
	look    *diagnosis.Look                       // the last one at what ails the run; nil if nothing asks
	found   func(int64, *diagnosis.Finding) error // what else is done with a finding that begins to hold, and at which step; may be nil
	said    map[[3]string]bool                    // of which findings that was done, by severity, kind and what shows it
	lasting *diagnosis.Diagnosis                  // what ails the run at its newest complete step; nil if nothing asks

	nothing  func(problem string) // told once if all that there is to read is no sample; may be nil
	notReady error                // why nothing can be computed of what was read; nil if it can

	link linkWatch
}

// minPollInterval is the minimum time between two checks of files. A stream is checked
// without pause, since its writer would block.
const minPollInterval = 500 * time.Millisecond

// run checks the steps whenever everything has been read. It ends when waiting does; what was read until then is checked.
func (w *watcher) run(ctx, waiting context.Context) error {
	store := model.NewStore()
	w.notReady = errors.New("the input ended without samples")
	chunks := w.read(waiting)
	for {
		var got readResult
		select {
		case outcome := <-chunks:
			got = outcome.Get()
		case <-w.recheck:
		}
		if got.chunk != nil {
			store.Append(got.chunk)
			w.link.see(got.chunk.Progress.Link, time.Now())
		}
		ended := errors.Is(got.err, io.EOF)
		if got.err != nil && !ended {
			return got.err
		}
		if got.caughtUp() {
			if err := w.checkAll(ctx, store.Snapshot(), ended); err != nil {
				return err
			}
		}
		if ended {
			return w.notReady
		}
		if got.chunk == nil {
			continue
		}
		if got.caughtUp() && got.chunk.Progress.BytesAll > 0 { // of files; the writer of a stream would block
			select {
			case <-time.After(minPollInterval):
			case <-waiting.Done():
			}
		}
		chunks = w.read(waiting)
	}
}

// checkAll checks the steps of all that was read so far, or tells once that it has no sample.
func (w *watcher) checkAll(ctx context.Context, snap model.Snapshot, ended bool) (err error) {
	switch {
	case snap.Rows > 0:
		w.notReady, err = w.checkSteps(ctx, snap, ended)
	case len(snap.Run.Problems) > 0 && w.nothing != nil:
		w.nothing(snap.Run.Problems[0].String())
		w.nothing = nil
	}
	return err
}

// readResult is the next chunk of the source or its error; the zero value says that the steps are to
// be checked again without one.
type readResult struct {
	chunk *model.Chunk
	err   error
}

func (r readResult) caughtUp() bool { return r.chunk == nil || r.chunk.Progress.CaughtUp }

func (w *watcher) read(ctx context.Context) <-chan fault.Outcome[readResult] {
	return fault.Later(func() readResult {
		chunk, err := w.source.Next(ctx)
		return readResult{chunk: chunk, err: err}
	})
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
	w.recheckAt, w.recheck = s.CompleteAfter, time.After(left)
	return s.Step, true
}

// checkSteps evaluates the rules on steps that have become complete. notReady says why
// nothing could be computed: samples that cannot be grouped yet may be later.
func (w *watcher) checkSteps(ctx context.Context, snap model.Snapshot, ended bool) (notReady, err error) {
	snap, added, err := w.judgedSteps(ctx, snap, ended)
	if err != nil {
		return nil, err
	}
	notReady, printErr := w.judge(ctx, snap, added)
	if len(added) > 0 && notReady == nil && printErr == nil {
		printErr = w.tell(added[0].Number, added[len(added)-1].Number)
	}
	log := check.LogOf(snap, time.Now())
	log.Diagnosis = w.lasting
	if at := log.StallsAt(w.monitor.Rules()); !at.IsZero() && !ended && (w.recheck == nil || !w.recheckAt.Before(at)) {
		w.recheckAt, w.recheck = at, time.After(time.Until(at)) // when a rule on stalls begins to fail if no row comes
	}
	for _, o := range w.monitor.AddLog(log, snap.Steps[len(snap.Steps)-1].Number) {
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
		return nil, usage(err)
	}
	return nil, nil
}

// diagnose looks at what ails the run at its complete steps, of which some are new, if anything asks.
func (w *watcher) diagnose(ctx context.Context, snap model.Snapshot, added []model.Step) (err error) {
	if len(added) == 0 || w.found == nil && !slices.ContainsFunc(w.monitor.Rules(), asksForLook) {
		return nil
	}
	isNew := map[int64]bool{}
	for _, s := range added {
		isNew[s.Number] = true
	}
	isOpen := func(s model.Step) bool { return !w.monitor.Added(s.Number) && !isNew[s.Number] }
	complete := slices.DeleteFunc(slices.Clone(snap.Steps), isOpen)
	how := diagnosis.Reading{Every: w.every, From: added[0].Number}
	if w.look, err = lookAt(ctx, w.log, snap.Only(complete), w.set, how, w.look); err != nil {
		return err
	}
	if w.found != nil || slices.ContainsFunc(w.monitor.Rules(), check.Rule.OfFindings) {
		w.lasting = w.look.Diagnosis.Lasting()
	}
	return nil
}

// tell tells of what was found at new steps and not before.
func (w *watcher) tell(first, newest int64) (printErr error) {
	if w.found == nil {
		return nil
	}
	findings := w.look.Diagnosis.Within(first, newest).Findings
	for i := range findings {
		f := &findings[i]
		key := [3]string{string(f.Severity), string(f.Kind), f.Series.Name}
		if w.said[key] {
			continue
		}
		if w.said == nil {
			w.said = map[[3]string]bool{}
		}
		w.said[key] = true
		if printErr = w.found(newest, f); printErr != nil {
			break
		}
	}
	return printErr
}

// judgedSteps returns the steps that have become complete, and the snapshot with what the off-policy rule makes of them.
func (w *watcher) judgedSteps(ctx context.Context, snap model.Snapshot, ended bool) (model.Snapshot, []model.Step, error) {
	added, err := w.newSteps(ctx, snap, ended)
	if err == nil && len(added) > 0 && w.set.OffPolicy != "" {
		snap, err = w.judged(ctx, w.log, snap, w.set)
	}
	return snap, added, err
}

// newSteps returns the steps that have become complete, for which reward and estimator are settled.
func (w *watcher) newSteps(ctx context.Context, snap model.Snapshot, ended bool) (added []model.Step, err error) {
	attempt := max(1, snap.Run.Attempts.Count)
	if w.attempt > 0 && attempt > w.attempt { // the run was started again: all its steps are new
		w.monitor.StartAgain()
		w.said = nil
	}
	w.attempt = max(w.attempt, attempt)
	short, pending := w.awaitRows(snap, ended)
	for i, step := range snap.Steps {
		isShort := pending && step.Number == short
		if !isShort && !snap.Open(i) && !w.monitor.Added(step.Number) {
			added = append(added, step)
		}
	}
	w.newest = snap.Steps[len(snap.Steps)-1].Number
	if err := w.settle(ctx, snap, added); err != nil {
		return nil, err
	}
	if w.begun || w.backlog == 0 || len(added) == 0 {
		return added, nil
	}
	w.begun = true
	old := max(0, len(added)-w.backlog)
	for _, step := range added[:old] {
		w.monitor.Add(&analysis.StepFigures{Step: step.Number}) // so that it is not new any more
	}
	return added[old:], nil
}

// judge looks at the run, and evaluates the rules on new steps. It returns why they cannot be computed, and an error of printing.
func (w *watcher) judge(ctx context.Context, snap model.Snapshot, added []model.Step) (notReady, printErr error) {
	if notReady = w.diagnose(ctx, snap, added); notReady != nil {
		return notReady, nil
	}
	var answers diagnosis.Answers
	if w.look != nil {
		answers = w.look.Diagnosis.Answers
	}
	notReady = analysis.Each(ctx, snap.Only(added), w.set, func(a *analysis.Analysis) error {
		warnAlike(answers, &a.StepFigures, a)
		if w.each != nil {
			if printErr = w.each(&a.StepFigures); printErr != nil {
				return printErr
			}
		}
		for _, o := range w.monitor.Add(&a.StepFigures) {
			if printErr = w.print(o); printErr != nil {
				return printErr
			}
		}
		return nil
	})
	return notReady, printErr
}

// settle decides on reward and estimator when the first steps are complete, and again when there are twice
// as many while the reward is only assumed.
func (w *watcher) settle(ctx context.Context, snap model.Snapshot, added []model.Step) error {
	switch {
	case len(added) == 0:
		return nil
	case w.chosen.Origin != "" && (w.chosen.Rewards.Origin != match.Assumed || len(snap.Steps) < 2*w.steps):
		return w.regroup(ctx, snap, added)
	}
	set, chosen, err := w.choose(ctx, snap, w.given)
	if err != nil {
		return err
	}
	if chosen.String() != w.chosen.String() || chosen.Rewards.String() != w.chosen.Rewards.String() {
		w.note(chosen)
	}
	w.set, w.chosen, w.steps = set, chosen, len(snap.Steps)
	return nil
}

// regroup changes the groups if the advantages of new steps and of all prove others: a prompt may come twice in a
// step for the first time.
func (w *watcher) regroup(ctx context.Context, snap model.Snapshot, added []model.Step) error {
	if !w.chosen.Confirmed() {
		return nil
	}
	set, _, err := w.choose(ctx, snap.Only(added), w.set)
	if err != nil || set.Proved == w.set.Proved {
		return err
	}
	set, chosen, err := w.choose(ctx, snap, w.set)
	if err != nil || set.Proved == w.set.Proved {
		return err
	}
	w.set.Proved, w.chosen.Groups, w.chosen.Division = set.Proved, chosen.Groups, chosen.Division
	w.note(w.chosen)
	return nil
}

// outagePause is the least time between two notes that a link was lost: one that comes and goes is not noted each time.
const outagePause = time.Minute

// linkWatch says how the link to a node or a store is, for commands that follow a run and have no screen.
type linkWatch struct {
	note func(string) // nil if nothing is noted while the run is followed

	link  model.Link // as it was seen last
	since time.Time  // it is connecting, or lost; zero while it is up
	noted time.Time  // when it was noted last that it was lost
	isOut bool       // that note still holds
}

// see notes that the link was lost, with the reason, and that it is there again.
func (l *linkWatch) see(link model.Link, now time.Time) {
	l.link = link
	if link.State == model.LinkUp {
		if l.isOut {
			l.note(fmt.Sprintf("%s answers again, after %s", link.Host, units.ApproxDuration(now.Sub(l.since))))
		}
		l.since, l.isOut = time.Time{}, false
		return
	}
	if l.since.IsZero() {
		l.since = now
	}
	isNews := link.State == model.LinkLost && !l.isOut
	isDue := l.noted.IsZero() || now.Sub(l.noted) >= outagePause
	if isNews && isDue && l.note != nil {
		l.isOut, l.noted = true, now
		l.note(l.trouble(now))
	}
}

// trouble says what is wrong with the link, how long it has been so, and why: "reconnecting to node7 for 8 s: cannot be
// reached: …"; "" while the link is up.
func (l *linkWatch) trouble(now time.Time) string {
	link := l.link
	link.Retry = 0 // that time is over when this is read
	text := link.StateText()
	if text == "" {
		return ""
	}
	text += " to " + l.link.Host
	if d := now.Sub(l.since); d >= time.Second {
		text += " for " + units.ApproxDuration(d.Round(time.Second))
	}
	if l.link.Reason != "" {
		text += ": " + l.link.Reason
	}
	return text
}
