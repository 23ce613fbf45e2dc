package commands

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vantage/model/trainer"
)

func (p *Program) flags() *cobra.Command {
	return &cobra.Command{
		Use:   "flags FRAMEWORK [algorithm.key=value...]",
		Short: "Print settings as a trainer takes them",
		Long: `flags prints what to write into a trainer's configuration, or the call, for the
settings that are given: ` + strings.Join(dialectNames(), ", ") + `.`,
		Example: `vantage flags easyr1 --keep-pos-ratio 0.7 --keep-neg-ratio 0.5 --compute-new-adv
vantage flags twinkle --framework twinkle --scale batch`,
		Args:      cobra.ArbitraryArgs,
		ValidArgs: dialectNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, set, err := p.Configure(args)
			if err != nil {
				return err
			}
			if len(names) != 1 {
				return Usage(fmt.Errorf("flags takes one framework, of %s", strings.Join(dialectNames(), ", ")))
			}
			d, ok := trainer.Find(names[0])
			if !ok {
				return Usage(fmt.Errorf("settings cannot be written for %q: choose of %s", names[0], strings.Join(dialectNames(), ", ")))
			}
			_, err = fmt.Fprintln(p.to(cmd.Context()), strings.Join(d.Emit(set), "\n"))
			return err
		},
	}
}

func dialectNames() []string {
	var names []string
	for _, d := range trainer.Dialects() {
		names = append(names, d.Framework)
	}
	return names
}
