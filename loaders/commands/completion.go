package commands

import (
	"slices"

	"github.com/spf13/cobra"

	"vantage/estimators"
	"vantage/loaders/formats"
	"vantage/model"
)

// RegisterCompletions registers the values of the common flags for shell completion.
func (p *Program) RegisterCompletions(cmd *cobra.Command) error {
	var names, formatNames, groupings []string
	for _, e := range estimators.All() {
		if !slices.Contains(names, e.Name) {
			names = append(names, e.Name)
		}
	}
	for _, f := range formats.All() {
		formatNames = append(formatNames, f.Name)
	}
	for _, g := range model.Groupings() {
		groupings = append(groupings, string(g))
	}
	for flag, values := range map[string][]string{
		"framework": estimators.Frameworks(), "estimator": names, "scale": {"group", "batch", "none"},
		"input-format": formatNames, "split": {"train", "val", "all"}, "attempt": {"newest", "all"}, "group-by": groupings, "compute-new-adv": {"true", "false"},
	} {
		if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			return err
		}
	}
	return nil
}

// completeFlag registers the values of a flag for shell completion. It cannot fail for a
// declared flag.
func completeFlag(cmd *cobra.Command, flag string, words ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}
