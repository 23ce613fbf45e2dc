package commands

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"vantage/model"
	"vantage/model/report"
)

func (p *Program) report() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "report PATH... [algorithm.key=value...]",
		Short: "Print the same numbers without a screen",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			paths, set, err := p.pathsAndSettings(args)
			if err != nil {
				return err
			}
			return p.WriteReport(cmd.Context(), paths, set, format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

// WriteReport reads all that is there and prints it.
func (p *Program) WriteReport(ctx context.Context, paths []string, set model.Settings, format string) error {
	write := report.Text
	switch format {
	case "text":
	case "json":
		write = report.JSON
	default:
		return Usage(fmt.Errorf("report has no format %q: it has text and json", format))
	}
	snap, err := p.readAll(ctx, paths)
	if err != nil {
		return err
	}
	trend, err := snap.Trend(ctx, set, nil)
	if err != nil {
		return asked(err)
	}
	return write(p.Out, snap, trend)
}
