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
	var format string
	cmd := &cobra.Command{
		Use:   "estimators [FRAMEWORK] [NAME]",
		Short: "List the estimators, or tell everything about some: formula, special cases, needs, source",
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
				return Usage(fmt.Errorf("no estimator is called %q: the frameworks are %s", strings.Join(args, " "), strings.Join(estimators.Frameworks(), ", ")))
			}
			switch {
			case format == "json":
				return report.EstimatorJSON(p.stdout(cmd.Context()), list)
			case format != "text":
				return Usage(fmt.Errorf("estimators has no format %q: it has text and json", format))
			case len(args) == 0:
				return report.EstimatorList(p.stdout(cmd.Context()), list)
			}
			return report.EstimatorPages(p.stdout(cmd.Context()), list)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	completeFlag(cmd, "format", "text", "json")
	return cmd
}
