package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"

	"github.com/spf13/cobra"
	"pgregory.net/rapid"
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
		{[]string{"--last=3", "--", "-run", "--last"}, "vantage report --last=3 -- -run --last"},
		{[]string{"--last=3", "-"}, "vantage report - --last=3"},
	} {
		if got := reportLine(t, c.args); got != c.want {
			t.Errorf("%q:\n%s, want\n%s", c.args, got, c.want)
		}
	}
}

// reportLine is the command line of a report with these arguments.
func reportLine(t interface{ Fatal(...any) }, args []string) string {
	p, got := &program{}, ""
	cmd := p.report().build(p)
	root := &cobra.Command{Use: "vantage"}
	root.AddCommand(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		got = p.commandLine(cmd, args)
		return nil
	}
	root.SetArgs(append([]string{"report"}, args...))
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestShellWord(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"": "''", "a/b.jsonl": "a/b.jsonl", "a b": "'a b'", "$x": "'$x'", "~": "'~'", "=ls": "'=ls'", "数学": "'数学'", `a\b`: `'a\b'`,
		"x\ny": `$'x\012y'`, "it's\x1b[m": `$'it\'s\033[m'`, "a\\\t": `$'a\\\011'`, "\u202ex": `$'\342\200\256x'`, "\xff": `$'\377'`,
	} {
		if got := shellWord(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

// Shells take the printed command apart into what was given, and nothing in it is run or expanded.
func TestShellsReadTheCommandLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filetest.Write(t, filepath.Join(dir, "vantage"), "#!/bin/sh\nprintf '%s\\000' \"$@\"\n")
	if err := os.Chmod(filepath.Join(dir, "vantage"), 0o700); err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, shell := range []string{"bash", "zsh", "ksh"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		tried++
		run := func(line string) (words []string, err error) {
			cmd := exec.Command(path, "-s")
			cmd.Dir, cmd.Env, cmd.Stdin = dir, []string{"PATH=" + dir + ":/usr/bin:/bin", "x=expanded", "LC_ALL=C.UTF-8"}, strings.NewReader(line+"\n")
			out, err := cmd.Output()
			return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), err
		}
		rapid.Check(t, func(t *rapid.T) {
			word := rapid.StringOfN(rapid.RuneFrom([]rune("-=a'\"\\$x`!*?~#&|;<>(){}[]^% \t\n\r\x1b\u202e数é")), 1, 8, -1)
			paths := rapid.SliceOfN(word, 1, 3).Draw(t, "paths")
			column := rapid.StringOfN(rapid.RuneFrom([]rune("a'\"\\$x` \n")), 1, 6, -1).Draw(t, "column")
			line := reportLine(t, append([]string{"--step=" + column, "--"}, paths...))
			if strings.ContainsFunc(line, isUnprintable) {
				t.Fatalf("%q is not one line of visible characters", line)
			}
			words, err := run(line)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if again := reportLine(t, words[1:]); again != line {
				t.Fatalf("%s became %q in %s, which is %s", line, words, shell, again)
			}
			rest := slices.DeleteFunc(words[1:], func(w string) bool { return w == "--" || w == "--step="+column })
			if want := slices.DeleteFunc(slices.Clone(paths), func(w string) bool { return w == "--" || w == "--step="+column }); !slices.Equal(rest, want) {
				t.Fatalf("%s became %q in %s", line, words, shell)
			}
		})
	}
	if tried == 0 {
		t.Skip("there is no shell that knows $'…'")
	}
}
