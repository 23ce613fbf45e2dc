package commands

import (
	"cmp"
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

// flagSets are flags of several commands, by what a command must do to heed them. Each command is given those that it
// heeds, and refuses the others: none is of every command. A flag is one value, whichever commands have it.
type flagSets uint

// The sets: those of a log are what settings are about, and how it is read.
const (
	arithmetic flagSets = 1 << iota
	grouping
	rewarding
	counting
	correcting
	weighing
	reading // which rows of a log are read, and how

	ofSamples = arithmetic | counting | weighing            // samples that have one reward, and whose groups are known
	ofPrompts = arithmetic | rewarding | counting | reading // a log of which prompts are compared, whatever the groups are
	unweighed = ofPrompts | grouping                        // a log of which no figure is of the loss
	ofLogs    = unweighed | correcting | weighing           // a log
)

// setOf returns the set of a setting's flag, 0 if it has none.
func setOf(s model.Setting) flagSets {
	switch s.About {
	case model.AboutArithmetic:
		return arithmetic
	case model.AboutGroups:
		return grouping
	case model.AboutRewards:
		return rewarding
	case model.AboutSamples:
		return counting
	case model.AboutPolicy:
		return correcting
	case model.AboutLoss:
		return weighing
	case model.NoFlag:
	}
	return 0
}

// topic is what the flags of one of the sets are about.
type topic struct {
	set         flagSets
	name, about string // in a word, and in more
	flags       *pflag.FlagSet
}

func (t topic) has(f *pflag.Flag) bool { return t.flags.Lookup(f.Name) == f }

// topicOf returns the index of the topic that has a flag, -1 if the flag is a command's own.
func topicOf(topics []topic, f *pflag.Flag) int {
	return slices.IndexFunc(topics, func(t topic) bool { return t.has(f) })
}

// addFlags declares flags of several commands. A flag of the same name that the command already has stays.
func (p *program) addFlags(cmd *cobra.Command, sets flagSets) {
	for _, t := range p.sharedFlags() {
		if sets&t.set != 0 {
			cmd.Flags().AddFlagSet(t.flags)
		}
	}
}

// sharedFlags returns the flags by what they are about. They are made once.
func (p *program) sharedFlags() []topic {
	if p.topics == nil {
		p.topics = []topic{
			{set: arithmetic, name: "arithmetic", about: "how advantages are computed"},
			{set: grouping, name: "groups", about: "which samples are a group"},
			{set: rewarding, name: "rewards", about: "which columns are the reward"},
			{set: counting, name: "samples", about: "which samples count"},
			{set: correcting, name: "policy", about: "what becomes of samples of another policy than the one that trains"},
			{set: weighing, name: "loss", about: "what a sample weighs"},
			{set: reading, name: "log", about: "how it is read"},
		}
		for i := range p.topics {
			p.topics[i].flags = p.flagsOf(p.topics[i].set)
		}
	}
	return p.topics
}

func (p *program) flagsOf(set flagSets) *pflag.FlagSet {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, s := range model.SettingList() {
		if setOf(s) == set {
			flags.Var(&settingFlag{p: p, name: s.Flag(), placeholder: s.Placeholder}, s.Flag(), s.Doc)
		}
	}
	switch set {
	case arithmetic:
		flags.Lookup("compute-new-adv").NoOptDefVal = "true"
		flags.StringVar(&p.configPath, "config", "",
			"read settings from a trainer's configuration (EasyR1, verl, TRL, ms-swift; of others the off-policy rule); flags override it")
	case reading:
		p.addReadingFlags(flags)
	default: // settings alone
	}
	return flags
}

func (p *program) addReadingFlags(flags *pflag.FlagSet) {
	flags.StringVar(&p.columns.Step, "step", "", "use this column of the log as the step")
	flags.StringVar(&p.columns.Prompt, "prompt", "", "use this column of the log as the prompt")
	flags.StringVar(&p.inputFormat, "input-format", "", "format of the log, detected by default; see `vantage list formats`")
	flags.StringVar(&p.attempt, "attempt", "newest", "for a restarted run: newest, all, or an attempt number (1 is the oldest)")
	flags.BoolVar(&p.merge, "merge", false,
		"read all runs below a folder as one, step by step; by default only the newest run is read")
	flags.StringVar(&p.passwordFile, "password-file", "",
		"read the clickhouse:// password from the first line of this file; by default from CLICKHOUSE_PASSWORD")
	flags.StringVar(&p.split, "split", "train", "rows to read: train, val (validation and evaluations) or all")
	flags.StringVar(&p.endpoint, "endpoint", "",
		"server of s3:// and gs:// paths, https://HOST:PORT; by default from AWS_ENDPOINT_URL or the profile, else Amazon's")
	flags.StringVar(&p.cacheSize, "cache", "1GB",
		"limit of the download cache (buckets and Hugging Face): 500MB, 2GB, 0 for none; see `vantage cache`")
}

// settingFlag is a flag whose values are appended to Program.settings.
type settingFlag struct {
	p                 *program
	name, placeholder string
}

func (f *settingFlag) String() string { return "" }
func (f *settingFlag) Type() string   { return f.placeholder }

// Set records the value; configure validates all settings together.
func (f *settingFlag) Set(value string) error {
	f.p.settings = append(f.p.settings, model.Option{Name: f.name, Value: value})
	return nil
}

// formatFlag is the --format of a command: what writes each format, and which notes stand beside it.
type formatFlag[W any] struct {
	formatChoice
	writers []W
}

// formatChoice is a formatFlag without what writes: it is compiled once, and not for each kind of command.
type formatChoice struct {
	name  string // the value of the flag
	names []string
	notes []noteSet // what a format has no place for, and people are told on standard error

	hasShort, isShort bool // --json, the same as --format json, which is quicker to write
	flags             *pflag.FlagSet
}

func newFormatFlag[W any](name string, write W) *formatFlag[W] {
	return &formatFlag[W]{formatChoice: formatChoice{name: name, names: []string{name}, notes: []noteSet{0}}, writers: []W{write}}
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
func tableFlag[T any](
	text func(io.Writer, T) error, table func(T) report.Table, json func(io.Writer, T) error,
) *formatFlag[func(io.Writer, T) error] {
	f := newFormatFlag("text", text).noting(noteReading)
	return f.or("csv", csvOf(table)).noting(noteAll).or("json", json).noting(noteReading)
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
		return 0, usage(fmt.Errorf("--json and --format %s ask for two formats: omit one", f.name))
	}
	if f.isShort {
		f.name = "json"
	}
	if i := slices.Index(f.names, f.name); i >= 0 {
		return i, nil
	}
	if instead := model.Gone("--format " + f.name); instead != "" {
		return 0, usage(fmt.Errorf("--format %s: %s", f.name, instead))
	}
	hint := ""
	if _, ok := formats.Find(f.name); ok {
		hint = "; --input-format " + f.name + " reads logs of that format"
	}
	return 0, usage(fmt.Errorf("%s has no format %q: choose %s%s", command, f.name, join(f.names, "or"), hint))
}

// addTo declares --format, and --json if it is as short.
func (f *formatChoice) addTo(cmd *cobra.Command) {
	f.flags = cmd.Flags()
	addChoice(cmd, &f.name, "format", f.name, join(f.names, "or"), f.names...)
	if f.hasShort {
		f.flags.BoolVar(&f.isShort, "json", false, "same as --format json")
	}
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
	completeFlag(cmd, name, values...)
}

func addEmitFlag(cmd *cobra.Command, name *string, what string) {
	trainers := trainer.Names()
	addChoice(cmd, name, "emit", "", "print only "+what+", as options of this trainer: "+strings.Join(trainers, ", "), trainers...)
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
		return snap, usage(err)
	}
	if r.last < 0 {
		return snap, usage(fmt.Errorf("--last %d: expected a number of steps", r.last))
	}
	isBefore := func(step model.Step, n int64) int { return cmp.Compare(step.Number, n) }
	begin, _ := slices.BinarySearchFunc(snap.Steps, from, isBefore)
	end, isIn := slices.BinarySearchFunc(snap.Steps, to, isBefore)
	end = max(begin, end+model.Count01(isIn))
	selected := snap.Steps[begin:end:end]
	if r.last > 0 && len(selected) > r.last {
		selected = selected[len(selected)-r.last:]
	}
	if len(selected) == 0 && len(snap.Steps) > 0 {
		first, last := snap.Steps[0].Number, snap.Steps[len(snap.Steps)-1].Number
		return snap, fmt.Errorf("--steps %s: the log has no such step, only %d to %d", r.interval, first, last)
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
