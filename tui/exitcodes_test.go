package tui_test

import (
	"bytes"
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vantage/internal/testkit/repotest"
)

// exitLines returns command lines of the real program by the exit code that they end with.
func exitLines() map[int][]string {
	lines := map[int][]string{
		0: {"--help", "version", "--version", "config", "man", "completion bash", "list", "list estimators", "list filters", "list losses", "list overlong", "list off-policy-rules", "list formats", "list metrics", "list metrics signal", "list illnesses", "list illnesses too_hard", "report --emit verl", "why log.jsonl", "help settings", "estimators", "flags verl", "log.jsonl", "log.jsonl --format json", "a=log.jsonl b=log.jsonl"},
		1: {
			"match plain.jsonl", "match wrong.jsonl", "compare log.jsonl later.jsonl", "export torn.jsonl", "report log.jsonl --steps 99", "report log.jsonl --where fate:killed", "why nobody log.jsonl",
			"sweep dead.jsonl --emit easyr1", "report log.jsonl --svg nowhere/charts.svg", "nowhere.jsonl", "check log.jsonl --prom nowhere/x.prom",
		},
		2: {
			"", "report", "report log.jsonl --format xml", "report log.jsonl --scale triple", "check log.jsonl --fail-on loss", "check log.jsonl --fail-on nosuch>0", "sweep log.jsonl --goal fame",
			"plan log.jsonl --sizes 1", "plan log.jsonl --where size>3", "report log.jsonl --brief --format csv", "report log.jsonl --brief --per group", "report --emit verl --split val", "plan log.jsonl --emit nosuch", "prompts log.jsonl --sort nosuch", "prompts log.jsonl --where nosuch>1", "grep log.jsonl", "grep log.jsonl (a", "export log.jsonl --columns nosuch", "report --emit nosuch", "flags nosuch", "list nosuch", "demo", "demo x", "help nosuch", "list formats nosuch", "list metrics nosuch", "list illnesses nosuch", "config x", "version x", "completion nosuch", "list estimators nosuch", "compare log.jsonl",
			"why a", "tail log.jsonl --last 0", "report log.jsonl --where std>", "report log.jsonl --steps 2:1", "check log.jsonl --wait", "check log.jsonl --rules nowhere.yaml", "report nogroups.jsonl",
			"report log.jsonl --config nowhere.yaml", "report log.jsonl --config torn.jsonl", "report log.jsonl --input-format nosuch", "report log.jsonl --texts five", "tail log.jsonl --idle-timeout 5",
			"report log.jsonl --compute-new-adv=perhaps", "report log.jsonl -o log.jsonl", "report log.jsonl --svg ./log.jsonl", "report . -o report.html", "check log.jsonl --junit log.jsonl", "check . --junit new.xml",
		},
		3: {"check log.jsonl --fail-on signal>0", "check log.jsonl --fail-on signal>0 --format junit", "check log.jsonl --fail-on signal>0 --format github"},
	}
	for _, reads := range []string{"report %", "summary %", "report % --brief", "export %", "sweep %", "check % --fail-on killed>0", "compare % %", "why a %", "tail % --idle-timeout 50ms", "plan % --sizes-only", "plan %", "match %", "prompts %", "grep % a"} {
		fine, missing := strings.ReplaceAll(reads, "%", "log.jsonl"), strings.ReplaceAll(reads, "%", "nowhere.jsonl")
		lines[0], lines[1], lines[2] = append(lines[0], fine), append(lines[1], missing), append(lines[2], fine+" --nosuch", strings.ReplaceAll(reads, "%", ""))
	}
	return lines
}

// The exit code is 0 for what went well, 1 for what could not be done, 2 for what was asked wrongly, and 3 for a rule that fails, of each command.
// Whatever is no success says why in one sentence, but for the verdict of a rule.
func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	writeExitLogs(t, dir)
	for code, lines := range exitLines() {
		for _, line := range lines {
			t.Run(line, func(t *testing.T) {
				repotest.OneIn(t, 3)
				t.Parallel()
				got, _, said := runIn(t, dir, strings.Fields(line)...)
				if got != code {
					t.Errorf("exit code %d, want %d; it said %s", got, code, said)
				}
				if sentence := strings.HasPrefix(said, "vantage: "); sentence != (code == 1 || code == 2) && code > 0 {
					t.Errorf("it said %q", said)
				}
			})
		}
	}
}

// A check that comes to no verdict writes the JUnit file too, with one test that has an error: what a CI system shows is not that of the run before.
func TestJUnitOnErrors(t *testing.T) {
	dir := t.TempDir()
	writeExitLogs(t, dir)
	for line, want := range map[string]struct {
		code  int
		error string
	}{
		"check nowhere.jsonl":                       {1, "nowhere.jsonl does not exist"},
		"check empty.jsonl":                         {1, "empty.jsonl is empty"},
		"check log.jsonl --fail-on loss":            {2, `rule "loss" has no`},
		"check log.jsonl --fail-on nosuch>0":        {2, "nosuch"},
		"check log.jsonl --rules nowhere.yaml":      {2, "nowhere.yaml"},
		"check nogroups.jsonl":                      {2, "group"},
		"check log.jsonl --where fate:killed":       {1, "matches no groups"},
		"check log.jsonl --prom metrics":            {2, "end in .prom"},
		"check nowhere.jsonl --prom metrics/x.prom": {1, "there is no folder"},
		"check":                                           {2, "nothing to read"},
		"check log.jsonl --fail-on killed>0":              {0, ""},
		"check log.jsonl --fail-on signal>0":              {3, ""},
		"check log.jsonl --fail-on signal>0 --junit /x/y": {1, "-"},
	} {
		t.Run(line, func(t *testing.T) {
			repotest.OneIn(t, 3)
			t.Parallel()
			file := filepath.Join(t.TempDir(), "junit.xml")
			args := strings.Fields(line)
			if want.error != "-" {
				writeFile(t, file, "of the run before")
				args = append(args, "--junit", file)
			}
			code, _, said := runIn(t, dir, args...)
			if code != want.code {
				t.Fatalf("exit code %d: %s", code, said)
			}
			if want.error != "-" {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				checkJUnit(t, text, want.error)
			}
		})
		t.Run(line+" on stdout", func(t *testing.T) {
			repotest.OneIn(t, 3)
			t.Parallel()
			if want.error == "-" {
				return
			}
			_, out, _ := runIn(t, dir, append(strings.Fields(line), "--format", "junit")...)
			checkJUnit(t, out, want.error)
		})
	}
}

// A file that is written replaces no log, under whatever name, and goes into no folder of one.
func TestOutputsSpareTheLog(t *testing.T) {
	dir := t.TempDir()
	writeExitLogs(t, dir)
	log := filepath.Join(dir, "log.jsonl")
	before, _ := os.ReadFile(log)
	for name, link := range map[string]func(string, string) error{"link": os.Symlink, "hard": os.Link} {
		if err := link(log, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{
		"report log.jsonl -o log.jsonl", "report log.jsonl -o link", "report link -o log.jsonl", "report log.jsonl --svg hard", "report . -o log.jsonl", "report . -o new.html",
		"check log.jsonl --junit link", "check . --junit log.jsonl",
	} {
		code, _, said := runIn(t, dir, strings.Fields(line)...)
		if after, err := os.ReadFile(log); code != 2 || err != nil || !bytes.Equal(before, after) || !strings.Contains(said, "the log") {
			t.Errorf("%s: exit code %d, the log is as before: %v, %s", line, code, bytes.Equal(before, after), said)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "new.html")); err == nil {
		t.Error("a report lies among the files of the log")
	}
	if code, _, said := runIn(t, dir, "report", "log.jsonl", "-o", "report.txt"); code != 0 {
		t.Errorf("a new file next to a log that is named: exit code %d, %s", code, said)
	}
}

// What follows a log ends when nobody reads what it prints.
func TestFollowersEndWithTheirReader(t *testing.T) {
	dir := t.TempDir()
	writeExitLogs(t, dir)
	for _, line := range []string{"tail log.jsonl", "check log.jsonl --watch --fail-on signal>0"} {
		cmd := exec.Command(programPath(t), strings.Fields(line)...)
		cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir}
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		_, _ = out.Read(make([]byte, 1))
		_ = out.Close()
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(patience):
			t.Errorf("%s goes on", line)
			_ = cmd.Process.Kill()
		}
	}
}

// checkJUnit checks that a JUnit file has one test with that error, or no error.
func checkJUnit(t *testing.T, text []byte, want string) {
	t.Helper()
	var suite struct {
		Tests, Failures, Errors int
		Attributes              []xml.Attr `xml:",any,attr"`
		Cases                   []struct {
			Error *struct {
				Message string `xml:"message,attr"`
			} `xml:"error"`
		} `xml:"testcase"`
	}
	if err := xml.Unmarshal(text, &suite); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	errors := "0"
	if want != "" {
		errors = "1"
		if len(suite.Cases) != 1 || suite.Cases[0].Error == nil || !strings.Contains(suite.Cases[0].Error.Message, want) {
			t.Errorf("no test with the error %q: %s", want, text)
		}
	} else if len(suite.Cases) != 1 || suite.Cases[0].Error != nil {
		t.Errorf("an error: %s", text)
	}
	if !slices.ContainsFunc(suite.Attributes, func(a xml.Attr) bool { return a.Name.Local == "errors" && a.Value == errors }) {
		t.Errorf("errors is not %s: %s", errors, text)
	}
}

// runIn runs the program in a folder.
func runIn(t *testing.T, dir string, args ...string) (code int, out []byte, said string) {
	t.Helper()
	cmd := exec.Command(programPath(t), args...)
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "XDG_STATE_HOME=" + dir}
	var output, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &errOut
	_ = cmd.Run()
	return cmd.ProcessState.ExitCode(), output.Bytes(), errOut.String()
}

// writeExitLogs writes a log that is fine, and some that are not.
func writeExitLogs(t *testing.T, dir string) {
	t.Helper()
	row := func(step, prompt, reward, advantage string) string {
		return `{"step":` + step + `,"group_id":"` + prompt + `","prompt":"` + prompt + `","response":"x","reward":` + reward + advantage + "}\n"
	}
	good := row("1", "a", "1", `,"advantage":0.5`) + row("1", "a", "0", `,"advantage":-0.5`)
	for name, text := range map[string]string{
		"log.jsonl": good, "torn.jsonl": good + "{\"step\": 1, torn\n", "empty.jsonl": "",
		"plain.jsonl": row("1", "a", "1", "") + row("1", "a", "0", ""), "wrong.jsonl": row("1", "a", "1", `,"advantage":0.1`) + row("1", "a", "0", `,"advantage":0.1`),
		"later.jsonl": row("7", "a", "1", "") + row("7", "a", "0", ""), "dead.jsonl": row("1", "a", "1", "") + row("1", "a", "1", ""),
		"nogroups.jsonl": `{"step":1,"reward":1}` + "\n" + `{"step":1,"reward":0}` + "\n",
	} {
		writeFile(t, filepath.Join(dir, name), text)
	}
}
