"""SkyRL: dump_per_dataset_eval_results. It writes evaluations only."""

import json
import types

import cut
import proof
import written


def write(folder, steps):
    file = cut.file_of("skyrl.train.utils.trainer_utils")
    names = {"json": json, "logger": types.SimpleNamespace(info=print)}
    names["sanitize_data_source"] = cut.definition(file, "sanitize_data_source", {})
    dump = cut.definition(file, "dump_per_dataset_eval_results", names)
    tokenizer = types.SimpleNamespace(decode=lambda ids: " ".join(f"word{i}" for i in ids))
    for step in steps:
        path = folder / "dumped_evals" / f"global_step_{step.number}_evals"
        path.mkdir(parents=True)
        count = len(step.rewards)
        outputs = {
            "prompt_token_ids": [[step.number, group] for group in step.groups],
            "response_ids": [[9, i] for i in range(count)],
            # Per token, as multi-turn environments give them, in every second step.
            "rewards": step.rewards if step.number % 2 else [[0.0, reward] for reward in step.rewards],
            "stop_reasons": ["stop"] * count,
        }
        extras = [{"reward_model": {"ground_truth": str(group)}} for group in step.groups]
        dump(path, tokenizer, outputs, ["openai/gsm8k"] * count, ["gsm8k"] * count, extras, {"eval/all/avg_score": 0.5})


def prove(p):
    folder, steps = p.folder("exports"), written.steps()
    write(folder, steps)
    written.check(p, "dumped_evals", folder, steps, "SkyRL grpo with scale group (assumed: the trainer's default)", None, "--split", "val")


proof.run("skyrl", prove)
