"""verl: its trainer's own call of compute_advantage, with its own configuration.

verl/trainer/ppo/v1/trainer_base.py and ray_trainer.py import inference engines, so that the statements are cut out of them:
what is called is theirs, down to the functions registered in core_algos.py. And the functions of rollout_corr_helper.py.
"""

import collections
import types

import comparison
import cut
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
V1 = "verl.trainer.ppo.v1"


class Data:
    """What the trainer reads of a DataProto."""

    def __init__(self, batch, non_tensor_batch):
        self.batch, self.non_tensor_batch = batch, non_tensor_batch

    def __len__(self):
        return len(self.batch["response_mask"])

    def select_idxs(self, rows):
        return Data({k: v[rows] for k, v in self.batch.items()}, {k: v[rows] for k, v in self.non_tensor_batch.items()})


def dispatch():
    """The trainer's statement that computes the advantages, to be called with the trainer, the data and the batch."""
    names = {"core_algos": core_algos, "torch": torch, "AdvantageEstimator": core_algos.AdvantageEstimator}
    names["compute_advantage"] = cut.definition(cut.file_of("verl.trainer.ppo.ray_trainer"), "compute_advantage", names)
    of_all = "compute_advantage_for_multi_trajectories"
    names[of_all] = cut.definition(cut.file_of(V1 + ".utils"), of_all, names)
    call = f"data = {of_all}("
    return cut.statements(cut.file_of(V1 + ".trainer_base"), "_compute_advantage", call, call, ["self", "data", "batch"], "data", names)


def padded(step):
    """Rewards on the last token and the mask of the response, as verl pads them."""
    width = max(step.lengths)
    mask = torch.tensor([[float(t < length) for t in range(width)] for length in step.lengths])
    rewards = torch.zeros(len(step.rewards), width)
    for i, (reward, length) in enumerate(zip(step.rewards, step.lengths)):
        rewards[i, length - 1] = reward
    return rewards, mask


def data_of(step):
    rewards, mask = padded(step)
    names = {"uid": np.array([f"uid-{g}" for g in step.groups], dtype=object)}
    names |= {name: np.array(column) for name, column in step.components.items()}
    prompts = torch.zeros(len(mask), 1)
    attention = torch.cat([torch.ones(len(mask), 1), mask], 1).long()
    return Data({"token_level_rewards": rewards, "response_mask": mask, "prompts": prompts, "attention_mask": attention}, names)


class Trainer:
    """The trainer, whose statement is called, with a configuration of its own."""

    def __init__(self):
        self.statement = dispatch()

    def advantages(self, step, **algorithm):
        """Every token of a response has one value."""
        rollout = types.SimpleNamespace(rollout=types.SimpleNamespace(n=step.n))
        config = types.SimpleNamespace(algorithm=AlgoConfig(**algorithm), actor_rollout_ref=rollout)
        keys = [f"uid-{g}_{i}_0" for i, g in enumerate(step.groups)]
        data = self.statement(types.SimpleNamespace(config=config), data_of(step), types.SimpleNamespace(keys=keys))
        return data.batch["advantages"][:, 0].tolist()

    def by(self, estimator, **algorithm):
        """To be called with a step and a scale, which is what norm_adv_by_std_in_grpo says."""
        return lambda step, scale: self.advantages(step, adv_estimator=estimator, norm_adv_by_std_in_grpo=scale != "none", **algorithm)


def function(name, **config):
    """The registered function alone, for a scale that no configuration of the trainer gives it."""

    def call(step, scale):
        data = data_of(step)
        options = {"norm_adv_by_std_in_grpo": scale == "group", "config": AlgoConfig(**config)}
        if name == "gdpo":
            options |= {"non_tensor_batch": data.non_tensor_batch, "batch": data.batch}
        rewards, mask = data.batch["token_level_rewards"], data.batch["response_mask"]
        advantages, _ = core_algos.get_adv_estimator_fn(name)(token_level_rewards=rewards, response_mask=mask, index=data.non_tensor_batch["uid"], **options)
        return advantages[:, 0].tolist()

    return call


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


OPTIONS = {"algorithm.norm_adv_by_std_in_grpo": (True, False), "algorithm.gamma": (1.0, 0.9)}  # that vantage reads, with values to try


def prove(p):
    c, trainer = comparison.Comparison(p, "verl"), Trainer()
    c.compare("grpo", trainer.by("grpo"), interleaved=True)
    c.compare("grpo_vectorized", trainer.by("grpo_vectorized"), scales=["group"], interleaved=True)
    c.compare("grpo_vectorized", function("grpo_vectorized"), scales=["none"], interleaved=True)
    c.compare("grpo_passk", trainer.by("grpo_passk"), unlike=several_nan, interleaved=True)
    for name in ("rloo", "rloo_vectorized", "opo", "gpg"):
        c.compare(name, trainer.by(name), interleaved=True)
    for name in ("reinforce_plus_plus", "reinforce_plus_plus_baseline"):
        c.compare(name, trainer.by(name), unlike=comparison.whitening, interleaved=True)
    decoupled = {"gdpo_reward_keys": list(COMPONENTS)}
    several = {"unlike": comparison.whitening, "interleaved": True, "components": COMPONENTS}
    c.compare("gdpo", trainer.by("gdpo", **decoupled), scales=["group"], **several)
    c.compare("gdpo", function("gdpo", **decoupled), scales=["none"], **several)

    def with_option(estimator, key, value):
        more = decoupled if estimator == "gdpo" else {}
        return lambda step: trainer.advantages(step, adv_estimator=estimator, **{key.removeprefix("algorithm."): value}, **more)

    c.options(OPTIONS, with_option, components=COMPONENTS, left_out=("remax",))

    prove_ratios(p)


proof.run("verl", prove)
