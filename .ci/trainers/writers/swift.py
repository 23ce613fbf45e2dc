"""ms-swift: completions.jsonl of GRPOTrainer.log, and of the Ray trainer."""

import collections
import dataclasses
import os
import types

import cut
import proof
import stubs
import written

# What ms-swift imports and its log does not use.
stubs.install("accelerate", "datasets", "json_repair", "modelscope", "transformers")

import torch  # noqa: E402
from swift.rl_core import advantage  # noqa: E402
from swift.utils.io_utils import JsonlWriter  # noqa: E402


def per_function(step):
    columns = list(step.components.values()) or [step.rewards]
    return torch.tensor(columns, dtype=torch.float32).T.contiguous()


def advantages(step):
    rewards = per_function(step)
    return advantage.compute_advantages(rewards, torch.ones(rewards.shape[1]), step.n)[0]


def summed(step):
    """The step with the rewards that ms-swift adds up: it rounds each sum to float32."""
    return dataclasses.replace(step, rewards=per_function(step).nansum(dim=1).tolist())


def log(path, steps):
    """Runs the statements of GRPOTrainer.log that write, with what the trainer has gathered since the last time."""
    file = cut.file_of("swift.rlhf_trainers.grpo_trainer")
    names = {"wandb": None, "swanlab_get_run": lambda: None}
    write = cut.statements(file, "log", "seen_nums =", "if self.accelerator.is_main_process", ["self"], "None", names)
    logs = {name: collections.deque() for name in ("prompt", "completion", "advantages", "solution")} | {"rewards": {}}
    space = types.SimpleNamespace
    trainer = space(
        _logs=logs,
        jsonl_writer=JsonlWriter(str(path)),
        accelerator=space(is_main_process=True),
        log_completions=True,
        args=space(log_entropy=False, report_to=[]),
        state=space(global_step=0),
    )
    for step in steps:
        trainer.state.global_step = 1 + step.number
        logs["prompt"] = [f"<|im_start|>user\n{group} + {step.number}?<|im_end|>\n" for group in step.groups]
        logs["completion"] = [f"<think>…</think>{i}" for i in range(len(step.groups))]
        logs["solution"] = [str(group + step.number) for group in step.groups]
        logs["rewards"] = dict(step.components) or {"MathAccuracy": step.rewards}
        logs["advantages"] = advantages(step).tolist()
        write(trainer)


def log_of_ray(path, steps):
    file = cut.file_of("swift.ray.megatron.base_trainer")
    write = cut.definition(file, "_maybe_log_completions", {"os": os, "JsonlWriter": JsonlWriter})
    trainer = types.SimpleNamespace(args=types.SimpleNamespace(log_completions=True, output_dir=str(path)))
    trainer._decode_log_content = lambda content: content
    trainer._format_log_prompt = lambda messages: "".join(f"{m['role']}: {m['content']}\n" for m in messages)
    for step in steps:
        samples = [
            types.SimpleNamespace(
                messages=[
                    {"role": "user", "content": f"What is {group} + {step.number}?"},
                    {"role": "assistant", "content": f"<think>…</think>{i}"},
                ]
            )
            for i, group in enumerate(step.groups)
        ]
        write(trainer, samples, step.rewards, 1 + step.number)


def prove(p):
    steps = written.steps(rounded=True)
    folder = p.folder("output")
    log(folder / "completions.jsonl", steps)
    written.check(p, "log_completions", folder, steps, "ms-swift grpo with scale group ✓", advantages, first=1)
    for name, functions in ("two rewards", ("MathAccuracy", "Format")), ("three rewards", ("MathAccuracy", "Format", "Cosine")):
        several = written.steps(rounded=True, components=functions)
        folder = p.folder(name)
        log(folder / "completions.jsonl", several)
        written.check(p, name, folder, [summed(step) for step in several], "ms-swift grpo with scale group ✓", advantages, first=1)
    folder = p.folder("ray")
    log_of_ray(folder, steps)
    written.check(p, "log_completions of Ray", folder, steps, "ms-swift grpo with scale group (assumed: the trainer's default)", advantages, first=1)


proof.run("ms-swift", prove)
