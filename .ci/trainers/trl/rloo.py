"""TRL's RLOO writes no file of its own: its log is the table of W&B's offline run, or trackio's database."""

import os

import proof  # first: it lets files beside this one be imported

import _training as training
from trl import RLOOConfig, RLOOTrainer

VARIANTS = {  # name: what differs from plain
    "plain": {},
    "chat": {"prompts": training.chats(training.questions(24))},
    "normalised": {"normalize_advantages": True},
    "normalised, of IEEE 754": {"exact": True, "normalize_advantages": True},
    "two weighted rewards": {"rewards": [training.letters, training.short], "reward_weights": [1.0, 0.3]},
    "log_extra": {"rewards": [training.letters_with_notes]},
    "repeated prompts": {"prompts": training.questions(4) * 6},
}
PENDING = set()


KEPT = {"plain", "chat", "normalised", "two weighted rewards"}


def prove(p):
    variants = []
    for name, options in VARIANTS.items():
        if p.keeping and name not in KEPT:
            continue
        with training.Variant(p, name) as variant:
            training.finish(start(variant, **options))
        variants.append(variant)
    if not p.keeping:
        with training.Variant(p, "trackio", project="rloo") as variant:
            training.finish(start(variant, report_to=["trackio"], project="rloo"))
        variants.append(variant)
    for variant in variants:
        normalised = "normalize_advantages" in VARIANTS.get(variant.name, {})
        variant.compare("trl rloo_normalize_advantages" if normalised else "trl rloo", pending=variant.name in PENDING)


def start(variant, **options):
    """Without a penalty for KL, which is part of the reward and not in the log (beta is 0.05 if it is not given)."""
    os.environ["WANDB_DIR"] = str(variant.folder)
    options = {"prompts": training.questions(24), "record": variant.record, "beta": 0.0, "report_to": ["wandb"]} | options
    return training.start(RLOOTrainer, RLOOConfig, variant.p.keeping, output_dir=str(variant.p.work / "models"), **options)


proof.run("trl", prove)
