"""SkyRL: the registered functions of ppo_utils.py, and the batch normalisation of the trainer."""

import types

import comparison
import cut
import numpy as np
import proof
import stubs

# What SkyRL imports and advantages do not use.
stubs.install("pydantic", "cloudpathlib", "ray", "jaxtyping", "loguru", "skyrl_gym")

import torch  # noqa: E402
from skyrl.backends.skyrl_train.utils import ppo_utils  # noqa: E402


def padded(step):
    width = max(step.lengths)
    mask = torch.tensor([[float(t < length) for t in range(width)] for length in step.lengths])
    rewards = torch.zeros(mask.shape)
    rewards[torch.arange(len(mask)), torch.tensor(step.lengths) - 1] = torch.tensor(step.rewards)
    return rewards, mask


def caller(function, **options):
    def call(step, scale):
        return tokens(function, step, scale, **options)[0][:, 0]

    return call


def tokens(function, step, scale, **options):
    rewards, mask = padded(step)
    ids = np.array([f"uid-{g}" for g in step.groups], dtype=object)
    with_scale = {"token_level_rewards": rewards, "response_mask": mask, "index": ids, "grpo_norm_by_std": scale == "group"}
    return function(**with_scale, **options)[0], mask


def batch_normalized():
    path = cut.file_of("skyrl.train.trainer")
    first = "if self.cfg.trainer.algorithm.advantage_batch_normalize"
    arguments = ["self", "data", "advantages", "response_mask"]
    normalize = cut.statements(path, "_normalize_advantages", first, first, arguments, 'data["advantages"]', {"torch": torch})
    algorithm = types.SimpleNamespace(advantage_batch_normalize=True)
    self = types.SimpleNamespace(cfg=types.SimpleNamespace(trainer=types.SimpleNamespace(algorithm=algorithm)))

    def call(step, scale):
        advantages, mask = tokens(ppo_utils.compute_grpo_outcome_advantage, step, scale)
        return normalize(self, {}, advantages, mask)[:, 0]

    return call


def infinite(step):
    """Leaves out infinite rewards: times the mask of padding they are NaN, of which the mean over all positions is one."""
    return comparison.whitening(step) or step.kind == "infinite"


def prove(p):
    c = comparison.Comparison(p, "skyrl")
    c.compare("grpo", caller(ppo_utils.compute_grpo_outcome_advantage), interleaved=True)
    c.compare("rloo", caller(ppo_utils.compute_rloo_outcome_advantage), interleaved=True)
    c.compare("maxrl", caller(ppo_utils.compute_maxrl_advantage), interleaved=True)
    whitened = caller(ppo_utils.compute_reinforce_plus_plus_outcome_advantage, gamma=1.0)
    c.compare("reinforce_plus_plus", whitened, unlike=comparison.whitening, interleaved=True)
    c.compare("grpo_batch_normalize", batch_normalized(), unlike=infinite, interleaved=True)


proof.run("skyrl", prove)
