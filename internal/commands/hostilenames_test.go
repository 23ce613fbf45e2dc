package commands

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/repotest"
)

func TestMain(m *testing.M) { repotest.Run(m) }

// hostile is text that does something to a terminal which shows it as it is: a title, a colour, C1
// control bytes, a reversed direction, a cursor movement.
const hostile = "\x1b]0;title\x07\x1b[31mred\u009b2J\u202eleft\r\x08\x00"

// hostileLog writes a log into dir whose names and texts are hostile, and returns its path.
func hostileLog(t *testing.T, dir string) string {
	t.Helper()
	name := strings.NewReplacer("\x00", "", "/", "").Replace(hostile)
	var rows strings.Builder
	for i := range 32 {
		fmt.Fprintf(&rows, "{\"step\": %d, \"uid\": %q, \"prompt\": %q, \"response\": %q, \"reward\": %d, %q: 0.5, \"advantage\": 0, \"source\": %q, %q: \"x\"}\n",
			i/8, escape(hostile)+string(rune('a'+i/4)), escape(hostile), escape(hostile), i%2, escape(hostile)+"_reward", escape(hostile), escape(hostile))
	}
	rows.WriteString("{\"reward\": \"" + hostile + "\", \"broken\n")
	path := filepath.Join(dir, name+".jsonl")
	text := strings.ReplaceAll(rows.String(), `\\u`, `\u`)
	filetest.Write(t, path, text)
	return path
}

// escape writes each character as JSON's \u escape.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return b.String()
}

// runCommand runs a command line and returns what it wrote to both outputs.
func runCommand(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	p := &program{in: strings.NewReader(""), out: &out, errOut: &out}
	root := &cobra.Command{Use: "vantage", SilenceErrors: true, SilenceUsage: true}
	root.SetOut(&out)
	root.SetErr(&out)
	p.addFlags(root, ofLogs)
	if err := executeLine(t.Context(), p, root, args); err != nil {
		printError(&out, args, err)
	}
	return out.String()
}

// executeLine runs a command line of the commands of a program below a root that has none yet. cobra has one table of the flags whose
// values a shell completes, which lasts as long as the process: afterwards they are empty, so that they hold no program and what it read.
func executeLine(ctx context.Context, p *program, root *cobra.Command, line []string) error {
	root.AddCommand(p.all()...)
	root.SetArgs(line)
	defer emptyFlags(root)
	return root.ExecuteContext(ctx)
}

// emptyFlags empties the flags of a command and of those below it.
func emptyFlags(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { *f = pflag.Flag{} })
	for _, c := range cmd.Commands() {
		emptyFlags(c)
	}
}

// Nothing that a log, a path or an argument holds reaches the terminal as it is, whatever is written.
func TestHostileTextDoesNothingToTheTerminal(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	dir := t.TempDir()
	path := hostileLog(t, dir)
	var lines [][]string
	for _, command := range []string{"summary", "why", "show", "steps", "report", "list", "flags", "groupsize", "export", "sweep", "plan", "prompts", "match", "check", "compare", "formats", "estimators", "losses", "overlong", "offpolicy"} {
		for _, format := range []string{"text", "markdown", "csv", "json", "jsonl", hostile} {
			lines = append(lines, []string{command, path, "--format", format}, []string{command, "a=" + path, "b" + hostile + "=" + path, "--format", format})
		}
		for _, flag := range []string{"--reward", "--group-by", "--framework", "--config", "--step", "--input-format", "--option", "--" + hostile} {
			lines = append(lines, []string{command, path, flag, strings.ReplaceAll(hostile, "\x00", "") + "_reward"})
		}
		lines = append(lines, []string{command, filepath.Join(dir, "missing"+strings.ReplaceAll(hostile, "\x00", ""))}, []string{command, path, hostile})
	}
	for _, column := range []string{"source", hostile, hostile + "_reward", "nope" + hostile} {
		for _, format := range []string{"text", "md", "csv", "json"} {
			lines = append(lines, []string{"report", path, "--by", column, "--format", format}, []string{"report", path, "--by", column, "--where", hostile, "--format", format})
		}
	}
	for _, command := range []string{"why", "show"} {
		lines = append(lines, []string{command, hostile, path}, []string{command, strings.ReplaceAll(hostile, "\x00", ""), path, "--json"}, []string{command, "\x1b", path}, []string{command, "\x1b]0;title\x07\x1b[31mred\u009b2J\u202eleft\r\x08\x00a", path})
	}
	lines = append(lines, []string{"report", path, "--worst", "3"}, []string{"export", path, "--where", hostile}, []string{"check", path, "--rule", hostile}, []string{hostile})
	for _, in := range []string{"answer", "prompt", "truth"} {
		lines = append(lines, []string{"grep", path, ".", "--in", in}, []string{"grep", path, ".", "--in", in, "--format", "csv"}, []string{"grep", path, ".", "--in", in, "--count-by", "source", "--format", "json"}, []string{"grep", path, hostile, "--in", in})
	}
	if out := runCommand(t, "report", filepath.Join(dir, "two\nlines")); strings.Count(out, "\n") != 1 {
		t.Errorf("an error takes two lines: %q", out)
	}
	for _, args := range lines {
		out := runCommand(t, args...)
		for i, r := range out {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
				t.Errorf("%q writes %q: …%q…", args, r, out[max(0, i-60):min(len(out), i+40)])
				break
			}
		}
	}
}
