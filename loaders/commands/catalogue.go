package commands

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vantage/estimators"
	"vantage/estimators/groupfilter"
	"vantage/estimators/lossweight"
	"vantage/estimators/overlong"
	"vantage/loaders/clickhouse"
	"vantage/loaders/formats"
	"vantage/model/report"
)

// catalogue is a command that lists what the frameworks do, or describes what its arguments name.
type catalogue[T estimators.Described] struct {
	report.Catalogue[T]
	all func() []T

	short   string
	example string // arguments that describe some
	unknown string // the error for arguments that name nothing, with %q for them, %s for what was meant and %s for the frameworks
	oneEach bool   // a framework has one entry, and is the only argument
}

func (p *Program) estimators() *cobra.Command {
	return catalogue[*estimators.Estimator]{
		Catalogue: report.Estimators(), all: estimators.All, example: "verl grpo",
		short:   "List the estimators, or describe some: formula, special cases, needs, source",
		unknown: "unknown framework or estimator %q%s: the frameworks are %s",
	}.command(p)
}

func (p *Program) filters() *cobra.Command {
	return catalogue[*groupfilter.Filter]{
		Catalogue: report.Filters(), all: groupfilter.All, example: "verl filter_groups",
		short:   "List the group filters (dynamic sampling), or describe some: rule, traps, options, source",
		unknown: "no group filter %q%s: the frameworks that have one are %s",
	}.command(p)
}

func (p *Program) losses() *cobra.Command {
	return catalogue[*lossweight.Loss]{
		Catalogue: report.Losses(), all: lossweight.All, example: "trl dapo",
		short:   "List what rows weigh in the losses, or describe some: formula, options, micro-batches, source",
		unknown: "unknown framework or loss %q%s: the frameworks are %s",
	}.command(p)
}

func (p *Program) overlong() *cobra.Command {
	return catalogue[*overlong.Shaping]{
		Catalogue: report.Overlong(), all: overlong.All, example: "verl", oneEach: true,
		short:   "List how rewards of long responses are lowered, or describe one: formula, options, source",
		unknown: "no overlong shaping of the framework %q is known%s: choose %s",
	}.command(p)
}

// command returns the command for p.
func (c catalogue[T]) command(p *Program) *cobra.Command {
	format := newFormatFlag("text", c.Pages).or("json", c.JSON)
	var frameworks []string
	for _, x := range c.all() {
		if name := x.About().Framework; !slices.Contains(frameworks, name) {
			frameworks = append(frameworks, name)
		}
	}
	cmd := &cobra.Command{
		Use:     c.Name + " [FRAMEWORK] [NAME]",
		Short:   c.short,
		Example: "vantage " + c.Name + "\nvantage " + c.Name + " " + c.example,
		Args:    atMostTwo,

		ValidArgs: frameworks,
		RunE: func(cmd *cobra.Command, args []string) error {
			list := slices.DeleteFunc(c.all(), func(x T) bool {
				return slices.ContainsFunc(args, func(arg string) bool { return !slices.Contains(c.names(x), arg) })
			})
			if len(list) == 0 {
				return Usage(fmt.Errorf(c.unknown, strings.Join(args, " "), c.meant(args), strings.Join(frameworks, ", ")))
			}
			write, err := format.writer(c.Name)
			if err != nil {
				return err
			}
			if format.name == "text" && len(args) == 0 {
				write = c.List
			}
			return write(p.output(cmd.Context(), format.name), list)
		},
	}
	if c.oneEach {
		cmd.Use, cmd.Args = c.Name+" [FRAMEWORK]", atMostOne
	}
	format.addTo(cmd)
	return cmd
}

// names are what an argument calls an entry.
func (c catalogue[T]) names(x T) []string {
	if c.oneEach {
		return []string{x.About().Framework}
	}
	return []string{x.About().Framework, x.About().Name}
}

// meant says what was probably meant by an argument that nothing is called.
func (c catalogue[T]) meant(args []string) string {
	var known []string
	for _, x := range c.all() {
		known = append(known, c.names(x)...)
	}
	for _, arg := range args {
		if hint := orMeant(arg, known); hint != "" && !slices.Contains(known, arg) {
			return hint
		}
	}
	return ""
}

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
