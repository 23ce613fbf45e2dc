package commands

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// An old name prints what the new one prints, ends as it does, and says once on standard error what it is called now.
func TestOldNamesDoWhatTheNewOnesDo(t *testing.T) {
	t.Parallel()
	log := agentLog(t)
	nowhere := filepath.Join(t.TempDir(), "nowhere.jsonl")
	for old, now := range map[string]string{
		"estimators":                                       "list estimators",
		"estimators verl grpo --format json":               "list estimators verl grpo --format json",
		"filters skyrl":                                    "list filters skyrl",
		"losses trl dapo":                                  "list losses trl dapo",
		"overlong":                                         "list overlong",
		"formats trl":                                      "list formats trl",
		"formats nosuch":                                   "list formats nosuch",
		"show GROUP LOG --worst --text 30":                 "why GROUP LOG --worst --text 30",
		"show GROUP LOG --json":                            "why GROUP LOG --json",
		"show GROUP NOWHERE":                               "why GROUP NOWHERE",
		"steps LOG --last 3 --json":                        "report --brief LOG --last 3 --json",
		"--last 3 steps LOG":                               "report --brief LOG --last 3",
		"steps LOG --steps 99":                             "report --brief LOG --steps 99",
		"groupsize LOG --sizes 8,2000":                     "plan --sizes-only LOG --sizes 8,2000",
		"groupsize LOG --format csv --where size>3":        "plan --sizes-only LOG --format csv --where size>3",
		"flags easyr1 --keep-pos-ratio 0.7":                "report --emit easyr1 --keep-pos-ratio 0.7",
		"flags --framework verl trl --scale=none":          "report --emit trl --framework verl --scale=none",
		"flags nosuch":                                     "report --emit nosuch",
		"flags twinkle algorithm.adv_estimator=grpo":       "report --emit twinkle algorithm.adv_estimator=grpo",
		"flags verl --compute-new-adv --num-generations=4": "report --emit verl --compute-new-adv --num-generations=4",
	} {
		run := func(line string) (out, said string, code int) {
			words := strings.Fields(strings.NewReplacer("GROUP", agentGroup(t, log), "LOG", log, "NOWHERE", nowhere).Replace(line))
			var stdout, stderr bytes.Buffer
			p := &program{in: strings.NewReader(""), out: &stdout, errOut: &stderr}
			root := &cobra.Command{Use: "vantage", SilenceErrors: true, SilenceUsage: true}
			p.addFlags(root, ofLogs)
			root.Flags().Int("last", 0, "")
			err := executeLine(t.Context(), p, root, words)
			if err != nil {
				printError(&stderr, words, err)
			}
			return stdout.String(), stderr.String(), exitCode(err)
		}
		oldOut, oldSaid, oldCode := run(old)
		newOut, newSaid, newCode := run(now)
		note, rest, _ := strings.Cut(oldSaid, "\n")
		if oldOut != newOut || rest != newSaid || oldCode != newCode {
			t.Errorf("%s ends with %d and\n%s%s\nbut %s with %d and\n%s%s", old, oldCode, oldOut, oldSaid, now, newCode, newOut, newSaid)
		}
		if !strings.Contains(note, " is called `vantage ") {
			t.Errorf("%s does not say what it is called now: %s", old, oldSaid)
		}
	}
	for _, c := range (&program{}).all() {
		isOld := slices.ContainsFunc(renames(), func(r rename) bool { return r.old == c.Name() })
		if c.Hidden != isOld {
			t.Errorf("%s: hidden is %t", c.Name(), c.Hidden)
		}
	}
}
