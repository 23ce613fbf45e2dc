package commands

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vantage/model"
)

// helpWidth is the columns of a terminal that nobody has made wider.
const helpWidth = 80

// Help writes what a command does, its usage, examples, commands and flags: first its own, then those of several commands, by
// what they are about.
func (p *Program) Help(cmd *cobra.Command, _ []string) {
	out := bufio.NewWriter(cmd.OutOrStdout())
	defer out.Flush()
	about := cmd.Long
	if about == "" {
		about = strings.TrimSuffix(cmd.Short, ".") + "."
	}
	for paragraph := range strings.SplitSeq(about, "\n\n") {
		fmt.Fprintln(out, hanging("", paragraph, 0)+"\n")
	}
	use := cmd.UseLine()
	if cmd.HasAvailableSubCommands() {
		use += "\n  " + cmd.CommandPath() + " COMMAND"
	}
	fmt.Fprintf(out, "USAGE\n  %s\n", use)
	if cmd.Example != "" {
		fmt.Fprintf(out, "\nEXAMPLES\n  %s\n", strings.ReplaceAll(cmd.Example, "\n", "\n  "))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(out, "\nCOMMANDS\n")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				fmt.Fprintln(out, hanging("  "+c.Name(), c.Short, 14))
			}
		}
	}
	for _, set := range p.flagsByTitle(cmd) {
		fmt.Fprintf(out, "\n%s\n", set.title)
		for _, f := range set.flags {
			names := "  --" + f.Name
			if f.Shorthand != "" {
				names = "  -" + f.Shorthand + ", --" + f.Name
			}
			usage := f.Usage
			if !slices.Contains([]string{"", "0", "false", "[]"}, f.DefValue) {
				usage += " (default " + f.DefValue + ")"
			}
			fmt.Fprintln(out, hanging(strings.TrimRight(names+" "+valuePlaceholder(f), " "), usage, 28))
		}
	}
}

type titledFlags struct {
	title string
	flags []*pflag.Flag
}

func (p *Program) flagsByTitle(cmd *cobra.Command) []titledFlags {
	titles := map[model.Subject]string{
		model.AboutArithmetic: "FLAGS: HOW ADVANTAGES ARE COMPUTED", model.AboutGroups: "FLAGS: WHAT IS A GROUP", model.AboutRewards: "FLAGS: WHAT IS THE REWARD",
		model.AboutSamples: "FLAGS: WHICH SAMPLES COUNT", model.AboutLoss: "FLAGS: WHAT A SAMPLE WEIGHS", aboutReading: "FLAGS: HOW THE LOG IS READ",
	}
	all := []titledFlags{{title: "FLAGS"}}
	for about := range p.sharedFlags() {
		all = append(all, titledFlags{title: titles[model.Subject(about)]})
	}
	cmd.InitDefaultHelpFlag()
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		of := 1 + slices.IndexFunc(p.sharedFlags(), func(set *pflag.FlagSet) bool { return set.Lookup(f.Name) == f })
		if !f.Hidden {
			all[of].flags = append(all[of].flags, f)
		}
	})
	return slices.DeleteFunc(all, func(t titledFlags) bool { return len(t.flags) == 0 })
}

// hanging returns a term with its text from a column on, wrapped. A longer term has a line for itself.
func hanging(term, text string, column int) string {
	var out strings.Builder
	out.WriteString(term)
	at := utf8.RuneCountInString(term)
	if at >= column && at > 0 {
		out.WriteByte('\n')
		at = 0
	}
	out.WriteString(strings.Repeat(" ", column-at))
	at = column
	for word := range strings.FieldsSeq(text) {
		length := utf8.RuneCountInString(word)
		if at > column && at+1+length > helpWidth {
			out.WriteString("\n" + strings.Repeat(" ", column))
			at = column
		} else if at > column {
			out.WriteByte(' ')
			at++
		}
		out.WriteString(word)
		at += length
	}
	return out.String()
}
