"""verl 0.7: another grpo_vectorized."""

import comparison
import cut
import numpy as np
import proof
import torch

FOLDER = proof.older("verl", "0.7.0")


def prove(p):
    names = {"torch": torch, "np": np, "_resolve_device": lambda _: torch.device("cpu")}
    groupwise = cut.file_of("verl.utils.groupwise", FOLDER)
    names |= {name: cut.definition(groupwise, name, names) for name in ("_to_1d_numpy_object_array", "group_mean_std")}
    names["as_torch_index"] = cut.definition(groupwise, "as_torch_index", names)
    algos = cut.file_of("verl.trainer.ppo.core_algos", FOLDER)
    function = cut.definition(algos, "compute_grpo_vectorized_outcome_advantage", names)

    def call(step, scale):
        rewards = torch.tensor(step.rewards, dtype=torch.float32).unsqueeze(1)
        ids = np.array([f"uid-{g}" for g in step.groups], dtype=object)
        return function(rewards, torch.ones_like(rewards), ids, norm_adv_by_std_in_grpo=scale == "group")[0][:, 0]

    comparison.Comparison(p, "verl-2026-01").compare("grpo_vectorized", call, interleaved=True)


proof.run("verl", prove, "0.7.0")
