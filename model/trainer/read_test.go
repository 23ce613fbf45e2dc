package trainer

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vantage/model"
)

func TestReadConfig(t *testing.T) {
	for name, c := range map[string]struct {
		options []Option
		want    string // framework, settings
		warning string
	}{
		"EasyR1": {
			[]Option{{"data.train_files", "x"}, {"algorithm.adv_estimator", "grpo"}, {"algorithm.keep_pos_ratio", "0.7"}, {"algorithm.keep_neg_ratio", "${algorithm.keep_pos_ratio}"}, {"algorithm.compute_new_adv", "true"}, {"worker.rollout.n", "8"}},
			"easyr1 [{framework easyr1} {adv_estimator grpo} {keep_pos_ratio 0.7} {keep_neg_ratio 0.7} {compute_new_adv true} {num_generations 8}]", "",
		},
		"verl": {
			[]Option{{"actor_rollout_ref.rollout.n", "16"}, {"algorithm.norm_adv_by_std_in_grpo", "False"}, {"algorithm.adv_estimator", "rloo"}, {"algorithm.gamma", "0.99"}},
			"verl [{framework verl} {adv_estimator rloo} {scale none} {num_generations 16}]", "algorithm.gamma is 0.99, which is not taken into account",
		},
		"verl, whose option grpo_vectorized does not get": {
			[]Option{{"algorithm.adv_estimator", "grpo_vectorized"}, {"algorithm.norm_adv_by_std_in_grpo", "False"}},
			"verl [{framework verl} {adv_estimator grpo_vectorized} {scale group}]",
			"algorithm.norm_adv_by_std_in_grpo is False, which has no effect on grpo_vectorized in verl 0.9.1",
		},
		"verl, nor gdpo": {
			[]Option{{"algorithm.adv_estimator", "gdpo"}, {"algorithm.norm_adv_by_std_in_grpo", "False"}},
			"verl [{framework verl} {adv_estimator gdpo} {scale group}]", "has no effect on gdpo in verl 0.9.1",
		},
		"verl, which grpo_passk reads": {
			[]Option{{"algorithm.adv_estimator", "grpo_passk"}, {"algorithm.norm_adv_by_std_in_grpo", "False"}},
			"verl [{framework verl} {adv_estimator grpo_passk} {scale none}]", "",
		},
		"TRL, whose option normalize_then_sum does not read": {
			[]Option{{"scale_rewards", "none"}, {"multi_objective_aggregation", "normalize_then_sum"}},
			"trl [{framework trl} {adv_estimator grpo_normalize_then_sum} {scale group}]",
			"scale_rewards is none, which has no effect on grpo_normalize_then_sum in TRL 1.5 to 1.16",
		},
		"TRL": {
			[]Option{{"scale_rewards", "true"}, {"num_generations", "8"}, {"learning_rate", "1e-6"}},
			"trl [{framework trl} {scale group} {num_generations 8}]", "",
		},
		"ms-swift": {
			[]Option{{"rlhf_type", "grpo"}, {"advantage_estimator", "rloo"}, {"scale_rewards", "none"}},
			"ms-swift [{framework ms-swift} {adv_estimator rloo} {scale none}]", "",
		},
		"TRL that masks what was cut off": {
			[]Option{{"scale_rewards", "group"}, {"mask_truncated_completions", "True"}}, "trl [{framework trl} {scale group} {truncated mask}]", "",
		},
		"ms-swift that does not": {
			[]Option{{"advantage_estimator", "grpo"}, {"overlong_filter", "false"}}, "ms-swift [{framework ms-swift} {adv_estimator grpo} {truncated train}]", "",
		},
		"a reference that only the trainer resolves": {
			[]Option{{"algorithm.adv_estimator", "${oc.env:EST}"}, {"algorithm.keep_pos_ratio", "0.5"}},
			"easyr1 [{framework easyr1} {keep_pos_ratio 0.5}]", "only the trainer can resolve",
		},
		"a reference to itself": {
			[]Option{{"algorithm.adv_estimator", "grpo"}, {"algorithm.keep_pos_ratio", "${algorithm.keep_pos_ratio}"}},
			"easyr1 [{framework easyr1} {adv_estimator grpo}]", "only the trainer can resolve",
		},
		"references outwards, inwards and in the midst of text": {
			[]Option{{"n", "8"}, {"which", "b"}, {"presets.a.keep", "0.1"}, {"presets.b.keep", "0.7"}, {"algorithm.adv_estimator", "gr${.short}"}, {"algorithm.short", "po"}, {"algorithm.keep_pos_ratio", "${presets.${which}.keep}"}, {"algorithm.keep_neg_ratio", "${..presets[a].keep}"}, {"worker.rollout.n", "${...n}"}},
			"easyr1 [{framework easyr1} {adv_estimator grpo} {keep_pos_ratio 0.7} {keep_neg_ratio 0.1} {num_generations 8}]", "",
		},
		"an environment": {
			[]Option{{"algorithm.adv_estimator", "grpo"}, {"actor_rollout_ref.rollout.n", "${oc.env:N,16}"}},
			"verl [{framework verl} {adv_estimator grpo}]", "actor_rollout_ref.rollout.n is ${oc.env:N,16}, which only the trainer can resolve: the default stays",
		},
		"references that double": {
			[]Option{{"algorithm.adv_estimator", "${a}"}, {"a", "${b}${b}"}, {"b", "${a}${a}"}, {"algorithm.keep_pos_ratio", "0.5"}},
			"easyr1 [{framework easyr1} {keep_pos_ratio 0.5}]", "only the trainer can resolve",
		},
		"EasyR1 with the KL in the reward": {
			[]Option{{"algorithm.adv_estimator", "grpo"}, {"algorithm.disable_kl", "false"}, {"algorithm.kl_coef", "1e-2"}},
			"easyr1 [{framework easyr1} {adv_estimator grpo} {kl_in_reward true}]", "algorithm.disable_kl is false, and neither disable_kl nor use_kl_loss is true: EasyR1 subtracts kl_coef·KL from the rewards",
		},
		"EasyR1 with the KL in the loss": {
			[]Option{{"algorithm.adv_estimator", "grpo"}, {"algorithm.disable_kl", "false"}, {"algorithm.use_kl_loss", "true"}},
			"easyr1 [{framework easyr1} {adv_estimator grpo}]", "",
		},
		"EasyR1 without KL": {
			[]Option{{"algorithm.adv_estimator", "grpo"}, {"algorithm.disable_kl", "true"}, {"algorithm.use_kl_loss", "false"}},
			"easyr1 [{framework easyr1} {adv_estimator grpo}]", "",
		},
		"EasyR1 with a coefficient of 0": {
			[]Option{{"algorithm.adv_estimator", "grpo"}, {"algorithm.disable_kl", "false"}, {"algorithm.kl_coef", "0.0"}},
			"easyr1 [{framework easyr1} {adv_estimator grpo}]", "",
		},
		"verl with the KL in the reward": {
			[]Option{{"algorithm.adv_estimator", "grpo"}, {"algorithm.use_kl_in_reward", "True"}, {"actor_rollout_ref.actor.use_kl_loss", "False"}},
			"verl [{framework verl} {adv_estimator grpo} {kl_in_reward true}]", "algorithm.use_kl_in_reward is True, which is not taken into account",
		},
		"a value that is to be given": {
			[]Option{{"algorithm.adv_estimator", "grpo"}, {"algorithm.keep_pos_ratio", "???"}, {"algorithm.keep_neg_ratio", "None"}},
			"easyr1 [{framework easyr1} {adv_estimator grpo}]", "algorithm.keep_pos_ratio is ???, to be given at the start: the default stays",
		},
		"the same in two places": {
			[]Option{{"algorithm.adv_estimator", "grpo"}, {"critic.adv_estimator", "rloo"}},
			"verl [{framework verl} {adv_estimator rloo}]", "algorithm.adv_estimator is grpo, but critic.adv_estimator is rloo: the last counts",
		},
		"several rewards under TRL": {
			[]Option{{"reward_weights", "[1.0, 0.5]"}, {"multi_objective_aggregation", "normalize_then_sum"}},
			"trl [{framework trl} {adv_estimator grpo_normalize_then_sum}]", "reward_weights is [1.0, 0.5], but reward_funcs, which names the columns, is missing: use --reward NAME=WEIGHT,…",
		},
		"reward functions of TRL": {
			[]Option{{"reward_funcs", "[accuracy_reward, my.lib.fluent, org/judge-0.5b, get_soft_overlong_punishment]"}, {"reward_weights", "[1.0, 0.5, 2, 0.1]"}, {"num_generations", "8"}},
			"trl [{framework trl} {reward accuracy_reward=1.0,fluent=0.5,judge-0.5b=2,soft_overlong_punishment_reward=0.1} {num_generations 8}]", "",
		},
		"reward functions without weights": {
			[]Option{{"reward_funcs", "[accuracy_reward, fluent]"}, {"num_generations", "8"}},
			"trl [{framework trl} {reward accuracy_reward,fluent} {num_generations 8}]", "",
		},
		"fewer weights than functions": {
			[]Option{{"reward_funcs", "[accuracy_reward, fluent]"}, {"reward_weights", "[1.0]"}, {"num_generations", "8"}},
			"trl [{framework trl} {num_generations 8}]", "reward_weights has 1 weights and reward_funcs 2 functions",
		},
		"GDPO under ms-swift": {
			[]Option{{"scale_rewards", "gdpo"}, {"advantage_estimator", "grpo"}},
			"ms-swift [{framework ms-swift} {adv_estimator grpo} {adv_estimator gdpo}]", "",
		},
		"TRL's defaults": {
			[]Option{{"num_generations", "8"}, {"loss_type", "dr_grpo"}},
			"trl [{framework trl} {num_generations 8} {loss trl/dr_grpo}]", "",
		},
		"a group filter and its metric": {
			[]Option{{"algorithm.adv_estimator", "grpo"}, {"algorithm.filter_groups.enable", "True"}, {"algorithm.filter_groups.metric", "acc"}},
			"verl [{framework verl} {adv_estimator grpo} {group_filter verl/filter_groups} {option algorithm.filter_groups.metric=acc}]", "",
		},
		"an off-policy rule and its options": {
			[]Option{
				{"algorithm.adv_estimator", "grpo"},
				{"algorithm.rollout_correction.rollout_is", "token"},
				{"algorithm.rollout_correction.rollout_is_threshold", "4"},
			},
			"verl [{framework verl} {adv_estimator grpo} {off_policy verl/rollout_is} {option algorithm.rollout_correction.rollout_is=token} " +
				"{option algorithm.rollout_correction.rollout_is_threshold=4}]", "",
		},
		"a configuration of an off-policy rule alone": {
			[]Option{{"trainer.algorithm.off_policy_correction.tis_ratio_type", "token"}, {"trainer.lr", "1e-6"}},
			"skyrl [{off_policy skyrl/off_policy_correction} {option trainer.algorithm.off_policy_correction.tis_ratio_type=token}]", "",
		},
		"an off-policy rule of TRL": {
			[]Option{{"scale_rewards", "none"}, {"vllm_importance_sampling_mode", "token_mask"}, {"num_generations", "8"}},
			"trl [{framework trl} {scale none} {num_generations 8} {off_policy trl/vllm_importance_sampling} " +
				"{option vllm_importance_sampling_mode=token_mask}]", "",
		},
		"a group filter that is off": {
			[]Option{{"algorithm.adv_estimator", "grpo"}, {"algorithm.filter_groups.enable", "False"}, {"algorithm.filter_groups.metric", "acc"}},
			"verl [{framework verl} {adv_estimator grpo}]", "",
		},
	} {
		r, err := ReadConfig(c.options)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := fmt.Sprint(r.Framework, " ", r.Settings); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
		if !strings.Contains(r.Summary(), c.warning) || c.warning == "" && len(r.Warnings) > 0 {
			t.Errorf("%s: %s", name, r.Summary())
		}
	}
	if _, err := ReadConfig([]Option{{"lr", "1"}}); err == nil {
		t.Error("a configuration without anything is read")
	}
}

// ReadConfig reads the settings that EasyR1's dialect emitted.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := model.DefaultSettings()
		set.KeepPos = float64(rapid.IntRange(0, 100).Draw(t, "pos")) / 100
		set.KeepNeg = float64(rapid.IntRange(0, 100).Draw(t, "neg")) / 100
		set.Recompute = rapid.Bool().Draw(t, "recompute")
		d, _ := Find("easyr1")
		var options []Option
		for _, line := range d.Emit(set) {
			key, value, _ := strings.Cut(line, "=")
			options = append(options, Option{key, value})
		}
		r, err := ReadConfig(options)
		if err != nil {
			t.Fatal(err)
		}
		got := model.DefaultSettings()
		for _, o := range r.Settings {
			if got, err = got.Set(o.Name, o.Value); err != nil {
				t.Fatal(err)
			}
		}
		if got.Effective() != set.Effective() {
			t.Fatalf("%+v became %+v", set, got)
		}
	})
}

// A reference to a section copies it, and relative references in the copy start where they
// were defined.
func TestResolveSections(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"a part":                {"algorithm=${presets.mild} presets.mild.keep=0.5 presets.mild.est=grpo", "algorithm.keep=0.5 algorithm.est=grpo presets.mild.keep=0.5 presets.mild.est=grpo"},
		"chosen by a value":     {"which=mild algorithm=${presets.${which}} presets.mild.keep=0.5", "which=mild algorithm.keep=0.5 presets.mild.keep=0.5"},
		"through another":       {"a=${b} b=${c} c.d.e=1", "a.d.e=1 b.d.e=1 c.d.e=1"},
		"a value of a graft":    {"x=${a.keep} a=${p} p.keep=0.5", "x=0.5 a.keep=0.5 p.keep=0.5"},
		"beside it in the part": {"a=${p.q} p.q.low=${.high} p.q.high=${..top} p.top=0.9 top=0.1", "a.low=0.9 a.high=0.9 p.q.low=0.9 p.q.high=0.9 p.top=0.9 top=0.1"},
		"not in text":           {"a=x${p} p.q=1", "a=x${p} p.q=1"},
		"nothing":               {"a=${p} pq.r=1", "a=${p} pq.r=1"},
	} {
		var options []Option
		for _, word := range strings.Fields(c.in) {
			key, value, _ := strings.Cut(word, "=")
			options = append(options, Option{key, value})
		}
		var got []string
		for _, o := range resolve(options) {
			got = append(got, o.Key+"="+o.Value)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s became %s, want %s", name, c.in, got, c.want)
		}
	}
}

// Of several presets the one that the trainer's section refers to is read.
func TestReadPreset(t *testing.T) {
	for _, which := range []string{"a", "b"} {
		r, err := ReadConfig([]Option{
			{"presets.a.adv_estimator", "grpo"},
			{"presets.a.keep_pos_ratio", "0.5"},
			{"algorithm", "${presets." + which + "}"},
			{"presets.b.adv_estimator", "grpo"},
			{"presets.b.keep_pos_ratio", "0.25"},
		})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"a": "0.5", "b": "0.25"}[which]
		if got := fmt.Sprint(r.Settings); got != "[{framework easyr1} {adv_estimator grpo} {keep_pos_ratio "+want+"}]" || len(r.Warnings) != 0 {
			t.Errorf("%s: %s, doubts %q", which, got, r.Warnings)
		}
	}
}

// Resolving ends within its limits for any references, and leaves other text unchanged.
func FuzzResolve(f *testing.F) {
	f.Add("a", "${b}", "b", "${a}")
	f.Add("a.b.c", "x${..d}${.e}", "a.d", "${a.${b}}")
	f.Add("a", "${}}${", "", "${.}")
	f.Add("a", "${b}", "b.c", "${a}")
	f.Add("b.c", "${b}", "b.d", "${b}")
	f.Fuzz(func(t *testing.T, k1, v1, k2, v2 string) {
		resolved := resolve([]Option{{k1, v1}, {k2, v2}})
		if len(resolved) > maxValues {
			t.Errorf("%d options became of two", len(resolved))
		}
		for _, o := range resolved {
			if len(o.Value) > max(maxValue, len(v1), len(v2)) {
				t.Errorf("%q became of %q and %q", o.Value, v1, v2)
			}
		}
		if plain := !strings.Contains(v1+v2, "${"); plain && (len(resolved) != 2 || resolved[0].Value != v1 || resolved[1].Value != v2) {
			t.Errorf("%q and %q became %q", v1, v2, resolved)
		}
	})
}
