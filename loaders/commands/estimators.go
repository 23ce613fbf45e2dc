package commands

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vantage/estimators"
	"vantage/model/report"
)

func (p *Program) estimators() *cobra.Command {
	format := newFormatFlag("text", report.EstimatorPages).or("json", report.EstimatorJSON)
	cmd := &cobra.Command{
		Use:   "estimators [FRAMEWORK] [NAME]",
		Short: "List the estimators, or describe some: formula, special cases, needs, source",
		Args:  cobra.MaximumNArgs(2),

		ValidArgs: estimators.Frameworks(),
		RunE: func(cmd *cobra.Command, args []string) error {
			list := slices.DeleteFunc(estimators.All(), func(e *estimators.Estimator) bool {
				for _, arg := range args {
					if arg != e.Framework && arg != e.Name {
						return true
					}
				}
				return false
			})
			if len(list) == 0 {
				return Usage(fmt.Errorf("unknown framework or estimator %q: the frameworks are %s", strings.Join(args, " "), strings.Join(estimators.Frameworks(), ", ")))
			}
			write, err := format.writer("estimators")
			if err != nil {
				return err
			}
			if format.name == "text" && len(args) == 0 {
				write = report.EstimatorList
			}
			return write(p.output(cmd.Context(), format.name), list)
		},
	}
	format.addTo(cmd)
	return cmd
}
