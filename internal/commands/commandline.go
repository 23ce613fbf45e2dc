package commands

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vantage/estimators"
	"vantage/loaders/formats"
	"vantage/model"
)

// flagError makes a usage error of what pflag says of a flag, with the flag that was probably meant, or the commands that
// have it.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		f := invalid.GetFlag()
		expected, ok := map[string]string{
			"int": "a whole number", "uint64": "a whole number",
			"duration": "a time with its unit, such as 30s or 10m", "bool": "true or false, or the flag alone",
			everyText: everyText, numberOrEvery: "a whole number, or " + everyText,
		}[f.Value.Type()]
		if !ok {
			expected = "a " + f.Value.Type()
		}
		return usage(fmt.Errorf("--%s %s: expected %s", f.Name, invalid.GetValue(), expected))
	}
	if !errors.As(err, &unknown) || len(unknown.GetSpecifiedName()) < 2 {
		return usage(err)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	name := unknown.GetSpecifiedName()
	hint := didYouMean("--"+name, names)
	if others := commandsWith(cmd.Root(), name); len(others) > 0 {
		hint = fmt.Sprintf(": %s does not take it; %s", cmd.Name(), join(others, "and"))
	}
	return usage(fmt.Errorf("%w%s", err, hint))
}

const shownCommands = 4

// commandsWith returns the first commands that have a flag, and that others do.
func commandsWith(root *cobra.Command, flag string) []string {
	var names []string
	for _, c := range append(root.Commands(), root) {
		if f := c.Flags().Lookup(flag); f != nil && !f.Hidden {
			names = append(names, c.Name())
		}
	}
	switch {
	case len(names) == 0:
		return nil
	case len(names) == 1:
		return []string{names[0] + " does"}
	case len(names) > shownCommands:
		return append(names[:shownCommands], "others do")
	}
	names[len(names)-1] += " do"
	return names
}

// refuseOtherWords makes a command with commands of its own refuse a word that is none of them.
func refuseOtherWords(cmd *cobra.Command) {
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return usage(fmt.Errorf("%s knows no %q%s: it takes %s", cmd.Name(), args[0], orMeant(args[0], names), join(names, "or")))
	}
}

// joinSwitches returns the arguments with "--compute-new-adv true" as "--compute-new-adv=true": pflag would
// take the word for a path, since the flag may stand without a value.
func joinSwitches(args []string) []string {
	var joined []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(joined, args[i:]...)
		}
		joined = append(joined, args[i])
		if args[i] == "--compute-new-adv" && i+1 < len(args) && slices.Contains([]string{"true", "false", "on", "off"}, args[i+1]) {
			i++
			joined[len(joined)-1] += "=" + args[i]
		}
	}
	return joined
}

// checkWords makes `help` and `completion` refuse what they do not know, and `help settings` a page, once all commands are added and the
// outputs are set.
func (p *program) checkWords(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion":
			refuseOtherWords(c)
			for _, shell := range c.Commands() {
				shell.Args = noArguments
			}
		case "help":
			ofCommands, commandNames := c.Run, c.ValidArgsFunction
			c.Run = func(cmd *cobra.Command, args []string) {
				if slices.Equal(args, []string{settingsPage}) {
					p.helpSettings(cmd.OutOrStdout())
					return
				}
				ofCommands(cmd, args)
			}
			c.ValidArgsFunction = func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
				names, directive := commandNames(cmd, args, begun)
				if len(args) == 0 && strings.HasPrefix(settingsPage, begun) {
					names = append(names, settingsPage+"\tFlags that the commands share")
				}
				return names, directive
			}
			c.Args = func(_ *cobra.Command, args []string) error {
				if slices.Equal(args, []string{settingsPage}) {
					return nil
				}
				found, rest, err := root.Find(args)
				if err != nil || found == nil || len(rest) > 0 {
					hint := ": `vantage --help` lists them"
					if names := root.SuggestionsFor(args[0]); len(names) > 0 {
						hint = ": did you mean " + names[0] + "?"
					}
					return usage(fmt.Errorf("no command %s%s", strings.Join(args, " "), hint))
				}
				return nil
			}
		}
	}
}

func noArguments(cmd *cobra.Command, args []string) error {
	return atMost(0, "%s takes no arguments, got %q: run `"+cmd.CommandPath()+"`")(cmd, args)
}

func oneName(cmd *cobra.Command, args []string) error {
	return atMost(1, "%s takes one name, got %q too")(cmd, args)
}

// atMost refuses more arguments in words, with %s for the command and %q for the first that is too much.
func atMost(n int, words string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return usage(fmt.Errorf(words, cmd.Name(), args[n]))
		}
		return nil
	}
}

// orMeant returns " (did you mean NAME?)" for the nearest of some names, "" if none is near.
func orMeant(word string, names []string) string {
	if name := model.Nearest(word, names); name != "" {
		return " (did you mean " + name + "?)"
	}
	return ""
}

// didYouMean returns ": did you mean NAME?" for the nearest of some names, "" if none is near.
func didYouMean(word string, names []string) string {
	if name := model.Nearest(word, names); name != "" {
		return ": did you mean " + name + "?"
	}
	return ""
}

// registerCompletions registers the values of the common flags for shell completion.
func (p *program) registerCompletions(cmd *cobra.Command) {
	completeFlag(cmd, "scale", "group", "batch", "none")
	completeFlag(cmd, "split", "train", "val", "all")
	completeFlag(cmd, "attempt", "newest", "all")
	completeFlag(cmd, "compute-new-adv", "true", "false")
	groupings := func() []string {
		return model.Mapped(model.Groupings(), func(g model.GroupBy) string { return string(g) })
	}
	for flag, words := range map[string]func() []string{ // which are found out when a shell asks, and not at each start
		"framework": estimators.Frameworks, "estimator": estimatorNames, "input-format": formatNames, "group-by": groupings,
	} {
		// cannot fail: the flags are declared
		_ = cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return words(), cobra.ShellCompDirectiveNoFileComp
		})
	}
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

func formatNames() []string {
	return model.Mapped(formats.All(), func(f formats.Format) string { return f.Name })
}

// completeFlag registers the values of a flag for shell completion. It cannot fail for a
// declared flag.
func completeFlag(cmd *cobra.Command, flag string, words ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}
