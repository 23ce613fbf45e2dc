"""Trains a random model of two layers with TRL, and records what its loss was given.

Everything is made here: model, tokenizer, prompts and rewards. Nothing is fetched.
"""

import json
import multiprocessing
import os
import pathlib
import sys
import time
import warnings

os.environ |= {
    "HF_HUB_OFFLINE": "1", "HF_DATASETS_DISABLE_PROGRESS_BARS": "1", "TOKENIZERS_PARALLELISM": "false",
    "WANDB_MODE": "offline", "WANDB_CONSOLE": "off", "WANDB_DISABLE_GIT": "true", "WANDB_SILENT": "true",
    "TRACKIO_DIR": os.path.join(os.environ["WORK"], "trackio"),  # before trackio is imported
}  # fmt: skip
warnings.simplefilter("ignore")

import follower
import numpy
import torch
import transformers
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

STEPS = 16 if "FEW" in os.environ else 20  # a whole number of fours, and more than 12: see grpo.py
GENERATIONS = 4  # completions of a prompt
CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789 .?:\n"
CHAT_TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}"


def tokenizer():
    """One token for each character."""
    vocabulary = {token: i for i, token in enumerate(["<pad>", "<eos>", "<unk>", *CHARACTERS])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    made.decoder = decoders.Fuse()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", chat_template=CHAT_TEMPLATE
    )


def model(tokens):
    return transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=len(tokens), hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
            max_position_embeddings=128, pad_token_id=tokens.pad_token_id, eos_token_id=tokens.eos_token_id, bos_token_id=None,
        )  # fmt: skip
    )


def questions(count, first=0):
    return [f"what is {n} times {n * 7 % 10}?" for n in range(first, first + count)]


def chats(texts):
    return [[{"role": "system", "content": "be brief."}, {"role": "user", "content": text}] for text in texts]


def text(completion):
    return completion if isinstance(completion, str) else completion[0]["content"]


def letters(completions, **_):
    """A reward without round numbers: the mean place of the letters in the alphabet."""
    return [sum(ord(c) - 96 for c in text(x) if c.isalpha()) / 7 / max(1, len(text(x))) for x in completions]


def short(completions, **_):
    """0 or 1, and none where there is nothing to judge: TRL takes that for NaN."""
    return [float(len(text(x)) < 8) if "e" in text(x) else None for x in completions]


def letters_with_notes(completions, log_extra, **_):
    """As letters; writes two more columns into the log, one of which looks like a reward."""
    log_extra("characters", [float(len(text(x))) for x in completions])
    log_extra("first", [text(x)[:1] for x in completions])
    return letters(completions)


def train(trainer, config, record, prompts, rewards=(letters,), evaluated=(), resume=None, exact=False, **options):
    """Trains in this process. options are those of TRL's configuration."""
    torch.set_num_threads(1)
    if exact:
        take_square_roots_of_ieee(trainer)
    options = {
        "max_steps": STEPS, "per_device_train_batch_size": 12, "gradient_accumulation_steps": 2, "num_generations": GENERATIONS,
        "max_completion_length": 8, "logging_steps": 1, "log_completions": True, "num_completions_to_print": 1, "report_to": [],
        "use_cpu": True, "save_strategy": "no", "disable_tqdm": True, "seed": 7, "learning_rate": 1e-3,
    } | options  # fmt: skip
    transformers.set_seed(options["seed"])
    tokens = tokenizer()
    dataset = Dataset.from_list([{"prompt": prompt} for prompt in prompts])
    held_out = Dataset.from_list([{"prompt": prompt} for prompt in evaluated]) if evaluated else None
    made = trainer(
        model=model(tokens), processing_class=tokens, reward_funcs=list(rewards), args=config(**options), train_dataset=dataset, eval_dataset=held_out
    )
    look(made, record)
    made.train(resume_from_checkpoint=resume)


# A small log, with the square root of IEEE 754 so that its advantages are ours to the bit: test data to keep.
SMALL = {"max_steps": 3, "per_device_train_batch_size": 8, "exact": True}


def take_square_roots_of_ieee(trainer):
    """Replaces torch.sqrt, which is MKL's, by the one of IEEE 754 where the trainer computes standard deviations."""
    module = sys.modules[trainer.__module__]
    nanstd, inexact = module.nanstd, torch.sqrt

    def exact_nanstd(*arguments, **named):
        torch.sqrt = lambda x: torch.from_numpy(numpy.sqrt(x.numpy()))
        try:
            return nanstd(*arguments, **named)
        finally:
            torch.sqrt = inexact

    module.nanstd = exact_nanstd


def look(trainer, record):
    """Writes a line into the file record for each generation: step, mode, the rewards, and the advantages in the order of
    generation; and one for each part of a batch that the loss was given. It only looks."""
    out = open(record, "a", buffering=1)
    generate, loss, calculate = trainer._generate_and_score_completions, trainer.compute_loss, trainer._calculate_rewards
    rewards = []

    def watched_calculate(*arguments):
        rewards[:] = [calculate(*arguments)]
        return rewards[0]

    def watched_generate(inputs):
        made = generate(inputs)
        training = trainer.model.training
        line = {"generated": trainer.state.global_step + training, "training": training}
        line |= {"advantages": made["advantages"].tolist(), "rewards": rewards[0].tolist()}
        out.write(json.dumps(line) + "\n")
        return made

    def watched_loss(model, inputs, *arguments, **named):
        if trainer.model.training:
            out.write(json.dumps({"given": trainer.state.global_step + 1, "advantages": inputs["advantages"].tolist()}) + "\n")
        return loss(model, inputs, *arguments, **named)

    trainer._calculate_rewards, trainer._generate_and_score_completions, trainer.compute_loss = watched_calculate, watched_generate, watched_loss


def recorded(path):
    """The advantages of each step in the order of the log, of the last time that the step was trained. They are those of
    the generation, once it is sure that the loss was given the same, in an order of its own."""
    generated, given = {}, {}
    for line in open(path):
        o = json.loads(line)
        if "given" in o:
            given.setdefault(o["given"], []).extend(o["advantages"])
        elif o["training"]:
            generated[o["generated"]] = o["advantages"]
            given.pop(o["generated"], None)
    for step, advantages in generated.items():
        if sorted(given.get(step, [])) != sorted(advantages):
            raise RuntimeError(f"the loss of step {step} was given other advantages than were generated")
    return generated


def start(trainer, config, small, **options):
    """Trains in a process of its own, a copy of this one, which has imported everything already."""
    options = (SMALL if small else {}) | options
    process = multiprocessing.get_context("fork").Process(target=train, args=(trainer, config), kwargs=options)
    process.start()
    return process


def finish(process):
    process.join()
    if process.exitcode != 0:
        raise RuntimeError(f"training ended with {process.exitcode}")


class Variant:
    """A way to train, in a folder that the program follows from before the beginning.

    with training.Variant(p, "chat") as variant: …        # trains into variant.folder, and records into variant.record
    variant.compare("trl grpo")

    project is that of trackio, if the log is its database.
    """

    def __init__(self, p, name, project=None):
        self.p, self.name = p, name
        self.folder, self.record = p.folder(name), p.work / f"{name}.jsonl"
        self.log = pathlib.Path(os.environ["TRACKIO_DIR"], f"{project}.db") if project else self.folder
        self.lost = ()  # steps that are not in the log

    def __enter__(self):
        self.start = time.time()
        self.screen = follower.Following(self.p, self.log)
        return self

    def __exit__(self, *_):
        self.seconds = time.time() - self.start

    def compare(self, estimator, pending=False):
        """Compares what the program exports with what the loss was given."""
        theirs = {step: advantages for step, advantages in recorded(self.record).items() if step not in self.lost}
        with self.p.case(self.name, estimator, pending, self.seconds) as case:
            self.screen.check(case, max(theirs))
            compare(case, theirs, *self.p.export(self.log), estimator)
        if self.p.keeping and not case.failures:
            self.p.keep(f"trl-{self.p.name}-{self.name}".replace(" ", "-"), self.folder, "completions_*", estimator, theirs)


def compare(case, theirs, rows, said, estimator):
    """Compares rows that were exported with theirs, the advantages of each step in the order of the log."""
    if f" {estimator} ".casefold() not in said.casefold():  # TRL is a title, trl its key
        case.fail(f"the log is not taken for {estimator}: {said.strip()}")
    ours = {}
    for row in rows:
        ours.setdefault(row.step, []).append(row.advantage)
    if sorted(ours) != sorted(theirs):
        case.fail(f"{len(theirs)} steps were trained, {sorted(theirs)}, and {len(ours)} are exported, {sorted(ours)}")
    for step in sorted(set(ours) & set(theirs)):
        case.same(theirs[step], ours[step], lambda i: f"step {step}, row {i}", ulps=0 if "IEEE" in case.name else 2)
