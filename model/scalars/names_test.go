package scalars

import (
	"strings"
	"testing"
)

// Names of series in logs of real runs and in sources of trainers and of people's own loops, by what they are.
const realNames = `
reward      reward train/reward avg_reward train_reward mean_reward reward_mean train/avg_reward env/all/reward/total reward/all/mean rewards/mean
reward      critic/score/mean critic/rewards/mean rollout/raw_reward train/rollout/reward_mean episode_reward_mean meanReward total_reward task_reward/avg
reward      objective/scores objective/rlhf_reward train/scores mean_score rollout/ep_rew_mean trainer/outcome_reward agg/all/agent/reward/mean batch_reward
reward_std  reward_std train/reward_std std_reward critic/score/std reward/std rollout/reward_std_mean reward_std_dev
component   rewards/accuracy_reward/mean rewards/format_reward_fn/mean rewards/reward_fn train/rewards/wordle_reward_func/mean retrieval_reward reward/format
component   attack_reward format_reward reward/accuracy rewards/xmlcount_reward_func length_reward/mean mean_question_reward metrics/all/tool_reward env/all/format_boxed
solved      accuracy train/accuracy batch_accuracy train_acc env/all/correct solve_rate pass_rate success_rate correct_rate rollout/accuracy/mean frac_correct
entropy     entropy actor/entropy policy/entropy optim/entropy train/policy_entropy entropy/all/mean mean_entropy policy/policy_entropy actor/entropy_loss grpo_actor/update/entropy/avg token_entropy
kl          kl train/kl kl_loss actor/kl_loss kl_div kl_divergence objective/kl mean_kl policy/policy_kl kl_penalty loss/avg_kl ref_kl grpo/kl
step_kl     actor/ppo_kl approx_kl policy/approxkl_avg train/approx_kl mismatch_kl/all/mean optim/kl_sample_train_v1 rollout_corr/kl old_kl
step_kl     rollout_correction/kl rollout_correction/k3_kl gen_kl_error policy_kl_error js_divergence_error debug/vllm_local_reverse_kl behave_approx_kl vllm_kl
step_kl     sampling/rollout_kl_k1/mean sampling/rollout_kl_k3/mean
grad_norm   grad_norm actor/grad_norm train/grad_norm optim/grad_norm gradient_norm policy/grad_norm unclipped_grad_l2:mean gradNorm global_grad_norm
lr          learning_rate lr actor/lr train/learning_rate optim/lr policy/lr
length      completions/mean_length completion_length response_length/mean response_length_mean completion_tokens train/mean_gen_tokens_per_sample seq_len/all/mean
length      decode_len/all/mean rollout/response_len/mean avg_response_length generated_tokens_mean mean_completion_length env/all/ac_tokens_per_turn mean_output_tokens avg_len
truncated   completions/clipped_ratio response_length/clip_ratio rollout/truncated_ratio cap_hit_rate truncation_rate is_truncated/all/mean frac_truncated length_limit_rate
truncated   max_tokens_hit_frac no_eos_ratio finish_reason/length truncated_fraction response/truncated_pct overlong_ratio completion_clip_ratio
zero_std    frac_reward_zero_std zero_std_group_ratio train/frac_reward_zero_std zero_variance_frac flat_group_fraction filters/all/zero_advantage degenerate_group_rate zero_signal_share
all_right   solve_all/all env/all/by_group/frac_all_good all_correct_group_ratio frac_all_correct groups/all_solved_frac batch/agent/fractions/too_easy
all_wrong   solve_none/all env/all/by_group/frac_all_bad all_wrong_group_ratio frac_all_incorrect all_failed_rate batch/agent/fractions/too_hard
groups      n_groups num_groups groups/total
clip_ratio  clip_ratio clip_ratio/region_mean actor/pg_clipfrac clip_frac policy/clipfrac_avg train/clip_fraction
loss        loss train/loss policy_loss actor/pg_loss pg_loss loss/mean train_loss actor/loss
log_prob_gap     sampling/sampling_logp_difference/mean train/train_rollout_logprob_abs_diff policy/rollout_train_logprobs_abs_diff_mean debug/vllm_vs_local_logprob_diff_mean
prob_gap         training/rollout_probs_diff_mean actor/train_infer_diff_token_mean
prob_factor      train/token_mult_prob_error
prob_correlation training/rollout_actor_probs_pearson_corr
sampled_ratio    sampling/importance_sampling_ratio/mean rollout_corr/rollout_is_mean
eval        eval/accuracy eval_reward val-core/openai/gsm8k/acc/mean@8 val/reward_score validation/accuracy test/env/all/reward/total eval/aime heldout_accuracy
eval        holdout_pass_at_1 benchmark/gsm8k_acc holdout/success_rate
eval        eval/math500/all/agent/avg@4 test_score eval/all/avg_score held_out/success_rate agent/eval/success_rate eval_rewards/accuracy_reward/mean val/test_score/gsm8k
-           reward_max critic/score/max critic/rewards/min rewards/accuracy_reward/std train/rewards/wordle_reward_func/std reward_model_loss reward_kl reward_weight baseline_reward
-           kl_coef kl_beta target_kl entropy_coef entropy_bonus teacher_kl teacher_kl/dataset_0 max_grad_norm critic/grad_norm critic/lr value_loss critic/vf_loss
-           time/step timing_s/step timing_s/reward timing_s/agent_loop/slowest/response_length time/compute_kl_sample_train perf/throughput step_time train_runtime
-           prompt_length/mean prompt_length/clip_ratio completions/min_length completions/max_length completions/mean_terminated_length response_length/max
-           clip_ratio/low_mean clip_ratio/high_max actor/pg_clipfrac_lower num_tokens epoch total_flos global_seqlen/mean env/all/ob_tokens_per_turn env/all/total_turns
-           critic/advantages/mean critic/returns/mean mean_advantage adv_std rewards/chosen rewards/margins rollout/rewards mean_token_accuracy n_pos
-           eval_loss eval_runtime eval_reward_std eval/completions/mean_length eval_frac_reward_zero_std val-core/math/acc/best@16/mean n_eval_actions heldout_violation_rate
-           skipped_groups zero_std_groups all_correct_groups mean_length_guard replay_token_ratio tool_fact_full q_difficulty_fit sampling/importance_sampling_ratio/min
-           sampling/sampling_logp_difference/max training/rollout_probs_diff_max training/rollout_probs_diff_std sampling/importance_sampling_ratio/max
-           valid_action extraction_success_rate format_mean lambda_eff loss_rep progress/done_frac episode/length num_turns/mean gradient_accumulation_steps`

func TestNamesOfRealRuns(t *testing.T) {
	named, unnamed := 0, 0
	for line := range strings.Lines(strings.TrimSpace(realNames)) {
		words := strings.Fields(line)
		want := Meaning(strings.TrimPrefix(words[0], "-"))
		for _, name := range words[1:] {
			if got, _, _ := meaningOf(name); got != want {
				t.Errorf("%s means %q, want %q", name, got, want)
			}
			if want == "" {
				unnamed++
			} else {
				named++
			}
		}
	}
	if named < 120 || unnamed < 40 {
		t.Error(named, "with a meaning,", unnamed, "without")
	}
}

// What several series show together: counts of groups are shares of them, also where the groups are those that were not skipped; a
// percentage is of a hundred; an accuracy that was logged with figures of an evaluation is its score.
func TestRelatedSeries(t *testing.T) {
	for _, c := range []struct {
		rows  []map[string]float64
		means Meaning
		name  string
		last  float64
	}{
		{[]map[string]float64{{"skipped_groups": 2, "num_groups": 8}, {"skipped_groups": 6, "num_groups": 8}}, ZeroStd, "skipped_groups / num_groups", 0.75},
		{[]map[string]float64{{"groups/num_skipped": 1, "groups/total": 4}, {"groups/num_skipped": 3, "groups/total": 4}}, ZeroStd, "groups/num_skipped / groups/total", 0.75},
		{[]map[string]float64{{"skipped_groups": 2, "n_groups": 18}, {"skipped_groups": 15, "n_groups": 5}}, ZeroStd, "skipped_groups / (skipped_groups + n_groups)", 0.75},
		{[]map[string]float64{{"all_pass_groups": 0, "n_groups": 4}, {"all_pass_groups": 1, "n_groups": 4}}, AllRight, "all_pass_groups / n_groups", 0.25},
		{[]map[string]float64{{"truncated_pct": 5}, {"truncated_pct": 50}}, Truncated, "truncated_pct / 100", 0.5},
		{[]map[string]float64{{"accuracy": 0.5, "n_eval_actions": 9}, {"accuracy": 0.25, "n_eval_actions": 9}}, Eval, "accuracy", 0.25},
		{[]map[string]float64{{"accuracy": 0.5}, {"accuracy": 0.25}}, Solved, "accuracy", 0.25},
		{[]map[string]float64{{"accuracy": 50}, {"accuracy": 25}}, Solved, "accuracy", 25},
	} {
		var l Log
		for step, row := range c.rows {
			for name, x := range row {
				l.Add(int64(step), name, x)
			}
		}
		s := l.Scalars().Of(c.means, 2)
		if s == nil || s.Name != c.name || s.Last() != c.last {
			t.Errorf("%v: %+v, want %s %v", c.rows, s, c.name, c.last)
		}
	}
	var l Log
	l.Add(1, "final_answer_correct", 118)
	if s := l.Scalars(); s.Of(Solved, 1) != nil || len(s.Unknown()) != 1 {
		t.Error("a number of right answers is a share of them")
	}
}
