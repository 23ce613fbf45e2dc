// Package commands is the command line. Arguments and flags come in through cobra. A command
// without a screen reads a log to its end and writes what a writer of model/report makes of it
// to [Program].Out, notes and errors to ErrOut: it is a row of words, formats and flags with
// what it does, [command]. The explorer adds the root command, which opens the screen of tui on
// a source of loaders. main calls [Run].
package commands

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vantage/loaders"
	"vantage/loaders/decode"
	"vantage/loaders/fileio"
	"vantage/model"
	"vantage/model/match"
	"vantage/model/report"
)

// Program is what the commands share: input, output, and the flags that all of them take.
type Program struct {
	In     io.Reader
	Out    io.Writer
	ErrOut io.Writer

	// Opening is told of each log that is opened; nil: nobody is.
	Opening func(paths []string)

	// Disk makes the calls for files of this machine; nil: nothing is known of those that get no answer.
	Disk *fileio.Disk

	// MemoryLimit is what may be taken for what is read, in bytes; 0 is no limit.
	MemoryLimit int64

	// ConfigSummary says what Configure read from --config.
	ConfigSummary string

	// Waits says whether to wait for a path that does not exist yet: --wait, of commands that follow a run.
	Waits bool

	// OutputFormat is the --format of the command that opens the screen: with it a report or a comparison is written instead.
	OutputFormat string

	shared         []*pflag.FlagSet
	settings       []model.Option // of flags; after Configure all
	configSettings int            // the first so many of settings are those of --config
	configPath     string
	columns        decode.Columns
	inputFormat    string
	split          string
	attempt        string
	Merge          bool // the runs below a folder are read as one
	passwordFile   string
	passwords      map[string]string // by address without password; of those that had one, or were asked for
	endpoint       string            // of buckets
	cacheSize      string            // of what is kept of storages
}

// All returns the commands.
func (p *Program) All() []*cobra.Command {
	return append([]*cobra.Command{
		p.summary(), p.why(), p.tail(), p.report().of(p), p.export(), p.sweep(), p.plan(), p.prompts(), p.offPolicy(), p.grep(), p.compare().of(p), p.check(), p.match(),
		p.list(), p.cache(), p.userConfig(), p.version(),
	}, p.renamed()...)
}

// AddWaitFlag declares --wait, for a command that follows a run.
func (p *Program) AddWaitFlag(flags *pflag.FlagSet) {
	flags.BoolVar(&p.Waits, "wait", false, "wait until PATH exists")
}

// command is what a command is called and takes, and what it does.
type command[W any] struct {
	use, short, long, example string

	args      cobra.PositionalArgs // which arguments it takes; nil: any
	validArgs []string             // those that a shell completes
	format    *formatFlag[W]       // what writes each format, and the notes beside it; nil: there is one
	where     *selection           // --where; nil: it has none
	steps     *stepRange           // --steps and --last; nil: it has none
	sets      FlagSets             // the flags that it has in common with others
	flags     func(*cobra.Command) // declares its own; nil: there are none
	refuse    func() error         // what is wrong with its own flags, before anything is read; nil: nothing can be
	run       func(ctx context.Context, c *call, write W) error
	failed    func(ctx context.Context, err error) error // what becomes of an error; nil: it stays
}

func (c command[W]) of(p *Program) *cobra.Command {
	var format *formatChoice
	if c.format != nil {
		format = &c.format.formatChoice
	}
	cmd := &cobra.Command{Use: c.use, Short: c.short, Long: c.long, Example: c.example, Args: c.args, ValidArgs: c.validArgs}
	if c.flags != nil {
		c.flags(cmd)
	}
	p.AddFlags(cmd, c.sets)
	return p.finish(cmd, format, c.where, c.steps, c.refuse, c.start, c.failed)
}

// finish gives a command what it does, and flags of its kind. It is compiled once, and not for each command.
func (p *Program) finish(cmd *cobra.Command, format *formatChoice, where *selection, steps *stepRange, refuse func() error,
	start func(context.Context, *call) error, failed func(context.Context, error) error,
) *cobra.Command {
	if cmd.Args == nil {
		cmd.Args = cobra.ArbitraryArgs
	}
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		var err error
		if refuse != nil {
			err = refuse()
		}
		if where != nil && err == nil {
			err = where.parse()
		}
		if err != nil {
			err = Usage(err)
		} else {
			err = start(cmd.Context(), &call{p: p, name: cmd.Name(), args: args, steps: steps, command: p.commandLine(cmd, args)})
		}
		if err != nil && failed != nil {
			err = failed(cmd.Context(), err)
		}
		return err
	}
	if format != nil {
		format.flags = cmd.Flags()
		addChoice(cmd, &format.name, "format", format.name, join(format.names, "or"), format.names...)
		if format.hasShort {
			format.flags.BoolVar(&format.isShort, "json", false, "same as --format json")
		}
	}
	if where != nil {
		where.addTo(cmd.Flags())
	}
	if steps != nil {
		steps.addTo(cmd.Flags())
	}
	return cmd
}

func (c command[W]) start(ctx context.Context, called *call) error {
	var write W
	called.format, called.noteStyle = "text", "text"
	if c.format != nil {
		var err error
		if write, err = c.format.writer(called.name); err != nil {
			return err
		}
		called.format, called.noteStyle, called.notes = c.format.name, c.format.noteStyle(), c.format.noted()
	}
	return c.run(ctx, called, write)
}

// startOn is start for paths and settings that are known, in the format that was asked of the command which opens the screen.
func (c command[W]) startOn(ctx context.Context, p *Program, paths []string, set model.Settings) error {
	c.format.name = cmp.Or(p.OutputFormat, c.format.name)
	name, _, _ := strings.Cut(c.use, " ")
	return c.start(ctx, &call{p: p, name: name, paths: paths, set: set})
}

type call struct {
	p       *Program
	name    string
	args    []string
	steps   *stepRange // that are asked for; nil: all
	command string     // the command line, to be run again; "" if another command calls this one

	paths []string       // what is to be read: see configure
	set   model.Settings // as it is given

	format    string // of the output
	noteStyle string
	notes     noteSet // what the output does not say itself
}

func (c *call) configure(ctx context.Context) (err error) {
	if c.paths != nil {
		return nil
	}
	if c.paths, c.set, err = c.p.Configure(c.args); err == nil && len(c.paths) == 0 {
		err = Usage(errors.New("nothing to read: give a log file, a directory, or - for standard input"))
	}
	if err == nil {
		c.paths = c.p.OneRun(ctx, c.paths)
	}
	return err
}

func (c *call) output(ctx context.Context) io.Writer { return c.p.output(ctx, c.format) }

// noteSet is what people are told on standard error, since the output has no place for it.
type noteSet int

// The notes. What was read is noted before the output, and what was assumed after it.
const (
	noteConfig  noteSet = 1 << iota // the settings that --config has
	noteLeftOut                     // rows that are not counted, since they are of another attempt of the run or of an evaluation
	noteChoice                      // the estimator and who chose it, and the columns of the reward
	noteReading = noteConfig | noteLeftOut
	noteAll     = noteReading | noteChoice
)

// note writes notes about the output to standard error.
func (c *call) note(texts ...string) {
	for _, text := range texts {
		if text != "" {
			c.p.note(c.noteStyle, text)
		}
	}
}

// noteChoice notes the estimator, if one was chosen, and the columns of the reward.
func (c *call) noteChoice(chosen match.Choice) {
	if chosen.Origin != "" {
		c.note("computed as " + chosen.WithScale())
	}
	c.noteRewards("", chosen.Rewards)
}

// noteRewards notes which columns of a log are the reward. run is the title of the log, if there are several.
func (c *call) noteRewards(run string, r match.Rewards) {
	if r.IsChoice() {
		c.note(run + "reward " + r.String())
	}
}

// noteRefusals notes for which groups the trainer's own code would have raised an error, which is an error if it is all of them.
func (c *call) noteRefusals(r *report.Refusals) error {
	err := r.Err()
	if err == nil {
		c.note(r.String())
	}
	return err
}

// note writes a note about the output to ErrOut, as a sentence or, if the output is JSON, as
// {"note": "…", "schema": "vantage/message@1"}.
func (p *Program) note(style, text string) {
	writeMessage(p.ErrOut, style == "json" || style == "jsonl", "note", text)
}

// openLog is a log that was read to its current end, with the settings that are chosen for it. It is open for texts.
type openLog struct {
	*call
	*loaders.Source
	whole  model.Snapshot
	snap   model.Snapshot // of the steps that are asked for
	set    model.Settings
	choice match.Choice

	group    string                // the argument that names one; "" if none does
	selected *selection            // the groups that a query selects; nil: it is not noted
	file     string                // that is written instead of standard output; "" for that
	instead  func(io.Writer) error // writes something else than what was computed; nil: it is that
	then     func() error          // comes after the output; may be nil
}

// logFlow is what a command is about that reads a log.
type logFlow int

const (
	ofLog     logFlow = iota // settings are chosen by the log
	ofRewards                // of them only the columns of the reward: no estimator is needed
	ofGroup                  // the first of several arguments names a group
)

// onLog is what a command does that reads a log to its current end, and writes what it computes of it, with the notes that the
// format has no place for.
func onLog[T any](flow logFlow, compute func(context.Context, *openLog) (T, error)) func(context.Context, *call, func(io.Writer, T) error) error {
	return func(ctx context.Context, c *call, write func(io.Writer, T) error) error {
		log := &openLog{call: c}
		if flow == ofGroup {
			if err := log.takeGroup(); err != nil {
				return err
			}
		}
		if err := c.configure(ctx); err != nil {
			return err
		}
		if err := log.open(ctx, flow == ofRewards); err != nil {
			return err
		}
		defer log.Close()
		result, err := compute(ctx, log)
		if err != nil {
			return classifyError(err)
		}
		log.noteReading()
		output := func(w io.Writer) error { return write(w, result) }
		if log.instead != nil {
			output = log.instead
		}
		if err := c.p.writeOutput(ctx, log.file, c.format, output); err != nil {
			return classifyError(err)
		}
		if c.notes&noteChoice != 0 {
			c.noteChoice(log.choice)
			if log.selected != nil {
				c.note(log.selected.sentence())
			}
		}
		if log.then != nil {
			return log.then()
		}
		return nil
	}
}

// open reads the paths to their current end and chooses settings. The log is closed after an error.
func (l *openLog) open(ctx context.Context, onlyRewards bool) (err error) {
	if l.Source, l.whole, err = l.p.readOpen(ctx, l.paths); err != nil {
		return err
	}
	if onlyRewards {
		l.set, l.choice.Rewards = match.ChooseRewards(ctx, l.whole, l.call.set, l.p.Given())
	} else {
		l.set, l.choice, err = l.p.choose(ctx, l.whole, l.call.set)
	}
	if l.snap = l.whole; l.steps != nil && err == nil {
		l.snap, err = l.steps.selectFrom(l.whole)
	}
	if err != nil {
		l.Close()
	}
	return err
}

func (l *openLog) answer() report.Answer {
	return report.Answer{Path: Title(l.paths), Snap: l.whole, Choice: l.choice, Now: time.Now()}
}

// noteReading notes what was read. It is for a command that may fail after a part of what it has to say; else it comes before
// the output.
func (l *openLog) noteReading() {
	if l.notes&noteConfig != 0 {
		l.note(l.p.ConfigSummary)
	}
	if l.notes&noteLeftOut != 0 {
		l.note(l.whole.Run.LeftOut()...)
	}
	l.notes &^= noteReading
}
