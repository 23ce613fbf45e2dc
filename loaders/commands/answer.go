package commands

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vantage/model"
	"vantage/model/report"
)

// answerFlag is the --format of a command with a short answer, and --json, which is quicker to write.
type answerFlag[T any] struct {
	formatFlag[func(io.Writer, T) error]
	json  bool
	flags *pflag.FlagSet // of the command
}

func newAnswerFlag[T any](text, json func(io.Writer, T) error) answerFlag[T] {
	return answerFlag[T]{formatFlag: newFormatFlag("text", text).or("json", json)}
}

// addTo declares the flags.
func (f *answerFlag[T]) addTo(cmd *cobra.Command) {
	f.formatFlag.addTo(cmd)
	f.flags = cmd.Flags()
	cmd.Flags().BoolVar(&f.json, "json", false, "same as --format json")
}

// writer returns what writes the format that the flags name.
func (f *answerFlag[T]) writer(command string) (func(io.Writer, T) error, error) {
	switch {
	case f.json && f.flags.Changed("format") && f.name != "json":
		return nil, Usage(fmt.Errorf("--json and --format %s ask for two formats: omit one", f.name))
	case f.json:
		f.name = "json"
	}
	return f.formatFlag.writer(command)
}

// openAnswer reads the paths to their current end and chooses settings. The source is open for texts; it is
// closed after an error.
func (p *Program) openAnswer(ctx context.Context, paths []string, set model.Settings) (Source, report.Answer, error) {
	log, err := p.openChosen(ctx, paths, set)
	if err != nil {
		return nil, report.Answer{}, err
	}
	return log, report.Answer{Path: Title(paths), Snap: log.snap, Settings: log.set, Choice: log.choice, Now: time.Now()}, nil
}
