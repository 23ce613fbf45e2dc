"""ms-swift: its trainer's own _compute_advantages, with its own arguments.

swift/rlhf_trainers/grpo_trainer.py and swift/arguments/rlhf_args.py import inference engines, so that the method, what it reads of the
arguments and their defaults are cut out of them: what is called is theirs, down to swift/rl_core/advantage.py; _apply_rollout_importance_sampling too.
"""

import collections
import itertools
import types

import comparison
import cut
import proof
import ratios
import stubs

# What ms-swift imports and advantages do not use.
stubs.install("accelerate", "datasets", "json_repair", "modelscope", "transformers")

import torch  # noqa: E402
from swift.rl_core import advantage  # noqa: E402
from swift.rlhf_trainers.args_mixin import GRPOArgumentsMixin  # noqa: E402

WEIGHTS = {"accuracy_reward": 1.0, "format_reward": 0.3, "brevity_reward": 2.0}
FLAGS = ("--reward", ",".join(f"{name}={weight}" for name, weight in WEIGHTS.items()))
ESTIMATORS = ("grpo", "rloo", "reinforce_plus_plus")
TRAINER = "swift.rlhf_trainers.grpo_trainer"


class Arguments(GRPOArgumentsMixin):
    """The arguments, with those of TRL that are read with them."""

    loss_type, beta, num_iterations, epsilon = "grpo", 0.0, 1, 0.2


def method():
    """The trainer's method. What it logs is left out: groups of different sizes make that raise an error."""
    names = {"torch": torch, "gather_object": list}
    names |= {name: getattr(advantage, name) for name in ("compute_advantages", "compute_advantages_dynamic")}
    nothing = advantage.RewardMetrics(0.0, 0.0, 0.0, {}, {})
    names["compute_reward_metrics"] = lambda **_: nothing
    return cut.definition(cut.file_of(TRAINER), "_compute_advantages", names)


class Trainer:
    """The trainer, whose method is called, with arguments of its own."""

    def __init__(self):
        self.method = method()
        self.last_of = cut.definition(cut.file_of(TRAINER), "_get_last_indices", {"torch": torch})
        path, first = cut.file_of("swift.arguments.rlhf_args"), "if self.kl_in_reward is None"
        self.defaults = cut.statements(path, "_init_grpo", first, "if self.scale_rewards is None", ["self"], "self", {})
        read, last = "self.loss_type =", "if self.scale_rewards == 'gdpo'"
        self.read = cut.statements(cut.file_of(TRAINER), "_prepare_algorithm_params", read, last, ["self", "args"], "self", {"logger": stubs.Stub})

    def advantages(self, step, dynamic=False, **arguments):
        args = self.defaults(Arguments(**arguments))
        trainer = types.SimpleNamespace(model=types.SimpleNamespace(training=True), num_generations=step.n, dynamic_num_samples=dynamic, beta=args.beta)
        trainer.accelerator = types.SimpleNamespace(device="cpu")
        trainer._get_last_indices = lambda requests: self.last_of(trainer, requests)
        trainer._metrics = collections.defaultdict(lambda: collections.defaultdict(list))
        trainer._logs = collections.defaultdict(lambda: collections.defaultdict(list))
        rewards, trainer.reward_weights = rewards_of(step)
        trainer.reward_func_names = [f"function {i}" for i in range(rewards.shape[1])]
        count = itertools.count()
        samples = [types.SimpleNamespace(prompt_id=str(g), request_id=f"request {next(count)}") for g in step.groups]
        return self.method(self.read(trainer, args), samples, rewards, [])

    def by(self, estimator, dynamic=False):
        return lambda step, scale: self.advantages(step, dynamic, advantage_estimator=estimator, scale_rewards=scale)


def rewards_of(step):
    """Rewards by sample and function, and the weights of the functions."""
    columns = list(step.components.values()) or [step.rewards]
    weights = list(WEIGHTS.values()) if step.components else [1.0]
    return torch.tensor(columns, dtype=torch.float32).T.contiguous(), torch.tensor(weights)


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
    c, trainer = comparison.Comparison(p, "ms-swift"), Trainer()
    for name in ESTIMATORS:
        c.compare(name, trainer.by(name), unlike=comparison.ragged_by_chance)
        c.compare(name + "_dynamic", trainer.by(name, dynamic=True), interleaved=True)
    several = {"components": tuple(WEIGHTS), "flags": FLAGS, "unlike": unlike}
    c.compare("grpo", trainer.by("grpo"), what="three rewards", **several)
    c.compare("gdpo", lambda step, _: trainer.by("grpo")(step, "gdpo"), **several)

    def with_option(estimator, key, value):
        name = estimator.removesuffix("_dynamic")
        return lambda step: trainer.advantages(step, name != estimator, advantage_estimator=name, **{key: value})

    c.options({"scale_rewards": ("group", "batch", "none")}, with_option, left_out=("gdpo",))

    for mode in ("token_truncate", "token_mask", "sequence_truncate", "sequence_mask"):
        options = {"rollout_importance_sampling_mode": mode, "rollout_importance_sampling_threshold": 1.1}
        ratios.compare(p, "ms-swift/rollout_importance_sampling", options, weigh(mode, 1.1))


proof.run("ms-swift", prove)
