package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/formatstest"
	"vantage/internal/testkit/repotest"
)

// doorLogs writes a log of each kind, and returns their paths by what they are.
func doorLogs(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	at := func(names ...string) string {
		path := filepath.Join(append([]string{dir}, names...)...)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write := func(text string, names ...string) string {
		path := at(names...)
		filetest.Write(t, path, text)
		return path
	}
	rows := func(steps, first int, reward func(step, i int) int) string {
		var b strings.Builder
		for step := first; step < first+steps; step++ {
			for i := range 16 {
				row, _ := json.Marshal(map[string]any{
					"step": step, "input": fmt.Sprintf("question %d", i/4), "output": strings.Repeat(fmt.Sprintf("answer %d. ", i), 20), "score": reward(step, i),
				})
				b.Write(append(row, '\n'))
			}
		}
		return b.String()
	}
	mixed, wrong := func(step, i int) int { return (i + step) % 2 }, func(int, int) int { return 0 }
	var ill, nameless strings.Builder // averages: one that falls, and one whose names say nothing
	for step := range 60 {
		fall := max(0, step-30)
		fmt.Fprintf(&ill, `{"step": %d, "reward/all/mean": %.3f, "is_truncated/all/mean": %.3f, "solve_none/all": %.3f, "entropy": %.3f, "grad_norm": 0.3, "loss": 0.1, "odd": 1}`+"\n",
			step, 0.9-0.03*float64(min(fall, 28)), min(0.95, 0.05*float64(fall)), min(0.95, 0.1+0.04*float64(fall)), 2/float64(1+fall))
		fmt.Fprintf(&nameless, `{"step": %d, "loss": 0.1, "fitness": %.3f, "usefulness": 0.5}`+"\n", step, 0.01*float64(step))
	}
	logs := map[string]string{
		"samples":       write(rows(30, 1, mixed), "samples", "rows.jsonl"),
		"all wrong":     write(rows(12, 1, wrong), "wrong", "rows.jsonl"),
		"one step":      write(rows(1, 7, mixed), "one", "rows.jsonl"),
		"state":         write(trainerState(), "run", "checkpoint-200", "trainer_state.json"),
		"state folder":  filepath.Join(dir, "run"),
		"averages":      write(ill.String(), "metrics.jsonl"),
		"no reward":     write(nameless.String(), "nameless", "metrics.jsonl"),
		"both":          filepath.Dir(write(rows(2, 40, mixed), "both", "rows.jsonl")),
		"broken":        write(rows(2, 1, mixed)[:999]+"\n{\"step\": \x00 broken\n", "broken", "rows.jsonl"),
		"no log":        write("these are notes, and not a log\n", "notes.txt"),
		"nothing":       write("", "empty.jsonl"),
		"empty folder":  filepath.Dir(at("empty", "x")),
		"no such thing": filepath.Join(dir, "nowhere"),
	}
	write(ill.String(), "both", "metrics.jsonl")
	for i, log := range formatstest.Logs(t, "../../loaders/formats/testdata") {
		if i%4 < repotest.Times(1, 4) {
			logs[log.Format] = write(log.Text, "formats", log.Format, filepath.FromSlash(log.Name))
		}
	}
	return logs
}

// runLine runs a command line and returns what it printed, on both streams, and its exit code.
func runLine(t *testing.T, line []string) (out string, code int) {
	t.Helper()
	var b bytes.Buffer
	p := &program{in: strings.NewReader(""), out: &b, errOut: &b}
	root := &cobra.Command{Use: "vantage", SilenceErrors: true, SilenceUsage: true}
	root.SetFlagErrorFunc(flagError)
	err := executeLine(t.Context(), p, root, line)
	if err != nil {
		printError(&b, line, err)
	}
	return b.String(), exitCode(err)
}

// namedCommand is a command in a sentence: in backquotes with what it takes, or alone as in "12 more: vantage report".
var namedCommand = regexp.MustCompile("`vantage ([^`]+)`|\\bvantage ([a-z]+)\\b")

// commandNames are the names of all commands.
var commandNames = sync.OnceValue(func() (names []string) {
	for _, c := range (&program{}).all() {
		names = append(names, c.Name())
	}
	return names
})

// doorsIn returns the command lines that an output names, for the log that it is about. samples stand for a folder that is yet to be
// written, and group for one of a log.
func doorsIn(text, log, samples, group string) (lines [][]string) {
	names := commandNames()
	takesNothing := []string{"list", "cache", "config", "version"}
	for _, m := range namedCommand.FindAllStringSubmatch(text, -1) {
		words := strings.Fields(m[1] + m[2])
		if words[0] == "DIR" {
			words = []string{"report", "DIR"} // as the program does without a terminal
		}
		if !slices.Contains(names, words[0]) {
			continue
		}
		hasPath := slices.Contains(takesNothing, words[0])
		for i, w := range words {
			switch w {
			case "PATH":
				words[i], hasPath = log, true
			case "DIR":
				words[i], hasPath = samples, true
			case "GROUP":
				words[i] = group
			}
			words[i] = strings.Trim(words[i], "'")
		}
		if !hasPath {
			words = append(words, log)
		}
		lines = append(lines, words)
	}
	return lines
}

// No sentence sends its reader to a command that refuses the log: each command that an output names runs, on logs of all kinds.
func TestCommandsThatOutputsName(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	logs := doorLogs(t)
	tried := map[string]bool{}
	for kind, log := range logs {
		group := "question 0"
		for _, line := range [][]string{
			{"summary", log},
			{"summary", log, "--json"},
			{"report", log},
			{"report", log, "--format", "json"},
			{"report", log, "--format", "csv"},
			{"why", group, log},
			{"why", "nobody", log},
			{"why", log},
			{"prompts", log},
			{"check", log},
			{"check", log, "--fail-on", "odd>3"},
			{"report", log, "--brief"},
			{"match", log},
			{"sweep", log},
			{"plan", log, "--sizes-only"},
			{"plan", log},
			{"grep", log, "answer"},
			{"compare", log, log},
			{"summary", log, "--reward", "odd"},
		} {
			out, _ := runLine(t, line)
			for _, door := range doorsIn(out, log, logs["samples"], group) {
				key := strings.Join(door, "\x00")
				if tried[key] {
					continue
				}
				tried[key] = true
				refusal, code := runLine(t, door)
				isAnswer := door[0] == "match" && strings.HasPrefix(refusal, "compared") // that nothing matches
				if code != 0 && code != exitRule && !isAnswer {
					t.Errorf("%s: %s says:\n%s\nbut %s ends with %d: %s", kind, line[0], out, strings.Join(door, " "), code, refusal)
				}
			}
		}
	}
	if len(tried) < 5 {
		t.Error("few commands were named:", tried)
	}
}

// A log of averages has no sentence that what it holds is not there, takes --reward, and names what it does not know.
func TestWhatIsSaidOfNames(t *testing.T) {
	t.Parallel()
	logs := doorLogs(t)
	for _, c := range []struct {
		line      []string
		has, lack []string
	}{
		{[]string{"summary", logs["averages"]}, []string{"unknown   1 series without a known role: odd", "reward collapse since step 3"}, nil},
		{
			[]string{"summary", logs["no reward"]},
			[]string{"no series is surely the reward: name one with --reward, as fitness, usefulness", "2 series without a known role: fitness, usefulness"},
			[]string{"the log has no reward"},
		},
		{[]string{"summary", logs["no reward"], "--reward", "fitness"}, []string{"last      fitness 0.590", "1 series without a known role: usefulness"}, []string{"surely the reward"}},
		{[]string{"summary", logs["no reward"], "--reward", "fit"}, []string{"--reward fit: no series has that name; there are fitness, usefulness"}, nil},
		{[]string{"summary", logs["both"]}, []string{"truncation since step 3", "reward collapse since step 3", "scalars   metrics.jsonl, steps 0 to 59 (60)"}, []string{"left out", "not next to", "nothing was found"}},
		{[]string{"report", logs["both"]}, []string{"truncation since step 3", "scalars", "metrics.jsonl, steps 0 to 59 (60)"}, []string{"left out", "not next to"}},
		{[]string{"report", logs["averages"]}, []string{"the log has no KL", "scalars alone, no samples"}, []string{"vantage report"}},
		{[]string{"report", logs["samples"], logs["one step"], "--merge"}, nil, []string{"not next to the samples"}},
	} {
		out, _ := runLine(t, c.line)
		for _, want := range c.has {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", c.line, want, out)
			}
		}
		for _, not := range c.lack {
			if strings.Contains(out, not) {
				t.Errorf("%s: %q in\n%s", c.line, not, out)
			}
		}
	}
}
