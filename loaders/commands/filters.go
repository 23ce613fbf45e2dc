package commands

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vantage/estimators/groupfilter"
	"vantage/model/report"
)

func (p *Program) filters() *cobra.Command {
	format := newFormatFlag("text", report.FilterPages).or("json", report.FilterJSON)
	cmd := &cobra.Command{
		Use:   "filters [FRAMEWORK] [NAME]",
		Short: "List the group filters (dynamic sampling), or describe some: rule, traps, options, source",
		Args:  cobra.MaximumNArgs(2),

		ValidArgs: groupfilter.Frameworks(),
		RunE: func(cmd *cobra.Command, args []string) error {
			list := slices.DeleteFunc(groupfilter.All(), func(f *groupfilter.Filter) bool {
				return slices.ContainsFunc(args, func(arg string) bool { return arg != f.Framework && arg != f.Name })
			})
			if len(list) == 0 {
				return Usage(fmt.Errorf("no group filter %q: the frameworks that have one are %s", strings.Join(args, " "), strings.Join(groupfilter.Frameworks(), ", ")))
			}
			write, err := format.writer("filters")
			if err != nil {
				return err
			}
			if format.name == "text" && len(args) == 0 {
				write = report.FilterList
			}
			return write(p.output(cmd.Context(), format.name), list)
		},
	}
	format.addTo(cmd)
	return cmd
}
