package commands

import (
	"testing"

	"github.com/spf13/cobra"
)

// The command in the footer of a page, run in a shell, is the one that wrote it.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"runs/a"}, "vantage report runs/a"},
		{[]string{"runs/a", "--format", "html", "-o", "x.html", "algorithm.keep_pos_ratio=0.5"}, "vantage report runs/a algorithm.keep_pos_ratio=0.5 --format=html --output=x.html"},
		{[]string{"it's here", "--keep-neg-ratio", "0.5", "--option", "a=1", "--option", "b=$(x)", "--compute-new-adv"}, `vantage report 'it'\''s here' --keep-neg-ratio=0.5 --option=a=1 '--option=b=$(x)' --compute-new-adv=true`},
		{[]string{"clickhouse://me:secret@host/db/t?run=a"}, "vantage report 'clickhouse://me@host/db/t?run=a'"},
		{[]string{"a", "--last", "3", "--config", "c.yaml"}, "vantage report a --config=c.yaml --last=3"},
	} {
		p := &Program{}
		cmd := p.report()
		root := &cobra.Command{Use: "vantage"}
		root.AddCommand(cmd)
		got := ""
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			got = p.commandLine(cmd, args)
			return nil
		}
		root.SetArgs(append([]string{"report"}, c.args...))
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("%q:\n%s, want\n%s", c.args, got, c.want)
		}
	}
}

func TestShellWord(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"": "''", "a/b.jsonl": "a/b.jsonl", "a b": "'a b'", "$x": "'$x'", "~": "'~'", "x\ny": "'x\ny'"} {
		if got := shellWord(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}
