// Package commands is the command line. Arguments and flags come in through cobra. A command
// without a screen reads a log to its end and writes what a writer of model/report makes of it
// to out of [program], notes and errors to errOut: it is a row of words, formats and flags with
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

// program is what the commands share: input, output, and the flags that all of them take.
type program struct {
	in     io.Reader
	out    io.Writer
	errOut io.Writer

	// opening is told of each log that is opened; nil: nobody is.
	opening func(paths []string)

	// disk makes the calls for files of this machine; nil: nothing is known of those that get no answer.
	disk *fileio.Disk

	// memoryLimit is what may be taken for what is read, in bytes; 0 is no limit.
	memoryLimit int64

	// configSummary says what configure read from --config.
	configSummary string

	// waits says whether to wait for a path that does not exist yet: --wait, of commands that follow a run.
	waits bool

	// outputFormat is the --format of the command that opens the screen: with it a report or a comparison is written instead.
	outputFormat string

	topics         []topic        // see sharedFlags
	settings       []model.Option // of flags; after configure all
	configSettings int            // the first so many of settings are those of --config
	configPath     string
	columns        decode.Columns
	inputFormat    string
	split          string
	attempt        string
	merge          bool // the runs below a folder are read as one
	passwordFile   string
	passwords      map[string]string // by address without password; of those that had one, or were asked for
	endpoint       string            // of buckets
	cacheSize      string            // of what is kept of storages
}

// all returns the commands.
func (p *program) all() []*cobra.Command {
	return append([]*cobra.Command{
		p.summary(), p.why(), p.tail(), p.report().build(p), p.export(), p.sweep(), p.plan(), p.prompts(), p.offPolicy(), p.grep(),
		p.compare().build(p), p.check(), p.match(),
		p.list(), p.cache(), p.userConfig(), p.version(),
	}, p.renamed()...)
}

// addWaitFlag declares --wait, for a command that follows a run.
func (p *program) addWaitFlag(flags *pflag.FlagSet) {
	flags.BoolVar(&p.waits, "wait", false, "wait until PATH exists")
}

// command is what a command is called and takes, and what it does.
type command[W any] struct {
	use, short, long, example string

	args      cobra.PositionalArgs // which arguments it takes; nil: any
	validArgs []string             // those that a shell completes
	format    *formatFlag[W]       // what writes each format, and the notes beside it; nil: there is one
	where     *selection           // --where; nil: it has none
	steps     *stepRange           // --steps and --last; nil: it has none
	sets      flagSets             // the flags that it has in common with others
	flags     func(*cobra.Command) // declares its own; nil: there are none
	refuse    func() error         // what is wrong with its own flags, before anything is read; nil: nothing can be
	run       func(ctx context.Context, c *call, write W) error
	failed    func(ctx context.Context, err error) error // what becomes of an error; nil: it stays
}

// build returns the command with its flags and what it does.
func (c command[W]) build(p *program) *cobra.Command {
	cmd := &cobra.Command{Use: c.use, Short: c.short, Long: c.long, Example: c.example, Args: c.args, ValidArgs: c.validArgs}
	if cmd.Args == nil {
		cmd.Args = cobra.ArbitraryArgs
	}
	if c.flags != nil {
		c.flags(cmd)
	}
	p.addFlags(cmd, c.sets)
	h := handler{p: p, where: c.where, steps: c.steps, refuse: c.refuse, start: c.start, failed: c.failed}
	if c.format != nil {
		h.format = &c.format.formatChoice
	}
	h.addFlags(cmd)
	cmd.RunE = h.run
	return cmd
}

// handler is a [command] without what its formats are written by: it is compiled once, and not for each kind of command. Its fields are
// those of the command.
type handler struct {
	p      *program
	format *formatChoice
	where  *selection
	steps  *stepRange
	refuse func() error
	start  func(context.Context, *call) error
	failed func(context.Context, error) error
}

// addFlags declares the flags of its kind of command.
func (h handler) addFlags(cmd *cobra.Command) {
	if h.format != nil {
		h.format.addTo(cmd)
	}
	if h.where != nil {
		h.where.addTo(cmd.Flags())
	}
	if h.steps != nil {
		h.steps.addTo(cmd.Flags())
	}
}

func (h handler) run(cmd *cobra.Command, args []string) error {
	err := h.check()
	if err == nil {
		err = h.start(cmd.Context(), &call{p: h.p, name: cmd.Name(), args: args, steps: h.steps, command: h.p.commandLine(cmd, args)})
	}
	if err != nil && h.failed != nil {
		return h.failed(cmd.Context(), err)
	}
	return err
}

// check returns what is wrong with the command's own flags.
func (h handler) check() error {
	if h.refuse != nil {
		if err := h.refuse(); err != nil {
			return usage(err)
		}
	}
	if h.where != nil {
		if err := h.where.parse(); err != nil {
			return usage(err)
		}
	}
	return nil
}

// start takes what writes the format that was asked for, and runs the command.
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
func (c command[W]) startOn(ctx context.Context, p *program, paths []string, set model.Settings) error {
	c.format.name = cmp.Or(p.outputFormat, c.format.name)
	name, _, _ := strings.Cut(c.use, " ")
	return c.start(ctx, &call{p: p, name: name, paths: paths, set: set})
}

type call struct {
	p       *program
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
	if c.paths, c.set, err = c.p.configure(c.args); err == nil && len(c.paths) == 0 {
		err = usage(errors.New("nothing to read: give a log file, a directory, or - for standard input"))
	}
	if err == nil {
		c.paths = c.p.oneRun(ctx, c.paths)
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

// note writes a note about the output to errOut, as a sentence or, if the output is JSON, as
// {"note": "…", "schema": "vantage/message@1"}.
func (p *program) note(style, text string) {
	writeMessage(p.errOut, style == "json" || style == "jsonl", "note", text)
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
func onLog[T any](
	flow logFlow, compute func(context.Context, *openLog) (T, error),
) func(context.Context, *call, func(io.Writer, T) error) error {
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
		l.set, l.choice.Rewards = match.ChooseRewards(ctx, l.whole, l.call.set, l.p.given())
	} else {
		l.set, l.choice, err = l.p.choose(ctx, l.whole, l.call.set)
	}
	if err == nil {
		l.whole, err = l.p.judged(ctx, l.Source, l.whole, l.set)
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
	return report.Answer{Path: titleOf(l.paths), Snap: l.whole, Choice: l.choice, Now: time.Now()}
}

// noteReading notes what was read. It is for a command that may fail after a part of what it has to say; else it comes before
// the output.
func (l *openLog) noteReading() {
	if l.notes&noteConfig != 0 {
		l.note(l.p.configSummary)
	}
	if l.notes&noteLeftOut != 0 {
		l.note(l.whole.Run.LeftOut()...)
	}
	l.notes &^= noteReading
}
