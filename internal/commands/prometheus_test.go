package commands

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
)

// promLine is a line of Prometheus' text format that is no comment, with labels.
var promLine = regexp.MustCompile(`^([a-z_]+)\{([a-z]+="(?:[^"\\\n]|\\["\\n])*",?)+\} (\S+)$`)

// The file has for each metric HELP, TYPE and its samples, none of them twice, and no other lines.
func TestPrometheusFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log, file := agentLog(t), filepath.Join(dir, "run.prom")
	out := runCommand(t, "check", log, "--fail-on", "signal<20%", "--fail-on", "correct>99%", "--fail-on", "signal<20%", "--fail-on", "stall>6x", "--fail-on", "alarm", "--prom", file)
	if !strings.Contains(out, "5 rules, 3 failed") {
		t.Errorf("it prints %s", out)
	}
	text := filetest.Read(t, file)
	got := strings.ReplaceAll(string(text), `path="`+log+`"`, "PATH")
	for _, want := range []string{
		"# HELP vantage_check_success Whether the log could be read and checked, whatever the result of the rules.\n# TYPE vantage_check_success gauge\nvantage_check_success{PATH} 1\n",
		"vantage_rule_failed{PATH,rule=\"signal<20%\"} 1\nvantage_rule_failed{PATH,rule=\"correct>99%\"} 0\nvantage_rule_failed{PATH,rule=\"alarm>0\"} 1\n# HELP",
		"vantage_rule_failed_steps{PATH,rule=\"signal<20%\"} 1\n", "vantage_finding{PATH,kind=\"stuck_data\",severity=\"alarm\"} 2\n", "vantage_alarms{PATH} 1\n", "vantage_step{PATH} 6\n", "vantage_step_signal_groups{PATH} 1\n",
		"vantage_step_nonzero_samples{PATH} 4\n", "vantage_step_groups_by_fate{PATH,fate=\"correct\"} 3\n", "vantage_step_reward_mean{PATH} 0.9375\n", "vantage_log_rows{PATH} 97\n",
		"vantage_log_unreadable_rows{PATH} 1\n", "vantage_log_last_write_timestamp_seconds{PATH} 1",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	checkPrometheus(t, string(text))

	// what cannot be checked leaves no old figures
	if out := runCommand(t, "check", filepath.Join(t.TempDir(), "nothing"), "--prom", file); !strings.Contains(out, "does not exist") {
		t.Errorf("it prints %s", out)
	}
	text, _ = os.ReadFile(file)
	if !strings.Contains(string(text), "nothing\"} 0\n") || strings.Contains(string(text), "vantage_rule") {
		t.Errorf("it holds %s", text)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 1 {
		t.Errorf("the folder holds %s", names)
	}
}

// checkPrometheus checks the form of the lines, their order, and that no sample is there twice.
func checkPrometheus(t *testing.T, text string) {
	t.Helper()
	var metric string
	var seen []string
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		if name, found := strings.CutPrefix(line, "# HELP "); found {
			metric, _, _ = strings.Cut(name, " ")
			if lines[i+1] != "# TYPE "+metric+" gauge" {
				t.Errorf("after %s comes %s", line, lines[i+1])
			}
			continue
		}
		if strings.HasPrefix(line, "# TYPE ") {
			continue
		}
		parts := promLine.FindStringSubmatch(line)
		if parts == nil || parts[1] != metric {
			t.Errorf("%q is no sample of %s", line, metric)
			continue
		}
		sample := strings.TrimSuffix(line, parts[3])
		if slices.Contains(seen, sample) {
			t.Errorf("%s is there twice", sample)
		}
		seen = append(seen, sample)
	}
}

// A path whose name would end the label, or do something to a terminal, does not.
func TestPrometheusEscapesLabels(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := filepath.Join(dir, "a\"} 1\nb\\\x1b[31m.jsonl")
	text := filetest.Read(t, agentLog(t))
	filetest.Write(t, log, text)
	file := filepath.Join(t.TempDir(), "run.prom")
	runCommand(t, "check", log, "--prom", file)
	text = filetest.Read(t, file)
	checkPrometheus(t, string(text))
	if !strings.Contains(string(text), `a\"} 1 b\\␛[31m.jsonl"} 1`) {
		t.Errorf("%.300s", text)
	}
}

// It is never written beside the log, nor under a name that node_exporter does not read, nor after a mistake.
func TestPrometheusFileIsRefused(t *testing.T) {
	t.Parallel()
	log := agentLog(t)
	dir := filepath.Dir(log)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, file, rule, want string }{
		{log, filepath.Join(dir, "a.prom"), "signal=0", "would be among the files of the log"},
		{dir, filepath.Join(link, "a.prom"), "signal=0", "would be among the files of the log"},
		{log, filepath.Join(t.TempDir(), "a.txt"), "signal=0", "whose names end in .prom"},
		{log, filepath.Join(t.TempDir(), "no", "a.prom"), "signal=0", "there is no folder"},
		{log, filepath.Join(t.TempDir(), "a.prom"), "nosuch/x>1", "has a metric \"nosuch/x\""},
	} {
		if out := runCommand(t, "check", c.path, "--prom", c.file, "--fail-on", c.rule); !strings.Contains(out, c.want) {
			t.Errorf("%s: %s", c.file, out)
		}
		if _, err := os.Stat(c.file); err == nil {
			t.Errorf("%s is written", c.file)
		}
	}
}
