package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/repotest"
)

// flagEffect is what to add to a command line so that a flag changes what it does.
type flagEffect struct {
	value string   // "" for a switch
	with  []string // what the line has before the flag is added
	line  []string // the line, if it is not that of the command
	path  string   // of the log, if it is not that of the line
}

// flagEffects returns a value of each flag that changes what every command does that has it. In the words DIR is the
// folder of the test. "COMMAND flag" is for one command.
func flagEffects() map[string]flagEffect {
	return map[string]flagEffect{
		"attempt":              {value: "7"},
		"best":                 {},
		"brief":                {},
		"by":                   {value: "length"},
		"cache":                {value: "lots"}, // refused: what it keeps is tried with a real bucket
		"columns":              {value: "step,reward"},
		"compute-new-adv":      {with: []string{"--framework", "easyr1", "--keep-pos-ratio", "0.4", "--keep-neg-ratio", "0"}},
		"config":               {value: "DIR/config.yaml"},
		"emit":                 {value: "trl"},
		"endpoint":             {value: "http://127.0.0.1:2", with: []string{"--endpoint", "http://127.0.0.1:1"}, path: "s3://bucket/x"},
		"estimator":            {value: "rloo"},
		"fail-on":              {value: "signal<95%"},
		"figure":               {value: "killed"},
		"format":               {value: "json"},
		"framework":            {value: "prime-rl"},
		"goal":                 {value: "balance"},
		"group-by":             {value: "question"},
		"group-filter":         {value: "openrlhf/dynamic_filtering", with: []string{"--option", "algo.dynamic_filtering_range=0.6 0.9"}},
		"idle-timeout":         {value: "1100ms"},
		"input-format":         {value: "csv"},
		"json":                 {},
		"junit":                {value: "DIR/junit.xml"},
		"keep-neg-ratio":       {value: "0", with: []string{"--framework", "easyr1"}},
		"keep-pos-ratio":       {value: "0", with: []string{"--framework", "easyr1"}},
		"last":                 {value: "2"},
		"loss":                 {value: "trl/dapo"},
		"num-generations":      {value: "2"},
		"off-policy":           {value: "trl/vllm_importance_sampling", path: "DIR/judged.jsonl"},
		"offpolicy format":     {value: "jsonl"},
		"offpolicy off-policy": {value: "slime/icepop"},
		"compare off-policy": {
			value: "trl/vllm_importance_sampling", line: []string{"compare", "DIR/judged.jsonl", "DIR/judged.jsonl", "--where", "fate:killed"},
		},
		"offpolicy option": {value: "tis_clip=1", with: []string{"--off-policy", "slime/tis", "--per", "sample", "--tokens", "--format", "jsonl"}},
		"offpolicy per":    {value: "sample"},
		"offpolicy config": {value: "DIR/tis.yaml"},
		"offpolicy rules":  {},
		"tokens":           {with: []string{"--off-policy", "slime/tis", "--per", "sample", "--format", "jsonl"}},
		"option":           {value: "reward_clip_range=0 0.1", with: []string{"--framework", "trl", "--estimator", "rloo"}},
		"overlong":         {value: "verl", with: []string{"--framework", "verl", "--option", "max_resp_len=40", "--option", "overlong_buffer_cfg.len=20", "--option", "overlong_buffer_cfg.penalty_factor=1"}},
		"password-file":    {value: "DIR/log.jsonl"},
		"per":              {value: "group"},
		"prom":             {value: "DIR/check.prom"},
		"prompt":           {value: "question", with: []string{"--group-by", "prompt"}},
		"reward":           {value: "accuracy"},
		"rules":            {value: "DIR/rules.yaml"},
		"scale":            {value: "none", with: []string{"--framework", "trl"}},
		"sizes":            {value: "3"},
		"sizes-only":       {},
		"solved-at":        {value: "0.5"},
		"merge":            {path: "DIR/several"},
		"compare merge":    {line: []string{"compare", "DIR/several", "DIR/other.jsonl"}},
		"truncated":        {value: "drop"},
		"split":            {value: "val", path: "DIR/evaluated"},
		"step":             {value: "epoch"},
		"output":           {value: "DIR/report.txt"},
		"steps":            {value: "1"},
		"svg":              {value: "DIR/charts.svg"},
		"text":             {value: "3"},
		"texts":            {value: "1", with: []string{"--format", "html"}},
		"wait":             {},
		"watch":            {},
		"with":             {value: "estimator=rloo", line: []string{"compare", "DIR/log.jsonl"}},
		"where":            {value: "fate:alive sample.new>0.9"},
		"worst":            {},

		"check fail-on":           {value: "signal<95%", line: []string{"check", "DIR/log.jsonl"}},
		"check loss":              {value: "trl/dapo", line: []string{"check", "DIR/log.jsonl", "--fail-on", "vantage/loss/mass>0"}},
		"compare compute-new-adv": {with: []string{"--framework", "easyr1", "--keep-pos-ratio", "0.4", "--keep-neg-ratio", "0", "--where", "fate:short"}},
		"match compute-new-adv":   {with: []string{"--framework", "easyr1", "--keep-pos-ratio", "0.4", "--keep-neg-ratio", "0", "--where", "fate:short"}},
		"match option":            {value: "reward_clip_range=0 0.1", with: []string{"--framework", "trl", "--estimator", "rloo", "--format", "json"}},
		"sweep option":            {value: "grpo.use_leave_one_out_baseline=false", with: []string{"--framework", "nemo-rl", "--estimator", "grpo", "--where", "sample.new>0.3", "--format", "json"}},
		"compare prompt":          {value: "question"},
		"compare solved-at":       {value: "0.5", line: []string{"compare", "DIR/log.jsonl", "DIR/other.jsonl", "--where", "solved=4"}},
		"match solved-at":         {value: "0.5", line: []string{"match", "DIR/log.jsonl", "--where", "solved=4"}},
		"sweep solved-at":         {value: "0.5", line: []string{"sweep", "DIR/log.jsonl", "--where", "solved=4"}},
		"plan where":              {value: "kept>=4", with: []string{"--sizes-only"}},
		"plan compute-new-adv":    {with: []string{"--framework", "easyr1", "--keep-pos-ratio", "0.4", "--keep-neg-ratio", "0.7"}},
		"prompts compute-new-adv": {with: []string{"--framework", "easyr1", "--keep-pos-ratio", "0.4", "--keep-neg-ratio", "0.7"}},
		"prompts emit":            {value: "ids"},
		"prompts id":              {value: "question", with: []string{"--emit", "ids", "--retire", "unsure,flat,solved"}},
		"prompts retire":          {value: "flat,unsure", with: []string{"--emit", "ids"}},
		"prompts weight":          {value: "0.5", with: []string{"--emit", "jsonl", "--retire", "unsure,flat,solved"}},
		"prompts where":           {value: "seen>4"},
		"prompts sort":            {value: "seen"},
		"report sort":             {value: "-reward", with: []string{"--per", "group", "--top", "3"}},
		"report top":              {value: "1", with: []string{"--per", "group"}},
		"prompts top":             {value: "1"},
		"prompts join":            {line: []string{"prompts", "DIR/twins.jsonl"}},
		"summary texts":           {value: "all", line: []string{"summary", "DIR/many.jsonl", "--json"}},
		"check texts":             {value: "all", line: []string{"check", "DIR/many.jsonl", "--format", "json"}},
		"why texts":               {value: "all", line: []string{"why", "DIR/many.jsonl", "--json"}},
		"prompts texts":           {value: "-1"}, // what it finds is tried with planted prompts
		"grep in":                 {value: "prompt"},
		"grep compute-new-adv":    {with: []string{"--framework", "easyr1", "--keep-pos-ratio", "0.4", "--keep-neg-ratio", "0.7"}},
		"grep solved-at":          {value: "0.5", with: []string{"--where", "solved=4"}},
		"grep count-by":           {value: "step"},
		"grep top":                {value: "1"},
		"check solved-at":         {value: "0.5", line: []string{"check", "DIR/plain.jsonl", "--fail-on", "correct>0"}},
		"export solved-at":        {value: "0.5", line: []string{"export", "DIR/plain.jsonl", "--columns", "step,group,fate"}},
		"tail solved-at":          {value: "0.5", line: []string{"tail", "DIR/plain.jsonl", "--idle-timeout", "1s", "--last", "6", "--format", "json"}},
		"why solved-at":           {value: "0.5", line: []string{"why", "a", "DIR/plain.jsonl", "--steps", "1"}},
		"tail endpoint":           {value: "not an address", path: "s3://bucket/x"}, // it waits for one that does not answer
		"tail format":             {value: "text"},
		"tail json":               {line: []string{"tail", "DIR/log.jsonl", "--idle-timeout", "1s"}},
		"why last":                {value: "2", line: []string{"why", "early", "DIR/log.jsonl"}},
		"sweep compute-new-adv":   {value: "on"},
		"tail wait":               {line: []string{"tail", "DIR/not-yet.jsonl", "--idle-timeout", "1s"}},
	}
}

// flagLines returns the command lines to which flags are added.
func flagLines() map[string][]string {
	where := []string{"--where", "sample.new>0.7 kept>=4"}
	return map[string][]string{
		"why": {"why", "a", "DIR/log.jsonl"}, "tail": {"tail", "DIR/log.jsonl", "--idle-timeout", "1s", "--last", "6", "--format", "json"},
		"compare": append([]string{"compare", "DIR/log.jsonl", "DIR/other.jsonl"}, where...), "plan": {"plan", "DIR/long.jsonl", "--solved-at", "1"},
		"match":     append([]string{"match", "DIR/log.jsonl"}, where...),
		"offpolicy": {"offpolicy", "DIR/logprobs/log.jsonl"},
		"grep":      {"grep", "DIR/log.jsonl", "so so so so so so"},
		"export":    {"export", "DIR/log.jsonl", "--columns", "step,group,fate,admitted,loss_weight,advantage,reward,kept"}, "check": {"check", "DIR/log.jsonl", "--fail-on", "signal>0", "--fail-on", "kept>0", "--fail-on", "nonzero>0", "--fail-on", "correct>0", "--fail-on", "short>=0"},
	}
}

// Every flag that the help of a command names changes what the command does, and only settings and the log are of all.
func TestEveryFlagOfACommandDoesSomething(t *testing.T) {
	repotest.OneGoroutine(t)
	var outcomes sync.Map // of lines without the flag, which are often the same
	for _, c := range leaves((&program{}).all()) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" || f.Hidden {
				return
			}
			t.Run(c.Name()+" --"+f.Name, func(t *testing.T) {
				repotest.OneIn(t, 10)
				t.Parallel()
				effects, name := flagEffects(), f.Name
				if _, own := effects[c.Name()+" "+name]; own {
					name = c.Name() + " " + name
				}
				effect, known := effects[name]
				if !known {
					t.Fatal("flagEffects has no value that would change anything")
				}
				line := flagLines()[c.Name()]
				if line == nil {
					line = []string{c.Name(), "DIR/log.jsonl"}
					if catalogued(c) {
						line = line[:1]
					}
					if c.HasParent() {
						line = append([]string{c.Parent().Name()}, line...)
					}
				}
				if effect.line != nil {
					line = effect.line
				}
				if line = append(slices.Clone(line), effect.with...); effect.path != "" {
					for i := range line {
						line[i] = strings.NewReplacer("DIR/log.jsonl", effect.path, "DIR/long.jsonl", effect.path).Replace(line[i])
					}
				}
				flag := "--" + f.Name
				if effect.value != "" {
					flag += "=" + effect.value
				}
				made, _ := outcomes.LoadOrStore(strings.Join(line, " "), sync.OnceValue(func() map[string]string { return outcome(t, line) }))
				without, _ := made.(func() map[string]string)
				if with := outcome(t, append(slices.Clone(line), flag)); maps.Equal(without(), with) {
					t.Errorf("vantage %s does the same with %s:\n%s", strings.Join(line, " "), flag, with["output"])
				}
			})
		})
	}
}

// leaves returns commands, and in place of one that has others those.
func leaves(commands []*cobra.Command) (all []*cobra.Command) {
	for _, c := range commands {
		if c.HasSubCommands() {
			all = append(all, leaves(c.Commands())...)
			continue
		}
		all = append(all, c)
	}
	return all
}

// catalogued reports whether a command reads no log.
func catalogued(c *cobra.Command) bool { return c.Flags().Lookup("split") == nil }

// outcome runs a command line in a new folder and returns what it wrote, and the files that it made, without the path of the folder.
func outcome(t *testing.T, line []string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	flagLog(t, dir)
	args := make([]string, len(line))
	for i, word := range line {
		args[i] = strings.ReplaceAll(word, "DIR", dir)
	}
	var out bytes.Buffer
	p := &program{in: strings.NewReader(""), out: &out, errOut: &out}
	root := &cobra.Command{Use: "vantage", SilenceErrors: true, SilenceUsage: true}
	root.SetOut(&out)
	root.SetErr(&out)
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	if slices.Contains(line, "--watch") { // which ends when it is told to
		p.out = writerFunc(func(b []byte) (int, error) {
			time.AfterFunc(300*time.Millisecond, stop)
			return out.Write(b)
		})
	}
	err := executeLine(ctx, p, root, args)
	if err != nil {
		printError(&out, nil, err)
	}
	if strings.Contains(out.String(), "unknown flag") {
		t.Fatalf("%s: %s", line, &out)
	}
	found := map[string]string{"output": strings.ReplaceAll(out.String(), dir, "DIR")}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		found[f.Name()] = "there"
	}
	return found
}

// flagFiles are logs and the files that flags name: 6 steps, of one log 12, of groups a, b and c, 4 answers each, and in the first of a group
// early. Every third group has mixed rewards; the others have equal ones, of 0, 0.5 and 1. A question is asked of some answers of each
// group. The rewards are two columns.
var flagFiles = sync.OnceValue(func() map[string]string {
	files := map[string]string{
		"twins.jsonl": `{"step": 1, "prompt": "On 2026-11-22: what is 1 + 1?", "response": "2", "reward": 1}
{"step": 2, "prompt": "On 2026-11-23: what is  1 + 1?", "response": "2", "reward": 1}
`,
		"config.yaml": "algorithm:\n  adv_estimator: grpo\n  keep_pos_ratio: 0\n  keep_neg_ratio: 0.5\n",
		"rules.yaml":  "- signal<90%\n",
		"tis.yaml":    "use_tis: true\ntis_clip: 1.5\n",
		"logprobs/log.jsonl": `{"step": 1, "rollout_log_probs": [-2, -1, -1], "old_log_probs": [-1, -1, -3], "response_mask": [1, 1, 1], "advantage": 1}
{"step": 2, "rollout_log_probs": [-4], "old_log_probs": [-1], "advantage": -1}
`,
	}
	for n, name := range []string{"log.jsonl", "other.jsonl", "evaluated/1.jsonl", "evaluated/val/1.jsonl", "several/a/1.jsonl", "several/b/1.jsonl", "long.jsonl", "plain.jsonl", "judged.jsonl"} {
		var rows strings.Builder
		steps := 6
		if name == "long.jsonl" {
			steps = 12
		}
		for step := range steps {
			for g, group := range []string{"a", "b", "c", "early"} {
				for i := range 4 {
					if group == "early" && step > 0 {
						continue
					}
					if n == 3 && group == "c" {
						continue
					}
					accuracy, format := float64((step+g+n)%3)/2, 0.0
					if (step+g)%3 == 2 {
						accuracy, format = float64((i+step+n)%3)/2, float64(i%2)
					}
					fields := map[string]any{
						"step": step + 1, "epoch": step/3 + 1, "group_id": group, "prompt": "prompt " + group, "question": "question " + string(rune('a'+i/2)),
						"response": strings.Repeat("so ", 3+(7*i+step)%11), "response_length": 9 + 3*((7*i+step)%11), "reward": accuracy + format/4,
						"accuracy": accuracy, "format": format, "advantage": float64(i-1) / 2, "finish_reason": []string{"stop", "length"}[i/3],
					}
					if name == "judged.jsonl" { // of which rules remove some answers, and all of one group
						fields["rollout_log_probs"], fields["old_log_probs"] = []float64{-1, -3}, []float64{-1, float64(2*(g%2) - i%2)}
					}
					if name == "plain.jsonl" { // where the fates follow from rewards alone
						delete(fields, "advantage")
					}
					row, err := json.Marshal(fields)
					if err != nil {
						panic(err)
					}
					rows.Write(append(row, '\n'))
				}
			}
		}
		files[name] = rows.String()
	}
	var many strings.Builder // more answers than are read of a step
	for i := range 64 {
		fmt.Fprintf(&many, `{"step": %d, "group_id": "%d", "prompt": "prompt %[2]d", "response": "the answer is %[3]d", "reward": %[4]d}`+"\n", 1+i/32, i/4, i, i%2)
	}
	files["many.jsonl"] = many.String()
	return files
})

// flagLog writes flagFiles.
func flagLog(t *testing.T, dir string) {
	t.Helper()
	for name, text := range flagFiles() {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		filetest.Write(t, path, text)
	}
}
