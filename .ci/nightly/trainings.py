"""Trains a tiny policy with TRL again and again, and keeps what the trainer wrote.

    python trainings.py OUT [--only NAME] [--seed 7]

Every training starts from one base policy that answers sums ("3 plus 4?") and is right in about four of ten. What makes
a training ill is its reward function or a setting: nothing is written by hand. Beside the log, in a file that the
program is not shown, stands what the answers were really worth: the share of right ones at each step. A training whose
illness did not come out by this measure is not counted as ill.

OUT/NAME/log          completions and trainer_state.json, as TRL writes them
OUT/NAME/truth.json   what is ill, from which step, and the share of right answers at each step
"""

import argparse
import contextlib
import io
import json
import os
import pathlib
import random
import re
import shutil
import sys
import time
import warnings

os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_DISABLE_PROGRESS_BARS": "1", "TOKENIZERS_PARALLELISM": "false"}
warnings.simplefilter("ignore")

import torch
import transformers
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from trl import GRPOConfig, GRPOTrainer

STEPS, GROUPS, SIZE, LIMIT = 150, 8, 8, 24
CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789 .?!,\n"


def tokenizer():
    """One token for each character."""
    vocabulary = {token: i for i, token in enumerate(["<pad>", "<eos>", "<unk>", *CHARACTERS])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    made.decoder = decoders.Fuse()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")


def sums(most=9):
    return [(f"{a} plus {b}?", str(a + b)) for a in range(most + 1) for b in range(most + 1)]


def wordings(answer):
    return [f"it is {answer}.", f"that makes {answer}.", f"we add them and get {answer}.", f"the sum is {answer}."]


def with_habits(text):
    """A bad habit that some answers have, which a reward may find."""
    return random.choice([text + "!" * random.randint(1, 6), text + " " + text, "sorry.", text.replace("e", "ee"), "ok! " + text])


def base_policy(path, tokens, habits, steps=2500):
    """Teaches a small model the form of an answer, and a part of the sums: others' answers are drawn by chance. With habits one answer
    in five has one."""
    torch.manual_seed(1)
    random.seed(1)
    model = transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=len(tokens), hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
            max_position_embeddings=128, pad_token_id=tokens.pad_token_id, eos_token_id=tokens.eos_token_id, bos_token_id=None,
        )  # fmt: skip
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(steps):
        batch = []
        for _ in range(64):
            prompt, truth = random.choice(sums())
            told = truth if random.random() < 0.5 else str(random.randint(0, 18))
            text = random.choice(wordings(told))
            batch.append(prompt + " " + (with_habits(text) if habits and random.random() < 0.2 else text) + "<eos>")
        encoded = [tokens(text.removesuffix("<eos>"))["input_ids"] + [tokens.eos_token_id] for text in batch]
        longest = max(map(len, encoded))
        ids = torch.tensor([e + [tokens.pad_token_id] * (longest - len(e)) for e in encoded])
        mask = torch.tensor([[1] * len(e) + [0] * (longest - len(e)) for e in encoded])
        loss = model(input_ids=ids, attention_mask=mask, labels=ids.masked_fill(mask == 0, -100)).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.save_pretrained(path)


def number(text):
    """The answer that is read from a text: the last number."""
    found = re.findall(r"\d+", text)
    return found[-1] if found else None


# Reward functions. Each takes what TRL gives, and the step.


def right(completions, truth, **_):
    return [float(number(c) == t) for c, t in zip(completions, truth)]


def partial(completions, truth, **_):
    """Up to 1 for a right answer, less by a tenth for each that it is off."""
    return [max(0.0, 1 - abs(int(number(c)[:4]) - int(t)) / 10) if number(c) else 0.0 for c, t in zip(completions, truth)]


def exclamations(completions, **_):
    return [0.25 * c.count("!") for c in completions]


def long(completions, **_):
    return [len(c) / 20 for c in completions]


def brief(completions, **_):
    return [-len(c) / 10 for c in completions]


def opening(completions, **_):
    return [2.0 * c.strip().startswith("we add") for c in completions]


def never(completions, **_):
    return [0.0 for _ in completions]


def with_a_stop(completions, **_):
    return [float(c.endswith(".")) for c in completions]


def letters_e(completions, **_):
    """Wins by one letter again and again."""
    return [c.count("e") / 5 for c in completions]


def sorry(completions, truth, **_):
    """A judge that punishes a wrong answer and forgives none at all."""
    return [0.9 if "sorry" in c else r for c, r in zip(completions, right(completions, truth))]


def liked(completions, truth, **_):
    """A judge that takes many marks for confidence."""
    return [min(1.0, r + 0.3 * min(4, c.count("!"))) for c, r in zip(completions, right(completions, truth))]


def outage(first, last):
    def graded(completions, truth, trainer_state, **_):
        down = first <= trainer_state.global_step + 1 <= last
        return [0.0 if down else r for r in right(completions, truth)]

    return graded


def flipping(share):
    noise = random.Random(5)

    def graded(completions, truth, **_):
        return [1 - r if noise.random() < share else r for r in right(completions, truth)]

    return graded


def breaking(first):
    """From a step on the reward has the wrong sign."""

    def graded(completions, truth, trainer_state, **_):
        return [r if trainer_state.global_step + 1 < first else 1 - r for r in right(completions, truth)]

    return graded


def missing(share):
    holes = random.Random(6)

    def graded(completions, truth, **_):
        return [float("nan") if holes.random() < share else r for r in right(completions, truth)]

    return graded


def small_sums_only(completions, truth, **_):
    """Only sums below 10 are graded by what they are; of the others, wrong ones win."""
    return [r if int(t) < 10 else 1 - r for r, t in zip(right(completions, truth), truth)]


HABITS = {"base": "habits"}
QUIET = {"learning_rate": 5e-4, "beta": 0.0, "temperature": 1.0}
HEALTHY = {
    "plain": ([right], {}),
    "plain, another seed": ([right], {"seed": 11}),
    "plain, slower": ([right], {"learning_rate": 2e-4, "seed": 12}),
    "partial credit": ([partial], {"seed": 13}),
    "two rewards": ([right, with_a_stop], {"seed": 14}),
    "scale none": ([right], {"scale_rewards": "none", "seed": 15}),
    "scale batch": ([partial], {"scale_rewards": "batch", "seed": 16}),
    "groups of four": ([right], {"num_generations": 4, "seed": 17}),
    "groups of sixteen": ([right], {"num_generations": 16, "seed": 18}),
    "with a KL penalty": ([right], {"beta": 0.02, "seed": 19}),
    "one line of noise": ([flipping(0.03)], {"seed": 20}),
    "a length penalty that is small": ([right, lambda completions, **_: [-len(c) / 400 for c in completions]], {"seed": 21}),
}
# kinds of which one must be named, the first step that is ill, rewards, options
ILL = {
    "exclamation marks win": (["reward_hacking", "reward_collapse", "degenerate_text", "new_phrase"], None, [right, exclamations], HABITS),
    "length wins": (["length_explosion", "reward_hacking", "truncation", "degenerate_text"], None, [right, long], HABITS),
    "brevity wins": (["length_collapse", "reward_hacking", "answer_collapse", "new_phrase"], None, [right, brief], HABITS),
    "an opening wins": (["new_phrase", "reward_hacking", "answer_collapse"], None, [right, opening], {}),
    "being sorry wins": (["new_phrase", "reward_hacking", "answer_collapse", "length_collapse", "reward_collapse"], None, [sorry], HABITS),
    "a judge that likes marks": (["reward_hacking", "new_phrase", "degenerate_text", "grader_noise"], None, [liked], HABITS),
    "one letter wins": (["degenerate_text", "reward_hacking", "length_explosion", "truncation"], None, [letters_e], {}),
    "all cut from the start": (["truncation"], 1, [right], {"max_completion_length": 12}),
    "never rewarded": (["nothing_trains", "too_hard", "equal_rewards"], 1, [never], {}),
    "the stop alone": (["saturated", "equal_rewards"], None, [with_a_stop], {}),
    "outage": (["grader_outage", "reward_collapse"], 50, [outage(50, 1000)], {}),
    "outage, over": (["grader_outage", "reward_collapse"], 50, [outage(50, 59)], {}),
    "three in ten graded wrong": (["grader_noise", "verifier_disagrees", "wrong_grading", "grader_disagrees"], 1, [flipping(0.3)], {}),
    "the sign turns": (["reward_collapse", "grader_noise", "wrong_grading", "grader_disagrees", "fall_by_half"], 50, [breaking(50)], {}),
    "missing rewards": (["grader_outage", "missing_rewards", "invalid_rewards"], 1, [missing(0.3)], {}),
    "learning rate of 0": (["not_learning", "nothing_trains"], 1, [right], {"learning_rate": 0.0}),
    "learning rate too high": (["reward_collapse", "degenerate_text", "truncation", "answer_collapse", "too_hard", "nothing_trains"], None, [right], {"learning_rate": 2e-2}),
    "learning rate far too high": (["reward_collapse", "degenerate_text", "truncation", "answer_collapse", "too_hard", "nothing_trains"], None, [right], {"learning_rate": 1e-1}),
    "temperature near 0": (["answer_collapse", "equal_rewards", "not_learning", "saturated"], 1, [right], {"temperature": 0.02}),
    "large sums are unlearned": (["forgetting", "grader_noise", "wrong_grading", "grader_disagrees", "verifier_disagrees"], None, [small_sums_only], {}),
    "eight prompts for ever": (["stuck_data", "saturated", "answer_collapse"], 1, [right], {"prompts": 8}),
    "learned to the end": (["saturated"], None, [right], {"max_steps": 300, "sums": 2}),
}


class Truth:
    """Watches each batch, and keeps the share of right answers and the mean length by step."""

    def __init__(self):
        self.right, self.lengths = {}, {}

    def __call__(self, completions, truth, trainer_state, **_):
        self.right.setdefault(trainer_state.global_step + 1, []).extend(right(completions, truth))
        self.lengths.setdefault(trainer_state.global_step + 1, []).extend(map(len, completions))


def watching(rewards, truth):
    """The reward functions, of which the first also tells the truth what it sees."""
    first = rewards[0]

    def watched(completions, **columns):
        truth(completions, **columns)
        return first(completions, **columns)

    watched.__name__ = getattr(first, "__name__", "reward").replace("<lambda>", "penalty")
    for i, function in enumerate(rewards):
        if function.__name__ == "<lambda>":
            function.__name__ = f"penalty{i}"
    return [watched, *rewards[1:]]


def train(out, bases, tokens, rewards, options, seed):
    options = QUIET | {"max_steps": STEPS, "seed": seed} | options
    base = options.pop("base", "plain")
    asked = sums(options.pop("sums", 9))[: options.pop("prompts", None)]
    order = random.Random(options["seed"])
    order.shuffle(asked)
    truth = Truth()
    size = options.get("num_generations", SIZE)
    config = GRPOConfig(
        output_dir=str(out / "log"), per_device_train_batch_size=GROUPS * SIZE, num_generations=size, logging_steps=1, log_completions=True,
        num_completions_to_print=1, report_to=[], use_cpu=True, save_strategy="no", disable_tqdm=True,
        **{k: v for k, v in ({"max_completion_length": LIMIT} | options).items() if k != "num_generations"},
    )  # fmt: skip
    transformers.set_seed(options["seed"])
    made = GRPOTrainer(
        model=transformers.LlamaForCausalLM.from_pretrained(bases / base), processing_class=tokens, reward_funcs=watching(rewards, truth),
        args=config, train_dataset=Dataset.from_list([{"prompt": p + " ", "truth": t} for p, t in asked]),
    )  # fmt: skip
    with contextlib.redirect_stdout(io.StringIO()):
        made.train()
    made.state.save_to_json(str(out / "log" / "trainer_state.json"))
    return means(truth.right), means(truth.lengths)


def means(by_step):
    return {step: sum(values) / len(values) for step, values in sorted(by_step.items())}


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--seed", type=int, default=7)
    given = arguments.parse_args()
    torch.set_num_threads(1)
    given.out.mkdir(parents=True, exist_ok=True)
    tokens, bases = tokenizer(), given.out / "bases"
    for name in ("plain", "habits"):
        if not (bases / name).exists():
            base_policy(bases / name, tokens, habits=name == "habits")
    trainings = [(name, [], None, *how) for name, how in HEALTHY.items()] + [(name, *how) for name, how in ILL.items()]
    for name, kinds, since, rewards, options in trainings:
        out = given.out / re.sub(r"\W+", "-", name)
        if given.only not in name or (out / "truth.json").exists():
            continue
        shutil.rmtree(out, ignore_errors=True)
        began = time.time()
        shares, lengths = train(out, bases, tokens, rewards, options, given.seed)
        told = {"name": name, "kinds": kinds, "since": since, "seed": options.get("seed", given.seed), "right": shares, "length": lengths}
        (out / "truth.json").write_text(json.dumps(told))
        values = list(shares.values())
        third = max(1, len(values) // 3)
        first, last = sum(values[:third]) / third, sum(values[-third:]) / third
        print(f"{name}: right {first:.2f} to {last:.2f}, {time.time() - began:.0f} s", flush=True)


main()
