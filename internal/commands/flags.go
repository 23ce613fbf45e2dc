package commands

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vantage/loaders/formats"
	"vantage/model"
	"vantage/model/report"
	"vantage/model/trainer"
)

// FlagSets are flags of several commands, by what a command must do to heed them. Each command is given those that it
// heeds, and refuses the others: none is of every command. A flag is one value, whichever commands have it.
type FlagSets uint

// The sets: those of a log are what settings are about, and how it is read.
const (
	arithmetic FlagSets = 1 << model.AboutArithmetic
	grouping   FlagSets = 1 << model.AboutGroups
	rewarding  FlagSets = 1 << model.AboutRewards
	counting   FlagSets = 1 << model.AboutSamples
	weighing   FlagSets = 1 << model.AboutLoss
	reading    FlagSets = 1 << aboutReading // which rows of a log are read, and how

	OfSamples = arithmetic | counting | weighing            // samples that have one reward, and whose groups are known
	ofPrompts = arithmetic | rewarding | counting | reading // a log of which prompts are compared, whatever the groups are
	unweighed = ofPrompts | grouping                        // a log of which no figure is of the loss
	OfLogs    = unweighed | weighing                        // a log
)

const aboutReading = model.AboutLoss + 1

// AddFlags declares flags of several commands. A flag of the same name that the command already has stays.
func (p *Program) AddFlags(cmd *cobra.Command, sets FlagSets) {
	for about, set := range p.sharedFlags() {
		if sets&(1<<about) != 0 {
			cmd.Flags().AddFlagSet(set)
		}
	}
}

// sharedFlags returns the flags by what they are about. They are made once.
func (p *Program) sharedFlags() []*pflag.FlagSet {
	if p.shared != nil {
		return p.shared
	}
	for range aboutReading + 1 {
		p.shared = append(p.shared, pflag.NewFlagSet("", pflag.ContinueOnError))
	}
	for _, s := range model.SettingList() {
		if s.About != model.NoFlag {
			p.shared[s.About].Var(&settingFlag{p, s.Flag(), s.Placeholder}, s.Flag(), s.Doc)
		}
	}
	p.shared[model.AboutArithmetic].Lookup("compute-new-adv").NoOptDefVal = "true"
	p.shared[model.AboutArithmetic].StringVar(&p.configPath, "config", "", "read settings from a trainer's configuration (EasyR1, verl, TRL, ms-swift); flags override it")
	log := p.shared[aboutReading]
	log.StringVar(&p.columns.Step, "step", "", "use this column of the log as the step")
	log.StringVar(&p.columns.Prompt, "prompt", "", "use this column of the log as the prompt")
	log.StringVar(&p.inputFormat, "input-format", "", "format of the log, detected by default; see `vantage list formats`")
	log.StringVar(&p.attempt, "attempt", "newest", "for a restarted run: newest, all, or an attempt number (1 is the oldest)")
	log.BoolVar(&p.Merge, "merge", false, "read all runs below a folder as one, step by step; by default only the newest run is read")
	log.StringVar(&p.passwordFile, "password-file", "", "read the clickhouse:// password from the first line of this file; by default from CLICKHOUSE_PASSWORD")
	log.StringVar(&p.split, "split", "train", "rows to read: train, val (validation and evaluations) or all")
	log.StringVar(&p.endpoint, "endpoint", "", "server of s3:// and gs:// paths, https://HOST:PORT; by default from AWS_ENDPOINT_URL or the profile, else Amazon's")
	log.StringVar(&p.cacheSize, "cache", "1GB", "limit of the download cache (buckets and Hugging Face): 500MB, 2GB, 0 for none; see `vantage cache`")
	return p.shared
}

// settingFlag is a flag whose values are appended to Program.settings.
type settingFlag struct {
	p                 *Program
	name, placeholder string
}

func (f *settingFlag) String() string { return "" }
func (f *settingFlag) Type() string   { return f.placeholder }

// Set records the value; Configure validates all settings together.
func (f *settingFlag) Set(value string) error {
	f.p.settings = append(f.p.settings, model.Option{Name: f.name, Value: value})
	return nil
}

// formatFlag is the --format of a command: what writes each format, and which notes stand beside it.
type formatFlag[W any] struct {
	formatChoice
	writers []W
}

// formatChoice is a formatFlag without what writes: it is compiled once, and not for each command.
type formatChoice struct {
	name  string // the value of the flag
	names []string
	notes []noteSet // what a format has no place for, and people are told on standard error

	hasShort, isShort bool // --json, the same as --format json, which is quicker to write
	flags             *pflag.FlagSet
}

func newFormatFlag[W any](name string, write W) *formatFlag[W] {
	return &formatFlag[W]{formatChoice{name: name, names: []string{name}, notes: []noteSet{0}}, []W{write}}
}

func (f *formatFlag[W]) or(name string, write W) *formatFlag[W] {
	f.names, f.writers, f.notes = append(f.names, name), append(f.writers, write), append(f.notes, 0)
	return f
}

// noting returns the flag whose last format has no place for some notes.
func (f *formatFlag[W]) noting(notes noteSet) *formatFlag[W] {
	f.notes[len(f.notes)-1] = notes
	return f
}

// answerFlag is the flag of a command with a short answer, of which both formats have no place for some notes.
func answerFlag[T any](text, json func(io.Writer, T) error, notes noteSet) *formatFlag[func(io.Writer, T) error] {
	f := newFormatFlag("text", text).noting(notes).or("json", json).noting(notes)
	f.hasShort = true
	return f
}

// tableFlag is the flag of a command about a table, which has no place for any note.
func tableFlag[T any](text func(io.Writer, T) error, table func(T) report.Table, json func(io.Writer, T) error) *formatFlag[func(io.Writer, T) error] {
	return newFormatFlag("text", text).noting(noteReading).or("csv", csvOf(table)).noting(noteAll).or("json", json).noting(noteReading)
}

func csvOf[T any](table func(T) report.Table) func(io.Writer, T) error {
	return func(w io.Writer, of T) error { return report.TableCSV(w, table(of)) }
}

func (f *formatFlag[W]) writer(command string) (write W, err error) {
	i, err := f.chosen(command)
	if err != nil {
		return write, err
	}
	return f.writers[i], nil
}

func (f *formatChoice) chosen(command string) (int, error) {
	if f.isShort && f.flags.Changed("format") && f.name != "json" {
		return 0, Usage(fmt.Errorf("--json and --format %s ask for two formats: omit one", f.name))
	}
	if f.isShort {
		f.name = "json"
	}
	if i := slices.Index(f.names, f.name); i >= 0 {
		return i, nil
	}
	if instead := model.Gone("--format " + f.name); instead != "" {
		return 0, Usage(fmt.Errorf("--format %s: %s", f.name, instead))
	}
	hint := ""
	if _, ok := formats.Find(f.name); ok {
		hint = "; --input-format " + f.name + " reads logs of that format"
	}
	return 0, Usage(fmt.Errorf("%s has no format %q: choose %s%s", command, f.name, join(f.names, "or"), hint))
}

func (f *formatChoice) noted() noteSet { return f.notes[slices.Index(f.names, f.name)] }

// noteStyle is the format that notes are written in. JSONL is a default too: only a format that was asked for counts.
func (f *formatChoice) noteStyle() string {
	if f.flags != nil && !f.isShort && !f.flags.Changed("format") {
		return "text"
	}
	return f.name
}

// join returns "text, md and json", or the only word.
func join(words []string, last string) string {
	n := len(words) - 1
	if n == 0 {
		return words[0]
	}
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// addChoice declares a flag, with values that a shell completes.
func addChoice(cmd *cobra.Command, to *string, name, value, usage string, values ...string) {
	cmd.Flags().StringVar(to, name, value, usage)
	CompleteFlag(cmd, name, values...)
}

func addEmitFlag(cmd *cobra.Command, name *string, what string) {
	addChoice(cmd, name, "emit", "", "print only "+what+", as options of this trainer: "+strings.Join(trainer.Names(), ", "), trainer.Names()...)
}

type stepRange struct {
	interval string // FROM:TO, where either may be omitted, or one step
	last     int
}

func (r *stepRange) addTo(flags *pflag.FlagSet) {
	flags.StringVar(&r.interval, "steps", "", "only these steps: one, or FROM:TO (either may be omitted)")
	flags.IntVar(&r.last, "last", 0, "only the newest N steps")
}

func (r stepRange) selectFrom(snap model.Snapshot) (model.Snapshot, error) {
	from, to, err := r.bounds()
	if err != nil {
		return snap, Usage(err)
	}
	if r.last < 0 {
		return snap, Usage(fmt.Errorf("--last %d: expected a number of steps", r.last))
	}
	var selected []model.Step
	for _, step := range snap.Steps {
		if from <= step.Number && step.Number <= to {
			selected = append(selected, step)
		}
	}
	if r.last > 0 && len(selected) > r.last {
		selected = selected[len(selected)-r.last:]
	}
	if len(selected) == 0 && len(snap.Steps) > 0 {
		return snap, fmt.Errorf("--steps %s: the log has no such step, only %d to %d", r.interval, snap.Steps[0].Number, snap.Steps[len(snap.Steps)-1].Number)
	}
	return snap.Only(selected), nil
}

// bounds returns the first and the last step.
func (r stepRange) bounds() (from, to int64, err error) {
	first, last, several := strings.Cut(r.interval, ":")
	if !several {
		last = first
	}
	step := func(text string, none int64) int64 {
		if text == "" {
			return none
		}
		n, parseErr := strconv.ParseInt(text, 10, 64)
		err = errors.Join(err, parseErr)
		return n
	}
	from, to = step(first, math.MinInt64), step(last, math.MaxInt64)
	if err != nil || from > to {
		return 0, 0, fmt.Errorf("--steps %s: expected one step, or FROM:TO with the lower step first", r.interval)
	}
	return from, to, nil
}
