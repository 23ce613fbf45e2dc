"""AReaL: WorkflowExecutor._dump_trajectory, which writes a file for each prompt."""

import asyncio
import contextlib
import json
import os
import types

import cut
import numpy as np
import proof
import torch
import torch.distributed as dist
import written

DATA = cut.file_of("areal.utils.data")
Normalization = cut.definition(DATA, "Normalization", {"torch": torch, "np": np, "dist": dist})


class Files:
    """aiofiles, as far as it is used, which is not installed."""

    class os:
        @staticmethod
        async def makedirs(path, exist_ok):
            os.makedirs(path, exist_ok=exist_ok)

    @staticmethod
    @contextlib.asynccontextmanager
    async def open(path, mode):
        with open(path, mode) as file:

            async def write(text):
                file.write(text)

            yield types.SimpleNamespace(write=write)


def advantages(step):
    config = {"mean_level": "group", "mean_leave1out": False, "std_level": "group", "std_unbiased": True, "eps": 1e-5}
    norm = Normalization(types.SimpleNamespace(group_size=step.n, **config))
    return norm(torch.clip(torch.tensor(step.rewards), -20, 20))


def write(folder, steps):
    tensors = types.SimpleNamespace(localize=lambda trajectory: trajectory)
    file = cut.file_of("areal.infra.workflow_executor")
    dump = cut.definition(file, "_dump_trajectory", {"os": os, "json": json, "aiofiles": Files, "RTensor": tensors})
    tokenizer = types.SimpleNamespace(decode=lambda ids, skip_special_tokens: " ".join(f"word{i}" for i in ids))
    executor = types.SimpleNamespace(_get_dump_dir=lambda _: str(folder), _get_tokenizer=lambda: tokenizer)
    for step in steps:
        for task, at in enumerate(range(0, len(step.rewards), step.n)):
            ids = torch.tensor([[100 * step.number + task, 7, 8, 9, i] for i in range(step.n)])
            mask = torch.tensor([[0, 0, 1, 1, 1]] * step.n)
            trajectory = {"input_ids": ids, "loss_mask": mask, "attention_mask": torch.ones_like(mask)}
            trajectory["rewards"] = torch.tensor(step.rewards[at : at + step.n])
            trajectory["versions"] = torch.full_like(mask, step.number)
            assert asyncio.run(dump(executor, trajectory, 1000 * step.number + task, False))[0]


def prove(p):
    folder, steps = p.folder("rollout"), written.steps(rounded=True)
    write(folder, steps)
    computed = "AReaL reward_norm with scale group (assumed: the trainer's default)"
    written.check(p, "dump_to_file", folder, steps, computed, advantages)


proof.run("areal", prove)
