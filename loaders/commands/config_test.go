package commands

import (
	"fmt"
	"testing"

	"vantage/model/trainer"
)

func TestParseConfig(t *testing.T) {
	for name, text := range map[string]string{
		"YAML": "algorithm:\n  adv_estimator: grpo\n  keep_pos_ratio: 0.5\n  compute_new_adv: true\nworker:\n  rollout: {n: 8}\nlist: [1, 2]\n",
		"JSON": `{"algorithm": {"adv_estimator": "grpo", "keep_pos_ratio": 0.5, "compute_new_adv": true}, "worker": {"rollout": {"n": 8}}, "list": [1, 2]}`,
	} {
		options, err := parseConfig([]byte(text))
		want := "[{algorithm.adv_estimator grpo} {algorithm.keep_pos_ratio 0.5} {algorithm.compute_new_adv true} {worker.rollout.n 8} {list }]"
		if err != nil || fmt.Sprint(options) != want {
			t.Errorf("%s: %v, %v", name, options, err)
		}
	}
	if _, err := parseConfig([]byte("a: [")); err == nil {
		t.Error("broken YAML is read")
	}
}

func FuzzConfig(f *testing.F) {
	for _, s := range []string{"algorithm:\n  adv_estimator: grpo\n", `{"scale_rewards": true}`, "a: &a [x]\nb: [*a]", "${", "advantage_estimator: ${b}\nb: ${advantage_estimator}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(_ *testing.T, text []byte) {
		if options, err := parseConfig(text); err == nil {
			_, _ = trainer.Read(options)
		}
	})
}
