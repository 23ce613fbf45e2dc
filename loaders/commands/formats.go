package commands

import (
	"fmt"

	"github.com/spf13/cobra"

	"vantage/loaders/formats"
	"vantage/model/report"
)

func (p *Program) formats() *cobra.Command {
	format := newFormatFlag("text", report.FormatText).or("json", report.FormatJSON)
	cmd := &cobra.Command{
		Use:   "formats [NAME]",
		Short: "List the log formats, or one, and the trainers' options that write them",
		Example: `vantage formats
vantage formats trl`,
		Args: atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			write, err := format.writer("formats")
			if err != nil {
				return err
			}
			known := formats.All()
			if len(args) > 0 {
				one, found := formats.Find(args[0])
				if !found {
					return Usage(unknownFormat(args[0]))
				}
				known = []formats.Format{one}
			}
			var list []report.Format
			for _, f := range known {
				list = append(list, report.Format{Name: f.Name, Doc: f.Doc, Writes: f.TrainerOption, File: f.File, Command: f.Command()})
			}
			return write(p.output(cmd.Context(), format.name), list)
		},
	}
	format.addTo(cmd)
	return cmd
}

// unknownFormat names the format that was probably meant.
func unknownFormat(name string) error {
	var names []string
	for _, f := range formats.All() {
		names = append(names, f.Name)
	}
	return fmt.Errorf("no format %q%s: `vantage formats` lists all", name, orMeant(name, names))
}
