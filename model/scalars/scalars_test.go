package scalars

import (
	"fmt"
	"math"
	"testing"
)

// The names are those in the sources that names lists, and in logs of these trainers.
func TestNamesOfTrainers(t *testing.T) {
	for name, want := range map[string]Meaning{
		"reward": Reward, "train/reward": Reward, "reward_std": RewardStd, "frac_reward_zero_std": ZeroStd, "completions/mean_length": Length,
		"completions/clipped_ratio": Truncated, "rewards/accuracy_reward/mean": Component, "rewards/accuracy_reward/std": "", "eval_reward": Eval,
		"eval_completions/mean_length": "", "eval_runtime": "", "eval_loss": "", "eval_reward_std": "", "eval_frac_reward_zero_std": "", "eval_samples_per_second": "",
		"learning_rate": LR, "clip_ratio/region_mean": ClipRatio, "clip_ratio/low_mean": "", "rewards/chosen": "", // TRL, ms-swift
		"critic/score/mean": Reward, "critic/score/max": "", "actor/entropy": Entropy, "actor/kl_loss": KL, "actor/ppo_kl": StepKL, "actor/grad_norm": GradNorm,
		"response_length/mean": Length, "response_length/clip_ratio": Truncated, "prompt_length/mean": "", "val-core/openai/gsm8k/acc/mean@1": Eval,
		"val-core/math/acc/best@16/mean": "", "val-core/minerva/acc/mean@4": Eval, "val-core/countdown/reward/mean@1": Eval, "val-aux/num_turns/mean": "", // verl
		"reward/overall": Reward, "reward/accuracy": Component, "val/reward_score": Eval, // EasyR1
		"env/all/reward/total": Reward, "env/all/correct": Solved, "optim/entropy": Entropy, "optim/kl_sample_train_v1": StepKL, "env/all/by_group/frac_all_bad": AllWrong,
		"test/env/all/reward/total": Eval, "test/test/env/all/correct": Eval, "test/env/all/ac_tokens_per_turn": "", "env/all/turns_per_episode": "", // tinker
		"rollout/raw_reward": Reward, "rollout/rewards": "", "train/entropy_loss": Entropy, "rollout/truncated_ratio": Truncated, "eval/aime": Eval, "eval/aime-truncated_ratio": "",
		"train/ppo_kl": StepKL, "train/kl_loss": KL, "eval/step": "", // slime
		"train/agg/all/agent/reward/mean": Reward, "train/agg/all/agent/is_truncated/mean": Truncated, "train/agg/all/agent/solved_none": AllWrong,
		"mismatch_kl/all/mean": StepKL, "entropy/all/mean": Entropy, "eval/math500/all/agent/avg@4": Eval, // prime-rl
		"train/mean_gen_tokens_per_sample": Length, "train/approx_entropy": Entropy, "validation/accuracy": Eval, "validation/avg_length": "", // NeMo-RL
		"reward/avg_raw_reward": Reward, "reward/avg_pass_at_4": "", "policy/policy_entropy": Entropy, "generate/avg_num_tokens": Length, "eval/all/avg_score": Eval, // SkyRL
		"train/response_length": Length, "eval/eval_math_pass1": Eval, "train/kl": KL, // OpenRLHF
		"batch/agent/fractions/too_hard": AllWrong, "grpo_actor/task_reward/avg": Reward, "grpo_actor/update/entropy/avg": Entropy, "timing_s/step": "",
	} {
		if got, _, _ := meaningOf(name); got != want {
			t.Errorf("%s means %q, want %q", name, got, want)
		}
	}
}

// A run that was started again from step 3 takes back what was logged from there on.
func TestRestartTakesBack(t *testing.T) {
	var l Log
	for _, step := range []int64{1, 2, 3, 4, 5, 3, 4} {
		l.Add(step, "reward", float64(len(l.series)+int(step)))
	}
	l.Add(5, "reward", math.NaN())
	s := l.Scalars()
	if got := fmt.Sprint(s.Series[0].Steps, s.Series[0].Broken, s.Steps, s.First, s.Last); got != "[1 2 3 4] [5] 4 1 5" {
		t.Error(got)
	}
}

func TestBounds(t *testing.T) {
	var l Log
	for i := range 1000 {
		l.Add(1, fmt.Sprint("timing/", i), 1)
	}
	for i := range int64(MaxPoints + 10) {
		l.Add(i, "reward", 1)
	}
	s := l.Scalars()
	if reward := s.Of(Reward, 1); len(s.Series) > MaxSeries || reward == nil || len(reward.Steps) != MaxPoints || reward.Steps[0] != 10 || s.Dropped != 1000-MaxSeries/2 || !s.Cut {
		t.Errorf("%d series, %d left out", len(s.Series), s.Dropped)
	}
}

// Scores on several data sets are one by their mean at the steps that all have; the whole is better than parts.
func TestHeldOut(t *testing.T) {
	var l Log
	for i := range int64(8) {
		l.Add(i, "eval/math", 0.5)
		l.Add(i, "eval/aime", 0.1)
		l.Add(i, "eval_rewards/format/mean", 1)
	}
	e := l.Scalars().HeldOut(6)
	if e == nil || len(e.Values) != 8 || math.Abs(e.Values[0]-0.3) > 1e-12 {
		t.Errorf("%+v", e)
	}
}
