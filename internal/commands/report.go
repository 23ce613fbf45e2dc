package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/model/glance"
	"vantage/model/report"
	"vantage/model/sweep"
)

// reportOptions are the flags of the command besides settings.
type reportOptions struct {
	format *formatFlag[reportWriter]
	charts *report.Charts // that the writer made

	per, svg, emit string
	brief          bool   // the newest steps in a short answer
	output         string // the file that is written instead of standard output; "" for that
	texts          textsFlag

	by    string // what a breakdown has a row for each of
	where selection

	sort string // the figure by which groups are sorted; "" for the order of the log
	top  int    // how many groups are printed; 0 for all
}

type reportWriter = func(io.Writer, *report.Report) error

func (p *program) report() command[reportWriter] {
	o := &reportOptions{where: selection{kind: "samples", also: ", or with --per group groups,"}}
	steps := &stepRange{}
	charted := func(write func(io.Writer, *report.Report) (*report.Charts, error)) reportWriter {
		return func(w io.Writer, r *report.Report) (err error) {
			o.charts, err = write(w, r)
			return err
		}
	}
	o.format = newFormatFlag("text", charted(report.Text)).
		or("md", charted(report.Markdown)).or("csv", charted(report.CSV)).noting(noteAll).
		or("json", charted(report.JSON)).or("html", charted(report.HTML))
	o.format.hasShort = true
	return command[reportWriter]{
		use:   "report PATH... [algorithm.key=value...]",
		short: "Print a report of a run: steps, charts, metrics and warnings",
		long: `report prints the content of the screen: a row per step or per group, charts, and the metrics
and warnings of the newest step. For a run without samples it prints its scalars. A complete page ends with a line "complete", a complete
JSON object with "complete": true; a table is complete if the exit code is 0.

--format html writes one page for a browser, with charts, the sweep, the groups that need
a look and a row per step. It needs no network and no other file, so you can send it.

--brief prints a row for each of the newest 20 steps: samples that train, groups with a
signal, groups by fate, mean reward and mean length. It prints as many rows as fit into
2 KB; --last and --steps print all that they name.

--per group with --where, --sort or --top prints only these groups, a line each, with the
names that why takes: of the groups that match, the first by a metric.

--emit prints the settings as options of a trainer's configuration, or as a call. Without
a PATH these are the ones that you give.`,
		example: `vantage report runs/qwen-math/rollouts --last 10
vantage report runs/qwen-math/rollouts --brief --last 20 --json
vantage report runs/qwen-math/rollouts --format html -o report.html --texts 5
vantage report runs/qwen-math/rollouts --format md --svg report.svg
vantage report runs/qwen-math/rollouts --per group --steps 3 --format csv
vantage report runs/qwen-math/rollouts --per group --sort std --top 3
vantage report --emit easyr1 --keep-pos-ratio 0.7 --keep-neg-ratio 0.5`,
		format: o.format,
		where:  &o.where,
		steps:  steps,
		sets:   ofLogs,
		flags: func(cmd *cobra.Command) {
			addChoice(cmd, &o.per, "per", string(report.PerStep), "what each row is: step, group or run", "step", "group", "run")
			addChoice(cmd, &o.by, "by", "",
				"break the metrics down: a row per difficulty, length, fate, step, or value of a column of the log",
				analysis.PartKinds()...)
			cmd.Flags().StringVar(&o.sort, "sort", "",
				"with --per group: sort the groups by this metric, highest first; -NAME sorts lowest first")
			cmd.Flags().IntVar(&o.top, "top", 0, "with --per group: only the first N groups")
			cmd.Flags().StringVar(&o.svg, "svg", "", "draw the charts into this SVG file; Markdown links to it")
			cmd.Flags().StringVarP(&o.output, "output", "o", "", "write to this file, replaced once the new one is complete")
			o.texts.addNumbersTo(cmd, 0, "N: include the best and worst answers of the N worst groups (HTML only); all: "+readEvery)
			addEmitFlag(cmd, &o.emit, "the settings")
			cmd.Flags().BoolVar(&o.brief, "brief", false, "only the newest steps, a row each, in 2 KB: as text or JSON")
		},
		refuse: func() error {
			if o.brief && *steps == (stepRange{}) {
				steps.last = defaultLast
			}
			return o.refuse()
		},
		run: o.orGiven(orScalars(true, o.isOfScalars, onLog(ofLog, func(ctx context.Context, log *openLog) (*report.Report, error) {
			for _, f := range [][2]string{{"-o", o.output}, {"--svg", o.svg}} {
				if err := refuseOntoLog(log.p.disk, f[0], f[1], log.paths); err != nil {
					return nil, err
				}
			}
			log.file = o.output
			switch {
			case o.emit != "":
				log.format, log.notes = "text", noteAll
				log.instead = func(w io.Writer) error { return writeDialect(w, o.emit, log.set) }
				return nil, nil
			case o.isGroupList():
				l, err := o.listGroups(ctx, log)
				write := map[string]func(io.Writer, *report.GroupList) error{
					"text": report.GroupListText, "md": report.GroupListMarkdown,
					"csv": csvOf((*report.GroupList).Table), "json": report.GroupListJSON,
				}[log.format]
				log.instead = func(w io.Writer) error { return write(w, l) }
				return nil, err
			case o.isBreakdown():
				b, err := o.breakDown(ctx, log)
				write := map[string]func(io.Writer, *report.Breakdown) error{
					"text": report.BreakdownText, "md": report.BreakdownMarkdown,
					"csv": csvOf((*report.Breakdown).Table), "json": report.BreakdownJSON,
				}[log.format]
				log.notes = 0
				log.instead = func(w io.Writer) error { return write(w, b) }
				return nil, err
			case o.brief:
				b, err := briefOf(ctx, log)
				write := map[string]func(io.Writer, *report.Steps) error{"text": report.StepsText, "json": report.StepsJSON}[log.format]
				log.notes = noteReading
				log.instead = func(w io.Writer) error { return write(w, b) }
				return nil, err
			}
			return o.compute(ctx, log)
		}))),
	}
}

// orGiven is what report does: with --emit and no path it prints the settings of the command line, which no log completes.
func (o *reportOptions) orGiven(ofLog func(context.Context, *call, reportWriter) error) func(context.Context, *call, reportWriter) error {
	return func(ctx context.Context, c *call, write reportWriter) error {
		if o.emit == "" {
			return ofLog(ctx, c, write)
		}
		if paths, _, err := c.p.splitArguments(c.args); err != nil || len(paths) > 0 || c.paths != nil {
			return ofLog(ctx, c, write)
		}
		if err := o.refuseWithoutLog(c.p); err != nil {
			return usage(err)
		}
		_, set, err := c.p.configure(c.args)
		if err != nil {
			return err
		}
		c.note(c.p.configSummary)
		return c.p.writeOutput(ctx, o.output, "text", func(w io.Writer) error { return writeDialect(w, o.emit, set) })
	}
}

// refuseWithoutLog says which flags --emit would ignore without a path.
func (o *reportOptions) refuseWithoutLog(p *program) error {
	var needLog []string
	o.format.flags.Visit(func(f *pflag.Flag) {
		i := topicOf(p.sharedFlags(), f)
		isSetting := i >= 0 && p.sharedFlags()[i].set&(arithmetic|correcting) != 0
		if !isSetting && !slices.Contains([]string{"num-generations", "emit", "output", "format", "json"}, f.Name) {
			needLog = append(needLog, "--"+f.Name)
		}
	})
	if len(needLog) > 0 {
		return fmt.Errorf("--emit without a log takes no %s: give a PATH, or omit it", join(needLog, "or"))
	}
	return nil
}

const defaultLast = 20

// briefOf computes the steps that are asked for. So many as are named are printed, however long that is.
func briefOf(ctx context.Context, log *openLog) (*report.Steps, error) {
	s := &report.Steps{Answer: log.answer(), Explicit: log.steps.last > defaultLast || log.steps.interval != ""}
	err := analysis.EachPassing(ctx, log.snap, log.set, func(a *analysis.Analysis) error {
		s.Steps = append(s.Steps, a.StepFigures)
		return nil
	})
	return s, err
}

// isOfScalars reports whether what is asked for can be told of a run without samples: what ails it, in words or JSON.
func (o *reportOptions) isOfScalars(c *call) bool {
	isOfAllSteps := c.steps == nil || *c.steps == (stepRange{})
	isPlain := o.isPerStep() && !o.isBreakdown() && !o.brief
	writesFiles := o.output != "" || o.svg != "" || o.emit != ""
	return isPlain && isOfAllSteps && !writesFiles && slices.Contains([]string{"text", "json"}, c.format)
}

// writeReport reads the paths to their current end and writes a report per step, as text if the flags say nothing else.
func (p *program) writeReport(ctx context.Context, paths []string, set model.Settings) error {
	return p.report().startOn(ctx, p, paths, set)
}

func (o *reportOptions) isBreakdown() bool {
	return o.by != "" || o.where.text != "" && !o.isPerGroup()
}

// isGroupList reports whether some groups are asked for, and nothing else.
func (o *reportOptions) isGroupList() bool {
	choosesGroups := o.where.text != "" || o.sort != "" || o.top > 0
	return o.isPerGroup() && o.by == "" && choosesGroups
}

func (o *reportOptions) isPerGroup() bool { return o.per == string(report.PerGroup) }

func (o *reportOptions) isPerStep() bool { return o.per == string(report.PerStep) }

const maxTexts = 100

// refuse says which flags do not go together.
func (o *reportOptions) refuse() error {
	isPage := o.format.name == "html"
	switch {
	case !slices.Contains(report.PerValues(), report.Per(o.per)):
		return fmt.Errorf("--per %s: choose step, group or run", o.per)
	case isPage && !o.isPerStep():
		return fmt.Errorf("--per %s: the page of --format html always has groups and steps; --format text, md, csv and json have rows "+
			"per %[1]s", o.per)
	case isPage && o.isBreakdown():
		return errors.New("--by and --where have no page of HTML: choose --format text, md, csv or json")
	}
	if err := o.refuseGroupList(); err != nil {
		return err
	}
	if err := o.refuseBrief(); err != nil {
		return err
	}
	switch {
	case o.texts.n > maxTexts:
		return fmt.Errorf("--texts %d: expected a number of groups from 0 to %d", o.texts.n, maxTexts)
	case o.texts.n > 0 && !isPage:
		return errors.New("--texts is for --format html; `vantage why GROUP PATH` prints the answers of a group")
	case o.emit != "":
		return checkDialect(o.emit)
	case o.isBreakdown():
		return o.refuseBreakdown()
	}
	return nil
}

// refuseGroupList says which flags do not go with a list of groups, and what selects them.
func (o *reportOptions) refuseGroupList() error {
	isOrdered := o.sort != "" || o.top != 0
	switch {
	case o.top < 0:
		return fmt.Errorf("--top %d: expected a number of groups", o.top)
	case isOrdered && !o.isPerGroup():
		return errors.New("--sort and --top are for --per group: add it, or omit them")
	case !o.isGroupList():
		return nil
	case o.svg != "":
		return errors.New("--svg draws the charts of a report, and --where, --sort and --top with --per group print a list: omit one")
	}
	o.where.kind = "groups"
	if _, err := report.NewGroupList(o.sort, o.top); err != nil {
		return fmt.Errorf("--sort: %w", err)
	}
	return nil
}

// refuseBrief says which flags do not go with --brief.
func (o *reportOptions) refuseBrief() error {
	hasBriefFormat := o.format.name == "text" || o.format.name == "json"
	asksForMore := !o.isPerStep() || o.isBreakdown() || o.svg != "" || o.emit != ""
	switch {
	case !o.brief:
		return nil
	case !hasBriefFormat:
		return fmt.Errorf("--brief prints text or json, not %s: omit one", o.format.name)
	case asksForMore:
		return errors.New("--brief prints a row per step and nothing else: omit --per, --by, --where, --svg and --emit")
	}
	return nil
}

// refuseBreakdown says which flags do not go with --by and --where.
func (o *reportOptions) refuseBreakdown() error {
	switch {
	case o.svg != "":
		return errors.New("--svg draws the charts of a report, and --by and --where print a breakdown: omit one")
	case !o.isPerStep():
		return fmt.Errorf("--per %s is for a report, and --by and --where print a breakdown, whose rows --by names: omit one", o.per)
	}
	return nil
}

func (o *reportOptions) compute(ctx context.Context, log *openLog) (r *report.Report, err error) {
	found, err := diagnose(ctx, log.Source, log.whole, log.snap, log.set, o.texts.every)
	if err != nil {
		return nil, err
	}
	if r, err = report.New(ctx, log.snap, log.set); err != nil {
		return nil, err
	}
	if len(log.snap.Steps) > 0 { // errors of settings come before anything is written
		if _, err := analysis.Analyze(ctx, log.snap, 0, log.set); err != nil {
			return nil, err
		}
	}
	r.Choice, r.Head, r.Diagnosis = log.choice, newHead(log.paths), found
	r.Choice.Shown = found.ByRule
	for _, path := range append(slices.Clip(log.paths), o.output) {
		if filepath.IsAbs(path) && filepath.Dir(path) != filepath.Dir(filepath.Dir(path)) {
			r.Head.Folders = append(r.Head.Folders, filepath.Dir(path)+string(filepath.Separator))
		}
	}
	r.Head.Command, r.Per, r.ChartsFile = log.command, cmp.Or(report.Per(o.per), report.PerStep), o.svg
	if log.format == "html" {
		r.Parts, err = htmlParts(ctx, log, r.Settings, o.texts.n, found.Answers)
	}
	log.then = func() error {
		if o.svg != "" {
			if err := writeFile(log.p.disk, o.svg, func(w io.Writer) error { return report.SVG(w, o.charts) }); err != nil {
				return err
			}
		}
		return log.noteRefusals(&r.Refusals)
	}
	return r, err
}

// htmlParts returns what the page of a report holds besides its figures. A log that cannot be swept has a page all
// the same, which says why.
func htmlParts(ctx context.Context, log *openLog, set model.Settings, texts int, answers diagnosis.Answers) (report.HTMLParts, error) {
	parts := report.HTMLParts{
		Texts: texts,
		Text:  func(at model.Place) (model.Text, error) { return log.Text(ctx, at) },
	}
	parts.Worst = func(t *analysis.Trend) []glance.Span { return glance.Of(t, answers, log.snap.Run).Spans }
	parts.OffPolicy = studyOf(log.Source, false)
	entry, err := set.FindEstimator()
	trainerFilters := err != nil || entry.TrainerFilters && !set.Assumed
	if !trainerFilters && !set.Effective().Filtering() {
		return parts, nil // ratios of a filter that its trainer has not, or is not known to have, help nobody
	}
	tenths := make([]float64, 11)
	for i := range tenths {
		tenths[i] = float64(i) / 10
	}
	grid, err := sweepSelected(ctx, log.snap, set, sweep.Ratios{Pos: tenths, Neg: tenths}, &selection{})
	switch {
	case ctx.Err() != nil:
		return parts, ctx.Err()
	case err != nil:
		parts.NoSweep = err.Error()
	default:
		parts.Sweep = &report.Sweep{Grid: grid, Choice: log.choice, Recompute: []bool{false, true}, Goal: sweep.DefaultGoal()}
	}
	return parts, nil
}

func (o *reportOptions) breakDown(ctx context.Context, log *openLog) (b *report.Breakdown, err error) {
	by := cmp.Or(o.by, "step")
	b = &report.Breakdown{
		Head: newHead(log.paths), By: by, Where: o.where.text,
		Settings: log.set.Effective(), Choice: log.choice, Unit: log.snap.Run.LengthUnit,
	}
	err = analysis.Each(ctx, log.snap, log.set, func(a *analysis.Analysis) error {
		err := b.Add(ctx, a, o.where.query, log.Text)
		switch {
		case errors.Is(err, analysis.ErrNoColumn):
			return usage(fmt.Errorf("--by %s: %w", by, err))
		case err != nil:
			return fmt.Errorf("--by %s: %w", by, err)
		}
		return nil
	})
	if err == nil && b.Parts.All.Samples == 0 {
		err = o.where.nothing()
	}
	return b, err
}

// listGroups returns the groups that are asked for.
func (o *reportOptions) listGroups(ctx context.Context, log *openLog) (*report.GroupList, error) {
	l, err := report.NewGroupList(o.sort, o.top)
	if err != nil {
		return nil, err
	}
	l.Head, l.Settings, l.Choice = newHead(log.paths), log.set.Effective(), log.choice
	err = analysis.Each(ctx, log.snap, log.set, func(a *analysis.Analysis) error {
		l.Add(a, o.where.of(a))
		return nil
	})
	if err == nil && l.Matching() == 0 {
		err = o.where.nothing()
	}
	l.Where = o.where.sentence()
	log.then = func() error { return log.noteRefusals(&l.Refusals) }
	return l, err
}

func newHead(paths []string) report.Head {
	return report.Head{Path: titleOf(paths), Date: outputDate(), Version: readBuildInfo().Version}
}

// outputDate is the date that outputs carry: SOURCE_DATE_EPOCH, in seconds since 1970, if it is set, so that
// the same run gives the same bytes (reproducible-builds.org/specs/source-date-epoch); else the time now.
func outputDate() time.Time {
	if n, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		return time.Unix(n, 0)
	}
	return time.Now()
}

// commandLine returns the command that was given, to be run in a shell again: arguments first, then flags by name; the
// other way round, with -- between, if an argument would be taken for a flag.
// It is called before configure, which adds other settings to those of flags. It holds no password of an address: what it
// stands in is sent to others.
func (p *program) commandLine(cmd *cobra.Command, args []string) string {
	var given, flags []string
	for _, arg := range args {
		shown, _ := withoutPassword(arg)
		given = append(given, shellWord(shown))
	}
	for _, o := range p.settings {
		flags = append(flags, shellWord("--"+o.Name+"="+o.Value))
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if _, isSetting := f.Value.(*settingFlag); !isSetting {
			flags = append(flags, shellWord("--"+f.Name+"="+f.Value.String()))
		}
	})
	words := slices.Concat([]string{cmd.CommandPath()}, given, flags)
	if slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-") && arg != "-" }) {
		words = slices.Concat([]string{cmd.CommandPath()}, flags, []string{"--"}, given)
	}
	return strings.Join(words, " ")
}

// shellWord quotes a word for a shell if that would change it. What cannot be printed, such as a newline, stands in $'…' as
// its bytes, which bash, zsh and ksh know: where the command is shown, it is one line of visible characters.
func shellWord(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+@%-"
	switch {
	case word != "" && word[0] != '=' && strings.Trim(word, plain) == "": // zsh takes =ls for the path of ls
		return word
	case utf8.ValidString(word) && !strings.ContainsFunc(word, isUnprintable):
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	var quoted strings.Builder
	for i, r := range word {
		switch _, size := utf8.DecodeRuneInString(word[i:]); {
		case r == '\'' || r == '\\':
			quoted.WriteString(`\` + string(r))
		case r == utf8.RuneError && size == 1 || isUnprintable(r):
			for _, b := range []byte(word[i : i+size]) {
				fmt.Fprintf(&quoted, `\%03o`, b)
			}
		default:
			quoted.WriteRune(r)
		}
	}
	return "$'" + quoted.String() + "'"
}

func isUnprintable(r rune) bool { return !unicode.IsPrint(r) }
