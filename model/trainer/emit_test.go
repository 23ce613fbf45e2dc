package trainer

import (
	"strings"
	"testing"

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
	for _, c := range []struct {
		framework string
		set       model.Settings
		want      string
	}{
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
