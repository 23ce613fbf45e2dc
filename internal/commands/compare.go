package commands

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"vantage/model"
	"vantage/model/compare"
	"vantage/model/match"
	"vantage/model/report"
	"vantage/model/sanitize"
)

func (p *program) compare() command[func(io.Writer, report.Comparison) error] {
	where := &selection{kind: "groups"}
	var with []string
	var options []model.Option
	return command[func(io.Writer, report.Comparison) error]{
		use:   "compare FIRST [SECOND]",
		short: "Compare two runs, or one under two settings",
		long: `compare pairs the prompts of two runs by text and ground truth, and compares their mean
rewards over the steps that both have, with as many samples of each: wins, losses and ties
of the second run, an exact sign test, and the difference by difficulty. It counts the
prompts and samples that it left out. A run is named by the end of its path, or by the
label of label=path. With --where it compares only prompts with a matching group in either run.
Without a common step or prompt the exit code is 1.

With --with it compares one run under two settings, those of the command line and the same
with others: which advantages change their sign, and which groups their fate.`,
		example: `vantage compare runs/baseline/rollouts runs/candidate/rollouts
vantage compare old=runs/a new=runs/b --format md
vantage compare runs/a --with keep-neg-ratio=0.5 --with compute-new-adv`,
		format: newFormatFlag("text", report.CompareText).or("md", report.CompareMarkdown).
			or("csv", report.CompareCSV).or("json", report.CompareJSON),
		where: where,
		sets:  ofPrompts | correcting,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().StringArrayVar(&with, "with", nil, "compare one run with itself under this setting: estimator=rloo; repeatable")
		},
		refuse: func() (err error) {
			options, err = parseWith(with)
			return err
		},
		run: func(ctx context.Context, c *call, write func(io.Writer, report.Comparison) error) error {
			if err := c.configure(ctx); err != nil {
				return err
			}
			switch {
			case len(with) > 0:
				return c.compareSettings(ctx, with, options, where)
			case len(c.paths) != 2:
				return usage(errors.New("compare takes two runs: vantage compare FIRST SECOND; or one, under two settings: --with"))
			}
			names, runs, err := splitLabels(c.paths)
			if err != nil {
				return err
			}
			if len(names) == 0 {
				names, runs = c.paths, [][]string{c.paths[:1], c.paths[1:]}
			}
			c.note(p.configSummary)
			called := compare.Names(sanitize.Line(names[0]), sanitize.Line(names[1]))
			var read [2]compare.Run
			for i, paths := range runs {
				source, snap, err := p.readOpen(ctx, paths)
				if err != nil {
					return err
				}
				defer source.Close()
				c.note(snap.Run.LeftOut()...)
				set, rewards := match.ChooseRewards(ctx, snap, c.set, p.given())
				c.noteRewards(names[i]+": ", rewards)
				if snap, err = p.judged(ctx, source, snap, set); err != nil {
					return err
				}
				read[i] = compare.Run{Name: called[i], Snap: snap, Set: set}
			}
			if err := c.selectPrompts(ctx, &read, where); err != nil {
				return err
			}
			result, err := compare.Runs(ctx, read[0], read[1])
			if err != nil {
				return classifyError(err)
			}
			if err := write(c.output(ctx), report.Comparison{Titles: [2]string(names), Result: result}); err != nil {
				return err
			}
			if why := result.WhyNothing(); why != "" {
				return errors.New("nothing to compare: " + why)
			}
			return nil
		},
	}
}

// writeComparison reads two runs, label=path each, and writes their comparison, as text if the flags say nothing else.
func (p *program) writeComparison(ctx context.Context, paths []string, set model.Settings) error {
	return p.compare().startOn(ctx, p, paths, set)
}

// selectPrompts has two runs compared by the prompts of which a group of either run matches: the choice
// favours neither.
func (c *call) selectPrompts(ctx context.Context, runs *[2]compare.Run, where *selection) error {
	if where.text == "" {
		return nil
	}
	hashes := map[uint64]bool{}
	for i := range runs {
		if err := where.addPrompts(ctx, runs[i].Snap, runs[i].Set, hashes); err != nil {
			return classifyError(err)
		}
	}
	if len(hashes) == 0 {
		return where.nothing()
	}
	runs[0].Prompts, runs[1].Prompts = hashes, hashes
	c.note(where.sentence())
	return nil
}

// splitLabels splits two arguments label=path into names and paths of two runs. It returns
// none if no argument has a label: then all paths are one run.
func splitLabels(paths []string) (names []string, runs [][]string, err error) {
	for _, path := range paths {
		label, rest, ok := strings.Cut(path, "=")
		if !ok || label == "" || strings.ContainsAny(label, "/.") || rest == "" {
			continue
		}
		names, runs = append(names, label), append(runs, []string{rest})
	}
	switch {
	case len(names) == 0:
		return nil, nil, nil
	case len(names) != 2 || len(paths) != 2:
		return nil, nil, usage(errors.New("expected two runs: give label=path twice, and nothing else"))
	}
	return names, runs, nil
}

// matchError is the result of match if no estimator reproduces the log.
func matchError(o match.Outcome) error {
	switch o {
	case match.OutcomeMatch:
		return nil
	case match.OutcomeCannotTell:
		return errors.New("cannot tell which estimator wrote the log: all its advantages are 0")
	case match.OutcomeMixture:
		return errors.New("no single estimator reproduces the advantages of the log: it changes with the steps")
	case match.OutcomeFiltered:
		return errors.New("an estimator reproduces the advantages of the log after keep ratios that were not given")
	case match.OutcomeNone:
	}
	return errors.New("no estimator reproduces the advantages of the log")
}

func (p *program) match() *cobra.Command {
	where := &selection{kind: "groups"}
	return command[func(io.Writer, report.Match) error]{
		use:   "match PATH...",
		short: "Find the estimator that computed the advantages in a log",
		long: `match computes the advantages of a log under every framework, estimator and scale for
which the log has the columns, and lists those that reproduce the logged advantages,
before a sample filter or after the given keep ratios. If none does, it describes the
logged advantages. The exit code is 0 if one does; 1 if none does, if several cannot be told
apart, or if the log has no advantages.`,
		example: `vantage match runs/qwen-math/rollouts
vantage match runs/a --keep-pos-ratio 0.5 --keep-neg-ratio 0.5 --format json`,
		format: newFormatFlag("text", report.MatchText).noting(noteReading).or("json", report.MatchJSON).noting(noteReading),
		where:  where,
		sets:   unweighed,
		run: onLog(ofRewards, func(ctx context.Context, log *openLog) (m report.Match, err error) {
			log.noteReading()
			if where.text != "" {
				if log.snap, err = where.onlyLogged(ctx, log.snap, log.set); err != nil {
					return m, err
				}
				if where.matching == 0 {
					return m, where.nothing()
				}
				log.note(where.sentence())
			}
			if m.Report, err = match.Run(ctx, log.snap, log.set, match.DefaultLimit); err != nil {
				return m, err
			}
			set, chosen := match.Choose(log.set, p.given(), log.snap.Run.Framework, m.Report)
			m.Choice = chosen.WithGroups(log.snap, set, p.originOf("group_by", "num_generations"))
			m.Choice.Rewards = log.choice.Rewards
			log.then = func() error { return matchError(m.Outcome()) }
			return m, nil
		}),
	}.build(p)
}
