package offpolicy

import (
	"slices"
	"testing"

	"vantage/estimators"
)

func TestByConfig(t *testing.T) {
	for _, c := range []struct {
		config         []Value
		rule, by, moot string
	}{
		{[]Value{{"algorithm.rollout_correction.rollout_is", "token"}, {"algorithm.rollout_correction.rollout_is_threshold", "4"}}, "verl/rollout_is", "algorithm.rollout_correction.rollout_is", ""},
		{[]Value{
			{"algorithm.rollout_correction.rollout_is", "token"},
			{"algorithm.rollout_correction.rollout_rs", "token_k1"},
			{"algorithm.rollout_correction.rollout_rs_threshold", "0.5_2"},
		}, "verl/rollout_rs", "algorithm.rollout_correction.rollout_rs", ""},
		{[]Value{{"vllm_importance_sampling_mode", "token_mask"}}, "trl/vllm_importance_sampling", "vllm_importance_sampling_mode", ""},
		{[]Value{{"use_tis", "true"}, {"tis_clip", "3"}}, "slime/tis", "use_tis", ""},
		{[]Value{{"use_rho_correction", "false"}}, "", "", "use_rho_correction=false"},
		{[]Value{{"algorithm.rollout_correction.rollout_is", "null"}, {"actor.lr", "1"}}, "", "", ""},
		{[]Value{{"trainer.algorithm.off_policy_correction.tis_ratio_type", "token"}}, "skyrl/off_policy_correction", "trainer.algorithm.off_policy_correction.tis_ratio_type", ""},
	} {
		got, err := ByConfig(c.config)
		name := ""
		if got.Rule != nil {
			name = got.Rule.Framework + "/" + got.Rule.Name
		}
		if err != nil || name != c.rule || got.By != c.by || got.Off != c.moot {
			t.Errorf("%v: %s %q %q, %v", c.config, name, got.By, got.Off, err)
		}
	}
	if _, err := ByConfig([]Value{{"use_tis", "true"}, {"tis_clip", "much"}}); err == nil {
		t.Error("a bound that is no number is taken")
	}
}

// What a rule is configured by names it, with its options, in the dialects that settings are written in.
func TestConfigurationIsReadBack(t *testing.T) {
	for _, r := range All() {
		if r.Versions || !slices.Contains([]string{"verl", "trl", "ms-swift"}, r.Framework) {
			continue
		}
		given := []estimators.Options{r.Usual}
		for _, point := range r.Sweep() {
			given = append(given, point.Options)
		}
		for _, options := range given {
			config, err := r.Configuration(options)
			if err != nil {
				t.Fatalf("%s/%s: %v", r.Framework, r.Name, err)
			}
			got, err := ByConfig(config)
			if err != nil || got.Rule == nil || got.Rule.Framework+got.Rule.Name != r.Framework+r.Name {
				t.Errorf("%s/%s with %q: %v names %+v, %v", r.Framework, r.Name, options, config, got.Rule, err)
				continue
			}
			want, err := r.Values(options)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range r.Options {
				if got.Values.Text(o.Key) != want.Text(o.Key) {
					t.Errorf("%s/%s with %q: %s is %s", r.Framework, r.Name, options, o.Key, got.Values.Text(o.Key))
				}
			}
		}
	}
}

// No rule looks at more of an advantage than its sign: what it leaves of a row is known before the advantage is.
func TestRulesLookAtTheSignOfAnAdvantageAlone(t *testing.T) {
	for name, batch := range batches(t) {
		for _, r := range All() {
			given, off := r.AtDefault()
			values, err := r.Values(given)
			if off || err != nil || r.NotComputable != "" {
				continue
			}
			signs := Batch{Step: batch.Step, Rows: slices.Clone(batch.Rows)}
			for i := range signs.Rows {
				switch a := signs.Rows[i].Advantage; {
				case a > 0:
					signs.Rows[i].Advantage = 1
				case a < 0:
					signs.Rows[i].Advantage = -1
				}
			}
			want, refused := r.Apply(batch, values)
			got, again := r.Apply(signs, values)
			if refused != nil || again != nil {
				continue
			}
			for i := range want.Rows {
				isSame := got.Rows[i].Letters() == want.Rows[i].Letters() && slices.EqualFunc(got.Rows[i].Weights, want.Rows[i].Weights, func(a, b float32) bool {
					return a == b || a != a && b != b
				})
				if !isSame {
					t.Errorf("%s/%s, row %d of %s: %+v, of its sign %+v", r.Framework, r.Name, i, name, want.Rows[i], got.Rows[i])
				}
			}
		}
	}
}
