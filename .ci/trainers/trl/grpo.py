"""TRL's GRPO writes a Parquet file for each step: what `vantage export` computes from them is what the loss was given."""

import time

import proof  # first: it lets files beside this one be imported

import _training as training
from trl import GRPOConfig, GRPOTrainer

VARIANTS = {  # name: what differs from plain
    "plain": {},
    "chat": {"prompts": training.chats(training.questions(24))},
    "scale batch": {"scale_rewards": "batch"},
    "scale none": {"scale_rewards": "none"},
    "two weighted rewards": {"rewards": [training.letters, training.short], "reward_weights": [1.0, 0.3]},
    "log_extra": {"rewards": [training.letters_with_notes]},
    "repeated prompts": {"prompts": training.questions(4) * 6},
    "square root of IEEE 754": {"exact": True},
    "scale batch, of IEEE 754": {"exact": True, "scale_rewards": "batch"},
}
PENDING = {"two weighted rewards", "log_extra", "repeated prompts", "eval every 4", "rerun over old files"}
EVALUATION = {"eval_strategy": "steps", "eval_steps": 4, "per_device_eval_batch_size": 8, "evaluated": training.questions(6, first=100)}


def prove(p):
    variants = []
    for name, options in VARIANTS.items():
        with training.Variant(p, name) as variant:
            training.finish(start(variant, **options))
        variants.append(variant)
    variants += [evaluated(p), killed(p), rerun(p)]
    for variant in variants:
        # The file of a step with an evaluation is overwritten by it.
        variant.compare("trl grpo", variant.name in PENDING, lambda step: variant.name == "eval every 4" and step % 4 == 0)


def start(variant, **options):
    options = {"prompts": training.questions(24), "record": variant.record} | options
    return training.start(GRPOTrainer, GRPOConfig, output_dir=str(variant.folder), **options)


def evaluated(p):
    held_out = training.questions(6, first=100)
    with training.Variant(p, "eval every 4") as variant:
        training.finish(start(variant, eval_strategy="steps", eval_steps=4, per_device_eval_batch_size=8, evaluated=held_out))
    return variant


def killed(p):
    """Killed after step 12 and resumed from the checkpoint of step 10: the steps after it are trained and written again."""
    saving = {"save_strategy": "steps", "save_steps": 5}
    with training.Variant(p, "killed and resumed") as variant:
        process = start(variant, **saving)
        while process.is_alive() and not (variant.folder / "completions" / "completions_00012.parquet").exists():
            time.sleep(0.01)
        process.kill()  # SIGKILL
        process.join()
        training.finish(start(variant, resume=True, **saving))
    return variant


def rerun(p):
    """A shorter run over the files of an older one: only the newer counts."""
    with training.Variant(p, "rerun over old files") as variant:
        training.finish(start(variant, record=p.work / "older.jsonl", seed=8))
        training.finish(start(variant, max_steps=12))
    return variant


proof.run("trl", prove)
