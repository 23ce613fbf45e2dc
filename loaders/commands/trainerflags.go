package commands

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"vantage/model"
	"vantage/model/trainer"
)

func (p *Program) flags() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "flags FRAMEWORK [algorithm.key=value...]",
		Short: "Print settings as a trainer's options",
		Long: `flags prints the options of a trainer's configuration, or the call, for the given
settings. Frameworks: ` + strings.Join(trainer.Names(), ", ") + `.`,
		Example: `vantage flags easyr1 --keep-pos-ratio 0.7 --keep-neg-ratio 0.5 --compute-new-adv
vantage flags twinkle --framework twinkle --scale batch`,
		Args:      cobra.ArbitraryArgs,
		ValidArgs: trainer.Names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, set, err := p.Configure(args)
			if err != nil {
				return err
			}
			if len(names) != 1 {
				return Usage(fmt.Errorf("flags takes one framework: %s", strings.Join(trainer.Names(), ", ")))
			}
			d, err := findDialect(names[0])
			if err != nil {
				return err
			}
			p.noteConfig("text")
			return writeDialect(p.stdout(cmd.Context()), d, set)
		},
	}
	p.AddFlags(cmd, arithmetic)
	cmd.Flags().AddFlag(p.sharedFlags()[model.AboutGroups].Lookup("num-generations"))
	return cmd
}

// findDialect returns the dialect of a framework.
func findDialect(name string) (trainer.Dialect, error) {
	d, ok := trainer.Find(name)
	if !ok {
		return d, Usage(fmt.Errorf("cannot write settings for %q: choose one of %s", name, strings.Join(trainer.Names(), ", ")))
	}
	return d, nil
}

// writeDialect writes settings as the options of a trainer.
func writeDialect(w io.Writer, d trainer.Dialect, set model.Settings) error {
	_, err := fmt.Fprintln(w, strings.Join(d.Emit(set), "\n"))
	return err
}
