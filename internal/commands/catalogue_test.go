package commands

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"vantage/internal/testkit/repotest"
	"vantage/loaders/formats"
)

// The first command that is given for each format reads a log at the place that is given for it.
func TestFirstCommandOfEachFormat(t *testing.T) {
	repotest.OneGoroutine(t)
	logs := madeLogs(t)
	for _, f := range formats.All() {
		t.Run(f.Name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			putLogs(t, f, logs[f.Name])
			args, ok := strings.CutPrefix(f.Command(), "vantage ")
			if !ok {
				t.Fatalf("%q is no command of this program", f.Command())
			}
			// The arithmetic of some trainers has nothing to say of groups as small as these.
			if out, err := reportOf(args); !strings.Contains(out, "\ncomplete: ") {
				t.Errorf("%s: %v\n%s", f.Command(), err, out)
			}
		})
	}
}

// reportOf returns what `vantage report` prints of a path, in the words of its first command.
func reportOf(path string) (string, error) {
	var out bytes.Buffer
	p := &program{in: strings.NewReader(""), out: &out, errOut: &out}
	root := &cobra.Command{Use: "vantage", SilenceUsage: true, SilenceErrors: true}
	p.addFlags(root, ofLogs)
	root.AddCommand(p.all()...)
	root.SetArgs([]string{"report", path})
	err := root.Execute()
	return out.String(), err
}
