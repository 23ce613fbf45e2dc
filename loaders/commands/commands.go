package commands

import (
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vantage/loaders/decode"
	"vantage/model"
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

	shared         sharedFlags
	settings       []model.Option // of flags; after Configure all
	configSettings int            // the first so many of settings are those of --config
	configPath     string
	columns        decode.Columns
	inputFormat    string
	outputFormat   string // of the command that opens the screen
	split          string
	attempt        string
	wait           bool
	passwordFile   string
	passwords      map[string]string // by address without password; of those that had one, or were asked for
	endpoint       string            // of buckets
	cacheSize      string            // of what is kept of storages
}

// All returns the commands.
func (p *Program) All() []*cobra.Command {
	return []*cobra.Command{p.summary(), p.why(), p.show(), p.stepList(), p.tail(), p.report(), p.export(), p.sweep(), p.groupSize(), p.compare(), p.check(), p.match(), p.flags(), p.estimators(), p.filters(), p.losses(), p.overlong(), p.formats(), p.cache(), p.userConfig(), p.version()}
}

// AddWaitFlag declares --wait, for a command that follows a run.
func (p *Program) AddWaitFlag(flags *pflag.FlagSet) {
	flags.BoolVar(&p.wait, "wait", false, "wait for a PATH that does not exist yet")
}

// Waits reports whether --wait is set.
func (p *Program) Waits() bool { return p.wait }

// AddOutputFormat declares --format for the command that opens the screen: with it a report or a comparison
// is written instead.
func (p *Program) AddOutputFormat(flags *pflag.FlagSet) {
	flags.StringVar(&p.outputFormat, "format", "", "write a report, or the comparison of two runs, instead of opening the screen: text, md, csv or json; of a report also html")
}

// WritesOutput reports whether a format of output is given to the command that opens the screen.
func (p *Program) WritesOutput() bool { return p.outputFormat != "" }
