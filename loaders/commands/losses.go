package commands

import (
	"github.com/spf13/cobra"

	"vantage/estimators/lossweight"
	"vantage/model/report"
)

func (p *Program) losses() *cobra.Command {
	return catalogue[*lossweight.Loss]{
		name: "losses", short: "List what rows weigh in the losses, or describe some: formula, options, micro-batches, source",
		example: "trl dapo",
		all:     lossweight.All, frameworks: lossweight.Frameworks,
		names:   func(l *lossweight.Loss) (string, string) { return l.Framework, l.Name },
		unknown: "unknown framework or loss %q%s: the frameworks are %s",
		list:    report.LossList, format: newFormatFlag("text", report.LossPages).or("json", report.LossJSON),
	}.command(p)
}
