package commands

import (
	"github.com/spf13/cobra"

	"vantage/model/report"
)

func (p *Program) why() *cobra.Command {
	format := newAnswerFlag(report.WhyText, report.WhyJSON)
	var steps stepRange
	cmd := &cobra.Command{
		Use:   "why GROUP PATH... [algorithm.key=value...]",
		Short: "Answer in 2 KB what became of a group and why",
		Long: `why answers in at most 2 KB what the settings make of a group and why, with the reward
of each sample and its advantage before and after the filter. GROUP is a name that
summary, report --per group or export prints, or the beginning of one. If several steps
have the group, the newest is shown; --steps 7 asks for step 7.`,
		Example: `vantage why 3f2a runs/qwen-math/rollouts --json`,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			write, err := format.writer("why")
			if err != nil {
				return err
			}
			source, y, err := p.openGroup(cmd.Context(), "why", args, steps)
			if err != nil {
				return err
			}
			defer source.Close()
			p.noteConfig(format.name)
			return write(p.output(cmd.Context(), format.name), &y)
		},
	}
	format.addTo(cmd)
	steps.addFlags(cmd.Flags())
	p.addUnweighedFlags(cmd)
	return cmd
}
