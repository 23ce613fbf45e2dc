package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vantage/estimators"
	"vantage/estimators/groupfilter"
	"vantage/estimators/lossweight"
	"vantage/estimators/offpolicy"
	"vantage/estimators/overlong"
	"vantage/loaders/clickhouse"
	"vantage/loaders/formats"
	logged "vantage/loaders/scalars"
	"vantage/model"
	"vantage/model/diagnosis"
	"vantage/model/figures"
	"vantage/model/report"
)

// list is the command of all that the program knows of: each of these is a word after it.
func (p *program) list() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List estimators, group filters, losses, formats, metrics, illnesses",
		Long: `list names what vantage knows, and describes what you name: of each trainer its
advantage estimators, group filters, losses, penalties for long answers, rules for
off-policy samples and formats of logs; and metrics and illnesses.`,
		Example: `vantage list estimators verl grpo
vantage list formats trl
vantage list metrics signal`,
	}
	cmd.AddCommand(p.estimators(), p.filters(), p.losses(), p.overlong(), p.offPolicyRules(), p.formats(), p.metrics(), p.illnesses())
	refuseOtherWords(cmd)
	return cmd
}

// catalogue is a command that lists what the frameworks do, or describes what its arguments name.
type catalogue[T estimators.Described] struct {
	report.Catalogue[T]
	all func() []T

	short   string
	example string // arguments that describe some
	unknown string // the error for arguments that name nothing, with %q for them, %s for what was meant and %s for the frameworks
	oneEach bool   // a framework has one entry, and is the only argument
}

func (p *program) estimators() *cobra.Command {
	return catalogue[*estimators.Estimator]{
		Catalogue: report.Estimators(), all: estimators.All, example: "verl grpo",
		short:   "List or describe the advantage estimators",
		unknown: "unknown framework or estimator %q%s: the frameworks are %s",
	}.build(p)
}

func (p *program) filters() *cobra.Command {
	return catalogue[*groupfilter.Filter]{
		Catalogue: report.Filters(), all: groupfilter.All, example: "verl filter_groups",
		short:   "List or describe the group filters (dynamic sampling)",
		unknown: "no group filter %q%s: the frameworks that have one are %s",
	}.build(p)
}

func (p *program) losses() *cobra.Command {
	return catalogue[*lossweight.Loss]{
		Catalogue: report.Losses(), all: lossweight.All, example: "trl dapo",
		short:   "List loss aggregation modes and the weight they give each sample",
		unknown: "unknown framework or loss %q%s: the frameworks are %s",
	}.build(p)
}

func (p *program) overlong() *cobra.Command {
	return catalogue[*overlong.Shaping]{
		Catalogue: report.Overlong(), all: overlong.All, example: "verl", oneEach: true,
		short:   "List penalties for overlong responses",
		unknown: "no overlong shaping of the framework %q is known%s: choose %s",
	}.build(p)
}

func (p *program) offPolicyRules() *cobra.Command {
	return catalogue[*offpolicy.Rule]{
		Catalogue: report.OffPolicyRules(), all: offpolicy.All, example: "verl rollout_is",
		short:   "List how trainers clip, mask and reject off-policy samples",
		unknown: "no off-policy rule %q%s: the frameworks that have one are %s",
	}.build(p)
}

func (c catalogue[T]) build(p *program) *cobra.Command {
	var frameworks []string
	for _, x := range c.all() {
		if name := x.About().Framework; !slices.Contains(frameworks, name) {
			frameworks = append(frameworks, name)
		}
	}
	row := command[func(io.Writer, []T) error]{
		use:       c.Name + " [FRAMEWORK] [NAME]",
		short:     c.short,
		example:   "vantage list " + c.Name + "\nvantage list " + c.Name + " " + c.example,
		args:      atMost(2, "%s takes a framework and a name, got %q"),
		validArgs: frameworks,
		format:    newFormatFlag("text", c.Pages).or("json", c.JSON),
		run: func(ctx context.Context, called *call, write func(io.Writer, []T) error) error {
			list := slices.DeleteFunc(c.all(), func(x T) bool {
				return slices.ContainsFunc(called.args, func(arg string) bool { return !slices.Contains(c.names(x), arg) })
			})
			if len(list) == 0 {
				return usage(fmt.Errorf(c.unknown, strings.Join(called.args, " "), c.meant(called.args), strings.Join(frameworks, ", ")))
			}
			if called.format == "text" && len(called.args) == 0 {
				write = c.List
			}
			return write(called.output(ctx), list)
		},
	}
	if c.oneEach {
		row.use, row.args = c.Name+" [FRAMEWORK]", oneName
	}
	return row.build(p)
}

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

func (p *program) formats() *cobra.Command {
	return command[func(io.Writer, []report.Format) error]{
		use:   "formats [NAME]",
		short: "List the log formats, and the trainer options that write them",
		example: `vantage list formats
vantage list formats trl`,
		args:   oneName,
		format: newFormatFlag("text", report.FormatText).or("json", report.FormatJSON),
		run: func(ctx context.Context, c *call, write func(io.Writer, []report.Format) error) error {
			out, known := c.output(ctx), formats.All()
			switch {
			case len(c.args) > 0 && c.args[0] == "clickhouse" && c.format == "json":
				return write(out, []report.Format{tableFormat()})
			case len(c.args) > 0 && c.args[0] == "clickhouse":
				return writeTable(out)
			case len(c.args) > 0:
				one, found := formats.Find(c.args[0])
				if !found {
					return usage(unknownFormat(c.args[0]))
				}
				known = []formats.Format{one}
			}
			var list []report.Format
			for _, f := range known {
				list = append(list, report.Format{Name: f.Name, Doc: f.Doc, Writes: f.TrainerOption, File: f.File, Command: f.Command()})
			}
			if err := write(out, list); err != nil || c.format == "json" || len(c.args) > 0 {
				return err
			}
			if err := writeContainers(out); err != nil {
				return err
			}
			return writeTable(out)
		},
	}.build(p)
}

func (p *program) metrics() *cobra.Command {
	places := model.Mapped(figures.Places(), func(place figures.Place) string { return string(place) })
	return command[any]{
		use:       "metrics [PLACE|NAME]",
		short:     "List or describe the metrics, columns, fates and warnings",
		example:   "vantage list metrics\nvantage list metrics sweep\nvantage list metrics ESS",
		args:      oneName,
		validArgs: places,
		run: func(ctx context.Context, c *call, _ any) error {
			out, all := c.output(ctx), figures.Sections()
			if len(c.args) == 0 {
				return report.MetricsList(out, all)
			}
			found := figures.Named(c.args[0])
			if len(found) == 0 {
				known := places
				for _, s := range all {
					for _, e := range s.Entries {
						known = append(known, e.AllNames()...)
					}
				}
				return usage(fmt.Errorf("no metric %q%s: `vantage list metrics` lists all", c.args[0], orMeant(c.args[0], known)))
			}
			return report.MetricsText(out, found)
		},
	}.build(p)
}

func (p *program) illnesses() *cobra.Command {
	kinds := diagnosis.Kinds()
	names := model.Mapped(kinds, func(k diagnosis.KindInfo) string { return string(k.Name) })
	return command[func(io.Writer, []diagnosis.KindInfo) error]{
		use:       "illnesses [NAME]",
		short:     "List or describe the illnesses: how each is found, and what to do",
		example:   "vantage list illnesses\nvantage list illnesses reward_hacking",
		args:      atMost(4, "%s takes one name, got %q too"), // a name is copied from a summary in words
		validArgs: names,
		format:    newFormatFlag("text", report.IllnessText).or("json", report.IllnessJSON),
		run: func(ctx context.Context, c *call, write func(io.Writer, []diagnosis.KindInfo) error) error {
			list := kinds
			if len(c.args) > 0 {
				name := strings.ReplaceAll(strings.Join(c.args, "_"), " ", "_")
				found := slices.Index(names, name)
				if found < 0 {
					return usage(fmt.Errorf("no illness %q%s: `vantage list illnesses` lists all", name, orMeant(name, names)))
				}
				list = kinds[found : found+1]
			} else if c.format == "text" {
				write = report.IllnessesList
			}
			return write(c.output(ctx), list)
		},
	}.build(p)
}

// writeContainers says in what averages of steps may come.
func writeContainers(w io.Writer) error {
	var b strings.Builder
	b.WriteString("\nAverages of steps, a row each and no samples, are read by `vantage summary`, alone or next to samples:\n\n")
	for _, c := range logged.Containers() {
		fmt.Fprintf(&b, "  %-25s  %s\n", c.Name, c.Doc)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func tableFormat() report.Format {
	return report.Format{
		Name: "clickhouse", Doc: "A table of ClickHouse, whose columns have the names that files have.",
		Writes: clickhouse.RecommendedTable,
		File:   "rl.rollouts", Command: "vantage 'clickhouse://USER@HOST:9440/rl/rollouts?run=NAME'",
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

func unknownFormat(name string) error {
	if instead := model.Gone("--input-format " + name); instead != "" {
		return errors.New(instead)
	}
	return fmt.Errorf("no format %q%s: `vantage list formats` lists all", name, orMeant(name, formatNames()))
}
