package commands

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/repotest"
	"vantage/model/diagnosis"
)

// runDemo runs `vantage demo` without a terminal.
func runDemo(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	var b bytes.Buffer
	p := &explorer{program: program{in: strings.NewReader(""), out: &b, errOut: &b}}
	cmd := p.demo()
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetFlagErrorFunc(flagError)
	cmd.SetArgs(args)
	defer emptyFlags(cmd)
	err := cmd.ExecuteContext(t.Context())
	if err != nil {
		printError(&b, args, err)
	}
	return b.String(), exitCode(err)
}

// writeIll has the demo write the log of an illness to a new folder.
func writeIll(t *testing.T, kind string, seed int) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "runs", kind)
	out, code := runDemo(t, "--ill", kind, "--seed", fmt.Sprint(seed), "--write", folder)
	if want := "vantage summary " + folder; code != 0 || !strings.Contains(out, want) || strings.Count(out, "\n") != 1 {
		t.Fatalf("exit code %d, no line with %q:\n%s", code, want, out)
	}
	return folder
}

// mostOfALog is how large a log of the demo may be.
const mostOfALog = 3_000_000

// watches are kinds that are a watch in any log of samples.
func watches() []string {
	return []string{
		"fall_by_half", "few_outweigh", "no_right_answer", "part_outweighs", "source_outweighs", "top_p_mismatch", "stale_rollouts", "one_sequence_dominates", "filter_eats_batch",
	}
}

// The demo has a log of each kind that the program names, in the order of the kinds, and summary names it first; and a healthy one. A log is
// small, and that of another seed is another one.
func TestDemoWritesEachIllness(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	kinds := []string{"healthy"}
	for _, k := range diagnosis.Kinds() {
		kinds = append(kinds, string(k.Name))
	}
	if !slices.Equal(exampleKinds(), kinds) {
		t.Fatalf("the demo has %q, the program names %q", exampleKinds(), kinds)
	}
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			var last string
			for seed := 1; seed <= repotest.Times(1, 2); seed++ {
				folder := writeIll(t, kind, seed)
				var said struct {
					Health   string
					Steps    int
					Findings []struct{ Kind, Severity string }
				}
				answerTo(t, &said, "summary", folder, "--json")
				severity := "alarm"
				if slices.Contains(watches(), kind) {
					severity = "watch"
				}
				isNamed := len(said.Findings) > 0 && said.Findings[0].Kind == kind && said.Findings[0].Severity == severity
				if isHealthy := said.Health == "healthy"; isHealthy != (kind == "healthy") || !isHealthy && !isNamed {
					t.Errorf("seed %d: %+v", seed, said)
				}
				text := filesOf(t, folder)
				if len(text) > mostOfALog || said.Steps > 80 || text == last {
					t.Errorf("seed %d: %d bytes of %d steps, the same as before %t", seed, len(text), said.Steps, text == last)
				}
				if last = text; seed == 1 && filesOf(t, writeIll(t, kind, 1)) != text {
					t.Error("the same seed gives another log")
				}
			}
		})
	}
}

// filesOf is what the files of a folder hold, with their names.
func filesOf(t *testing.T, folder string) string {
	t.Helper()
	var text strings.Builder
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			fmt.Fprintf(&text, "%s\n%s", path[len(folder):], filetest.Read(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// What cannot be written, or shown without a terminal, is refused as a mistake of the command line, and nothing is written.
func TestDemoRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filetest.Write(t, filepath.Join(dir, "mine", "notes.txt"), "keep")
	filetest.Write(t, filepath.Join(dir, "file"), "keep")
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	before := filesOf(t, dir)
	for line, want := range map[string]string{
		"--ill reward_hackin --write DIR/new": `--ill: no illness "reward_hackin" (did you mean reward_hacking?): choose healthy, grader_outage, `,
		"--ill saturated --write DIR/mine":    "/mine: the folder is not empty",
		"--ill saturated --write DIR/file":    "/file: it is not a folder",
		"--ill saturated --write s3://a/b":    "a folder of this machine only",
		"--write DIR/new":                     "name an illness with --ill",
		"--ill saturated":                     "demo needs a terminal: for text run `vantage demo --ill KIND --write DIR`",
		"DIR/mine":                            "demo reads no files",
	} {
		if out, code := runDemo(t, strings.Fields(strings.ReplaceAll(line, "DIR", dir))...); code != exitUsage || !strings.Contains(out, want) {
			t.Errorf("demo %s: exit code %d\n%s", line, code, out)
		}
	}
	if after := filesOf(t, dir); after != before {
		t.Errorf("it wrote %q", after)
	}
	if out, code := runDemo(t, "--ill", "kl_drift", "--write", filepath.Join(dir, "empty")); code != 0 {
		t.Error("an empty folder is refused: " + out)
	}
}
