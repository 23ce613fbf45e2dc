package commands

import (
	"github.com/spf13/cobra"

	"vantage/estimators/groupfilter"
	"vantage/model/report"
)

func (p *Program) filters() *cobra.Command {
	return catalogue[*groupfilter.Filter]{
		name: "filters", short: "List the group filters (dynamic sampling), or describe some: rule, traps, options, source",
		example: "verl filter_groups",
		all:     groupfilter.All, frameworks: groupfilter.Frameworks,
		names:   func(f *groupfilter.Filter) (string, string) { return f.Framework, f.Name },
		unknown: "no group filter %q%s: the frameworks that have one are %s",
		list:    report.FilterList, format: newFormatFlag("text", report.FilterPages).or("json", report.FilterJSON),
	}.command(p)
}
