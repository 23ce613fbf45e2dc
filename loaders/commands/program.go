package commands

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vantage/loaders/decode"
	"vantage/model"
	"vantage/model/choice"
	"vantage/model/report"
)

// Program is what the commands share: input, output, and the flags that all of them take.
type Program struct {
	In     io.Reader
	Out    io.Writer
	ErrOut io.Writer

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
	passwordFile   string
	passwords      map[string]string // by address without password; of those that had one, or were asked for
	endpoint       string            // of buckets
	cacheSize      string            // of what is kept of storages
}

// All returns the commands.
func (p *Program) All() []*cobra.Command {
	return []*cobra.Command{
		p.summary(), p.why(), p.show(), p.stepList(), p.tail(), p.report(), p.export(), p.sweep(), p.groupSize(), p.compare(), p.check(), p.match(),
		p.flags(), p.estimators(), p.filters(), p.losses(), p.overlong(), p.formats(), p.cache(), p.userConfig(), p.version(),
	}
}

// AddWaitFlag declares --wait, for a command that follows a run.
func (p *Program) AddWaitFlag(flags *pflag.FlagSet) {
	flags.BoolVar(&p.Waits, "wait", false, "wait for a PATH that does not exist yet")
}

// AddOutputFormat declares --format for the command that opens the screen.
func (p *Program) AddOutputFormat(flags *pflag.FlagSet) {
	flags.StringVar(&p.OutputFormat, "format", "", "write a report, or the comparison of two runs, instead of opening the screen: text, md, csv or json; of a report also html")
}

// logCommand is a command that reads a log to its current end, and writes in one of several formats what it makes of it.
type logCommand[T any] struct {
	use, short, long, example string

	ofGroup     bool                                  // its first argument names a group
	onlyRewards bool                                  // of the settings only the columns of the reward are chosen by the log: no estimator is needed
	format      *formatFlag[func(io.Writer, T) error] // what writes each format, and the notes beside it
	sets        FlagSets                              // the flags that it has in common with others
	flags       func(*cobra.Command)                  // declares its own; nil: there are none
	refuse      func() error                          // what is wrong with its own flags, before anything is read; nil: nothing can be
	compute     func(context.Context, *openLog) (T, error)
}

// command returns the command for p.
func (c logCommand[T]) command(p *Program) *cobra.Command {
	cmd := &cobra.Command{Use: c.use, Short: c.short, Long: c.long, Example: c.example, Args: cobra.ArbitraryArgs}
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		log := &openLog{p: p, command: p.commandLine(cmd, args)}
		if c.ofGroup {
			if err := refuseNoGroup(cmd.Name(), args); err != nil {
				return err
			}
			log.group, args = args[0], args[1:]
		}
		if c.refuse != nil {
			if err := c.refuse(); err != nil {
				return Usage(err)
			}
		}
		if _, err := c.format.writer(cmd.Name()); err != nil {
			return err
		}
		paths, set, err := p.pathsAndSettings(args)
		if err != nil {
			return err
		}
		return c.run(cmd.Context(), log, paths, set)
	}
	c.format.addTo(cmd)
	if c.flags != nil {
		c.flags(cmd)
	}
	p.AddFlags(cmd, c.sets)
	return cmd
}

// run reads the paths and writes the output, with the notes that its format has no place for.
func (c logCommand[T]) run(ctx context.Context, log *openLog, paths []string, set model.Settings) error {
	name, _, _ := strings.Cut(c.use, " ")
	write, err := c.format.writer(name)
	if err != nil {
		return err
	}
	log.format, log.noteStyle, log.notes = c.format.name, c.format.noteStyle(), c.format.notes[slices.Index(c.format.names, c.format.name)]
	if err := log.open(ctx, paths, set, c.onlyRewards); err != nil {
		return err
	}
	defer log.Close()
	result, err := c.compute(ctx, log)
	if err != nil {
		return classifyError(err)
	}
	log.noteReading()
	output := func(w io.Writer) error { return write(w, result) }
	if log.instead != nil {
		output = log.instead
	}
	if err := log.p.writeOutput(ctx, log.file, log.format, output); err != nil {
		return classifyError(err)
	}
	log.noteChoice()
	if log.then != nil {
		return log.then()
	}
	return nil
}

// openLog is a log that was read to its current end, with the settings that are chosen for it. It is open for texts.
type openLog struct {
	Source
	p      *Program
	paths  []string
	snap   model.Snapshot
	set    model.Settings
	choice choice.Choice

	command  string                // the command line, to be run again; "" if another command reads the log
	group    string                // the argument that names one
	selected *selection            // the groups that a query selects; nil: it is not noted
	format   string                // of the output
	file     string                // that is written instead of standard output; "" for that
	instead  func(io.Writer) error // writes something else than what was computed; nil: it is that
	then     func() error          // comes after the output; may be nil

	noteStyle string
	notes     noteSet // what the output does not say itself
}

// open reads the paths to their current end and chooses settings. The log is closed after an error.
func (l *openLog) open(ctx context.Context, paths []string, set model.Settings, onlyRewards bool) (err error) {
	l.paths = paths
	if l.Source, l.snap, err = l.p.readOpen(ctx, paths); err != nil {
		return err
	}
	if onlyRewards {
		l.set, l.choice.Rewards = choice.ChooseRewards(ctx, l.snap, set, l.p.Given())
		return nil
	}
	if l.set, l.choice, err = l.p.choose(ctx, l.snap, set); err != nil {
		l.Close()
	}
	return err
}

// answer returns what every short answer says of the log.
func (l *openLog) answer() report.Answer {
	return report.Answer{Path: Title(l.paths), Snap: l.snap, Settings: l.set, Choice: l.choice, Now: time.Now()}
}

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

// noteReading notes what was read. It is for a command that may fail after a part of what it has to say; else it comes before
// the output.
func (l *openLog) noteReading() {
	if l.notes&noteConfig != 0 {
		l.p.noteConfig(l.noteStyle)
	}
	if l.notes&noteLeftOut != 0 {
		l.p.noteLeftOut(l.noteStyle, l.snap)
	}
	l.notes &^= noteReading
}

func (l *openLog) noteChoice() {
	if l.notes&noteChoice == 0 {
		return
	}
	l.p.noteChoice(l.noteStyle, l.choice)
	if l.selected != nil {
		l.p.noteSelection(l.noteStyle, l.selected)
	}
}

// noteConfig writes ConfigSummary as a note.
func (p *Program) noteConfig(style string) {
	if p.ConfigSummary != "" {
		p.note(style, p.ConfigSummary)
	}
}

// noteLeftOut notes which rows are not counted.
func (p *Program) noteLeftOut(style string, snap model.Snapshot) {
	for _, text := range snap.Run.LeftOut() {
		p.note(style, text)
	}
}

// noteChoice notes the estimator, if one was chosen, and the columns of the reward.
func (p *Program) noteChoice(style string, c choice.Choice) {
	if c.Origin != "" {
		p.note(style, "computed as "+c.WithScale())
	}
	p.noteRewards(style, "", c.Rewards)
}

// noteRewards notes which columns of a log are the reward. run is the title of the log, if there are several.
func (p *Program) noteRewards(style, run string, r choice.Rewards) {
	if r.IsChoice() {
		p.note(style, run+"reward "+r.String())
	}
}

// noteSelection notes what is selected.
func (p *Program) noteSelection(style string, s *selection) {
	if text := s.sentence(); text != "" {
		p.note(style, text)
	}
}

// noteRefusals notes for which groups the trainer's own code would have raised an error, which is an error if it is all of them.
func (l *openLog) noteRefusals(r *report.Refusals) error {
	if err := r.Err(); err != nil {
		return err
	}
	if text := r.String(); text != "" {
		l.p.note(l.noteStyle, text)
	}
	return nil
}

// note writes a note about the output to ErrOut, as a sentence or, if the output is JSON, as
// {"note": "…", "schema": "vantage/message@1"}.
func (p *Program) note(style, text string) {
	writeMessage(p.ErrOut, style == "json" || style == "jsonl", "note", text)
}
