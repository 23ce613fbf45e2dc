"""TRL: see frame/trl_statements.py, and the statements of the experimental asynchronous trainer, which are numpy.

The trainers read their own configurations; trl/grpo.py trains with the whole class.
"""

import math
import types

import comparison
import cut
import trl_statements
import numpy as np
import proof
import ratios
import torch
from trl.trainer.grpo_config import GRPOConfig
from trl.trainer.rloo_config import RLOOConfig

FIRST, LAST = "unscorable_mask =", "torch.nan_to_num(advantages"


mask_of_rows = cut.definition(cut.file_of("trl.trainer.grpo_trainer"), "get_off_policy_mask", {"torch": torch})


def drop(threshold):
    def call(batch):
        advantages, new, sampled, mask = map(torch.from_numpy, (batch.advantages[:, None], batch.old, batch.rollout, batch.mask))
        return mask_of_rows(advantages, new, sampled, mask, threshold), mask

    return call


def config(kind, folder):
    return lambda **options: kind(output_dir=str(folder), bf16=False, report_to="none", **options)


def prove(p):
    of_grpo = trl_statements.configured(trl_statements.GRPO, ("scale_rewards", "multi_objective_aggregation"), config(GRPOConfig, p.work))
    of_rloo = trl_statements.configured(trl_statements.RLOO, ("normalize_advantages", "reward_clip_range"), config(RLOOConfig, p.work))
    grpo = trl_statements.caller(None, trl_statements.GRPO, FIRST, LAST, of_grpo)
    rloo = trl_statements.caller(None, trl_statements.RLOO, FIRST, LAST, of_rloo)
    c = trl_statements.compare(p, "trl", grpo, rloo)
    estimators = {
        "grpo": (grpo, {}),
        "grpo_normalize_then_sum": (grpo, {"multi_objective_aggregation": "normalize_then_sum"}),
        "rloo": (rloo, {}),
        "rloo_normalize_advantages": (rloo, {"normalize_advantages": True}),
    }

    def with_option(estimator, key, value):
        trainer, options = estimators[estimator]
        call = trainer(lambda _: options | {key: value})
        return lambda step: call(step, None)

    clips = (None, (0.2, 0.8))
    values = {"scale_rewards": ("group", "batch", "none"), "reward_clip_range": clips}
    c.options(values, with_option, left_out=("async_grpo", "sdpo"), components=tuple(trl_statements.WEIGHTS))
    path = cut.file_of("trl.experimental.async_grpo.async_rollout_worker")
    score = cut.statements(path, "_score_group", "arr =", "if scored_mask.any()", ["all_rewards"], "advantages", {"np": np})

    def by_group(step, _):
        advantages = np.zeros(len(step.rewards))
        for g in range(len(step.sizes)):
            rows = np.flatnonzero(np.array(step.groups) == g)
            advantages[rows] = score([[step.rewards[i] for i in rows]])
        return advantages

    c.compare("async_grpo", by_group, interleaved=True)
    c.compare("sdpo", sdpo(), unlike=comparison.ragged_by_chance)
    for threshold in (0.5, 0.01):
        ratios.compare(p, "trl/off_policy_mask", {"off_policy_mask_threshold": threshold}, drop(threshold))


def sdpo():
    """The statements of the experimental self-distillation trainer; NaN rewards are 0 before, as its nansum makes them."""
    path = cut.file_of("trl.experimental.sdpo.sdpo_trainer")
    arguments = ["self", "rewards", "num_generations", "device"]
    score = cut.statements(path, "_prepare_training_batch", "mean_grouped_rewards =", "advantages = (rewards", arguments, "advantages", {"torch": torch})

    def call(step, scale):
        rewards = torch.tensor(step.rewards).nan_to_num(nan=0.0, posinf=math.inf, neginf=-math.inf)
        return score(types.SimpleNamespace(scale_rewards=scale), rewards, step.n, "cpu")

    return call


proof.run("trl", prove)
