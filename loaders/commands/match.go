package commands

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"vantage/model"
	"vantage/model/choice"
	"vantage/model/match"
	"vantage/model/report"
)

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

func (p *Program) match() *cobra.Command {
	format, where := newFormatFlag("text", report.MatchText).or("json", report.MatchJSON), whereFlag{of: "groups"}
	cmd := &cobra.Command{
		Use:   "match PATH...",
		Short: "Find the estimator that computed the advantages in a log",
		Long: `match computes the advantages of a log under every framework, estimator and scale
for which the log has the columns, and lists those that reproduce the logged advantages:
before a sample filter, or after the keep ratios that are given. If none does, it says
what the log shows instead. The exit code is 0 if one does; 1 if none does, if nothing
tells them apart, or if the log has no advantages.`,
		Example: `vantage match runs/qwen-math/rollouts
vantage match runs/qwen-math/rollouts --keep-pos-ratio 0.5 --keep-neg-ratio 0.5 --format json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			paths, set, err := p.pathsAndSettings(args)
			if err != nil {
				return err
			}
			write, err := format.writer("match")
			if err != nil {
				return err
			}
			snap, err := p.readAll(cmd.Context(), paths)
			if err != nil {
				return err
			}
			p.noteConfig(format.name)
			p.noteLeftOut(format.name, snap)
			set, rewards := choice.ChooseRewards(cmd.Context(), snap, set, p.Given())
			if snap, err = p.selectLogged(cmd.Context(), snap, set, where, format.name); err != nil {
				return err
			}
			result, err := match.Run(cmd.Context(), snap, set, match.DefaultLimit)
			if err != nil {
				return classifyError(err)
			}
			set, chosen := choice.Choose(set, p.Given(), snap.Run.Framework, result)
			chosen = chosen.WithGroups(snap, set, p.groupsGiven())
			chosen.Rewards = rewards
			if err := write(p.output(cmd.Context(), format.name), result, chosen); err != nil {
				return err
			}
			return matchError(result.Outcome())
		},
	}
	format.addTo(cmd)
	where.addTo(cmd.Flags())
	p.addUnweighedFlags(cmd)
	return cmd
}

// selectLogged returns the snapshot with the logged advantages of the groups that match.
func (p *Program) selectLogged(ctx context.Context, snap model.Snapshot, set model.Settings, where whereFlag, format string) (model.Snapshot, error) {
	selected, err := newSelection(where)
	if err != nil || where.text == "" {
		return snap, err
	}
	some, err := selected.onlyLogged(ctx, snap, set)
	switch {
	case err != nil:
		return snap, classifyError(err)
	case selected.matching == 0:
		return snap, where.nothing()
	}
	p.noteSelection(format, selected)
	return some, nil
}
