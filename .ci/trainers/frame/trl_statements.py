"""TRL: the statements of _generate_and_score_completions between the rewards and the loss."""

import types

import comparison
import cut
import torch

WEIGHTS = {"accuracy_reward": 1.0, "format_reward": 0.3, "brevity_reward": 2.0}  # reward_weights
ARGUMENTS = ["self", "rewards_per_func", "num_generations", "device"]
UTILS, GRPO, RLOO = "trl.trainer.utils", "trl.trainer.grpo_trainer", "trl.trainer.rloo_trainer"


def configured(module, keys, config):
    """What the constructor of a trainer takes from a configuration of its class, by its own statements."""
    path = cut.file_of(module)
    takes = [f"self.{key} = args.{key}" for key in keys]
    takes = [cut.statements(path, "__init__", take, take, ["self", "args"], "self", {}) for take in takes]

    def of(**options):
        trainer, args = types.SimpleNamespace(), config(**options)
        for take in takes:
            take(trainer, args)
        return vars(trainer)

    return of


def caller(folder, module, first, last, configured=dict):
    """The statements of a trainer from first to last, to be called with the options that a scale means."""
    names = {"torch": torch, "nanstd": cut.definition(cut.file_of(UTILS, folder), "nanstd", {"torch": torch})}
    path = cut.file_of(module, folder)
    run = cut.statements(path, "_generate_and_score_completions", first, last, ARGUMENTS, "advantages", names)

    def with_options(options):
        return lambda step, scale: run(trainer(step, **configured(**options(scale))), rewards(step), step.n, "cpu").tolist()

    return with_options


def trainer(step, **options):
    """What the statements read of the trainer."""
    weights = list(WEIGHTS.values()) if step.components else [1.0]
    defaults = {"multi_objective_aggregation": "sum_then_normalize", "scale_rewards": "group"}
    defaults |= {"reward_clip_range": None, "normalize_advantages": False, "beta": 0.0}
    return types.SimpleNamespace(reward_funcs=weights, reward_weights=torch.tensor(weights), **defaults | options)


def rewards(step):
    columns = list(step.components.values()) or [step.rewards]
    return torch.tensor(columns, dtype=torch.float32).T.contiguous()  # samples × functions, as TRL lays them out


def compare(p, framework, grpo, rloo, unlike=comparison.ragged_by_chance):
    """Compares both trainers of a release."""
    c = comparison.Comparison(p, framework)
    flags = ("--reward", ",".join(f"{name}={weight}" for name, weight in WEIGHTS.items()))
    weighted = {"components": tuple(WEIGHTS), "flags": flags, "unlike": unlike}
    c.compare("grpo", grpo(lambda scale: {"scale_rewards": scale}), unlike=unlike)
    c.compare("grpo", grpo(lambda scale: {"scale_rewards": scale}), what="three rewards", **weighted)
    decoupled = {"multi_objective_aggregation": "normalize_then_sum"}
    c.compare("grpo_normalize_then_sum", grpo(lambda _: decoupled), **weighted)
    c.compare("rloo", rloo(lambda _: {}), unlike=unlike)
    c.compare("rloo_normalize_advantages", rloo(lambda _: {"normalize_advantages": True}), unlike=unlike)
    return c
