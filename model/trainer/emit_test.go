package trainer

import (
	"strings"
	"testing"

	"vantage/estimators"
	"vantage/model"
)

func TestEmit(t *testing.T) {
	set := model.DefaultSettings()
	set.KeepPos, set.KeepNeg, set.Recompute = 0.7, 0.5, true
	plain := model.DefaultSettings().WithFramework("twinkle")
	plain.NumGenerations = 8
	rloo := model.DefaultSettings().WithFramework("verl").WithEstimator("rloo")
	passk := rloo.WithEstimator("grpo_passk")
	filtered := model.DefaultSettings().WithFramework("verl")
	filtered.GroupFilter, filtered.StageOptions = "verl/filter_groups", filtered.StageOptions.With("algorithm.filter_groups.metric", "acc")
	unscaled := rloo.WithEstimator("grpo_vectorized")
	unscaled.Scale = "none"
	corrected := model.DefaultSettings().WithFramework("verl")
	corrected.OffPolicy, corrected.StageOptions = "verl/rollout_is", corrected.StageOptions.With("rollout_is", "token")
	masked := model.DefaultSettings().WithFramework("ms-swift")
	masked.OffPolicy, masked.StageOptions = "ms-swift/off_policy_sequence_mask", masked.StageOptions.With("off_policy_sequence_mask_delta", "0.5")
	batch := model.DefaultSettings().WithFramework("trl")
	batch.Scale = "batch"
	of := func(framework, estimator string, scale estimators.Scale) model.Settings {
		set := model.DefaultSettings().WithFramework(framework).WithEstimator(estimator)
		set.Scale = scale
		return set
	}
	averaged := of("verl", "grpo", "group")
	averaged.Loss, averaged.Overlong = "verl/token-mean", "verl/dapo"
	sampled := of("slime", "grpo", "none")
	sampled.GroupFilter, sampled.NumGenerations = "slime/check_reward_nonzero_std", 8
	for _, c := range []struct {
		framework string
		set       model.Settings
		want      string
	}{
		{"openrlhf", of("openrlhf", "dr_grpo", "none"), "--algo.advantage.estimator dr_grpo"},
		{"nemo-rl", of("nemo-rl", "grpo_no_leave_one_out", "none"), "grpo.adv_estimator.name=grpo grpo.normalize_rewards=false grpo.use_leave_one_out_baseline=false"},
		{"prime-rl", of("prime-rl", "max_rl", "none"), `orchestrator.algo.type = "max_rl"`},
		{"slime", sampled, "--advantage-estimator grpo --disable-grpo-std-normalization --n-samples-per-prompt 8 " +
			"--dynamic-sampling-filter-path slime.rollout.filter_hub.dynamic_sampling_filters.check_reward_nonzero_std"},
		{"slime", of("slime", "reinforce_plus_plus", "none"), "--advantage-estimator reinforce_plus_plus --normalize-advantages"},
		{"miles", of("miles", "gspo", "group"), "--advantage-estimator gspo"}, // it divides unless told not to
		{"skyrl", of("skyrl", "grpo_batch_normalize", "none"), "trainer.algorithm.advantage_estimator=grpo trainer.algorithm.advantage_batch_normalize=true " +
			"trainer.algorithm.grpo_norm_by_std=false"},
		{"roll", of("roll", "reward_norm", "batch"), "adv_estimator: reinforce norm_mean_type: group norm_std_type: batch"},
		{"roll", of("roll", "agentic_reward_norm", "group"), "reward_normalization.norm_std_type: group"},
		{"open-instruct", of("open-instruct", "standard", "group"), "--advantage_normalization_type standard"},
		{"areal", of("areal", "reward_norm_leave_one_out", "none"), "actor.reward_norm.mean_level=group actor.reward_norm.mean_leave1out=true actor.reward_norm.std_level=null"},
		{"areal", of("areal", "reward_norm", "batch"), "actor.reward_norm.mean_level=group actor.reward_norm.std_level=batch"},
		{"rllm", of("rllm", "grpo", "none"), "rllm.algorithm.adv_estimator=grpo rllm.algorithm.norm_adv_by_std_in_grpo=false"},
		{"tinker", of("tinker", "centered", "none"), "# tinker-cookbook always computes centered: it has no option for another estimator"},
		{"torchtitan", of("torchtitan", "centered", "group"), "should_std_normalize=True"},
		{"tunix", of("tunix", "drgrpo", "none"), `advantage_estimator="drgrpo"`},
		{"axolotl", of("axolotl", "grpo", "none"), "trl.scale_rewards: false trl.multi_objective_aggregation: sum_then_normalize"},
		{"art", of("art", "tinker_native", "none"), "normalize_advantages=False"},
		{"trinity", of("trinity", "grpo", "batch"), "algorithm.advantage_fn: grpo algorithm.advantage_fn_args.std_cal_level: batch"},
		{"rlinf", of("rlinf", "reinpp", "none"), "algorithm.adv_type=reinpp"},
		{"easyr1-upstream", of("easyr1-upstream", "rloo", "none"), "algorithm.adv_estimator=rloo"},
		{"swift", of("ms-swift", "gdpo", "group"), "--advantage_estimator grpo --scale_rewards gdpo"},
		{"swift", of("ms-swift", "rloo_dynamic", "batch"), "--advantage_estimator rloo --scale_rewards batch"},
		{"verl", averaged, "algorithm.adv_estimator=grpo algorithm.norm_adv_by_std_in_grpo=True reward.reward_kwargs.overlong_buffer_cfg.enable=true " +
			"actor_rollout_ref.actor.loss_agg_mode=token-mean"},
		{"trl", averaged, "scale_rewards: group # TRL has no length penalty dapo of verl # TRL has no loss token-mean of verl"},
		{"easyr1", set, "algorithm.adv_estimator=grpo algorithm.keep_pos_ratio=0.7 algorithm.keep_neg_ratio=0.5 algorithm.compute_new_adv=true"},
		{"easyr1", model.DefaultSettings(), "algorithm.adv_estimator=grpo algorithm.keep_pos_ratio=1.0 algorithm.keep_neg_ratio=1.0 algorithm.compute_new_adv=false"},
		{"twinkle", plain, "GRPOAdvantage()(rewards, num_generations=8, scale='group')"},
		{"verl", plain, "algorithm.adv_estimator=grpo algorithm.norm_adv_by_std_in_grpo=True actor_rollout_ref.rollout.n=8"},
		{"trl", plain, "scale_rewards: group num_generations: 8"},
		{"swift", plain, "--advantage_estimator grpo --scale_rewards group --num_generations 8"},
		{"verl", filtered, "algorithm.adv_estimator=grpo algorithm.norm_adv_by_std_in_grpo=True algorithm.filter_groups.enable=true algorithm.filter_groups.metric=acc"},
		{"verl", unscaled, "algorithm.adv_estimator=grpo_vectorized # grpo_vectorized divides by the standard deviation in verl 0.9.1, whatever norm_adv_by_std_in_grpo is"},
		{"trl", filtered, "scale_rewards: group # TRL has no group filter filter_groups of verl"},
		{"verl", set, "algorithm.adv_estimator=grpo algorithm.norm_adv_by_std_in_grpo=True " +
			"# verl has no keep_pos_ratio, keep_neg_ratio or compute_new_adv: only EasyR1-Brian has this filter"},
		{"verl", corrected, "algorithm.adv_estimator=grpo algorithm.norm_adv_by_std_in_grpo=True " +
			"algorithm.rollout_correction.rollout_is=token algorithm.rollout_correction.rollout_is_threshold=2"},
		{"swift", masked, "--advantage_estimator grpo --scale_rewards group --off_policy_sequence_mask_delta 0.5"},
		{"trl", corrected, "scale_rewards: group # TRL has no off-policy rule rollout_is of verl"},
		{"trl-1.5", plain, "scale_rewards: group num_generations: 8"}, // as an older release writes it too
		{"twinkle", rloo, "RLOOAdvantage()(rewards, num_generations=num_generations, scale='none')"},
		{"trl", passk, "# TRL has no grpo_passk of verl: this is its grpo scale_rewards: none"},
		{"easyr1", batch, "# EasyR1 (Brian's fork) grpo has no scale batch: this is its group algorithm.adv_estimator=grpo algorithm.keep_pos_ratio=1.0 algorithm.keep_neg_ratio=1.0 algorithm.compute_new_adv=false"},
	} {
		d, ok := Find(c.framework)
		if !ok {
			t.Fatal(c.framework)
		}
		if got := strings.Join(d.Emit(c.set), " "); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.framework, got, c.want)
		}
	}
}

// Each line that is written is a setting, not a sentence or a leftover of a format, whatever the estimator and its scale; and of each
// trainer the own dialect comes first.
func TestEveryEstimatorIsWritten(t *testing.T) {
	for _, d := range Dialects() {
		if first := OwnFirst(d.Framework); first[0].Framework != d.Framework || len(first) != len(Dialects()) {
			t.Errorf("%s: %d dialects, %s first", d.Framework, len(first), first[0].Framework)
		}
		for _, e := range estimators.Of(d.Framework) {
			for _, scale := range e.Scales {
				set := model.DefaultSettings().WithFramework(d.Framework).WithEstimator(e.Name)
				set.Scale = scale
				for _, line := range d.Emit(set) {
					if strings.Contains(line, "%!") || strings.Contains(line, "does not know") || strings.TrimSpace(line) != line || line == "" {
						t.Errorf("%s %s %s: %q", d.Framework, e.Name, scale, line)
					}
				}
			}
		}
	}
}
