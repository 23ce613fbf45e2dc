package commands

import (
	"github.com/spf13/cobra"

	"vantage/model/analysis"
	"vantage/model/report"
)

// defaultLast is how many steps are listed if nothing says which.
const defaultLast = 20

func (p *Program) stepList() *cobra.Command {
	format := newAnswerFlag(report.StepsText, report.StepsJSON)
	var steps stepRange
	cmd := &cobra.Command{
		Use:   "steps PATH... [algorithm.key=value...]",
		Short: "Answer in 2 KB what the newest steps did, a row each",
		Long: `steps writes a row for each of the newest 20 steps: samples that train, groups with
signal, groups by fate, mean reward and mean length. By default it writes as many rows as
fit into 2 KB; --last and --steps write all rows that they name. report has every metric.`,
		Example: `vantage steps runs/qwen-math/rollouts --last 20 --json`,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			write, err := format.writer("steps")
			if err != nil {
				return err
			}
			paths, set, err := p.pathsAndSettings(args)
			if err != nil {
				return err
			}
			source, answer, err := p.openAnswer(cmd.Context(), paths, set)
			if err != nil {
				return err
			}
			source.Close()
			s := report.Steps{Answer: answer, Explicit: steps.last > defaultLast || steps.interval != ""}
			if steps == (stepRange{}) {
				steps.last = defaultLast
			}
			snap, err := steps.selectFrom(answer.Snap)
			if err != nil {
				return err
			}
			err = analysis.Each(cmd.Context(), snap, answer.Settings, func(a *analysis.Analysis) error {
				s.Steps = append(s.Steps, a.Summary)
				return nil
			})
			if err != nil {
				return classifyError(err)
			}
			p.noteConfig(format.name)
			p.noteLeftOut(format.name, snap)
			return write(p.output(cmd.Context(), format.name), &s)
		},
	}
	format.addTo(cmd)
	steps.addFlags(cmd.Flags())
	p.addUnweighedFlags(cmd)
	return cmd
}
