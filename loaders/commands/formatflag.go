package commands

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vantage/loaders/formats"
)

// formatFlag is the --format of a command, with what writes each format.
type formatFlag[W any] struct {
	name    string // the value of the flag
	names   []string
	writers []W
}

// newFormatFlag returns a flag with its default.
func newFormatFlag[W any](name string, write W) formatFlag[W] {
	return formatFlag[W]{name, []string{name}, []W{write}}
}

// or returns the flag with one more format.
func (f formatFlag[W]) or(name string, write W) formatFlag[W] {
	f.names, f.writers = append(f.names, name), append(f.writers, write)
	return f
}

// addTo declares the flag.
func (f *formatFlag[W]) addTo(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.name, "format", f.name, join(f.names, "or"))
	completeFlag(cmd, "format", f.names...)
}

// writer returns what writes the format that the flag names.
func (f *formatFlag[W]) writer(command string) (write W, err error) {
	if i := slices.Index(f.names, f.name); i >= 0 {
		return f.writers[i], nil
	}
	hint := ""
	if _, ok := formats.Find(f.name); ok {
		hint = "; --input-format " + f.name + " reads logs of that format"
	}
	return write, Usage(fmt.Errorf("%s has no format %q: choose %s%s", command, f.name, join(f.names, "or"), hint))
}

// join returns "text, md and json", or the only word.
func join(words []string, last string) string {
	n := len(words) - 1
	if n == 0 {
		return words[0]
	}
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}
