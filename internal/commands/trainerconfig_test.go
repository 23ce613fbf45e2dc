package commands

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/repotest"
	"vantage/model/trainer"
)

func TestParseConfig(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"YAML": "algorithm:\n  adv_estimator: grpo\n  keep_pos_ratio: 0.5\n  compute_new_adv: true\nworker:\n  rollout: {n: 8}\nlist: [1, 2]\n",
		"JSON": `{"algorithm": {"adv_estimator": "grpo", "keep_pos_ratio": 0.5, "compute_new_adv": true}, "worker": {"rollout": {"n": 8}}, "list": [1, 2]}`,
	} {
		options, err := parseConfig([]byte(text))
		slices.SortFunc(options, func(a, b trainer.Option) int { return strings.Compare(a.Key, b.Key) })
		want := "[{algorithm.adv_estimator grpo} {algorithm.compute_new_adv true} {algorithm.keep_pos_ratio 0.5} {list [1, 2]} {worker.rollout.n 8}]"
		if err != nil || fmt.Sprint(options) != want {
			t.Errorf("%s: %v, %v", name, options, err)
		}
	}
	if _, err := parseConfig([]byte("a: [")); err == nil {
		t.Error("broken YAML is read")
	}
}

// Options are found in launch scripts and argument files; other words are ignored.
func TestParseArguments(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"--num_generations 8 --scale_rewards=none": "[{num_generations 8} {scale_rewards none}]",
		"#!/bin/bash\nset -x\npython3 -m verl.trainer.main_ppo \\\n    algorithm.adv_estimator=grpo \\\n    data.train_files=\"$HOME/a b\" $@\n": "[{algorithm.adv_estimator grpo} {data.train_files $HOME/a b}]",
		"CUDA_VISIBLE_DEVICES=0 swift rlhf --rlhf_type grpo --log_completions # --beta 0\n":                                                      "[{CUDA_VISIBLE_DEVICES 0} {rlhf_type grpo} {log_completions true}]",
		"--flag --num_generations -1": "[{flag true} {num_generations -1}]",
		"+trainer.x=1 'a.b=c d'":      "[{trainer.x 1} {a.b c d}]",
		"it's plain text = nothing":   "[]",
	} {
		if got := fmt.Sprint(parseArguments([]byte(text))); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}

// Text that would cost a parser seconds, gigabytes or the stack is refused in one sentence.
func TestHostileConfig(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	const n = 200_000
	bomb := "a0: &a0 {x: 1, y: 2}\n"
	for i := range 9 {
		bomb += fmt.Sprintf("a%d: &a%d {", i+1, i+1)
		for k := range 9 {
			bomb += fmt.Sprintf("k%d: *a%d, ", k, i)
		}
		bomb += "}\n"
	}
	for name, text := range map[string]string{
		"mappings in mappings": strings.Repeat("{a: ", n), "brackets": strings.Repeat("[", n), "over lines": strings.Repeat("{a:\n", n/4),
		"dashes": strings.Repeat("- ", n), "lines of dashes": strings.Repeat(strings.Repeat("- ", 4000)+"\n", 100), "question marks": strings.Repeat("? ", n), "colons": strings.Repeat("a: ", n),
		"quotes": strings.Repeat(`"`, n), "anchors": strings.Repeat("&", n), "per cent": strings.Repeat("%", n), "stars": strings.Repeat("*a ", n),
		"aliases of aliases": bomb, "binary": "algorithm:\n  adv_estimator: \x00grpo\n", "not UTF-8": "adv_estimator: \xff\n",
		"deep JSON": strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n), "nothing": "", "a list": "- a\n- b\n",
		"many keys": strings.Repeat("a: 1\n", n/8),
	} {
		options, err := parseConfig([]byte(text))
		if err == nil {
			_, err = trainer.ReadConfig(options)
		}
		if err == nil || strings.Contains(err.Error(), "\n") || len(err.Error()) > 300 {
			t.Errorf("%s: %.300v", name, err)
		}
	}
}

func FuzzConfig(f *testing.F) {
	for _, s := range []string{"algorithm:\n  adv_estimator: grpo\n", `{"scale_rewards": true}`, "a: &a [x]\nb: [*a]", "${", "advantage_estimator: ${b}\nb: ${advantage_estimator}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(_ *testing.T, text []byte) {
		if options, err := parseConfig(text); err == nil {
			_, _ = trainer.ReadConfig(options)
		}
	})
}
