package commands

import (
	"fmt"

	"github.com/spf13/cobra"

	"vantage/loaders/formats"
	"vantage/model/report"
)

func (p *Program) formats() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "formats",
		Short: "List the logs that can be read, and what makes each trainer write its own",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var list []report.Format
			for _, f := range formats.All() {
				list = append(list, report.Format{Name: f.Name, Doc: f.Doc, Writes: f.TrainerOption})
			}
			switch format {
			case "text":
				return report.FormatText(p.stdout(cmd.Context()), list)
			case "json":
				return report.FormatJSON(p.stdout(cmd.Context()), list)
			}
			return Usage(fmt.Errorf("formats has no format %q: it has text and json", format))
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	completeFlag(cmd, "format", "text", "json")
	return cmd
}
