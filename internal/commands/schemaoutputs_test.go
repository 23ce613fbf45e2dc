package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"

	"vantage/estimators"
	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/formatstest"
	"vantage/internal/testkit/modeltest"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/check"
	"vantage/model/glance"
	"vantage/model/match"
	"vantage/model/report"
	"vantage/model/scalars"

	"vantage/internal/testkit/repotest"
)

// streamed is a log that comes through a pipe, whose texts cannot be read again.
const streamed = `{"step": 1, "group_id": "a", "prompt": "p", "response": "x", "reward": 1}` + "\n" + `{"step": 1, "group_id": "a", "prompt": "p", "response": "y", "reward": 0}` + "\n"

// schemaLines are command lines whose outputs are JSON, about the logs of a folder with all kinds of trouble.
func schemaLines(dir string) [][]string {
	log, agent := filepath.Join(dir, "log.jsonl"), filepath.Join(dir, "rollouts.jsonl")
	judged := filepath.Join(dir, "judged", "1.jsonl")
	lines := [][]string{
		{"list", "estimators"},
		{"list", "filters"},
		{"list", "losses"},
		{"list", "overlong"},
		{"list", "illnesses"},
		{"list", "off-policy-rules"},
		{"list", "formats"},
		{"version"},
		{"cache"},
		{"report", log, "--per", "group"},
		{"report", log, "--per", "run", "--keep-neg-ratio", "0.5", "--compute-new-adv"},
		{"report", agent, "--loss", "trl/dapo", "--group-filter", "verl/filter_groups"},
		{"report", agent, "--config", filepath.Join(dir, "config.yaml")},
		{"report", log, "--by", "length"},
		{"report", log, "--where", "fate:alive"},
		{"report", log, "--per", "group", "--where", "fate:alive", "--sort", "std", "--top", "2"},
		{"report", log, "--per", "group", "--top", "1", "--reward", "accuracy=1,format=2", "--truncated", "mask"},
		{"report", log, "--by", "question"},
		{"report", filepath.Join(dir, "nowhere")},
		{"report", log, "--steps", "99"},
		{"report", log, "--where", "fate:killed"},
		{"report", filepath.Join(dir, "attempts"), "--per", "group"},
		{"report", agent, "--framework", "trl", "--estimator", "rloo", "--per", "group", "--option", "reward_clip_range=0 1"},
		{"report", log, "--reward", "accuracy"},
		{"report", log, "--reward", "accuracy=1,format=2"},
		{"report", log, "--solved-at", "0.5"},
		{"report", filepath.Join(dir, "open")},
		{"report", log, "--num-generations", "2"},
		{"report", log, "--per", "group", "--group-filter", "openrlhf/dynamic_filtering"},
		{"report", log, "--per", "group", "--keep-pos-ratio", "0.5", "--compute-new-adv", "--framework", "easyr1"},
		{"report", log, "--reward", "accuracy=1,format=2", "--by", "group_id", "--truncated", "mask"},
		{"report", log, "--overlong", "verl", "--option", "max_resp_len=40", "--option", "overlong_buffer_cfg.len=20", "--option", "overlong_buffer_cfg.penalty_factor=1", "--truncated", "mask"},
		{"report", judged, "--off-policy", "slime/tis"},
		{"report", judged, "--off-policy", "slime/tis", "--by", "step"},
		{"report", judged, "--off-policy", "slime/tis", "--per", "group", "--top", "1"},
		{"sweep", judged, "--off-policy", "slime/tis"},
		{"compare", judged, "--with", "keep-neg-ratio=0.5", "--off-policy", "slime/tis"},
		{"check", log},
		{"check", log, "--fail-on", "signal<90%"},
		{"check", log, "--fail-on", "killed>5% for 3 steps", "--fail-on", "signal>0% over 2 steps", "--fail-on", "unreadable>1%", "--fail-on", "signal<99% over all steps"},
		{"check", log, "--where", "fate:alive"},
		{"check", agent, "--last", "2"},
		{"check", log, "--fail-on", "nothing"},
		{"report", filepath.Join(dir, "large.jsonl"), "--per", "group", "--keep-neg-ratio", "0", "--compute-new-adv", "--framework", "easyr1"},
		{"sweep", filepath.Join(dir, "large.jsonl"), "--goal", "cost:0.3"},
		{"sweep", log},
		{"sweep", log, "--reward", "accuracy=1,format=2", "--truncated", "drop"},
		{"sweep", log, "--goal", "cost", "--figure", "signal,kept,killed,short,trained,effective,flips,abs,push,mean,std", "--where", "fate:alive"},
		{"sweep", agent, "--config", filepath.Join(dir, "config.yaml")},
		{"plan", agent, "--sizes-only"},
		{"plan", agent},
		{"plan", log, "--solved-at", "0.5"},
		{"plan", agent, "--sizes-only", "--where", "fate:alive"},
		{"plan", log, "--sizes-only", "--reward", "accuracy=1,format=2"},
		{"prompts", agent},
		{"prompts", log, "--where", "seen>1", "--solved-at", "1"},
		{"prompts", filepath.Join(dir, "open")},
		{"prompts", filepath.Join(dir, "twins.jsonl")},
		{"prompts", filepath.Join(dir, "away.jsonl")},
		{"prompts", filepath.Join(dir, "someprompts.jsonl"), "--group-by", "id"},
		{"prompts", filepath.Join(dir, "nowhere")},
		{"grep", log, "a", "--where", "fate:alive"},
		{"grep", agent, ".", "--count-by", "step"},
		{"grep", log, "(a"},
		{"match", log},
		{"match", agent},
		{"match", filepath.Join(dir, "matched.jsonl"), "--keep-neg-ratio", "0.5"},
		{"match", filepath.Join(dir, "logged.jsonl")},
		{"match", log, "--reward", "accuracy"},
		{"compare", log, filepath.Join(dir, "other.jsonl")},
		{"compare", log, agent},
		{"compare", log, filepath.Join(dir, "minus.jsonl")},
		{"compare", log},
		{"compare", agent, "--framework", "easyr1", "--with", "keep-neg-ratio=0.2", "--with", "compute-new-adv"},
		{"compare", agent, "--keep-neg-ratio", "0", "--keep-pos-ratio", "0", "--framework", "easyr1", "--with", "keep_pos_ratio=1", "--with", "keep_neg_ratio=1", "--where", "size>0"},
		{"compare", filepath.Join(dir, "large.jsonl"), "--framework", "easyr1", "--keep-neg-ratio", "0", "--compute-new-adv", "--with", "compute-new-adv=false"},
		{"compare", log, "--reward", "accuracy=1,format=2", "--where", "fate:alive", "--with", "estimator=rloo"},
		{"compare", filepath.Join(dir, "alone.jsonl"), "--framework", "easyr1", "--with", "framework=trl"},
		{"match", filepath.Join(dir, "numpy.jsonl")},
		{"match", filepath.Join(dir, "mixed.jsonl")},
		{"match", filepath.Join(dir, "mixture.jsonl")},
		{"match", filepath.Join(dir, "filtered.jsonl")},
		{"match", filepath.Join(dir, "filtered.jsonl"), "--keep-neg-ratio", "0"},
		{"match", filepath.Join(dir, "missing.jsonl")},
		{"match", filepath.Join(dir, "oneid.jsonl")},
		{"match", filepath.Join(dir, "clipped.jsonl"), "--option", "reward.clip_range=-0.1 0.1"},
		{"report", filepath.Join(dir, "rollouts"), "--per", "group"},
		{"report", filepath.Join(dir, "sizes"), "--merge"},
		{"report", filepath.Join(dir, "again"), filepath.Join(dir, "again too")},
		{"report", filepath.Join(dir, "again")},
		{"report", filepath.Join(dir, "touched")},
		{"report", filepath.Join(dir, "evaluations")},
		{"report", filepath.Join(dir, "alone.jsonl"), "--per", "group", "--framework", "easyr1"},
		{"report", filepath.Join(dir, "wide.jsonl"), "--brief"},
		{"summary", log},
		{"summary", agent},
		{"summary", agent, "--last", "2"},
		{"summary", agent, "--keep-neg-ratio", "0.2", "--compute-new-adv"},
		{"summary", log, "--reward", "accuracy"},
		{"summary", filepath.Join(dir, "open")},
		{"summary", filepath.Join(dir, "evals"), "--framework", "prime-rl"},
		{"report", filepath.Join(dir, "evals")},
		{"summary", "../../loaders/scalars/testdata/tensorboard"},
		{"summary", filepath.Join(dir, "averages.jsonl")},
		{"summary", "../../loaders/scalars/testdata/wandb/run-a1.wandb"},
		{"why", "a", log},
		{"why", "nobody", log},
		{"why", log},
		{"why", "a", "-"},
		{"why", "a", log, "--best", "--text", "3"},
		{"report", log, "--brief"},
		{"report", agent, "--brief"},
		{"report", filepath.Join(dir, "many.jsonl"), "--brief"},
		{"report", filepath.Join(dir, "open"), "--brief"},
		{"tail", log, "--idle-timeout", "2s", "--last", "3"},
		{"tail", filepath.Join(dir, "open"), "--idle-timeout", "2s"},
		{"summary", filepath.Join(dir, "many.jsonl")},
		{"summary", filepath.Join(dir, "refused.jsonl")},
		{"why", "g", filepath.Join(dir, "large.jsonl")},
		{"why", "0", filepath.Join(dir, "mixed.jsonl")},
		{"show", "0", filepath.Join(dir, "mixed.jsonl")},
		{"offpolicy", filepath.Join(dir, "logprobs", "log.jsonl"), "--rules"},
		{"offpolicy", filepath.Join(dir, "offpolicy", "aged.jsonl"), "--off-policy", "slime/tis", "--option", "tis_clip=3"},
		{"offpolicy", filepath.Join(dir, "offpolicy", "aged.jsonl"), "--off-policy", "prime-rl/default", "--rules"},
		{"offpolicy", filepath.Join(dir, "offpolicy", "train_data_step1.jsonl")},
		{"offpolicy", filepath.Join(dir, "offpolicy", "train_data_step1.jsonl"), "--config", filepath.Join(dir, "offpolicy", "config.yaml")},
		{"offpolicy", filepath.Join(dir, "logprobs", "log.jsonl"), "--off-policy", "verl/rollout_is", "--option", "rollout_is=token", "--option", "rollout_is_threshold=0.9_1.1"},
		{"offpolicy", filepath.Join(dir, "offpolicy", "masked.jsonl"), "--rules"},
		{"offpolicy", filepath.Join(dir, "rollouts.jsonl")},
		{"report", log, "--framwork", "trl"},
		{"nothing"},
	}
	for i := range lines {
		lines[i] = append(lines[i], "--format", "json")
	}
	return append(lines, []string{"export", log}, []string{"export", filepath.Join(dir, "evals")}, []string{"export", agent, "--loss", "trl/dapo", "--group-filter", "verl/filter_groups"}, []string{"export", agent, "--framework", "trl", "--estimator", "rloo"},
		[]string{"export", log, "--columns", "step,group,index,reward,advantage_original,kept,advantage,length,fate,refused,admitted,loss_weight,reward/accuracy,reward/format", "--reward", "accuracy=1,format=2"},
		[]string{"export", filepath.Join(dir, "rollouts")}, []string{"export", filepath.Join(dir, "alone.jsonl"), "--framework", "easyr1"}, []string{"export", filepath.Join(dir, "rollouts"), "--columns", "rollout"},
		[]string{"export", filepath.Join(dir, "evals"), "--columns", "status,step"},
		[]string{"export", agent, "--columns", "trains,advantage_logged,file,line,prompt,response,ground_truth"},
		[]string{"check", log, "--watch", "--fail-on", "signal>0%", "--format", "json"})
}

// Every object that a command writes names a schema of the folder and is as that describes it, on the made logs of all formats too.
// Each schema is of some command, each of its keys in some output, and each shape closed.
func TestOutputsAreAsTheirSchemasSay(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	s, dir := readSchemas(t), t.TempDir()
	schemaLogs(t, dir)
	seldomLogs(t, dir)
	for _, line := range schemaLines(dir) {
		s.run(t, line)
	}
	s.writeBuildsAndPapers(t)
	s.writeFindings(t)
	for i, log := range formatstest.Logs(t, "../../loaders/formats/testdata") {
		isLeftOut := i%8 >= repotest.Times(1, 8)
		if isLeftOut && log.Format != "trackio" { // whose reward is a sum of columns, which JSON then names
			continue
		}
		path := filepath.Join(t.TempDir(), filepath.FromSlash(log.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		filetest.Write(t, path, log.Text)
		for _, command := range []string{"summary", "report", "report --brief", "check", "sweep", "plan --sizes-only", "match"} {
			s.run(t, append(strings.Fields(command), path, "--input-format", log.Format, "--format", "json"))
		}
		s.run(t, []string{"report", path, "--per", "group", "--format", "json"})
		s.run(t, []string{"export", path})
	}
	for name, schema := range s.compiled {
		if !s.used[name] {
			t.Errorf("no command writes %s", name)
		}
		keys, faults := s.unseen(schema, name, map[*jsonschema.Schema]bool{})
		for _, key := range keys {
			t.Errorf("no output has %s", key)
		}
		for _, fault := range faults {
			t.Error(fault)
		}
	}
}

// writerFunc is a writer that is a function.
type writerFunc func([]byte) (int, error)

func (w writerFunc) Write(b []byte) (int, error) { return w(b) }

// writeBuildsAndPapers validates what only other builds of the program write, and estimators of a paper alone, of which there may be none.
func (s *schemas) writeBuildsAndPapers(t *testing.T) {
	t.Helper()
	var build, papers bytes.Buffer
	paper := *estimators.All()[0]
	paper.NoPublicCode = true
	err := writeObject(&build, buildInfo{Schema: "vantage/version@1", Version: "v1.2.3", Revision: "abc", Date: "2026-01-02T03:04:05Z", Modified: true, Go: "go1.25", Platform: "linux/amd64", Tags: "netgo"})
	if err = errors.Join(err, report.Estimators().JSON(&papers, []*estimators.Estimator{&paper})); err != nil {
		t.Fatal(err)
	}
	s.check(t, "version of a release", build.Bytes(), "")
	s.check(t, "an estimator of a paper", papers.Bytes(), "")
}

// run runs a command line and validates both outputs.
func (s *schemas) run(t *testing.T, line []string) {
	t.Helper()
	var out, errOut bytes.Buffer
	p := &program{in: strings.NewReader(streamed), out: &out, errOut: &errOut}
	root := &cobra.Command{Use: "vantage", SilenceErrors: true, SilenceUsage: true}
	root.SetFlagErrorFunc(flagError)
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute) // for who does not end: a busy machine takes half a minute for one
	defer stop()
	if slices.Contains(line, "--watch") { // which ends when it is told to
		p.out = writerFunc(func(b []byte) (int, error) {
			time.AfterFunc(300*time.Millisecond, stop)
			return out.Write(b)
		})
	}
	if err := executeLine(ctx, p, root, line); err != nil {
		printError(&errOut, append(line, "--json"), err)
	}
	what, fallback := strings.Join(line, " "), ""
	lines := bytes.SplitAfter(out.Bytes(), []byte("}\n"))
	switch {
	case line[0] == "export" && slices.Contains(line, "--columns"):
		fallback = "vantage/columns@2"
	case line[0] == "export":
		fallback = "vantage/sample@2"
	case line[0] == "tail" || slices.Contains(line, "--watch"):
	case out.Len() > 0:
		lines = [][]byte{out.Bytes()}
	}
	for _, one := range lines {
		if len(one) > 0 {
			s.check(t, what, one, fallback)
		}
	}
	for one := range bytes.Lines(errOut.Bytes()) {
		if one = bytes.TrimSpace(one); bytes.HasPrefix(one, []byte("{")) {
			s.check(t, what, one, "")
		} else if line[0] != "export" { // whose format is JSON lines without being asked
			t.Errorf("%s: %s", what, one)
		}
	}
}

// schemaLogs writes the logs of schemaLines.
func schemaLogs(t *testing.T, dir string) {
	t.Helper()
	flagLog(t, dir)
	offPolicyLogs(t, dir)
	text := filetest.Read(t, agentLog(t))
	filetest.Write(t, filepath.Join(dir, "rollouts.jsonl"), string(text))
	log := filetest.Read(t, filepath.Join(dir, "log.jsonl"))
	row := func(step int, group, prompt string, reward, advantage any, more string) string {
		line, _ := json.Marshal(map[string]any{"step": step, "group_id": group, "prompt": prompt, "response": "so" + more, "reward": reward, "advantage": advantage})
		return string(line) + "\n"
	}
	var minus, logged, matched, many, large strings.Builder
	for step := 1; step <= 60; step++ {
		for i := range 4 {
			reward := float64((i + step) % 2)
			minus.WriteString(row(step%6+1, "a", "prompt a", 2*reward-1, nil, ""))
			logged.WriteString(row(step, "a", "prompt a", reward, reward-0.5, ""))
			matched.WriteString(row(step, "a", "prompt a", float64(i%2), []float64{-0.8660254, 0.8660254}[i%2], ""))
			many.WriteString(row(step, fmt.Sprint("g", step), "prompt "+fmt.Sprint(step), float64(step*i%3), nil, ""))
		}
	}
	for i := range 80 {
		large.WriteString(row(1, "g", "prompt", float64(i%7)/3, nil, ""))
	}
	filetest.Write(t, filepath.Join(dir, "minus.jsonl"), minus.String())
	filetest.Write(t, filepath.Join(dir, "logged.jsonl"), logged.String())
	filetest.Write(t, filepath.Join(dir, "matched.jsonl"), matched.String())
	filetest.Write(t, filepath.Join(dir, "many.jsonl"), many.String())
	filetest.Write(t, filepath.Join(dir, "refused.jsonl"), refusedRows())
	filetest.Write(t, filepath.Join(dir, "large.jsonl"), large.String())
	for _, folder := range []string{"open", "attempts"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	filetest.Write(t, filepath.Join(dir, "attempts", "log.jsonl"), string(log)+string(log))
	rows := strings.SplitAfter(string(log), "\n")
	filetest.Write(t, filepath.Join(dir, "open", "log.jsonl"), strings.Join(rows[:len(rows)-4], ""))
}

// The page on JSON says which command writes which schema; that on reports what steps are ranked by.
func TestSchemasAreDocumented(t *testing.T) {
	t.Parallel()
	page := filetest.Read(t, "../../.github/docs/reporting.md")
	schemas := filetest.Read(t, "../../.github/docs/json.md")
	for name := range readSchemas(t).compiled {
		if !bytes.Contains(schemas, []byte("`"+name+"`")) {
			t.Errorf("json.md does not name %s", name)
		}
	}
	agents := filetest.Read(t, "../../.github/docs/agents.md")
	summary, err := os.ReadFile(filepath.Join(schemaFolder, "summary@3.json"))
	if err != nil || !bytes.Contains(summary, []byte(glance.Order())) {
		t.Errorf("the schema of summary says another order than %q (%v)", glance.Order(), err)
	}
	for name, page := range map[string][]byte{"agents.md": agents, "reporting.md": page} {
		if text := strings.Join(strings.Fields(string(page)), " "); !strings.Contains(text, glance.Order()) {
			t.Errorf("%s says another order than %q", name, glance.Order())
		}
	}
}

// writeFindings validates what is said of a run that is ill, and of one that more ails than there is room for.
func (s *schemas) writeFindings(t *testing.T) {
	t.Helper()
	for _, n := range []int{1, 9} {
		var out bytes.Buffer
		answer := report.Answer{Choice: match.Choice{Origin: match.Assumed}}
		if err := report.SummaryJSON(&out, &report.Summary{Answer: answer, Glance: &glance.Glance{}, Trend: &analysis.Trend{}, Diagnosis: modeltest.Ill(n, 100)}); err != nil {
			t.Fatal(err)
		}
		s.check(t, "findings", out.Bytes(), "")
		out.Reset()
		if err := report.TailJSON(&out, report.TailLine{Finding: &modeltest.Ill(n, 100).Findings[0], At: 61}); err != nil {
			t.Fatal(err)
		}
		s.check(t, "a finding of a tail", out.Bytes(), "")
		a, err := analysis.Analyze(t.Context(), modeltest.Snapshot([]float64{0, 1}), 0, model.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		out.Reset()
		if err := report.WhyJSON(&out, &report.Why{Answer: answer, Analysis: a, Steps: []int64{1}, Diagnosis: modeltest.Ill(n, 100)}); err != nil || out.Len() > report.MaxAnswer {
			t.Fatal(out.Len(), err)
		}
		s.check(t, "findings of a group", out.Bytes(), "")
		out.Reset()
		if err := report.CheckJSON(&out, check.Result{Diagnosis: modeltest.Ill(n, 100)}, answer.Choice); err != nil {
			t.Fatal(err)
		}
		s.check(t, "findings of a check", out.Bytes(), "")
		r, err := report.New(t.Context(), modeltest.Snapshot([]float64{0, 1}), model.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		r.Choice, r.Diagnosis = answer.Choice, modeltest.Ill(n, 100)
		out.Reset()
		if _, err := report.JSON(&out, r); err != nil {
			t.Fatal(err)
		}
		s.check(t, "findings of a report", out.Bytes(), "")
		var log scalars.Log
		log.Add(7, "rewards/a\x1b[31m/mean", 0.5)
		log.Add(7, "kl", math.Inf(1))
		out.Reset()
		if err := report.ScalarsJSON(&out, &report.Scalars{Format: "W&B", Run: log.Scalars(), Diagnosis: modeltest.Ill(n, 100), Notes: []string{"a.wandb is damaged"}}); err != nil || out.Len() > report.MaxAnswer {
			t.Fatal(out.Len(), err)
		}
		s.check(t, "findings of scalars", out.Bytes(), "")
	}
}

// What checks schemas is no part of the program.
func TestProgramHasNoSchemaLibrary(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", "vantage").Output()
	if err != nil || !bytes.Contains(out, []byte("vantage/internal/commands\n")) {
		t.Fatalf("%v: %.200s", err, out)
	}
	if bytes.Contains(out, []byte("jsonschema")) {
		t.Error("the program depends on the library that validates schemas")
	}
}
