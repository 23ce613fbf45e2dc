"""verl: the functions registered in verl/trainer/ppo/core_algos.py, and those of rollout_corr_helper.py."""

import collections

import comparison
import numpy as np
import proof
import ratios
import stubs

# What verl imports and outcome advantages do not use.
stubs.install("codetiming", "orjson", "ray", "tensordict", "transformers")

import torch  # noqa: E402
from verl.trainer.config import AlgoConfig  # noqa: E402
from verl.trainer.ppo import core_algos, rollout_corr_helper  # noqa: E402

COMPONENTS = ("accuracy_reward", "format_reward", "brevity_reward")


def padded(step):
    """Rewards on the last token and the mask of the response, as verl pads them."""
    width = max(step.lengths)
    mask = torch.tensor([[float(t < length) for t in range(width)] for length in step.lengths])
    rewards = torch.zeros(len(step.rewards), width)
    for i, (reward, length) in enumerate(zip(step.rewards, step.lengths)):
        rewards[i, length - 1] = reward
    return rewards, mask


def ids(step):
    return np.array([f"uid-{g}" for g in step.groups], dtype=object)


def outcome(name, **how):
    """The registered function of that name; every token of a response has one value."""
    function = core_algos.get_adv_estimator_fn(name)

    def call(step, scale):
        rewards, mask = padded(step)
        options = {k: v(step, scale) if callable(v) else v for k, v in how.items()}
        advantages, _ = function(token_level_rewards=rewards, response_mask=mask, index=ids(step), **options)
        return advantages[:, 0].tolist()

    return call


def gdpo(step, scale):
    rewards, mask = padded(step)
    config = AlgoConfig(gdpo_reward_keys=list(COMPONENTS))
    advantages, _ = core_algos.compute_gdpo_outcome_advantage(
        token_level_rewards=rewards,
        response_mask=mask,
        index=ids(step),
        norm_adv_by_std_in_grpo=scale == "group",
        config=config,
        non_tensor_batch=step.components,
        batch={"prompts": torch.zeros(len(mask), 1), "attention_mask": torch.cat([torch.ones(len(mask), 1), mask], 1).long()},
    )
    return advantages[:, 0].tolist()


def several_nan(step):
    """Which of several NaN is the best is left open by torch.topk, and differs with the size of the group."""
    nan = collections.Counter(g for g, reward in zip(step.groups, step.rewards) if reward != reward)
    return max(nan.values(), default=0) > 1


def weigh(**options):
    def call(batch):
        ratio, mask = torch.from_numpy(batch.old) - torch.from_numpy(batch.rollout), torch.from_numpy(batch.mask)
        weights, _ = rollout_corr_helper.compute_rollout_correction_weights(ratio, mask, **options)
        return weights, mask

    return call


def reject(tests, threshold):
    def call(batch):
        ratio, mask = torch.from_numpy(batch.old) - torch.from_numpy(batch.rollout), torch.from_numpy(batch.mask)
        left, _ = rollout_corr_helper.compute_rollout_rejection_mask(ratio, mask, tests, threshold)
        return None, left

    return call


def prove_ratios(p):
    for options in (
        {"rollout_is": "token", "rollout_is_threshold": 2.0},
        {"rollout_is": "sequence", "rollout_is_threshold": 2.0},
        {"rollout_is": "token", "rollout_is_threshold": 1.5, "rollout_is_batch_normalize": True},
    ):
        texts = {key: str(value).lower() for key, value in options.items()}
        ratios.compare(p, "verl/rollout_is", texts, weigh(**options))
    for tests, threshold in (("token_k1", "0.9_1.1"), ("seq_mean_k1", "0.99_1.01"), ("seq_sum_k3", "0.5"), ("token_k2,seq_max_k3", "0.05,0.2")):
        ratios.compare(p, "verl/rollout_rs", {"rollout_rs": tests, "rollout_rs_threshold": threshold}, reject(tests, threshold))


def prove(p):
    c = comparison.Comparison(p, "verl")
    by_std = {"norm_adv_by_std_in_grpo": lambda _, scale: scale == "group"}
    config = {"config": AlgoConfig(gamma=1.0)}
    c.compare("grpo", outcome("grpo", **by_std), interleaved=True)
    c.compare("grpo_vectorized", outcome("grpo_vectorized", **by_std), interleaved=True)
    passk = {"config": lambda _, scale: AlgoConfig(norm_adv_by_std_in_grpo=scale == "group")}
    c.compare("grpo_passk", outcome("grpo_passk", **passk), unlike=several_nan, interleaved=True)
    for name in ("rloo", "rloo_vectorized", "opo", "gpg"):
        c.compare(name, outcome(name, **config), interleaved=True)
    for name in ("reinforce_plus_plus", "reinforce_plus_plus_baseline"):
        c.compare(name, outcome(name, **config), unlike=comparison.whitening, interleaved=True)
    c.compare("gdpo", gdpo, unlike=comparison.whitening, interleaved=True, components=COMPONENTS)

    prove_ratios(p)


proof.run("verl", prove)
