package commands

import (
	"github.com/spf13/cobra"

	"vantage/estimators"
	"vantage/model/report"
)

func (p *Program) estimators() *cobra.Command {
	return catalogue[*estimators.Estimator]{
		name: "estimators", short: "List the estimators, or describe some: formula, special cases, needs, source",
		example: "verl grpo",
		all:     estimators.All, frameworks: estimators.Frameworks,
		names:   func(e *estimators.Estimator) (string, string) { return e.Framework, e.Name },
		unknown: "unknown framework or estimator %q%s: the frameworks are %s",
		list:    report.EstimatorList, format: newFormatFlag("text", report.EstimatorPages).or("json", report.EstimatorJSON),
	}.command(p)
}
