package commands

import (
	"fmt"

	"github.com/spf13/cobra"

	"vantage/model/report"
)

func (p *Program) export() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "export PATH... [algorithm.key=value...]",
		Short: "Write every sample with its advantages",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			paths, set, err := p.pathsAndSettings(args)
			if err != nil {
				return err
			}
			if format != "jsonl" {
				return Usage(fmt.Errorf("export has no format %q: it has jsonl", format))
			}
			snap, err := p.readAll(cmd.Context(), paths)
			if err != nil {
				return err
			}
			if problems := snap.Run.Problems; len(problems) > 0 {
				_, _ = fmt.Fprintf(p.ErrOut, "vantage: left out what could not be read, first %s\n", problems[0])
			}
			return asked(report.Samples(cmd.Context(), p.Out, snap, set))
		},
	}
	cmd.Flags().StringVar(&format, "format", "jsonl", "jsonl")
	return cmd
}
