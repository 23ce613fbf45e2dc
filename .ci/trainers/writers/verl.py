"""verl: the rollout dump of RayPPOTrainer, and that of the v1 trainer."""

import collections
import concurrent.futures
import json
import os
import types
import uuid

import cut
import numpy as np
import proof
import torch
import written

NAMES = {"os": os, "json": json, "np": np}
ALGOS = cut.file_of("verl.trainer.ppo.core_algos")
grpo = cut.definition(
    ALGOS, "compute_grpo_outcome_advantage", {"torch": torch, "defaultdict": collections.defaultdict}
)


def advantages(step):
    rewards = torch.tensor(step.rewards, dtype=torch.float32).unsqueeze(1)
    return grpo(rewards, torch.ones_like(rewards), np.array(step.groups))[0][:, 0]


def dump(module, folder, steps, columns):
    """Calls _dump_generations of the trainer of that module, as after each step."""
    path = cut.file_of(module)
    trainer = types.SimpleNamespace(_dump_futures=[], _dump_executor=concurrent.futures.ThreadPoolExecutor(1))
    trainer._write_generations = cut.definition(path, "_write_generations", NAMES)
    write = cut.definition(path, "_dump_generations", {})
    for step in steps:
        trainer.global_steps = 1 + step.number
        write(trainer, **texts(step), scores=step.rewards, reward_extra_infos_dict=columns(step), dump_path=str(folder))
    trainer._dump_executor.shutdown()
    for future in trainer._dump_futures:
        future.result()


def texts(step):
    return {
        "inputs": [f"user\nWhat is {group} + {step.number}?\nassistant\n" for group in step.groups],
        "outputs": [f"Let me see…\n\\boxed{{{i}}}" for i in range(len(step.groups))],
        "gts": [str(group + step.number) for group in step.groups],
    }


def by_ray(step):
    """What reward functions return besides: the score is theirs again, and a flag."""
    return {"acc": [r > 0.5 for r in step.rewards], "request_id": [str(uuid.UUID(int=i)) for i in range(len(step.rewards))]}


def by_v1(step):
    """Keys of a prompt, a rollout and an output, by which v1 sorts."""
    count, keys = collections.Counter(), []
    for group in step.groups:
        keys.append(f"{uuid.UUID(int=1000 * step.number + group)}_{count[group]}_0")
        count[group] += 1
    return {"uid": keys}


def prove(p):
    computed = "verl grpo with scale group (assumed: the trainer's default)"
    batch = written.steps(interleaved=True, rounded=True)
    folder = p.folder("rollout_data")
    dump("verl.trainer.ppo.ray_trainer", folder, batch, by_ray)
    written.check(p, "rollout_data_dir", folder, batch, computed, advantages, first=1)
    ordered = written.steps(rounded=True)
    folder = p.folder("v1")
    dump("verl.trainer.ppo.v1.trainer_base", folder, ordered, by_v1)
    written.check(p, "rollout_data_dir of v1", folder, ordered, computed, advantages, first=1)


proof.run("verl", prove)
