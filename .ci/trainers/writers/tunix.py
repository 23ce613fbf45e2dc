"""Tunix: log_item of the trajectory logger, which writes CSV, and the advantages of its default estimator."""

import dataclasses
import pathlib
import types

import cut
import numpy as np
import pandas
import proof
import written

NAMES = {"dataclasses": dataclasses, "np": np, "pd": pandas, "epath": pathlib}
# What it prints, and a type that no trajectory has.
NAMES |= {"logging": types.SimpleNamespace(log_first_n=print, INFO=0, WARNING=1), "message": types.SimpleNamespace(Message=())}


def write(folder, steps):
    path = cut.file_of("tunix.utils.trajectory_logger")
    names = dict(NAMES)
    for name in ("_make_serializable", "_get_item_name", "log_item"):
        names[name] = cut.definition(path, name, names)
    for step in steps:
        for i, (reward, group) in enumerate(zip(step.rewards, step.groups)):
            question = f"What's {group} + {step.number}?\nSay it \"so\", or 'so'."
            trajectory = {
                "conversation_text": [{"role": "user", "content": question}, {"role": "assistant", "content": f"Let me see…\n{i}"}],
                "prompt_tokens": [1, 2, 3],
                "conversation_tokens": np.array([4, 5, 6]),
                "conversation_masks": np.array([1, 1, 0]),
                "status": "SUCCEEDED",
                "trajectory_reward": np.float32(reward),
                "env_time": 0.5,
                "reward_time": 0.01,
                "old_logprobs": None,
                "policy_version": step.number,
                "original_input": {"question": question, "answer": str(group + step.number)},
                "group_id": 100 * step.number + group,
            }
            names["log_item"](str(folder), trajectory, "1769200000")


def prove(p):
    folder, steps = p.folder("metrics"), written.steps(rounded=True)
    write(folder, steps)
    grpo = cut.definition(cut.file_of("tunix.rl.algo_core"), "compute_advantages", {"np": np})

    def advantages(step):
        return grpo(np.array(step.rewards), len(step.rewards) // len(step.sizes))

    written.check(p, "trajectory_log", folder, steps, "Tunix grpo with scale group (assumed: the trainer's default)", advantages)


proof.run("google-tunix", prove)
