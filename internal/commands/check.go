package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vantage/loaders/fileio"
	"vantage/loaders/userfiles"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/check"
	"vantage/model/diagnosis"
	"vantage/model/match"
	"vantage/model/report"
)

// errRuleFailed is the result of check if a rule fails.
var errRuleFailed = errors.New("a rule fails")

// checkOptions are the flags of the command besides settings.
type checkOptions struct {
	failOn            []string
	file, junit, prom string
	watch             bool
	steps             stepRange
	where             selection
	texts             textsFlag
	format            *formatFlag[checkFormat]

	write checkFormat  // that the flags name
	rules []check.Rule // of flags and file, or else the default rules
}

// outputError is an error of writing what was found.
type outputError struct{ error }

func (e *outputError) Unwrap() error { return e.error }

// checkFormat writes findings, and transitions for --watch; transition is nil for a
// format that needs the whole file.
type checkFormat struct {
	findings   func(io.Writer, check.Result, match.Choice) error
	transition func(io.Writer, check.Transition) error
}

func (p *program) check() *cobra.Command {
	format := newFormatFlag("text", checkFormat{findings: report.CheckText, transition: report.TransitionText}).
		or("json", checkFormat{findings: report.CheckJSON, transition: report.TransitionJSON}).
		or("junit", checkFormat{findings: report.CheckJUnit}).
		or("github", checkFormat{findings: report.CheckGitHub, transition: report.TransitionGitHub})
	o := &checkOptions{where: selection{kind: "groups"}, format: format}
	return command[checkFormat]{
		use:   "check PATH... [algorithm.key=value...]",
		short: "Check every step of a run against rules, for CI and Slurm",
		long: `check tests every complete step against rules: killed>5% (a share of the groups),
short>0 (a count), critic/score/mean<0.1 (a metric). A step that meets the condition
fails. Words after the number judge several steps together: over all steps, over 10 steps
(the mean of any 10 in a row), for 3 steps (in a row), in 5 steps, in 20% of steps.

alarm>0 fails on what is worth stopping the run for; reward_hacking>0 and so
on fail on an alarm of that kind. unreadable>1% is the share of unreadable rows.
stall>6x is the time since the last row, as a multiple of the usual time between steps.
The last step is complete if it has as many rows as those before it, or after a pause.

Exit codes: 0 no rule fails, 3 a rule fails, 1 the log cannot be read, 2 the command line
is wrong. Watches fail only where a rule asks for them (watch>0). A log of averages
alone is judged by the rules on what ails the run. The default rules:
` + strings.Join(check.Defaults(), "  ") + `.`,
		example: `vantage check runs/qwen-math/rollouts --last 10
vantage check runs/qwen-math/rollouts --fail-on 'signal<20% over all steps'
vantage check runs/a --fail-on 'killed>5%' --keep-neg-ratio 0.5`,
		format: o.format,
		where:  &o.where,
		steps:  &o.steps,
		sets:   ofLogs,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().StringArrayVar(&o.failOn, "fail-on", nil, "fail if this holds for a step (killed>5%) or for several ('signal<20% "+
				"over all steps'); repeatable")
			cmd.Flags().StringVar(&o.file, "rules", "", "read more rules from this YAML file, a list")
			cmd.Flags().StringVar(&o.junit, "junit", "", "also write a JUnit file")
			cmd.Flags().StringVar(&o.prom, "prom", "",
				"also write metrics to this file (NAME.prom), for the textfile collector of Prometheus")
			cmd.Flags().BoolVar(&o.watch, "watch", false, "follow the run and print a line whenever a rule begins to fail or passes again")
			o.texts.addTo(cmd, readEvery)
			p.addWaitFlag(cmd.Flags())
		},
		run: func(ctx context.Context, c *call, write checkFormat) error {
			o.write = write
			return c.check(ctx, o)
		},
		failed: func(ctx context.Context, err error) error { return p.reportUnchecked(ctx, o, err) },
	}.build(p)
}

// check checks as the flags say. The file for node_exporter is written also if the log cannot be checked, so that an
// alert does not read the figures of a check that is over. A mistake of the command line, or a signal, changes no file.
func (c *call) check(ctx context.Context, o *checkOptions) error {
	if err := o.parse(c.p.disk); err != nil {
		return usage(err)
	}
	if err := c.configure(ctx); err != nil {
		return err
	}
	switch {
	case c.p.waits && !o.watch:
		return usage(errors.New("--wait is for --watch: without it, check reads the log once, as it is"))
	case o.watch && c.ofScalars():
		return c.watchScalars(ctx, o)
	case o.watch:
		c.note(c.p.configSummary)
		return c.watch(ctx, o)
	case o.junit != "":
		if err := refuseOntoLog(c.p.disk, "--junit", o.junit, c.paths); err != nil {
			o.junit = "" // nor is the error written there
			return err
		}
	}
	if o.prom != "" {
		if err := refuseBesideLog(c.p.disk, o.prom, c.paths); err != nil {
			return err
		}
	}
	state, err := c.evaluate(ctx, o)
	var usage *usageError
	if o.prom == "" || errors.As(err, &usage) || ctx.Err() != nil {
		return err
	}
	if state == nil {
		state = &report.CheckState{Path: titleOf(c.paths)}
	}
	return errors.Join(writeFile(c.p.disk, o.prom, func(w io.Writer) error { return report.CheckPrometheus(w, state) }), err)
}

// reportUnchecked writes the JUnit file that was asked for, and the output if it is to be JUnit, of a check that came to no verdict.
// A signal changes no file, nor does an error of writing.
func (p *program) reportUnchecked(ctx context.Context, o *checkOptions, err error) error {
	var verdict *verdictError
	var unwritten *outputError
	if errors.As(err, &verdict) || errors.As(err, &unwritten) || ctx.Err() != nil || o.watch {
		return err
	}
	write := func(w io.Writer) error { return report.CheckErrorJUnit(w, err) }
	if o.format.name == "junit" {
		err = errors.Join(err, write(p.output(ctx, "text")))
	}
	if o.junit != "" {
		err = errors.Join(err, writeFile(p.disk, o.junit, write))
	}
	return err
}

// parse refuses flags that do not go together, and finds the rules.
func (o *checkOptions) parse(disk *fileio.Disk) (err error) {
	if err := o.conflict(); err != nil {
		return err
	}
	if o.rules, err = check.ParseAll(o.failOn); err != nil {
		return err
	}
	if o.file != "" {
		fromFile, err := parseFile(disk, "--rules", o.file, maxRuleFile, "list of rules", parseRules)
		if err != nil {
			return err
		}
		o.rules = append(o.rules, fromFile...)
	}
	if len(o.rules) == 0 {
		o.rules, err = check.ParseAll(check.Defaults())
	}
	return err
}

// conflict says which flags do not go together, or nil.
func (o *checkOptions) conflict() error {
	switch {
	case o.watch && (o.write.transition == nil || o.junit != ""):
		return errors.New("--watch cannot write JUnit, which needs the end of the run: use text, json or github")
	case o.watch && o.steps != stepRange{}:
		return errors.New("--watch checks every new step: omit --steps and --last")
	case o.watch && o.where.text != "":
		return errors.New("--watch checks all groups of every new step: omit --where")
	case o.watch && o.prom != "":
		return errors.New("--watch does not write --prom: run check again and again, by cron or a systemd timer")
	case o.prom != "" && !strings.HasSuffix(o.prom, ".prom"):
		return fmt.Errorf("--prom %s: node_exporter reads only files whose names end in .prom", o.prom)
	}
	return nil
}

// addSelected evaluates the rules on the groups of each step that are selected, and returns the newest complete step.
func addSelected(
	ctx context.Context, evaluator *check.Evaluator, snap model.Snapshot, set model.Settings, where *selection, answers diagnosis.Answers,
) (newest *analysis.StepFigures, err error) {
	err = analysis.EachPassing(ctx, snap, set, func(a *analysis.Analysis) error {
		warnAlike(answers, &a.StepFigures, a)
		if !a.Open {
			if newest == nil {
				newest = new(analysis.StepFigures)
			}
			*newest = a.StepFigures // a copy does not retain the analysis
		}
		groups := where.of(a)
		switch {
		case where.text == "":
			evaluator.Add(&a.StepFigures)
		case len(groups) == 0:
			evaluator.AddGroups(&a.StepFigures, nil)
		default:
			some := a.Subset(groups)
			some.Warnings = a.Warnings // for their advice
			evaluator.AddGroups(&a.StepFigures, &some)
		}
		return nil
	})
	switch note := where.sentence(); {
	case err != nil:
		return nil, err
	case note != "" && where.matching == 0:
		return nil, where.nothing()
	case note != "":
		evaluator.Notes = append(evaluator.Notes, note)
	}
	return newest, nil
}

// asksForLook reports whether a rule is about what a look at the run finds, or at its answers.
func asksForLook(r check.Rule) bool {
	return r.OfFindings() || r.Name == string(analysis.WarnAnswersAlike)
}

// evaluate evaluates the rules on the steps that the log has now, one step at a time. What it found is nil if it could not.
func (c *call) evaluate(ctx context.Context, o *checkOptions) (*report.CheckState, error) {
	if c.ofScalars() {
		return c.evaluateScalars(ctx, o)
	}
	source, snap, err := c.p.readOpen(ctx, c.paths)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	evaluator := check.NewEvaluator(o.rules)
	log := check.LogOf(snap, time.Now())
	isStream := snap.Run.Progress.BytesAll == 0
	snap, note := check.CompleteSteps(snap, time.Now(), isStream)
	for _, n := range append(snap.Run.LeftOut(), check.UnreadFiles(snap), note) {
		if n != "" {
			evaluator.Notes = append(evaluator.Notes, n)
		}
	}
	set, chosen, err := c.p.choose(ctx, snap, c.set)
	if err != nil {
		return nil, err
	}
	if snap, err = c.p.judged(ctx, source, snap, set); err != nil {
		return nil, err
	}
	whole := snap
	if snap, err = o.steps.selectFrom(snap); err != nil {
		return nil, err
	}
	var answers diagnosis.Answers
	if slices.ContainsFunc(o.rules, asksForLook) {
		found, err := diagnose(ctx, source, whole, snap, set, o.texts.every)
		if err != nil {
			return nil, classifyError(err)
		}
		if answers = found.Answers; slices.ContainsFunc(o.rules, check.Rule.OfFindings) {
			log.Diagnosis = found
		}
	}
	evaluator.AddLog(log)
	c.note(c.p.configSummary)
	newest, err := addSelected(ctx, evaluator, snap, set, &o.where, answers)
	if err != nil {
		return nil, classifyError(err)
	}
	if err := evaluator.CheckNames(); err != nil {
		return nil, usage(err)
	}
	return c.writeFindings(ctx, o, evaluator, log, newest, chosen)
}

// writeFindings writes what the rules found, and returns it. The error is that a rule fails, or that nothing could be written.
func (c *call) writeFindings(ctx context.Context, o *checkOptions, evaluator *check.Evaluator, log check.Log, newest *analysis.StepFigures,
	chosen match.Choice,
) (*report.CheckState, error) {
	if o.junit != "" {
		write := func(w io.Writer) error { return report.CheckJUnit(w, evaluator.Result, chosen) }
		if err := writeFile(c.p.disk, o.junit, write); err != nil {
			return nil, &outputError{err}
		}
	}
	if err := o.write.findings(c.output(ctx), evaluator.Result, chosen); err != nil {
		return nil, &outputError{err}
	}
	state := &report.CheckState{Path: titleOf(c.paths), Result: evaluator.Result, Log: log, Newest: newest}
	if check.Failed(evaluator.Findings) > 0 {
		return state, &verdictError{errRuleFailed}
	}
	return state, nil
}

// refuseBesideLog is an error if a file would lie where a trainer writes or a log is looked for.
func refuseBesideLog(disk *fileio.Disk, file string, paths []string) error {
	dir, err := folderOf(disk, file)
	if err != nil {
		return fmt.Errorf("--prom %s: there is no folder %s: make it, or give another", file, filepath.Dir(file))
	}
	if log := userfiles.LogNextTo(paths, dir); log != "" {
		return usage(fmt.Errorf("--prom %s would be among the files of the log %s: give the folder of node_exporter's "+
			"--collector.textfile.directory", file, log))
	}
	return nil
}
