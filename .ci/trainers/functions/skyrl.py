"""SkyRL: the registered functions of ppo_utils.py, the batch normalisation of the trainer, and off_policy_correction_utils.py."""

import types

import comparison
import cut
import numpy as np
import proof
import ratios
import stubs

# What SkyRL imports and advantages do not use.
stubs.install("pydantic", "cloudpathlib", "ray", "jaxtyping", "loguru", "skyrl_gym")

import torch  # noqa: E402
from skyrl.backends.skyrl_train.utils import off_policy_correction_utils, ppo_utils  # noqa: E402


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


OFF = {
    "tis_ratio_type": None,
    "token_tis_ratio_clip_high": 2.0,
    "sequence_tis_ratio_clip_high": 5.0,
    "sequence_mask_metric": None,
    "geo_mask_low": 0.99,
    "geo_mask_high": 1.01,
    "product_mask_low": 0.5,
    "product_mask_high": 2.0,
    "outlier_token_is_threshold_low": None,
    "outlier_token_is_threshold_high": None,
    "token_mask_is_threshold_low": None,
    "token_mask_is_threshold_high": None,
}


def correct(options):
    def call(batch):
        config = types.SimpleNamespace(**OFF | options)
        weights, _, mask = off_policy_correction_utils.compute_off_policy_correction(*map(torch.from_numpy, (batch.old, batch.rollout, batch.mask)), config)
        return weights, mask

    return call


def prove(p):
    c = comparison.Comparison(p, "skyrl")
    c.compare("grpo", caller(ppo_utils.compute_grpo_outcome_advantage), interleaved=True)
    c.compare("rloo", caller(ppo_utils.compute_rloo_outcome_advantage), interleaved=True)
    c.compare("maxrl", caller(ppo_utils.compute_maxrl_advantage), interleaved=True)
    whitened = caller(ppo_utils.compute_reinforce_plus_plus_outcome_advantage, gamma=1.0)
    c.compare("reinforce_plus_plus", whitened, unlike=comparison.whitening, interleaved=True)
    c.compare("grpo_batch_normalize", batch_normalized(), unlike=infinite, interleaved=True)

    for options in (
        {"tis_ratio_type": "token", "token_tis_ratio_clip_high": 1.2},
        {"tis_ratio_type": "sequence", "sequence_mask_metric": "geometric"},
        {"sequence_mask_metric": "product"},
        {"tis_ratio_type": "token", "outlier_token_is_threshold_low": 0.3, "outlier_token_is_threshold_high": 3.0},
        {"tis_ratio_type": "token", "token_mask_is_threshold_low": 0.8, "token_mask_is_threshold_high": 1.25},
    ):
        ratios.compare(p, "skyrl/off_policy_correction", options, correct(options))


proof.run("skyrl", prove)
