package commands

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"vantage/loaders/clickhouse"
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
			out, known := p.output(cmd.Context(), format.name), formats.All()
			switch {
			case len(args) > 0 && args[0] == "clickhouse" && format.name == "json":
				return write(out, []report.Format{tableFormat()})
			case len(args) > 0 && args[0] == "clickhouse":
				return writeTable(out)
			case len(args) > 0:
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
			if err := write(out, list); err != nil || format.name == "json" || len(args) > 0 {
				return err
			}
			return writeTable(out)
		},
	}
	format.addTo(cmd)
	return cmd
}

// tableFormat describes tables of ClickHouse as a format.
func tableFormat() report.Format {
	return report.Format{
		Name: "clickhouse", Doc: "A table of ClickHouse, whose columns have the names that files have.", Writes: clickhouse.RecommendedTable,
		File: "rl.rollouts", Command: "vantage 'clickhouse://USER@HOST:9440/rl/rollouts?run=NAME'",
	}
}

// writeTable says how a table of ClickHouse is read, and which is read fast.
func writeTable(w io.Writer) error {
	_, err := fmt.Fprintf(w, `
A table of ClickHouse is read with %s, and never written to.
Its columns have the names that files have; step=COLUMN, group=, sample=, reward=, prompt=, advantage= and length= in the
address name others. This table is read fast:

%s`, tableFormat().Command, clickhouse.RecommendedTable)
	return err
}

// unknownFormat names the format that was probably meant.
func unknownFormat(name string) error {
	var names []string
	for _, f := range formats.All() {
		names = append(names, f.Name)
	}
	return fmt.Errorf("no format %q%s: `vantage formats` lists all", name, orMeant(name, names))
}
