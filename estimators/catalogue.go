// Package estimators has a catalogue. This part is written by a test of model/report,
// go test ./model/report -run Catalogues -update.
//
// # The estimators
//
// What follows is what every entry of [All] says of itself.
//
//	easyr1 grpo
//	  formula      A = (r − μ) / s, 0 if s < 1e-6
//	  what to know s has ddof 1. The eps of 1e-6 is a threshold: nothing is added to s. A group of
//	               one is an AssertionError. Equal rewards give 0, except where float32 misses
//	               their mean by 1e-6 or more (eight of 10.1 give 0.935). Groups may differ in
//	               size. NaN and missing rewards count as 0; an infinite reward makes its group
//	               NaN.
//	  scales       group
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       keep_pos_ratio, keep_neg_ratio and compute_new_adv, as its trainer has them
//	  source       Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32
//	               verl/trainer/core_algos.py:compute_grpo_outcome_advantage
//
//	easyr1 rloo
//	  formula      A = r − (Σr − r) / (n − 1)
//	  what to know No standard deviation and no eps. A group of one is an AssertionError. Equal
//	               rewards give 0 or a float32 residue of it. Groups may differ in size. NaN and
//	               missing rewards count as 0.
//	  scales       none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       none
//	  source       Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32
//	               verl/trainer/core_algos.py:compute_rloo_outcome_advantage
//
//	easyr1 reinforce_plus_plus
//	  formula      A = (r − m) / √(v + 1e-8), m and v over response tokens
//	  what to know All tokens of a sample have one value at gamma 1; group ids are not used. Summed
//	               in float64 here: agrees to 1e-4, not to the bit. ddof 1 (none for a single
//	               token). NaN and missing rewards count as 0; an infinite one makes all NaN.
//	  scales       none
//	  precision    float32, to 1e-4
//	  needs        reward, group, response lengths
//	  filter       none
//	  source       Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32
//	               verl/trainer/core_algos.py:compute_reinforce_plus_plus_outcome_advantage
//
//	easyr1 remax
//	  formula      A = r − b, b the reward of one greedy response
//	  what to know No scale, no eps; groups of any size, of one too. NaN and missing rewards count
//	               as 0. The usual logs do not hold b.
//	  scales       none
//	  precision    float32, to the bit
//	  needs        reward, group, greedy baselines
//	  filter       none
//	  source       Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32
//	               verl/trainer/core_algos.py:compute_remax_outcome_advantage
//
//	easyr1 gae
//	  formula      A = Σ (γλ)^k δ_{t+k}, whitened over tokens
//	  what to know It takes the critic's value of every token; rewards do not tell even the sign of
//	               an advantage. A log would have to hold the values per token.
//	  scales       none
//	  precision    float32
//	  needs        reward, group, more than rewards
//	  filter       none
//	  source       Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32
//	               verl/trainer/core_algos.py:compute_gae_advantage_return
//
//	easyr1 kl_in_reward
//	  formula      r − kl_coef·KL per token, then the estimator
//	  what to know The trainer's default (a reference policy, use_kl_loss off) subtracts kl_coef·KL
//	               from every token's reward before the estimator sees it. A log would have to hold
//	               the rewards after that (critic/rewards) per sample, or the KL per token.
//	  scales       none
//	  precision    float32
//	  needs        reward, group, more than rewards
//	  filter       none
//	  source       Coobiw/EasyR1-Brian@c414ee81ef06f8e6510bcbcbd939a89c118cff32
//	               verl/trainer/ray_trainer.py:apply_kl_penalty
//
//	twinkle grpo
//	  formula      A = (r − μ) / (s + 1e-8), s of the group or of the batch; none: r − μ
//	  what to know s has ddof 1. Groups of one get their raw reward (group), or are compared with
//	               the whole batch (batch, none). Equal rewards often do not give 0, since s is 0
//	               and float32 misses the mean (eight of 0.7 give +5.96). Groups of different sizes
//	               are a ValueError, missing rewards a TypeError; NaN makes its group NaN.
//	  scales       group, batch, none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       modelscope/twinkle@1a1d8845dc6de05c7957bada323b0cc5c5e90f35
//	               src/twinkle/advantage/grpo.py:GRPOAdvantage.__call__
//
//	twinkle rloo
//	  formula      A = (r − (Σr − r) / (n − 1)) / (s + 1e-8), s of the group or of the batch; none:
//	               not divided
//	  what to know s has ddof 1 and is that of the rewards. The default scale is group, unlike
//	               other RLOOs. Groups of one and groups of different sizes are a ValueError,
//	               missing rewards a TypeError; NaN makes its group NaN. Equal rewards often do not
//	               give 0.
//	  scales       group, batch, none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       none
//	  source       modelscope/twinkle@1a1d8845dc6de05c7957bada323b0cc5c5e90f35
//	               src/twinkle/advantage/rloo.py:RLOOAdvantage.__call__
//
//	verl grpo
//	  formula      A = (r − μ) / (s + 1e-6); none: r − μ
//	  what to know s has ddof 1. A group of one has μ 0 and s 1. Equal rewards give 0 or a float32
//	               residue of it over s + 1e-6 (eight of 10.1 give +0.47). Groups may differ in
//	               size. NaN makes its group NaN.
//	  scales       group, none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9
//	               verl/trainer/ppo/core_algos.py:compute_grpo_outcome_advantage
//
//	verl grpo_vectorized
//	  formula      A = (r − μ) / (s + 1e-6); none: r − μ
//	  what to know As grpo, but sums run from left to right and s, ddof 1, is float32 throughout. A
//	               group of one has μ 0 and s 1. Groups may differ in size. NaN makes its group
//	               NaN.
//	  scales       group, none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9
//	               verl/trainer/ppo/core_algos.py:compute_grpo_vectorized_outcome_advantage
//
//	verl grpo_passk
//	  formula      best: (r1 − r2) / (s + 1e-6), others 0; none: r1 − r2
//	  what to know s has ddof 1. A group of one is a ValueError. Equal best rewards give 0. NaN
//	               ranks highest and gives NaN. Groups may differ in size.
//	  scales       group, none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9
//	               verl/trainer/ppo/core_algos.py:compute_grpo_passk_outcome_advantage
//
//	verl rloo
//	  formula      A = r·n/(n − 1) − μ·n/(n − 1)
//	  what to know No standard deviation, no eps. A group of one gets its raw reward. Equal rewards
//	               give 0 or a float32 residue of it. Groups may differ in size. NaN makes its
//	               group NaN.
//	  scales       none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       none
//	  source       verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9
//	               verl/trainer/ppo/core_algos.py:compute_rloo_outcome_advantage
//
//	verl rloo_vectorized
//	  formula      A = (n·r − Σ) / max(n − 1, 1), 0 for a group of one
//	  what to know No standard deviation, no eps; the sum runs from left to right. A group of one
//	               gets 0, unlike rloo. Groups may differ in size. NaN makes its group NaN.
//	  scales       none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       none
//	  source       verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9
//	               verl/trainer/ppo/core_algos.py:compute_rloo_vectorized_outcome_advantage
//
//	verl opo
//	  formula      A = r − Σ l r / Σ l
//	  what to know No scale, no eps. A group of one gets its raw reward. Equal rewards give 0 or a
//	               float32 residue of it. Groups may differ in size. NaN makes its group NaN.
//	  scales       none
//	  precision    float32, to the bit
//	  needs        reward, group, response lengths
//	  filter       none
//	  source       verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9
//	               verl/trainer/ppo/core_algos.py:compute_opo_outcome_advantage
//
//	verl gpg
//	  formula      A = N / max(m, 1) · (r − μ), m = rewards that are not 0
//	  what to know The option alpha is overwritten, the standard deviation not used. A group of one
//	               has μ 0. NaN counts as not 0 and makes its group NaN. Groups may differ in size.
//	  scales       none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9
//	               verl/trainer/ppo/core_algos.py:compute_gpg_outcome_advantage
//
//	verl reinforce_plus_plus
//	  formula      A = (r − m) / √(v + 1e-8), m and v over response tokens
//	  what to know All tokens of a sample have one value at gamma 1; group ids are not used. Summed
//	               in float64 here: agrees to 1e-4, not to the bit. ddof 1. Up to one token in the
//	               batch is a ValueError. NaN makes all NaN.
//	  scales       none
//	  precision    float32, to 1e-4
//	  needs        reward, group, response lengths
//	  filter       none
//	  source       verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9
//	               verl/trainer/ppo/core_algos.py:compute_reinforce_plus_plus_outcome_advantage
//
//	verl reinforce_plus_plus_baseline
//	  formula      a = r − μ; A = (a − m) / √(v + 1e-8), m and v over response tokens
//	  what to know A group of one keeps r. All tokens of a sample have one value at gamma 1; the
//	               group counts in μ only. Summed in float64 here: agrees to 1e-4, not to the bit.
//	               ddof 1. Up to one token in the batch is a ValueError. NaN makes all NaN.
//	  scales       none
//	  precision    float32, to 1e-4
//	  needs        reward, group, response lengths
//	  filter       none
//	  source       verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9
//	               verl/trainer/ppo/core_algos.py:compute_reinforce_plus_plus_baseline_outcome_advantage
//
//	verl remax
//	  formula      A = r − b, b the reward of one greedy response
//	  what to know No scale, no eps; groups of any size. NaN stays with its sample. verl's rollout
//	               dump does not hold b.
//	  scales       none
//	  precision    float32, to the bit
//	  needs        reward, group, greedy baselines
//	  filter       none
//	  source       verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9
//	               verl/trainer/ppo/core_algos.py:compute_remax_outcome_advantage
//
//	verl gdpo
//	  formula      A = whiten(Σ_k w_k · (r_k − μ_k) / (s_k + 1e-6)), over response tokens
//	  what to know ddof 1 twice. A group of one has μ 0 and s 1. Components are gdpo_reward_keys,
//	               weights gdpo_reward_weights, 1 by default. Whitening is summed in float64 here:
//	               agrees to 1e-4. NaN makes all NaN.
//	  scales       group, none
//	  precision    float32, to 1e-4
//	  needs        reward, group, response lengths, reward components
//	  filter       can be tried here; its trainer has no such filter
//	  source       verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9
//	               verl/trainer/ppo/core_algos.py:compute_gdpo_outcome_advantage
//
//	verl gae
//	  formula      A = Σ (γλ)^k δ_{t+k}, whitened over tokens
//	  what to know It takes the critic's value of every token; rewards do not tell even the sign of
//	               an advantage. A log would have to hold the values per token.
//	  scales       none
//	  precision    float32
//	  needs        reward, group, more than rewards
//	  filter       none
//	  source       verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9
//	               verl/trainer/ppo/core_algos.py:compute_gae_advantage_return
//
//	verl optimal_token_baseline
//	  formula      A_t = G_t − Σ G_t W_t / (Σ W_t + 1e-8)
//	  what to know It takes the log-probability of every token and the sum of squared probabilities
//	               there (Σπ²). A log would have to hold both per token.
//	  scales       none
//	  precision    float32
//	  needs        reward, group, more than rewards
//	  filter       none
//	  source       verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9
//	               verl/trainer/ppo/core_algos.py:compute_optimal_token_baseline_advantage
//
//	verl tir_optimal_token_baseline
//	  formula      A_t = G_t − Σ G_t W_t / (Σ W_t + 1e-8)
//	  what to know It takes the log-probability of every token and the sum of squared probabilities
//	               there (Σπ²). A log would have to hold both per token.
//	  scales       none
//	  precision    float32
//	  needs        reward, group, more than rewards
//	  filter       none
//	  source       verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9
//	               verl/trainer/ppo/core_algos.py:compute_multi_turn_optimal_token_baseline_advantage
//
//	verl kl_in_reward
//	  formula      r − kl_coef·KL per token, then the estimator
//	  what to know use_kl_in_reward (off by default) subtracts the KL from every token's reward
//	               before the estimator sees it. A log would have to hold the rewards after that,
//	               or the KL per token.
//	  scales       none
//	  precision    float32
//	  needs        reward, group, more than rewards
//	  filter       none
//	  source       verl-project/verl@1dda039b9c6311889a9c9a26040677e1254814f9
//	               verl/trainer/ppo/ray_trainer.py:apply_kl_penalty
//
//	trl grpo
//	  formula      A = (r − μ) / (s + 1e-4), s of the group or of the batch; none: r − μ
//	  what to know s has ddof 1 and is float32 throughout. A group of one gets 0. A sample without
//	               a score (NaN, None) gets 0 and counts in no mean or s. Groups of different sizes
//	               are a RuntimeError. Equal rewards give 0 or a residue (eight of 10.1: +0.0094),
//	               which frac_reward_zero_std misses.
//	  scales       group, batch, none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       huggingface/trl@f2cd57710ae345ea6428ae95363267fcf38a3dc8
//	               trl/trainer/grpo_trainer.py:GRPOTrainer._generate_and_score_completions
//
//	trl grpo_normalize_then_sum
//	  formula      z = Σ_k w_k · (r_k − μ_k) / (s_k + 1e-4); A = (z − mean z) / (s_z + 1e-4)
//	  what to know ddof 1 twice, the second time over the batch; scale_rewards is ignored. A group
//	               of one gets 0. A sample without a score (NaN, None) gets 0 and counts in no mean
//	               or s. Groups of different sizes are a RuntimeError.
//	  scales       group
//	  precision    float32, to the bit
//	  needs        reward, group, reward components
//	  filter       can be tried here; its trainer has no such filter
//	  source       huggingface/trl@f2cd57710ae345ea6428ae95363267fcf38a3dc8
//	               trl/trainer/grpo_trainer.py:GRPOTrainer._generate_and_score_completions
//
//	trl rloo
//	  formula      A = r − (Σ − r) / (m − 1), m = samples with a score
//	  what to know Only for beta=0: by default (0.05) KL is subtracted from the reward.
//	               reward_clip_range and normalize_advantages are off, as by default. A sample
//	               without a score (NaN, None) gets 0 and counts in no mean or s. Groups of
//	               different sizes are a RuntimeError.
//	  scales       none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       none
//	  source       huggingface/trl@f2cd57710ae345ea6428ae95363267fcf38a3dc8
//	               trl/trainer/rloo_trainer.py:RLOOTrainer._generate_and_score_completions
//
//	trl rloo_normalize_advantages
//	  formula      a = r − (Σ − r) / (m − 1); A = (a − mean a) / (s_a + 1e-4)
//	  what to know Only for beta=0. s has ddof 1, over the advantages of the batch. A sample
//	               without a score (NaN, None) gets 0 and counts in no mean or s. Groups of
//	               different sizes are a RuntimeError.
//	  scales       batch
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       none
//	  source       huggingface/trl@f2cd57710ae345ea6428ae95363267fcf38a3dc8
//	               trl/trainer/rloo_trainer.py:RLOOTrainer._generate_and_score_completions
//
//	trl async_grpo
//	  formula      A = (r − μ) / (s + 1e-8)
//	  what to know numpy float64, s of a population (ddof 0). A group of one and equal rewards give
//	               0 or a residue of it. Groups may differ in size. NaN and None get 0 and count in
//	               no mean.
//	  scales       group
//	  precision    float64, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       huggingface/trl@f2cd57710ae345ea6428ae95363267fcf38a3dc8
//	               trl/experimental/async_grpo/async_rollout_worker.py:828-843
//
//	trl rloo_kl_in_reward
//	  formula      r − beta·KL, then RLOO
//	  what to know beta (0.05 by default) subtracts the KL of the sequence from the reward before
//	               the estimator sees it. A log would have to hold the KL per sample.
//	  scales       none
//	  precision    float32
//	  needs        reward, group, more than rewards
//	  filter       none
//	  source       huggingface/trl@f2cd57710ae345ea6428ae95363267fcf38a3dc8
//	               trl/trainer/rloo_trainer.py:RLOOTrainer._generate_and_score_completions
//
//	ms-swift grpo
//	  formula      A = (r − μ) / (s + 1e-4), s of the group or of the batch; none: r − μ
//	  what to know s has ddof 1. A group of one gets 0. Equal rewards give 0 or a float32 residue
//	               of it (eight of 10.1: +0.0095). Groups of different sizes are a RuntimeError.
//	               NaN counts as 0.
//	  scales       group, batch, none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9
//	               swift/rl_core/advantage.py:compute_advantages
//
//	ms-swift rloo
//	  formula      A = (r·n/(n − 1) − μ·n/(n − 1)) / (s + 1e-4); none: not divided
//	  what to know Only for kl_in_reward=False (the default is True). s has ddof 1 and is that of
//	               the rewards. A group of one gets 0. Groups of different sizes are a
//	               RuntimeError. NaN counts as 0.
//	  scales       none, group, batch
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       none
//	  source       modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9
//	               swift/rl_core/advantage.py:compute_advantages
//
//	ms-swift reinforce_plus_plus
//	  formula      a = r − μ; A = a / (s_a + 1e-4), s of the batch or of the group; none: a
//	  what to know Only for kl_in_reward=False (the default is True). s has ddof 1 and is that of r
//	               − μ. No weighting by tokens and no second mean, unlike the REINFORCE++ of
//	               others. A group of one gets 0. Groups of different sizes are a RuntimeError. NaN
//	               counts as 0.
//	  scales       batch, group, none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       none
//	  source       modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9
//	               swift/rl_core/advantage.py:compute_advantages
//
//	ms-swift grpo_dynamic
//	  formula      A = (r − μ) / (s + 1e-4), s of the group or of the batch; none: r − μ
//	  what to know s has ddof 1. A group of one gets 0. Equal rewards give 0 or a float32 residue
//	               of it (eight of 10.1: +0.0095). Groups may differ in size; of several turns of
//	               one request the last counts, which the log must have sorted out. NaN counts as
//	               0.
//	  scales       group, batch, none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9
//	               swift/rl_core/advantage.py:compute_advantages_dynamic
//
//	ms-swift rloo_dynamic
//	  formula      A = (r·n/(n − 1) − μ·n/(n − 1)) / (s + 1e-4); none: not divided
//	  what to know Only for kl_in_reward=False (the default is True). s has ddof 1 and is that of
//	               the rewards. A group of one gets 0. Groups may differ in size; of several turns
//	               of one request the last counts, which the log must have sorted out. NaN counts
//	               as 0.
//	  scales       none, group, batch
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       none
//	  source       modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9
//	               swift/rl_core/advantage.py:compute_advantages_dynamic
//
//	ms-swift reinforce_plus_plus_dynamic
//	  formula      a = r − μ; A = a / (s_a + 1e-4), s of the batch or of the group; none: a
//	  what to know Only for kl_in_reward=False (the default is True). s has ddof 1 and is that of r
//	               − μ. No weighting by tokens and no second mean, unlike the REINFORCE++ of
//	               others. A group of one gets 0. Groups may differ in size; of several turns of
//	               one request the last counts, which the log must have sorted out. NaN counts as
//	               0.
//	  scales       batch, group, none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       none
//	  source       modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9
//	               swift/rl_core/advantage.py:compute_advantages_dynamic
//
//	ms-swift gdpo
//	  formula      z = Σ_k w_k · (r_k − μ_k) / (s_k + 1e-8); A = (z − mean z) / (s_z + 1e-8)
//	  what to know ddof 1 twice, the second time over the batch. A component without a score counts
//	               as 0 after its scaling. Groups of different sizes are a RuntimeError.
//	  scales       group
//	  precision    float32, to the bit
//	  needs        reward, group, reward components
//	  filter       can be tried here; its trainer has no such filter
//	  source       modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9
//	               swift/rl_core/advantage.py:compute_advantages
//
//	ms-swift kl_in_reward
//	  formula      r − beta·KL, then the estimator
//	  what to know kl_in_reward (True by default for rloo and reinforce_plus_plus) subtracts
//	               beta·KL of the sequence from the reward. A log would have to hold the KL per
//	               sample.
//	  scales       none
//	  precision    float32
//	  needs        reward, group, more than rewards
//	  filter       none
//	  source       modelscope/ms-swift@3602360a562313afbf2ef6065fdf61f271a2c5b9
//	               swift/rl_core/advantage.py:compute_advantages
//
//	openrlhf group_norm
//	  formula      A = clip((r − μ) / (s + 1e-9), ±10)
//	  what to know s has ddof 1. A group of one is NaN (the command line forbids it). Equal rewards
//	               often do not give 0 (eight of 0.7: 10, cut from 59.6). Then cut to ±10. kl_coef
//	               is 0 here. Groups of different sizes are a RuntimeError. NaN makes its group
//	               NaN.
//	  scales       group
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7
//	               openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns
//
//	openrlhf dr_grpo
//	  formula      A = clip(r − μ, ±10)
//	  what to know No scale, no eps. A group of one gets 0 (the command line forbids it). Then cut
//	               to ±10. kl_coef is 0 here. Groups of different sizes are a RuntimeError. NaN
//	               makes its group NaN.
//	  scales       none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7
//	               openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns
//
//	openrlhf rloo
//	  formula      A = clip(r − (Σr − r) / (n − 1), ±10)
//	  what to know No scale, no eps. A group of one is NaN (the command line forbids it). Then cut
//	               to ±10. kl_coef is 0 here. Groups of different sizes are a RuntimeError. NaN
//	               makes its group NaN.
//	  scales       none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       none
//	  source       OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7
//	               openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns
//
//	openrlhf reinforce
//	  formula      A = (r − m) / √max(v, 1e-8), m and v over response tokens
//	  what to know r is cut to ±10 first. All tokens of a sample have one value at gamma 1; group
//	               ids are not used. Summed in float64 here: agrees to 1e-4, not to the bit. ddof
//	               0. kl_coef is 0 here. NaN makes all NaN.
//	  scales       none
//	  precision    float32, to 1e-4
//	  needs        reward, group, response lengths
//	  filter       none
//	  source       OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7
//	               openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns
//
//	openrlhf reinforce_baseline
//	  formula      a = clip(r − μ, ±10); A = (a − m) / √max(v, 1e-8), m and v over response tokens
//	  what to know All tokens of a sample have one value at gamma 1; the group counts in μ only.
//	               Summed in float64 here: agrees to 1e-4, not to the bit. ddof 0. kl_coef is 0
//	               here. Groups of different sizes are a RuntimeError. NaN makes all NaN.
//	  scales       none
//	  precision    float32, to 1e-4
//	  needs        reward, group, response lengths
//	  filter       none
//	  source       OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7
//	               openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns
//
//	openrlhf gae
//	  formula      A = Σ (γλ)^k δ_{t+k}, whitened over tokens
//	  what to know It takes the critic's value of every token; rewards do not tell even the sign of
//	               an advantage. A log would have to hold the values per token.
//	  scales       none
//	  precision    float32
//	  needs        reward, group, more than rewards
//	  filter       none
//	  source       OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7
//	               openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns
//
//	openrlhf kl_in_reward
//	  formula      r − kl_coef·KL per token, then the estimator
//	  what to know By default (kl.init_coef 0.01, no KL loss) every token carries −kl_coef·KL. A
//	               log would have to hold the KL per token.
//	  scales       none
//	  precision    float32
//	  needs        reward, group, more than rewards
//	  filter       none
//	  source       OpenRLHF/OpenRLHF@3c3be6234e0cb353e76bb8019947db9dfe99fca7
//	               openrlhf/trainer/ppo_utils/experience_maker.py:compute_advantages_and_returns
//
//	nemo-rl grpo
//	  formula      A = (r − μ₋ᵢ) / (s₋ᵢ + 1e-6) if s₋ᵢ > 0, else r − μ₋ᵢ; none: r − μ₋ᵢ
//	  what to know μ and s, ddof 1, leave the sample out: one success among failures keeps 1.0, the
//	               failures are divided. Groups of two get ±1, of one 0. Groups may differ in size;
//	               identical prompts are one group. NaN makes its group NaN. Agrees to 1e-5; where
//	               rewards are nearly equal, the rounding of the framework's BLAS decides whether s
//	               is 0.
//	  scales       group, none
//	  precision    float32, to 1e-5
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909
//	               nemo_rl/algorithms/advantage_estimator.py:GRPOAdvantageEstimator.compute_advantage
//
//	nemo-rl grpo_no_leave_one_out
//	  formula      A = (r − μ) / (s + 1e-6) if s > 0, else r − μ; none: r − μ
//	  what to know s has ddof 1, by E[r²] − E[r]². A group of one gets 0. Groups may differ in
//	               size; identical prompts are one group. NaN makes its group NaN. Agrees to 1e-5;
//	               where rewards are nearly equal, the rounding of the framework's BLAS decides
//	               whether s is 0.
//	  scales       group, none
//	  precision    float32, to 1e-5
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909
//	               nemo_rl/algorithms/advantage_estimator.py:GRPOAdvantageEstimator.compute_advantage
//
//	nemo-rl reinforce_plus_plus
//	  formula      a = r − μ; A = (a − m) / √max(v, 1e-8), m and v over response tokens
//	  what to know ddof 0. A group of one has a = 0. Without KL in the reward. All tokens of a
//	               sample have one value at gamma 1; the group counts in μ only. Summed in float64
//	               here: agrees to 1e-4, not to the bit. NaN makes all NaN.
//	  scales       none
//	  precision    float32, to 1e-4
//	  needs        reward, group, response lengths
//	  filter       none
//	  source       NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909
//	               nemo_rl/algorithms/advantage_estimator.py:ReinforcePlusPlusAdvantageEstimator.compute_advantage
//
//	nemo-rl reinforce_plus_plus_no_baseline
//	  formula      A = (r − m) / √max(v, 1e-8), m and v over response tokens
//	  what to know ddof 0. Without KL in the reward. All tokens of a sample have one value at gamma
//	               1; group ids are not used. Summed in float64 here: agrees to 1e-4, not to the
//	               bit. NaN makes all NaN.
//	  scales       none
//	  precision    float32, to 1e-4
//	  needs        reward, group, response lengths
//	  filter       none
//	  source       NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909
//	               nemo_rl/algorithms/advantage_estimator.py:ReinforcePlusPlusAdvantageEstimator.compute_advantage
//
//	nemo-rl gdpo
//	  formula      a = Σ_k w_k · A_k; A = (a − mean a) / s_a, not divided if s_a is 0
//	  what to know A_k is grpo of component k. s_a has ddof 1, over the batch, and nothing added to
//	               it. Groups may differ in size; identical prompts are one group. NaN makes its
//	               group NaN. Agrees to 1e-5; where rewards are nearly equal, the rounding of the
//	               framework's BLAS decides whether s is 0.
//	  scales       group, none
//	  precision    float32, to 1e-5
//	  needs        reward, group, reward components
//	  filter       can be tried here; its trainer has no such filter
//	  source       NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909
//	               nemo_rl/algorithms/advantage_estimator.py:GDPOAdvantageEstimator.compute_advantage
//
//	prime-rl grpo
//	  formula      A = r − μ
//	  what to know No standard deviation, no eps. A group of one gets 0. Equal rewards give 0 or a
//	               float32 residue of it, which zero-advantage filtering does not drop. Groups may
//	               differ in size. NaN makes its group NaN.
//	  scales       none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       PrimeIntellect-ai/prime-rl@559b44772e471d1538537b8805cc77f3824a5e64
//	               src/prime_rl/orchestrator/algo/grpo.py:GRPOAlgorithm.score_group
//
//	prime-rl grpo_length_penalty
//	  formula      r' = r − μ · 0.25 · l / max l; A = r' − mean r'
//	  what to know num_output_tokens_weight is 0.25, its default; num_input_tokens_weight and
//	               num_turns_weight, 0.1 by default, are 0 here, since they take input tokens and
//	               turns. The rest as grpo.
//	  scales       none
//	  precision    float32, to the bit
//	  needs        reward, group, response lengths
//	  filter       can be tried here; its trainer has no such filter
//	  source       PrimeIntellect-ai/prime-rl@559b44772e471d1538537b8805cc77f3824a5e64
//	               src/prime_rl/orchestrator/algo/grpo.py:GRPOAlgorithm.score_group
//
//	prime-rl max_rl
//	  formula      A = (r − μ) / μ if μ > 0, else 0
//	  what to know No eps. A group of one gets 0. Groups may differ in size. NaN makes its group
//	               NaN.
//	  scales       none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       PrimeIntellect-ai/prime-rl@559b44772e471d1538537b8805cc77f3824a5e64
//	               src/prime_rl/orchestrator/algo/max_rl.py:MaxRLAlgorithm.score_group
//
//	prime-rl rae
//	  formula      A = r − EMA of earlier rewards of the same agent
//	  what to know Its baseline is a running mean per agent over all groups so far, in the order in
//	               which they were scored. A log would have to hold the agent of each sample and
//	               every group from step 0 on.
//	  scales       none
//	  precision    float32
//	  needs        reward, group, more than rewards
//	  filter       none
//	  source       PrimeIntellect-ai/prime-rl@559b44772e471d1538537b8805cc77f3824a5e64
//	               src/prime_rl/orchestrator/algo/rae.py:RAEAlgorithm.score_group
//
//	slime grpo
//	  formula      a = r − μ; A = a / (s_a + 1e-6); none: a
//	  what to know s has ddof 1 and is that of the centred rewards. Groups of one get 0. Equal
//	               rewards give 0 or a residue over s + 1e-6 (eight of 10.1: +0.95). If groups
//	               differ in size, the whole batch is one group. NaN makes its group NaN.
//	  scales       group, none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       THUDM/slime@624b824a898ab0ec1fcb4d373004c7f3852bf515
//	               slime/ray/rollout.py:_post_process_rewards
//
//	slime reinforce_plus_plus
//	  formula      A = (r − m) / √(v + 1e-8), m and v over response tokens
//	  what to know All tokens of a sample have one value at gamma 1; group ids are not used. Summed
//	               in float64 here: agrees to 1e-4, not to the bit. ddof 1; v = E[x²] − E[x]²: the
//	               framework, in float32, gives NaN for a batch of equal rewards or with a large
//	               offset; here it does not. NaN makes all NaN.
//	  scales       none
//	  precision    float32, to 1e-4
//	  needs        reward, group, response lengths
//	  filter       none
//	  source       THUDM/slime@624b824a898ab0ec1fcb4d373004c7f3852bf515
//	               slime/backends/megatron_utils/loss.py:compute_advantages_and_returns
//
//	slime reinforce_plus_plus_baseline
//	  formula      a = r − μ; A = (a − m) / √(v + 1e-8), m and v over response tokens
//	  what to know All tokens of a sample have one value at gamma 1; the group counts in μ only.
//	               Summed in float64 here: agrees to 1e-4, not to the bit. ddof 1; v = E[x²] −
//	               E[x]²: the framework, in float32, gives NaN for a batch of equal rewards or with
//	               a large offset; here it does not. If groups differ in size, the whole batch is
//	               one group. NaN makes all NaN.
//	  scales       none
//	  precision    float32, to 1e-4
//	  needs        reward, group, response lengths
//	  filter       none
//	  source       THUDM/slime@624b824a898ab0ec1fcb4d373004c7f3852bf515
//	               slime/backends/megatron_utils/loss.py:compute_advantages_and_returns
//
//	skyrl grpo
//	  formula      A = (r − μ) / (s + 1e-6); none: r − μ
//	  what to know s has ddof 1. A group of one has μ 0 and s 1. Equal rewards give 0 or a float32
//	               residue of it over s + 1e-6 (eight of 10.1: +0.47). Groups may differ in size.
//	               NaN makes its group NaN.
//	  scales       group, none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       NovaSky-AI/SkyRL@a9564572eb8e91076be43c1bd5e4615e3de17265
//	               skyrl/backends/skyrl_train/utils/ppo_utils.py:compute_grpo_outcome_advantage
//
//	skyrl rloo
//	  formula      A = (r − μ) · n/(n − 1)
//	  what to know No standard deviation, no eps. A group of one gets 0. Equal rewards give 0 or a
//	               float32 residue of it. Groups may differ in size. NaN makes its group NaN.
//	  scales       none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       none
//	  source       NovaSky-AI/SkyRL@a9564572eb8e91076be43c1bd5e4615e3de17265
//	               skyrl/backends/skyrl_train/utils/ppo_utils.py:compute_rloo_outcome_advantage
//
//	skyrl maxrl
//	  formula      A = (r − μ) / (μ + 1e-6)
//	  what to know A negative mean turns the signs round, a mean of 0 gives advantages of 1e6. A
//	               group of one gets its raw reward. Groups may differ in size. NaN makes its group
//	               NaN.
//	  scales       none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       NovaSky-AI/SkyRL@a9564572eb8e91076be43c1bd5e4615e3de17265
//	               skyrl/backends/skyrl_train/utils/ppo_utils.py:compute_maxrl_advantage
//
//	skyrl reinforce_plus_plus
//	  formula      A = (r − m) / √(v + 1e-8), m and v over response tokens
//	  what to know All tokens of a sample have one value at gamma 1; group ids are not used. Summed
//	               in float64 here: agrees to 1e-4, not to the bit. ddof 1. NaN makes all NaN.
//	  scales       none
//	  precision    float32, to 1e-4
//	  needs        reward, group, response lengths
//	  filter       none
//	  source       NovaSky-AI/SkyRL@a9564572eb8e91076be43c1bd5e4615e3de17265
//	               skyrl/backends/skyrl_train/utils/ppo_utils.py:compute_reinforce_plus_plus_outcome_advantage
//
//	skyrl grpo_batch_normalize
//	  formula      a = GRPO; A = (a − m) / √max(v, 1e-8), m over all positions, v over response
//	               tokens
//	  what to know m counts padding as zeros, up to the longest response of the batch; v is that of
//	               a population around m. Summed in float64 here: agrees to 1e-4. The rest as grpo.
//	  scales       group, none
//	  precision    float32, to 1e-4
//	  needs        reward, group, response lengths
//	  filter       can be tried here; its trainer has no such filter
//	  source       NovaSky-AI/SkyRL@a9564572eb8e91076be43c1bd5e4615e3de17265
//	               skyrl/train/trainer.py:1473-1482
//
//	roll grpo
//	  formula      A = (r − μ) / (s + 1e-6)
//	  what to know s has ddof 1. A group of one is NaN. Equal rewards give 0 or a residue over s +
//	               1e-6 (eight of 10.1: +0.95). Groups of different sizes are a RuntimeError. NaN
//	               makes its group NaN. reward_clip is off.
//	  scales       group
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a
//	               roll/utils/functionals.py:reward_norm
//
//	roll reward_norm
//	  formula      A = (r − μ) / (s + 1e-6), s of the group or of the batch; none: r − μ
//	  what to know s has ddof 1. A group of one is NaN (group). Groups of different sizes are a
//	               RuntimeError. NaN makes its group NaN. reward_clip is off.
//	  scales       group, batch, none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a
//	               roll/utils/functionals.py:reward_norm
//
//	roll reward_norm_batch
//	  formula      A = (r − mean) / (s + 1e-6), both of the batch; none: r − mean
//	  what to know s has ddof 1. Groups do not count. (batch, group) is broken in the framework: it
//	               returns a matrix. NaN makes all NaN.
//	  scales       batch, none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       none
//	  source       alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a
//	               roll/utils/functionals.py:reward_norm
//
//	roll agentic_reward_norm
//	  formula      A = (r − μ) / (s + 1e-6) if n > 1 and s > 1e-6, else 0; none: r − μ
//	  what to know s has ddof 1. A group of one gets 0. Groups may differ in size. NaN makes its
//	               group 0.
//	  scales       group, batch, none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a
//	               roll/pipeline/agentic/utils.py:agentic_reward_norm
//
//	roll reinforce_whiten_advantages
//	  formula      A = (r − m) / √(v + 1e-8), m and v over response tokens
//	  what to know All tokens of a sample have one value at gamma 1; group ids are not used. Summed
//	               in float64 here: agrees to 1e-4, not to the bit. ddof 1. NaN makes all NaN.
//	  scales       none
//	  precision    float32, to 1e-4
//	  needs        reward, group, response lengths
//	  filter       none
//	  source       alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a
//	               roll/utils/functionals.py:compute_advantage
//
//	roll reinforce_whiten_advantages_group
//	  formula      a = r − μ; A = (a − m) / √(v + 1e-8), m and v over response tokens
//	  what to know All tokens of a sample have one value at gamma 1; the group counts in μ only.
//	               Summed in float64 here: agrees to 1e-4, not to the bit. ddof 1. Groups of
//	               different sizes are a RuntimeError. NaN makes all NaN.
//	  scales       none
//	  precision    float32, to 1e-4
//	  needs        reward, group, response lengths
//	  filter       none
//	  source       alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a
//	               roll/utils/functionals.py:compute_advantage
//
//	open-instruct centered
//	  formula      A = r − μ
//	  what to know numpy float64. A group of one gets 0; equal rewards are dropped before. Groups
//	               of different sizes are a ValueError. NaN makes its group NaN.
//	  scales       none
//	  precision    float64, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       allenai/open-instruct@e6c3044aa6201c8bfa4573c1b03142af599e730d
//	               open_instruct/data_loader.py:1472-1484
//
//	open-instruct standard
//	  formula      A = (r − μ) / (s + 1e-8)
//	  what to know numpy float64, s of a population (ddof 0). A group of one gets 0; equal rewards
//	               are dropped before. Groups of different sizes are a ValueError. NaN makes its
//	               group NaN.
//	  scales       group
//	  precision    float64, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       allenai/open-instruct@e6c3044aa6201c8bfa4573c1b03142af599e730d
//	               open_instruct/data_loader.py:1472-1484
//
//	tinker centered
//	  formula      A = r − μ
//	  what to know float32; no standard deviation, no eps. A group of one gets 0. Equal rewards
//	               give 0 or a float32 residue of it. Groups may differ in size. NaN makes its
//	               group NaN.
//	  scales       none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       thinking-machines-lab/tinker-cookbook@9dfcc3a2cf44432d621a01005073dc6d76a1e87a
//	               tinker_cookbook/rl/data_processing.py:compute_advantages
//
//	verifiers group
//	  formula      A = r − Σr/n
//	  what to know Python floats (float64), summed from left to right. A group of one gets 0; equal
//	               rewards 0 or a residue. Groups may differ in size. NaN makes its group NaN. A
//	               RubricGroup leaves the advantage of its last rubric, whatever the summed reward.
//	  scales       none
//	  precision    float64, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       PrimeIntellect-ai/verifiers@a60a606ecc4d309247edf9ff92c3eabca362781f
//	               verifiers/legacy/rubrics/rubric.py:Rubric.score_group
//
//	areal reward_norm
//	  formula      A = (x − μ) / (s + 1e-5), x = clip(r, ±20), s of the group or of the batch;
//	               none: x − μ
//	  what to know s has ddof 1, around the means of the groups. A group of one gets 0. Rewards are
//	               cut to ±20 first (reward_bias 0, reward_scaling 1). float64 inside. Groups are
//	               blocks of the usual size by position; rows beyond the last whole block are
//	               divided by 1e-5 alone (group). NaN makes its group NaN.
//	  scales       group, batch, none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       inclusionAI/AReaL@4aef98d8d818af55b43621aaadba047ae10f4e77
//	               areal/utils/data.py:Normalization.__call__
//
//	areal reward_norm_biased
//	  formula      A = (x − μ) / (s + 1e-5), x = clip(r, ±20)
//	  what to know As reward_norm, but s has ddof 0. Rewards are cut to ±20 first (reward_bias 0,
//	               reward_scaling 1). float64 inside. Groups are blocks of the usual size by
//	               position; rows beyond the last whole block are divided by 1e-5 alone (group).
//	               NaN makes its group NaN.
//	  scales       group, batch
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       inclusionAI/AReaL@4aef98d8d818af55b43621aaadba047ae10f4e77
//	               areal/utils/data.py:Normalization.__call__
//
//	areal reward_norm_batch
//	  formula      A = (x − mean) / (s + 1e-5), both of the batch, x = clip(r, ±20); none: x − mean
//	  what to know s has ddof 1. Rewards are cut to ±20 first (reward_bias 0, reward_scaling 1).
//	               float64 inside. Groups are blocks of the usual size by position; rows beyond the
//	               last whole block are divided by 1e-5 alone (group). NaN makes its group NaN.
//	  scales       batch, none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       none
//	  source       inclusionAI/AReaL@4aef98d8d818af55b43621aaadba047ae10f4e77
//	               areal/utils/data.py:Normalization.__call__
//
//	areal reward_norm_leave_one_out
//	  formula      A = x − mean of the others, x = clip(r, ±20)
//	  what to know A group of one gets x. Rewards are cut to ±20 first (reward_bias 0,
//	               reward_scaling 1). float64 inside. Groups are blocks of the usual size by
//	               position; rows beyond the last whole block are divided by 1e-5 alone (group).
//	               NaN makes its group NaN.
//	  scales       none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       none
//	  source       inclusionAI/AReaL@4aef98d8d818af55b43621aaadba047ae10f4e77
//	               areal/utils/data.py:Normalization.__call__
//
//	areal adv_norm_batch
//	  formula      a = x − μ; A = (a − m) / (√v + 1e-5), m and v over response tokens
//	  what to know v has ddof 1. mean_leave1out would leave out a token, not a sample. Summed in
//	               float64 here: agrees to 1e-4. Rewards are cut to ±20 first (reward_bias 0,
//	               reward_scaling 1). float64 inside. Groups are blocks of the usual size by
//	               position; rows beyond the last whole block are divided by 1e-5 alone (group).
//	               NaN makes its group NaN.
//	  scales       none
//	  precision    float32, to 1e-4
//	  needs        reward, group, response lengths
//	  filter       none
//	  source       inclusionAI/AReaL@4aef98d8d818af55b43621aaadba047ae10f4e77
//	               areal/trainer/ppo/actor.py:_compute_advantages
//
//	easyr1-upstream grpo
//	  formula      A = (r − μ) / (s + 1e-6)
//	  what to know s has ddof 1. A group of one is an AssertionError. Equal rewards give 0 or a
//	               float32 residue of it over s + 1e-6: eight of 10.1 give +0.47. Groups may differ
//	               in size. NaN makes its group NaN.
//	  scales       group
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16
//	               verl/trainer/core_algos.py:compute_grpo_outcome_advantage
//
//	easyr1-upstream grpo_passk
//	  formula      best: (r1 − r2) / (s + 1e-6), others 0
//	  what to know s has ddof 1. A group of one is an AssertionError. Equal best rewards give 0.
//	               NaN ranks highest and gives NaN. Groups may differ in size.
//	  scales       group
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16
//	               verl/trainer/core_algos.py:compute_grpo_passk_outcome_advantage
//
//	easyr1-upstream rloo
//	  formula      A = r − (Σr − r) / (n − 1)
//	  what to know No standard deviation and no eps. A group of one is an AssertionError. Equal
//	               rewards give 0 or a float32 residue of it. Groups may differ in size. NaN makes
//	               its group NaN.
//	  scales       none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       none
//	  source       hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16
//	               verl/trainer/core_algos.py:compute_rloo_outcome_advantage
//
//	easyr1-upstream reinforce_plus_plus
//	  formula      A = (r − m) / √(v + 1e-8), m and v over response tokens
//	  what to know All tokens of a sample have one value at gamma 1; group ids are not used. Summed
//	               in float64 here: agrees to 1e-4, not to the bit. ddof 1. NaN makes all NaN.
//	  scales       none
//	  precision    float32, to 1e-4
//	  needs        reward, group, response lengths
//	  filter       none
//	  source       hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16
//	               verl/trainer/core_algos.py:compute_reinforce_plus_plus_outcome_advantage
//
//	easyr1-upstream remax
//	  formula      A = r − b, b the reward of one greedy response
//	  what to know No scale, no eps; groups of any size. NaN stays with its sample. The usual logs
//	               do not hold b.
//	  scales       none
//	  precision    float32, to the bit
//	  needs        reward, group, greedy baselines
//	  filter       none
//	  source       hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16
//	               verl/trainer/core_algos.py:compute_remax_outcome_advantage
//
//	easyr1-upstream gae
//	  formula      A = Σ (γλ)^k δ_{t+k}, whitened over tokens
//	  what to know It takes the critic's value of every token (and at this revision raises a
//	               RuntimeError for more than one sample). A log would have to hold the values per
//	               token.
//	  scales       none
//	  precision    float32
//	  needs        reward, group, more than rewards
//	  filter       none
//	  source       hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16
//	               verl/trainer/core_algos.py:compute_gae_advantage_return
//
//	verl-2026-01 grpo_vectorized
//	  formula      A = (r − μ) / (s + 1e-6), s ≥ 1e-3; none: r − μ
//	  what to know s² = max((Σr² − (Σr)²/n)/(n − 1), 1e-6), float32 from left to right. A group of
//	               one has μ 0 and s 1. Equal rewards give nearly 0. Groups may differ in size. NaN
//	               makes its group NaN.
//	  scales       group, none
//	  precision    float32, to the bit
//	  needs        reward, group
//	  filter       can be tried here; its trainer has no such filter
//	  source       volcengine/verl@b178a3cd56f58b2d502255daba591e92833930a7
//	               verl/trainer/ppo/core_algos.py:compute_grpo_vectorized_outcome_advantage
package estimators
