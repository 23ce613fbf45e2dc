"""TRL's GRPO writes a Parquet file for each step, and its tables to trackio: what `vantage export` computes from either is what the
loss was given."""

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
PENDING = set()


KEPT = {"plain", "chat", "scale batch", "two weighted rewards", "log_extra", "repeated prompts"}


def prove(p):
    variants = []
    for name, options in VARIANTS.items():
        if p.keeping and name not in KEPT:
            continue
        with training.Variant(p, name) as variant:
            training.finish(start(variant, **options))
        variants.append(variant)
    variants.append(evaluated(p))
    if not p.keeping:
        variants += [killed(p), rerun(p), in_trackio(p)]
    for variant in variants:
        scale = VARIANTS.get(variant.name, {}).get("scale_rewards", "group")
        variant.compare(f"TRL grpo with scale {scale}", pending=variant.name in PENDING)
        if variant.log != variant.folder:
            compare_with_files(variant)


def start(variant, **options):
    options = {"prompts": training.questions(24), "record": variant.record} | options
    return training.start(GRPOTrainer, GRPOConfig, variant.p.keeping, output_dir=str(variant.folder), **options)


def evaluated(p):
    """An evaluation overwrites the file of its step: that of the last step too, which is always evaluated."""
    every, steps = (2, 4) if p.keeping else (4, training.STEPS)
    held_out = training.questions(6, first=100)
    options = {"max_steps": steps, "eval_strategy": "steps", "eval_steps": every, "per_device_eval_batch_size": 8}
    with training.Variant(p, f"eval every {every}") as variant:
        training.finish(start(variant, evaluated=held_out, **options))
    variant.lost = range(every, steps + 1, every)
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


def in_trackio(p):
    """Logged to trackio too: the database has the same rows as the files, two columns of rewards without a total."""
    options = VARIANTS["two weighted rewards"] | {"report_to": ["trackio"], "project": "grpo"}
    with training.Variant(p, "trackio", project="grpo") as variant:
        training.finish(start(variant, **options))
    return variant


def compare_with_files(variant):
    """What is read of trackio's database must be what is read of the files of the same run."""
    with variant.p.case("trackio, and the files of the run", "TRL grpo with scale group") as case:
        (ours, _), (theirs, _) = variant.p.export(variant.log), variant.p.export(variant.folder)
        if [(r.step, r.index, r.reward) for r in ours] != [(r.step, r.index, r.reward) for r in theirs]:
            case.fail("the database has other steps or rewards than the files")
        case.same([row.advantage for row in theirs], [row.advantage for row in ours], ulps=0)


proof.run("trl", prove)
