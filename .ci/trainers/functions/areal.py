"""AReaL: PPOActor._compute_advantages, without a critic and without KL, in every combination of its norms, and apply_rejection_sampling."""

import types

import comparison
import cut
import numpy as np
import proof
import ratios
import torch
import torch.distributed as dist

DATA, ACTOR = cut.file_of("areal.utils.data"), cut.file_of("areal.trainer.ppo.actor")
Normalization = cut.definition(DATA, "Normalization", {"torch": torch, "np": np, "dist": dist})
compute_advantages = cut.definition(ACTOR, "_compute_advantages", {"torch": torch})


FUNCTIONAL = cut.file_of("areal.utils.functional.functional")


class KLEstimator:
    """Of areal/utils/data.py, as far as it is called."""

    _compute_approx_kl = staticmethod(cut.definition(DATA, "_compute_approx_kl", {"torch": torch}))


apply_rejection_sampling = cut.definition(
    FUNCTIONAL,
    "apply_rejection_sampling",
    {
        "torch": torch,
        "KLEstimator": KLEstimator,
        "RejectionSamplingResult": lambda **given: types.SimpleNamespace(**given),
        "_check_bounds": cut.definition(FUNCTIONAL, "_check_bounds", {"torch": torch}),
    },
)


def reject(**options):
    def call(batch):
        config = types.SimpleNamespace(**{"level": "token", "action": "mask", "metric": "ratio", "agg": "mean", "upper": 5.0, "lower": None} | options)
        result = apply_rejection_sampling(*map(torch.from_numpy, (batch.old, batch.rollout, batch.mask)), None, config)
        return result.behave_imp_weight, result.loss_mask

    return call


def norm(n, mean, std, **options):
    defaults = {"mean_leave1out": False, "std_unbiased": True, "eps": 1e-5}
    return Normalization(types.SimpleNamespace(mean_level=mean, std_level=std, group_size=n, **defaults | options))


def actor(reward_norm, adv_norm=None):
    config = types.SimpleNamespace(overlong_reward_penalty=False, use_decoupled_loss=False, recompute_logprob=False)
    return types.SimpleNamespace(
        config=config,
        reward_bias=0.0,
        reward_scaling=1.0,
        reward_clip=20.0,
        reward_norm=reward_norm,
        adv_norm=adv_norm,
        kl_ctl=0.0,
        kl_estimator=lambda logp, _: torch.zeros_like(logp),
        discount=1.0,
        gae_lambda=1.0,
        mask_no_eos_with_zero=False,
    )


def advantages(step, self):
    """The advantage of the first response token, after a prompt of one token."""
    width = 1 + max(step.lengths)
    attention = torch.tensor([[t < 1 + length for t in range(width)] for length in step.lengths]).long()
    loss_mask = attention.clone()
    loss_mask[:, 0] = 0
    data = {"input_ids": attention, "attention_mask": attention, "loss_mask": loss_mask}
    data |= {"rewards": torch.tensor(step.rewards), "logprobs": torch.zeros(attention.shape)}
    return compute_advantages(self, data)["advantages"][:, 0]


def caller(mean, **options):
    def call(step, scale):
        return advantages(step, actor(norm(step.n, mean, None if scale == "none" else scale, **options)))

    return call


def normalized_twice(step, _):
    return advantages(step, actor(norm(step.n, "group", None), norm(step.n, "batch", "batch")))


def unlike(step):
    return comparison.whitening(step) or not all(map(np.isfinite, step.rewards))


def prove(p):
    c = comparison.Comparison(p, "areal")
    c.compare("reward_norm", caller("group"))
    c.compare("reward_norm_biased", caller("group", std_unbiased=False))
    c.compare("reward_norm_batch", caller("batch"))
    c.compare("reward_norm_leave_one_out", caller("group", mean_leave1out=True))
    c.compare("adv_norm_batch", normalized_twice, unlike=unlike)

    for options in (
        {"upper": 1.2},
        {"upper": 1.2, "lower": 0.8, "action": "clamp"},
        {"level": "sequence", "upper": 1.05, "lower": 0.95},
        {"level": "sequence", "metric": "kl_k3", "agg": "max", "upper": 0.05},
        {"metric": "kl_k2", "upper": 0.01},
    ):
        ratios.compare(p, "areal/rejection_sampling", options, reject(**options))


proof.run("areal", prove)
