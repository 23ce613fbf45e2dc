package commands

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vantage/model"
)

// sharedFlags are the flags of several commands, by what a command must do to heed them. Each command is given those that
// it heeds, and refuses the others: none is of every command. A flag is one value, whichever commands have it.
type sharedFlags struct {
	arithmetic *pflag.FlagSet // settings that a trainer's configuration has: what advantages are computed with
	grouping   *pflag.FlagSet // which samples make a group
	rewarding  *pflag.FlagSet // settings that are about rewards: which columns they are
	counting   *pflag.FlagSet // settings that are about samples: what is added to their reward, which count
	weighing   *pflag.FlagSet // settings that are about what samples weigh in the loss: of commands with a figure of it
	reading    *pflag.FlagSet // which rows of a log are read, and how
}

// AddSettingFlags declares the flags of settings for samples that have one reward, and whose groups are known.
func (p *Program) AddSettingFlags(cmd *cobra.Command) {
	s := p.sharedFlags()
	addFlagSets(cmd, s.arithmetic, s.counting, s.weighing)
}

// addFlagSets declares flags that the command has not yet.
func addFlagSets(cmd *cobra.Command, sets ...*pflag.FlagSet) {
	for _, set := range sets {
		cmd.Flags().AddFlagSet(set)
	}
}

// AddLogFlags declares the flags of a command that reads a log: settings, and how the log is read. A flag of the same name
// that the command already has stays.
func (p *Program) AddLogFlags(cmd *cobra.Command) {
	p.addUnweighedFlags(cmd)
	addFlagSets(cmd, p.sharedFlags().weighing)
}

// addUnweighedFlags is AddLogFlags for a command without a figure of the loss.
func (p *Program) addUnweighedFlags(cmd *cobra.Command) {
	p.addPromptFlags(cmd)
	addFlagSets(cmd, p.sharedFlags().grouping)
}

// addPromptFlags is addUnweighedFlags for a command that compares prompts, whatever the groups are.
func (p *Program) addPromptFlags(cmd *cobra.Command) {
	s := p.sharedFlags()
	addFlagSets(cmd, s.arithmetic, s.rewarding, s.counting, s.reading)
}

// addConfigurationFlags declares the flags of a command that has no samples: what trainers' configurations say too.
func (p *Program) addConfigurationFlags(cmd *cobra.Command) {
	s := p.sharedFlags()
	addFlagSets(cmd, s.arithmetic)
	cmd.Flags().AddFlag(s.grouping.Lookup("num-generations"))
}

// sharedFlags returns the flags, which are made once.
func (p *Program) sharedFlags() sharedFlags {
	if p.shared.reading == nil {
		p.shared = sharedFlags{
			p.newArithmeticFlags(), p.newSettingFlags(model.AboutGroups), p.newSettingFlags(model.AboutRewards),
			p.newSettingFlags(model.AboutSamples), p.newSettingFlags(model.AboutLoss), p.newReadingFlags(),
		}
	}
	return p.shared
}

// newSettingFlags declares the flags of the settings about a subject.
func (p *Program) newSettingFlags(about model.Subject) *pflag.FlagSet {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, s := range model.SettingList() {
		if s.About == about {
			flags.Var(&settingFlag{p, s.Flag(), s.Placeholder}, s.Flag(), s.Doc)
		}
	}
	return flags
}

func (p *Program) newArithmeticFlags() *pflag.FlagSet {
	flags := p.newSettingFlags(model.AboutArithmetic)
	flags.Lookup("compute-new-adv").NoOptDefVal = "true"
	flags.StringVar(&p.configPath, "config", "", "read the settings from a trainer's configuration (EasyR1, verl, TRL, ms-swift); flags override it")
	return flags
}

func (p *Program) newReadingFlags() *pflag.FlagSet {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.StringVar(&p.columns.Step, "step", "", "use this column of the log as the step")
	flags.StringVar(&p.columns.Prompt, "prompt", "", "use this column of the log as the prompt")
	flags.StringVar(&p.inputFormat, "input-format", "", "format of the log, detected if not given; see `vantage formats`")
	flags.StringVar(&p.attempt, "attempt", "newest", "which attempt to read of a run that was started again in the same folder or file: newest, its number (1 is the oldest), or all, which are then counted as one")
	flags.StringVar(&p.passwordFile, "password-file", "", "read the password for a clickhouse:// address from the first line of this file; else CLICKHOUSE_PASSWORD is used")
	flags.StringVar(&p.split, "split", "train", "what to read: train (training), val (validation, and evaluations that a training log holds) or all")
	flags.StringVar(&p.endpoint, "endpoint", "", "address of the store of s3:// and gs:// paths, as https://HOST:PORT; by default that of AWS_ENDPOINT_URL, of the profile, or Amazon's")
	flags.StringVar(&p.cacheSize, "cache", "1GB", "how much of what is read from buckets and the Hub is kept on this machine at most: 500MB, 2GB, 0 for nothing; see `vantage cache`")
	return flags
}

// all returns the sets.
func (s sharedFlags) all() []*pflag.FlagSet {
	return []*pflag.FlagSet{s.arithmetic, s.grouping, s.rewarding, s.counting, s.weighing, s.reading}
}

// isShared reports whether several commands have a flag, as it is.
func (s sharedFlags) isShared(f *pflag.Flag) bool {
	for _, set := range s.all() {
		if set.Lookup(f.Name) == f {
			return true
		}
	}
	return false
}
