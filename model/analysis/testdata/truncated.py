"""Writes truncated.json: what masks of truncated samples and clips do to advantages, by the frameworks' own code.

    PYTHONPATH=.ci/trainers/frame python truncated.py TRL MS_SWIFT NEMO_RL OPEN_INSTRUCT RLLM >truncated.json

Each argument is a git directory; its newest commit is run. Needs torch and numpy. Statements in the middle of a
method are cut out of it as they stand.
"""

import collections
import json
import logging
import pathlib
import random
import subprocess
import sys
import tempfile
import types

import cut
import numpy as np
import torch

GROUP = 4
WORK = pathlib.Path(tempfile.mkdtemp())


class Source:
    """A file of a repository at its newest commit."""

    def __init__(self, repository, name, git):
        self.git, self.repository = git, f"{repository}@{self.run(git, 'rev-parse', 'HEAD').strip()}"
        self.name = name

    @staticmethod
    def run(git, *command):
        return subprocess.run(["git", "--git-dir", git, *command], check=True, capture_output=True, text=True).stdout

    def file(self, path):
        target = WORK / self.name / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(self.run(self.git, "show", f"HEAD:{path}"))
        return target


def made(seed):
    """Three groups of four: rewards, whether each was truncated, and lengths in tokens."""
    chance = random.Random(seed)
    n = 3 * GROUP
    if seed % 2:
        rewards = [float(chance.random() < 0.4) for _ in range(n)]
    else:
        rewards = [float(np.float32(chance.uniform(-1, 2))) for _ in range(n)]
    truncated = [chance.random() < 0.3 for _ in range(n)]
    if seed == 3:
        truncated[:GROUP] = [True] * GROUP
    return {"rewards": rewards, "truncated": truncated, "lengths": [chance.randint(1, 9) for _ in range(n)]}


def trl(git):
    source = Source("huggingface/trl", "trl", git)
    utils, grpo = source.file("trl/trainer/utils.py"), source.file("trl/trainer/grpo_trainer.py")
    names = {"torch": torch, "nanstd": cut.definition(utils, "nanstd", {"torch": torch})}
    method = "_generate_and_score_completions"
    mask = cut.statements(grpo, method, "if self.mask_truncated_completions", "if self.mask_truncated_completions",
                          ["self", "completion_mask", "tool_mask", "completion_ids_list", "device"], "completion_mask", names)
    rewards = cut.statements(grpo, method, "unscorable_mask = torch.isnan", "advantages = torch.nan_to_num",
                             ["self", "rewards_per_func", "num_generations", "device"], "advantages", names)

    def advantages(c):
        trainer = types.SimpleNamespace(
            mask_truncated_completions=True, _tokenizer=types.SimpleNamespace(eos_token_id=0, pad_token_id=0),
            multi_objective_aggregation="sum_then_normalize", reward_weights=torch.ones(1), scale_rewards="group")
        ids = [[1] * n + [1 if cut_off else 0] for n, cut_off in zip(c["lengths"], c["truncated"])]
        width = max(map(len, ids))
        tokens = torch.tensor([[int(t < len(i)) for t in range(width)] for i in ids])
        trained = mask(trainer, tokens, None, ids, "cpu").any(dim=1)
        return (rewards(trainer, torch.tensor(c["rewards"]).unsqueeze(1), GROUP, "cpu") * trained).tolist()

    yield source.repository + " trl/trainer/grpo_trainer.py", "trl", "grpo", "group", "mask", {}, advantages


def swift(git):
    source = Source("modelscope/ms-swift", "swift", git)
    trainer, code = source.file("swift/rlhf_trainers/grpo_trainer.py"), source.file("swift/rl_core/advantage.py")
    names = {"torch": torch, "logger": logging.getLogger()}
    masked = cut.statements(trainer, "_compute_loss_and_metrics", "if self.overlong_filter", "if self.overlong_filter",
                            ["self", "truncated_mask", "completion_mask"], "completion_mask", names)
    function = cut.definition(code, "compute_advantages", {"torch": torch})
    for estimator in ("grpo", "rloo"):

        def advantages(c, estimator=estimator):
            a, _ = function(torch.tensor(c["rewards"]).unsqueeze(1), torch.ones(1), GROUP, estimator, "group")
            width = max(c["lengths"])
            tokens = torch.tensor([[t < n for t in range(width)] for n in c["lengths"]])
            tokens = masked(types.SimpleNamespace(overlong_filter=True), torch.tensor(c["truncated"]), tokens)
            return (a * tokens.any(dim=1)).tolist()

        yield source.repository + " swift/rlhf_trainers/grpo_trainer.py", "ms-swift", estimator, "group", "mask", {}, advantages


def nemo(git):
    source = Source("NVIDIA-NeMo/RL", "nemo_rl", git)
    utils, grpo = source.file("nemo_rl/algorithms/utils.py"), source.file("nemo_rl/algorithms/grpo.py")
    estimators = source.file("nemo_rl/algorithms/advantage_estimator.py")
    baseline = cut.definition(utils, "calculate_baseline_and_std_per_prompt", {"torch": torch})
    names = {"torch": torch, "calculate_baseline_and_std_per_prompt": baseline}
    clip = cut.definition(grpo, "_clip_grpo_advantages", {"torch": torch})
    loss = types.SimpleNamespace(use_kl_in_reward=False, reference_policy_kl_penalty=0, reference_policy_kl_type="k3")
    config = types.SimpleNamespace(normalize_rewards=True, use_leave_one_out_baseline=True, minus_baseline=True, reward_weights=None)
    for name, of in (("grpo", "GRPO"), ("reinforce_plus_plus", "ReinforcePlusPlus")):
        estimator = cut.definition(estimators, of + "AdvantageEstimator", names)(config, loss)
        for truncated, (low, high) in (("mask", (None, None)), ("train", (-0.75, 1)), ("mask", (None, 0.5))):

            def advantages(c, estimator=estimator, truncated=truncated, low=low, high=high):
                multiplier = torch.ones(len(c["rewards"]))
                if truncated == "mask":
                    multiplier[torch.tensor(c["truncated"])] = 0  # as under use_overlong_filtering
                width = max(c["lengths"])
                tokens = torch.tensor([[float(t < n) for t in range(width)] for n in c["lengths"]])
                prompts = torch.tensor([[i // GROUP] for i in range(len(multiplier))])
                a = estimator.compute_advantage(prompt_ids=prompts, rewards=torch.tensor(c["rewards"]), mask=tokens * multiplier.unsqueeze(-1))
                a = clip(a, types.SimpleNamespace(advantage_clip_low=low, advantage_clip_high=high))
                return (a[:, 0] * multiplier).tolist()

            options = {f"grpo.advantage_clip_{side}": x for side, x in (("low", low), ("high", high)) if x is not None}
            yield source.repository + " nemo_rl/algorithms/grpo.py", "nemo-rl", name, "", truncated, options, advantages


def open_instruct(git):
    source = Source("allenai/open-instruct", "open_instruct", git)
    loader = source.file("open_instruct/data_loader.py")
    names = {"np": np, "logger": logging.getLogger()}
    drop = cut.definition(loader, "maybe_mask_truncated_completions", names)
    text = pathlib.Path(loader).read_text()
    begin = text.index("            scores = np.array(batch.scores)")
    end = text.index("            if self.config.save_traces", begin)  # they stand in a loop, which cut does not enter
    body = "\n".join(line[8:] for line in text[begin:end].splitlines())
    source_text = f"def score(self, batch):\n{body}\n    return advantages\n"
    score = cut.compiled(source_text, str(loader), "score", names)

    class Batch:
        def __init__(self, scores, rows):
            self.scores, self.rows = scores, rows

        def __getitem__(self, kept):
            return Batch([self.scores[i] for i in kept], [self.rows[i] for i in kept])

    for kind, scale in (("standard", "group"), ("centered", "none")):

        def advantages(c, kind=kind):
            n = len(c["rewards"])
            result = types.SimpleNamespace(finish_reasons=["length" if t else "stop" for t in c["truncated"]],
                                           responses=[None] * n, masks=[None] * n, logprobs=[None] * n)
            batch = drop(result, Batch(c["rewards"], list(range(n))), True)
            trainer = types.SimpleNamespace(config=types.SimpleNamespace(num_samples_per_prompt_rollout=GROUP, advantage_normalization_type=kind))
            try:
                values = dict(zip(batch.rows, score(trainer, batch)))
            except ValueError:
                return "ValueError"  # what is left makes no whole blocks
            return [float(np.float32(values.get(i, 0))) for i in range(n)]

        yield source.repository + " open_instruct/data_loader.py", "open-instruct", kind, scale, "drop", {}, advantages


def rllm(git):
    source = Source("rllm-org/rllm", "rllm", git)
    transform, config = source.file("rllm/trainer/algorithms/transform.py"), source.file("rllm/trainer/algorithms/config.py")
    code, workflow = source.file("rllm/trainer/algorithms/rl_algo.py"), source.file("rllm/workflows/workflow.py")
    import dataclasses
    import enum

    reasons = cut.definition(workflow, "TerminationReason", {"Enum": enum.Enum})
    filtering = dataclasses.dataclass(cut.definition(config, "CompactFilteringConfig", {"TerminationReason": reasons}))
    group = types.SimpleNamespace
    build = cut.definition(transform, "_build_trajectory_groups",
                           {"TerminationReason": reasons, "defaultdict": collections.defaultdict, "TrajectoryGroup": group})
    for name, function in (("grpo", "calculate_grpo_advantages_per_group"), ("rloo", "calculate_rloo_advantages_per_group")):
        estimate = cut.definition(code, function, {"np": np})

        def advantages(c, estimate=estimate):
            episodes = [
                types.SimpleNamespace(
                    termination_reason=reasons.MAX_RESPONSE_LENGTH_EXCEEDED if t else reasons.ENV_DONE, task_id=i // GROUP, rollout_idx=i,
                    is_correct=r > 0, trajectories=[types.SimpleNamespace(name="solver", steps=[None], reward=r, row=i)])
                for i, (r, t) in enumerate(zip(c["rewards"], c["truncated"]))
            ]
            values = [0.0] * len(episodes)
            for g in build(episodes, filtering(enable=True, mask_max_response_length_exceeded=True)):
                a, _ = estimate(np.array([t.reward for t in g.trajectories]))
                for t, x in zip(g.trajectories, a):
                    values[t.row] = float(x)
            return values

        yield source.repository + " rllm/trainer/algorithms/transform.py", "rllm", name, "group" if name == "grpo" else "", "drop", {}, advantages


def main():
    cases = [made(seed) for seed in range(8)]
    for whole in (4, 5):  # only whole groups, as open-instruct needs
        c = made(whole)
        cases.append(c | {"truncated": [i // GROUP == whole - 4 for i in range(len(c["truncated"]))]})
    mixed = made(6)  # 1 of the first group and 3 of the second: open-instruct then counts the first and the second as one
    cases.append(mixed | {"truncated": [i in (0, 4, 5, 6) for i in range(len(mixed["truncated"]))]})
    runs = []
    for make, git in zip((trl, swift, nemo, open_instruct, rllm), sys.argv[1:], strict=True):
        for source, framework, estimator, scale, truncated, options, advantages in make(git):
            runs.append({"source": source, "framework": framework, "estimator": estimator, "scale": scale, "truncated": truncated,
                         "options": options, "advantages": [advantages(c) for c in cases]})
    runtime = f"torch {torch.__version__} CPU, numpy {np.__version__}"
    rows = ",\n  ".join(json.dumps(c) for c in cases)
    print('{"runtime": %s,\n "cases": [\n  %s],\n "runs": [\n  %s]}' % (json.dumps(runtime), rows, ",\n  ".join(map(json.dumps, runs))))


main()
