package commands

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// A value that a flag does not take is refused in words, not in those of a parser.
func TestValuesOfFlagsAreRefusedInWords(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"report x --texts five":                  "--texts five: expected a whole number, or all",
		"summary x --texts 5":                    "--texts 5: expected all",
		"tail x --idle-timeout 5":                "--idle-timeout 5: expected a time with its unit, such as 30s or 10m",
		"summary x --json=perhaps":               "--json perhaps: expected true or false, or the flag alone",
		"summary x --json --format text":         "--json and --format text ask for two formats: omit one",
		"report x --input-format jsonll":         `--input-format: no format "jsonll" (did you mean jsonl?): ` + "`vantage list formats` lists all",
		"report x --config nowhere":              "--config: nowhere does not exist: check the path",
		"report x algorithm.kl_in_reward=trueee": `kl_in_reward must be true or false, got "trueee"`,
	} {
		p := &program{in: strings.NewReader(""), out: &bytes.Buffer{}, errOut: &bytes.Buffer{}}
		root := &cobra.Command{Use: "vantage", SilenceErrors: true, SilenceUsage: true}
		root.SetFlagErrorFunc(flagError)
		root.AddCommand(p.all()...)
		root.SetArgs(strings.Fields(line))
		if err := root.Execute(); err == nil || err.Error() != want || exitCode(err) != exitUsage {
			t.Errorf("%s: %v, exit code %d", line, err, exitCode(err))
		}
	}
}
