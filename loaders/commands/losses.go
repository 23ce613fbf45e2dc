package commands

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vantage/estimators/lossweight"
	"vantage/model/report"
)

func (p *Program) losses() *cobra.Command {
	format := newFormatFlag("text", report.LossPages).or("json", report.LossJSON)
	cmd := &cobra.Command{
		Use:   "losses [FRAMEWORK] [NAME]",
		Short: "List what rows weigh in the losses, or describe some: formula, options, micro-batches, source",
		Args:  cobra.MaximumNArgs(2),

		ValidArgs: lossweight.Frameworks(),
		RunE: func(cmd *cobra.Command, args []string) error {
			list := slices.DeleteFunc(lossweight.All(), func(l *lossweight.Loss) bool {
				return slices.ContainsFunc(args, func(arg string) bool { return arg != l.Framework && arg != l.Name })
			})
			if len(list) == 0 {
				return Usage(fmt.Errorf("unknown framework or loss %q: the frameworks are %s", strings.Join(args, " "), strings.Join(lossweight.Frameworks(), ", ")))
			}
			write, err := format.writer("losses")
			if err != nil {
				return err
			}
			if format.name == "text" && len(args) == 0 {
				write = report.LossList
			}
			return write(p.output(cmd.Context(), format.name), list)
		},
	}
	format.addTo(cmd)
	return cmd
}
