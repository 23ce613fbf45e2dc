package commands

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

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
	format, where := newFormatFlag("text", report.MatchText).noting(noteReading).or("json", report.MatchJSON).noting(noteReading), whereFlag{of: "groups"}
	var selected *selection
	return logCommand[report.Match]{
		use:   "match PATH...",
		short: "Find the estimator that computed the advantages in a log",
		long: `match computes the advantages of a log under every framework, estimator and scale
for which the log has the columns, and lists those that reproduce the logged advantages:
before a sample filter, or after the keep ratios that are given. If none does, it says
what the log shows instead. The exit code is 0 if one does; 1 if none does, if nothing
tells them apart, or if the log has no advantages.`,
		example: `vantage match runs/qwen-math/rollouts
vantage match runs/qwen-math/rollouts --keep-pos-ratio 0.5 --keep-neg-ratio 0.5 --format json`,
		onlyRewards: true,
		format:      &format,
		sets:        unweighed,
		flags:       func(cmd *cobra.Command) { where.addTo(cmd.Flags()) },
		refuse: func() (err error) {
			selected, err = newSelection(where)
			return err
		},
		compute: func(ctx context.Context, log *openLog) (m report.Match, err error) {
			log.noteReading()
			if where.text != "" {
				if log.snap, err = selected.onlyLogged(ctx, log.snap, log.set); err != nil {
					return m, err
				}
				if selected.matching == 0 {
					return m, where.nothing()
				}
				p.noteSelection(log.noteStyle, selected)
			}
			if m.Report, err = match.Run(ctx, log.snap, log.set, match.DefaultLimit); err != nil {
				return m, err
			}
			set, chosen := choice.Choose(log.set, p.Given(), log.snap.Run.Framework, m.Report)
			m.Choice = chosen.WithGroups(log.snap, set, p.groupsGiven())
			m.Choice.Rewards = log.choice.Rewards
			log.then = func() error { return matchError(m.Outcome()) }
			return m, nil
		},
	}.command(p)
}
