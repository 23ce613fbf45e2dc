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
	for flag, words := range map[string]func() []string{
		"framework": estimators.Frameworks, "estimator": estimatorNames, "input-format": formatNames, "group-by": groupingNames,
		"scale": listed("group", "batch", "none"), "split": listed("train", "val", "all"), "attempt": listed("newest", "all"),
		"compute-new-adv": listed("true", "false"),
	} {
		if err := cmd.RegisterFlagCompletionFunc(flag, completions(words)); err != nil {
			return err
		}
	}
	return nil
}

// completions completes with words, which are found out when a shell asks and not at each start.
func completions(words func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return words(), cobra.ShellCompDirectiveNoFileComp
	}
}

func listed(words ...string) func() []string {
	return func() []string { return words }
}

// estimatorNames are the names of the estimators, each once: several frameworks have one of the same name.
func estimatorNames() (names []string) {
	for _, e := range estimators.All() {
		if !slices.Contains(names, e.Name) {
			names = append(names, e.Name)
		}
	}
	return names
}

func formatNames() (names []string) {
	for _, f := range formats.All() {
		names = append(names, f.Name)
	}
	return names
}

func groupingNames() (names []string) {
	for _, g := range model.Groupings() {
		names = append(names, string(g))
	}
	return names
}

// completeFlag registers the values of a flag for shell completion. It cannot fail for a
// declared flag.
func completeFlag(cmd *cobra.Command, flag string, words ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}
