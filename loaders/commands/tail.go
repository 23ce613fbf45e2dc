package commands

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/check"
	"vantage/model/choice"
	"vantage/model/report"
	"vantage/model/units"
)

// tailOptions are the flags of tail.
type tailOptions struct {
	format *formatFlag[func(io.Writer, report.TailLine) error]
	idle   time.Duration
	last   int
}

func (p *Program) tail() *cobra.Command {
	o := tailOptions{format: answerFlag(report.TailText, report.TailJSON, noteConfig)}
	cmd := &cobra.Command{
		Use:   "tail PATH... [algorithm.key=value...]",
		Short: "Follow a run and print a line for each step when it is complete",
		Long: `tail prints a line for the newest complete step, and then one for each step that
becomes complete. It ends when no row came for the time of --idle-timeout, or with a
signal; the last line says which of them, and whether the newest step is unfinished. The
exit code is 0, or 1 if no sample was ever read. While nothing is written it uses no
processor time.`,
		Example: `vantage tail runs/qwen-math/rollouts --json --idle-timeout 10m`,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			write, err := o.format.writer("tail")
			if err != nil {
				return err
			}
			switch {
			case o.idle < 0:
				return Usage(fmt.Errorf("--idle-timeout %s: expected a time such as 10m, or 0 for no end", o.idle))
			case o.last < 1:
				return Usage(fmt.Errorf("--last %d: expected a number of steps", o.last))
			}
			paths, set, err := p.pathsAndSettings(args)
			if err != nil {
				return err
			}
			p.noteConfig(o.format.name)
			return p.follow(cmd.Context(), paths, set, o, write)
		},
	}
	cmd.Flags().DurationVar(&o.idle, "idle-timeout", 0, "end when no row came for this time, such as 10m; 0 is never")
	cmd.Flags().IntVar(&o.last, "last", 1, "begin with so many of the steps that are there")
	o.format.addTo(cmd)
	p.AddWaitFlag(cmd.Flags())
	p.AddFlags(cmd, unweighed)
	return cmd
}

// follow writes the lines of a tail.
func (p *Program) follow(ctx context.Context, paths []string, set model.Settings, o tailOptions, write func(io.Writer, report.TailLine) error) error {
	source, err := p.Open(paths, true)
	if err != nil {
		return err
	}
	defer source.Close()
	followed := newIdleSource(ctx, source, o.idle)
	defer followed.stop()
	lines := 0
	w := watcher{
		source: followed, given: set, set: set, monitor: check.NewMonitor(nil), backlog: o.last,
		choose: p.choose,
		note:   func(choice.Choice) {}, // each line says it
		link:   linkWatch{note: func(text string) { p.note(o.format.name, text) }},
	}
	w.each = func(s *analysis.StepFigures) error {
		lines++
		return write(p.output(ctx, o.format.name), report.TailLine{Step: s, Choice: w.chosen})
	}
	err = w.run(ctx, followed.ctx)
	if err != nil && followed.ctx.Err() == nil {
		return err
	}
	end := report.TailLine{End: "input ended", Steps: lines}
	switch {
	case ctx.Err() != nil:
		end.End = "interrupted"
	case err != nil && !followed.rows:
		return noRowsCame(paths, o.idle, w.link.trouble(time.Now()))
	case err != nil:
		end.End, end.Quiet = "idle", o.idle
		if trouble := w.link.trouble(time.Now()); trouble != "" {
			p.note(o.format.name, "no row came for "+units.ApproxDuration(o.idle)+"; "+trouble)
		}
	}
	if lines == 0 && followed.rows && w.notReady != nil {
		return w.notReady
	}
	if followed.rows && !w.monitor.Added(w.newest) {
		end.Unfinished = &w.newest
	}
	return write(p.output(context.WithoutCancel(ctx), o.format.name), end)
}

// noRowsCame is the error of a tail that ended before the first row. A trouble with the link is the likely reason.
func noRowsCame(paths []string, idle time.Duration, trouble string) error {
	err := fmt.Errorf("no samples in %s: none came within %s", Title(paths), units.ApproxDuration(idle))
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
