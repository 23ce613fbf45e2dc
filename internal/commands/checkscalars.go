package commands

import (
	"context"
	"errors"
	"syscall"
	"time"

	logged "vantage/loaders/scalars"
	"vantage/model/check"
	"vantage/model/match"
	"vantage/model/report"
	"vantage/model/scalars"
)

// ofScalars reports whether a log has averages of steps alone, which check judges by what ails the run.
func (c *call) ofScalars() bool { return len(c.paths) == 1 && logged.Alone(c.p.disk, c.paths[0]) }

// noSteps is why rules on steps have no value where there are averages alone.
const noSteps = "the log has averages of steps, and no samples"

// evaluateScalars judges the rules on averages of steps: those on what ails the run. Others have no value.
func (c *call) evaluateScalars(ctx context.Context, o *checkOptions) (*report.CheckState, error) {
	log, _, err := c.scalarsLog(o)
	if err != nil {
		return nil, err
	}
	evaluator := check.NewEvaluator(o.rules)
	evaluator.AddLog(log)
	for k := range evaluator.Findings {
		if f := &evaluator.Findings[k]; !f.Rule.OfFindings() {
			f.NoValue, f.Whole, f.WholeFails = noSteps, "", false
		}
	}
	return c.writeFindings(ctx, o, evaluator, log, nil, match.Choice{})
}

// scalarsLog reads the averages again, and returns the number of the newest step too.
func (c *call) scalarsLog(o *checkOptions) (log check.Log, newest int64, err error) {
	found, err := logged.Read(c.p.disk, c.paths[0])
	if err != nil {
		return log, 0, err
	}
	log.Diagnosis = scalars.Diagnose(found.Scalars)
	if o.watch {
		log.Diagnosis = log.Diagnosis.Lasting()
	}
	if info, err := c.p.disk.Stat(found.File); err == nil {
		log.LastWrite, log.Quiet = info.ModTime(), max(0, time.Since(info.ModTime()))
	}
	return log, found.Last, nil
}

// scalarsPoll is the time between two looks at whether averages were added: trainers write them once a step.
const scalarsPoll = 2 * time.Second

// watchScalars follows averages of steps, and writes a line whenever a rule begins to fail or passes again.
func (c *call) watchScalars(ctx context.Context, o *checkOptions) error {
	ctx, stop := c.p.whileRead(ctx)
	defer stop()
	monitor, seen := check.NewMonitor(check.ByKind(o.rules)), time.Time{}
	for ctx.Err() == nil {
		log, newest, err := c.scalarsLog(o)
		switch {
		case err != nil && !errors.Is(err, logged.ErrNone):
			return err
		case err == nil && !log.LastWrite.Equal(seen):
			seen = log.LastWrite
			for _, t := range monitor.AddLog(log, newest) {
				if err := o.write.transition(c.output(ctx), t); err != nil {
					return err
				}
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(scalarsPoll):
		}
	}
	switch {
	case monitor.Failing():
		return &verdictError{errRuleFailed}
	case errors.Is(context.Cause(ctx), syscall.EPIPE):
		return syscall.EPIPE
	case seen.IsZero():
		return stopped(ctx)
	}
	return nil
}
