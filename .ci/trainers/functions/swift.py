"""ms-swift: compute_advantages and compute_advantages_dynamic of swift/rl_core/advantage.py, and _apply_rollout_importance_sampling of the trainer."""

import types

import comparison
import cut
import proof
import ratios
import stubs

# What ms-swift imports and advantages do not use.
stubs.install("accelerate", "datasets", "modelscope", "transformers")

import torch  # noqa: E402
from swift.rl_core import advantage  # noqa: E402

WEIGHTS = {"accuracy_reward": 1.0, "format_reward": 0.3, "brevity_reward": 2.0}
FLAGS = ("--reward", ",".join(f"{name}={weight}" for name, weight in WEIGHTS.items()))
ESTIMATORS = ("grpo", "rloo", "reinforce_plus_plus")


def rewards(step):
    """Rewards by sample and function, and the weights of the functions."""
    columns = list(step.components.values()) or [step.rewards]
    weights = list(WEIGHTS.values()) if step.components else [1.0]
    return torch.tensor(columns, dtype=torch.float32).T.contiguous(), torch.tensor(weights)


def fixed(estimator):
    def call(step, scale):
        return advantage.compute_advantages(*rewards(step), step.n, estimator, scale)[0]

    return call


def dynamic(estimator):
    def call(step, scale):
        requests = [f"request {i}" for i in range(len(step.rewards))]
        return advantage.compute_advantages_dynamic(*rewards(step), [str(g) for g in step.groups], requests, estimator, scale)[0]

    return call


def unlike(step):
    return comparison.ragged_by_chance(step) or comparison.both_infinities(step)


def weigh(mode, threshold):
    path = cut.file_of("swift.rlhf_trainers.grpo_trainer")
    self = types.SimpleNamespace(rollout_importance_sampling_mode=mode, rollout_importance_sampling_threshold=threshold)
    of_rows = cut.definition(path, "_compute_sequence_level_ratios", {"torch": torch})
    self._compute_sequence_level_ratios = lambda *arguments: of_rows(self, *arguments)
    apply = cut.definition(path, "_apply_rollout_importance_sampling", {"torch": torch})

    def call(batch):
        mask = torch.from_numpy(batch.mask)
        return apply(self, torch.from_numpy(batch.old) - torch.from_numpy(batch.rollout), mask.bool()), mask

    return call


def prove(p):
    c = comparison.Comparison(p, "ms-swift")
    for name in ESTIMATORS:
        c.compare(name, fixed(name), unlike=comparison.ragged_by_chance)
        c.compare(name + "_dynamic", dynamic(name), interleaved=True)
    several = {"components": tuple(WEIGHTS), "flags": FLAGS, "unlike": unlike}
    c.compare("grpo", fixed("grpo"), what="three rewards", **several)
    c.compare("gdpo", lambda step, _: fixed("grpo")(step, "gdpo"), **several)

    for mode in ("token_truncate", "token_mask", "sequence_truncate", "sequence_mask"):
        options = {"rollout_importance_sampling_mode": mode, "rollout_importance_sampling_threshold": 1.1}
        ratios.compare(p, "ms-swift/rollout_importance_sampling", options, weigh(mode, 1.1))


proof.run("ms-swift", prove)
