"""OpenRLHF: RemoteExperienceMaker.compute_advantages_and_returns without KL, by default and with options, and the weights of PolicyLoss."""

import types

import comparison
import proof
import ratios
import stubs

# What OpenRLHF imports and advantages do not use.
stubs.install(
    "pylatexenc", "transformers", "ray", "peft", "flash_attn", "deepspeed", "vllm", "aiohttp", "tqdm", "torchdata"
)

import torch  # noqa: E402
from openrlhf.models.loss import PolicyLoss  # noqa: E402
from openrlhf.trainer.ppo_utils import experience, experience_maker  # noqa: E402

space = types.SimpleNamespace


def maker(estimator, n, gamma, no_std_norm, clip_range):
    advantage = space(estimator=estimator, gamma=gamma, lambd=1.0, no_std_norm=no_std_norm)
    args = space(
        rollout=space(n_samples_per_prompt=n),
        reward=space(clip_range=clip_range, overlong_buffer_len=None, stop_properly_penalty_coef=None),
        algo=space(advantage=advantage),
    )
    made = experience_maker.RemoteExperienceMaker.__new__(experience_maker.RemoteExperienceMaker)
    made.advantage_estimator, made.kl_ctl, made.strategy = estimator, space(value=0.0), space(args=args)
    return made


def caller(estimator, gamma=1.0, no_std_norm=False, clip_range=(-10, 10)):
    """Returns the mean over the tokens of each sample, which are equal but for gamma."""

    def call(step, _):
        mask = torch.tensor([[t < length for t in range(max(step.lengths))] for length in step.lengths])
        batch = experience.Experience(
            index=list(range(len(step.rewards))),
            rewards=torch.tensor(step.rewards),
            action_mask=mask,
            kl=torch.zeros(mask.shape),
            info={},
        )
        made = maker(estimator, step.n, gamma, no_std_norm, clip_range)
        tokens = made.compute_advantages_and_returns([batch])[0].advantages
        return tokens[:, 0] if gamma == 1 else (tokens * mask).sum(-1) / mask.sum(-1)

    return call


def unlike(step):
    """The command line forbids single samples for all but reinforce."""
    return comparison.ragged_by_chance(step) or step.n == 1


def weigh(level, threshold, **options):
    """The weights are the gradient of the loss where every ratio of the update is 1, times the number of tokens."""
    loss = PolicyLoss(is_correction_level=level, is_correction_threshold=threshold, **options)

    def call(batch):
        old, rollout, mask = map(torch.from_numpy, (batch.old, batch.rollout, batch.mask))
        new = old.clone().requires_grad_()
        loss(new, old, torch.ones_like(old), mask, rollout)[0].backward()
        return (-new.grad * mask.sum()).numpy(), mask

    return call


def prove_ratios(p):
    for level, threshold, options in (
        ("token", [0.8, 1.25], {}),
        ("token", [0.8, 1.25], {"is_correction_mode": "clip"}),
        ("seq", [0.98, 1.02], {}),
        ("token", [0.0, 0.1], {"is_correction_gating": "tv"}),
    ):
        texts = {"is_correction_level": level, "is_correction_threshold": f"{threshold[0]:g} {threshold[1]:g}"} | options
        ratios.compare(p, "openrlhf/is_correction", texts, weigh(level, threshold, **options))


def prove(p):
    prove_ratios(p)
    c = comparison.Comparison(p, "openrlhf")
    for name in ("group_norm", "dr_grpo", "rloo"):
        c.compare(name, caller(name), unlike=unlike)
    c.compare("reinforce", caller("reinforce"), unlike=lambda step: ragged(step) or comparison.whitening(step))
    c.compare("reinforce_baseline", caller("reinforce_baseline"), unlike=lambda step: unlike(step) or flat(step))
    c.compare("flash_reinforce", caller("flash_reinforce"), unlike=ragged)
    options(c)


def options(c):
    """Other values of the options than the defaults, by their own keys."""
    for name in ("group_norm", "flash_reinforce"):
        c.compare(
            name,
            caller(name, clip_range=(-0.5, 2.0)),
            what="clip_range -0.5 2",
            flags=("--option", "reward.clip_range=-0.5 2"),
            unlike=ragged if name == "flash_reinforce" else unlike,
        )
    c.compare(
        "reinforce",
        caller("reinforce", gamma=0.9, no_std_norm=True),
        what="gamma 0.9, no_std_norm",
        flags=("--option", "algo.advantage.gamma=0.9", "--option", "algo.advantage.no_std_norm=true"),
        unlike=lambda step: ragged(step) or comparison.whitening(step),
    )


def ragged(step):
    """Whatever the estimator, rewards are laid out as a matrix; reinforce without groups has one sample per prompt."""
    return len(set(step.sizes)) > 1


def flat(step):
    """Leaves out steps in which all groups have equal rewards: the deviation of all advantages is then rounding."""
    rewards = [{r for r, group in zip(step.rewards, step.groups) if group == g} for g in range(len(step.sizes))]
    return all(len(r) == 1 for r in rewards)


proof.run("openrlhf", prove)
