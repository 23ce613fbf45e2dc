package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/check"
	"vantage/model/diagnosis"
	"vantage/model/match"
	"vantage/model/report"
	"vantage/model/units"
)

func (p *program) tail() *cobra.Command {
	var idle time.Duration
	var last int
	return command[func(io.Writer, report.TailLine) error]{
		use:   "tail PATH... [algorithm.key=value...]",
		short: "Follow a run: a line for each complete step and each alarm",
		long: `tail prints a line for the newest complete step, then one for each step that becomes
complete, and one when something begins to ail the run: the step, alarm or watch, the kind
and the evidence. It ends after --idle-timeout without a new row, or on a signal; the last
line tells which, and whether the newest step is unfinished. The exit code is 0, or 1 if
no sample was read. It uses no processor time while nothing is written.`,
		example: `vantage tail runs/qwen-math/rollouts --json --idle-timeout 10m`,
		format:  answerFlag(report.TailText, report.TailJSON, noteConfig),
		sets:    unweighed,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().DurationVar(&idle, "idle-timeout", 0, "end after this time without a new row, such as 10m; 0 is never")
			cmd.Flags().IntVar(&last, "last", 1, "begin with this many of the existing steps")
			p.addWaitFlag(cmd.Flags())
		},
		refuse: func() error {
			switch {
			case idle < 0:
				return fmt.Errorf("--idle-timeout %s: expected a time such as 10m, or 0 for no end", idle)
			case last < 1:
				return fmt.Errorf("--last %d: expected a number of steps", last)
			}
			return nil
		},
		run: func(ctx context.Context, c *call, write func(io.Writer, report.TailLine) error) error {
			if err := c.configure(ctx); err != nil {
				return err
			}
			c.note(p.configSummary)
			return c.follow(ctx, idle, last, write)
		},
	}.build(p)
}

func (c *call) follow(ctx context.Context, idle time.Duration, last int, write func(io.Writer, report.TailLine) error) error {
	source, err := c.p.open(c.paths, true)
	if err != nil {
		return err
	}
	defer source.Close()
	ctx, stop := c.p.whileRead(ctx)
	defer stop()
	followed := newIdleSource(ctx, source, idle)
	defer followed.stop()
	lines := 0
	w := watcher{
		source: followed, log: source, given: c.set, set: c.set, monitor: check.NewMonitor(nil), backlog: last,
		choose:  c.p.choose,
		judged:  c.p.judged,
		note:    func(match.Choice) {}, // each line says it
		link:    linkWatch{note: func(text string) { c.note(text) }},
		nothing: func(problem string) { c.note("no samples so far: " + problem + c.p.whereAverages(c.paths)) },
	}
	w.each = func(s *analysis.StepFigures) error {
		lines++
		return write(c.output(ctx), report.TailLine{Step: s, Choice: w.chosen})
	}
	w.found = func(step int64, f *diagnosis.Finding) error {
		return write(c.output(ctx), report.TailLine{Finding: f, At: step})
	}
	err = w.run(ctx, followed.ctx)
	if err != nil && followed.ctx.Err() == nil {
		return err
	}
	end := report.TailLine{End: "input ended", Steps: lines}
	switch trouble := w.link.trouble(time.Now()); {
	case ctx.Err() != nil:
		end.End = "interrupted"
	case err != nil && !followed.rows:
		return noRowsCame(c.paths, idle, trouble)
	case err != nil:
		end.End, end.Quiet = "idle", idle
		if trouble != "" {
			c.note("no row came for " + units.ApproxDuration(idle) + "; " + trouble)
		}
	}
	if lines == 0 && followed.rows && w.notReady != nil {
		return w.notReady
	}
	if followed.rows && !w.monitor.Added(w.newest) {
		end.Unfinished = &w.newest
	}
	if err := write(c.output(context.WithoutCancel(ctx)), end); err != nil || followed.rows {
		return err
	}
	return &verdictError{errors.New("no sample was read")}
}

// noRowsCame is the error of a tail that ended before the first row. A trouble with the link is the likely reason.
func noRowsCame(paths []string, idle time.Duration, trouble string) error {
	err := fmt.Errorf("no samples in %s: none came within %s", titleOf(paths), units.ApproxDuration(idle))
	if trouble != "" {
		err = fmt.Errorf("%w; %s", err, trouble)
	}
	return err
}

// idleSource cancels its context when its source gives no row for some time.
type idleSource struct {
	source chunkSource
	ctx    context.Context
	cancel context.CancelFunc
	limit  time.Duration
	timer  *time.Timer // nil without a limit
	rows   bool        // some were read
	read   int64       // bytes, with the last chunk
}

// newIdleSource returns a source with its context; a limit of 0 is none.
func newIdleSource(ctx context.Context, source chunkSource, limit time.Duration) *idleSource {
	s := &idleSource{source: source, limit: limit}
	s.ctx, s.cancel = context.WithCancel(ctx)
	if limit > 0 {
		s.timer = time.AfterFunc(limit, s.cancel)
	}
	return s
}

func (s *idleSource) stop() {
	s.cancel()
	if s.timer != nil {
		s.timer.Stop()
	}
}

// Next returns the next chunk. What was there before is read in time, however long that takes.
func (s *idleSource) Next(ctx context.Context) (*model.Chunk, error) {
	chunk, err := s.source.Next(ctx)
	if err != nil {
		return nil, err
	}
	hasRows := len(chunk.Records) > 0 || len(chunk.Blocks) > 0
	s.rows = s.rows || hasRows
	read := chunk.Progress.BytesRead
	if s.timer != nil && (hasRows || !chunk.Progress.CaughtUp && read != s.read) { // not if only the link is another
		s.timer.Reset(s.limit)
	}
	s.read = read
	return chunk, nil
}
