"""TRL: see frame/trl_statements.py, and the statements of the experimental asynchronous trainer, which are numpy."""

import math
import types

import comparison
import cut
import trl_statements
import numpy as np
import proof
import torch

FIRST, LAST = "unscorable_mask =", "torch.nan_to_num(advantages"


def prove(p):
    c = trl_statements.compare(p, "trl", trl_statements.caller(None, trl_statements.GRPO, FIRST, LAST), trl_statements.caller(None, trl_statements.RLOO, FIRST, LAST))
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
