"""Compares a framework's own function with what `vantage export` prints, on random steps."""

import json
import math
import os

import made
import numpy as np
from proof import ulps_between

OPTION_STEPS = 12  # on which options are tried: an effect shows on the first
STEPS = 96 if "FEW" in os.environ else 240  # twice or five times each kind of reward with each shape of group


class Comparison:
    """The comparisons of one framework of the program."""

    def __init__(self, proof, framework):
        self.proof, self.framework = proof, framework
        listed, _ = proof.vantage("estimators", framework, "--format", "json")
        self.ours = {e["name"]: e for e in json.loads(listed)["estimators"]}

    def compare(self, estimator, call, *, what="", scales=None, flags=(), unlike=None, **steps):
        """Compares call(step, scale) with ours, a case for each scale.

        call returns an advantage for each sample, in order, or raises what the framework raises; then
        ours must be refused, and must not be otherwise. unlike(step) gives a reason to leave a step
        out, or None. steps is passed to made.steps.
        """
        e = self.ours[estimator]
        for scale in scales or e["scales"]:
            name = ", ".join(filter(None, ("scale " + scale, what)))
            with self.proof.case(name, f"{self.framework} {estimator}") as case:
                batches = made.steps(STEPS, **steps)
                path = self.proof.folder(f"{self.framework} {estimator} {name}") / "rollouts.jsonl"
                write(path, batches)
                ours = self.export(path, len(batches), "--estimator", estimator, "--scale", scale, *flags)
                judge = Judge(case, e, call, scale)
                for step, (advantages, refused) in zip(batches, ours, strict=True):
                    if not (unlike and unlike(step)):
                        judge.step(step, advantages, refused)
                print(judge.counts())

    def options(self, values, call, left_out=(), **steps):
        """Finds the options of the trainer's configuration that have no effect on an estimator: ours must say so of them, and of no other.

        values are those to try, by the key of the option; call(estimator, key, value) returns a function of a step. steps is passed
        to made.steps.
        """
        with self.proof.case("options", f"{self.framework} options") as case:
            batches = [step for step in made.steps(OPTION_STEPS, **steps) if all(math.isfinite(r) for r in step.rewards)]
            for e in self.ours.values():
                if e["computable"] and e["name"] not in left_out:
                    self.effects(case, e, values, call, batches)

    def effects(self, case, e, values, call, batches):
        """Compares which options have an effect on an estimator with what we say."""
        ours = {option["key"]: option for option in e.get("options", [])}
        for key, choices in values.items():
            outputs = [[outcome(call(e["name"], key, value), step) for step in batches] for value in choices]
            has_effect = any(o != outputs[0] for o in outputs[1:])
            case.samples += len(batches)
            case.equal += len(batches)
            if key in ours and not has_effect:
                self.proof.unheard.append(f"`{key}` of {e['name']}")
            if has_effect != (key in ours and "no_effect_in" not in ours[key]) and (has_effect or key in ours):
                case.fail(f"{key} has {'an' if has_effect else 'no'} effect on {e['name']}; ours has it as {ours.get(key)}")

    def export(self, path, steps, *flags):
        """The advantages of each step, and whether some of them are refused."""
        rows, _ = self.proof.export(path, "--framework", self.framework, *flags)
        advantages, refused = [[] for _ in range(steps)], [False] * steps
        for row in rows:
            advantages[row.step].append(row.advantage)
            refused[row.step] |= row.refused
        return list(zip(advantages, refused))


def outcome(call, step):
    """The advantages of a step as text, in which NaN is NaN, or what is raised."""
    try:
        return repr([float(a) for a in call(step)])
    except Exception as error:  # whatever the framework raises
        return type(error).__name__


class Judge:
    """Compares the steps of one case."""

    def __init__(self, case, estimator, call, scale):
        self.case, self.call, self.scale = case, call, scale
        self.single, self.tolerance = estimator["precision"] == 32, estimator["tolerance"]
        self.raised = self.compared = self.largest_ulps = 0
        self.worst = 0.0

    def step(self, step, ours, refused):
        where = f"step {step.number} ({step.kind}, {step.shape})"
        try:
            theirs = self.theirs(step)
        except Exception as error:  # whatever the framework raises
            self.raised += 1
            if not refused:
                self.case.fail(f"{where}: theirs raises {type(error).__name__}: {error}; ours refuses nothing")
            return
        if refused:
            self.case.fail(f"{where}: ours refuses the step, theirs does not")
        elif len(theirs) != len(ours):
            self.case.fail(f"{where}: {len(theirs)} advantages are theirs and {len(ours)} ours")
        else:
            self.compared += 1
            self.case.samples += len(theirs)
            self.advantages(step, where, theirs, ours)

    def theirs(self, step):
        return [float(a) for a in self.call(step, self.scale)]

    def advantages(self, step, where, theirs, ours):
        different = self.different(theirs, ours)
        self.case.equal += len(theirs) - len(different)
        if not different:
            return
        if self.tolerance:
            self.near(where, theirs, ours, different)
            return
        # The square root of torch's wheels is not IEEE's. With this one function replaced, every bit
        # must be equal.
        with ieee_square_root():
            exact = self.theirs(step)
        wrong = self.different(exact, ours)
        if wrong:
            at = wrong[0]
            self.case.fail(f"{where}, sample {at}: theirs {exact[at]!r}, ours {ours[at]!r}")
        self.case.near += len(different) - len(wrong)
        self.largest_ulps = max([self.largest_ulps] + [ulps_between(theirs[i], ours[i]) for i in different])

    def near(self, where, theirs, ours, different):
        largest = max([1.0] + [abs(a) for a in theirs if math.isfinite(a)])
        for i in different:
            distance = abs(theirs[i] - ours[i]) / largest
            if not distance <= self.tolerance:  # NaN as well
                self.case.fail(f"{where}, sample {i}: theirs {theirs[i]!r}, ours {ours[i]!r}")
                return
            self.case.near += 1
            self.worst = max(self.worst, distance)

    def different(self, theirs, ours):
        return [i for i, (a, b) in enumerate(zip(theirs, ours)) if not same(a, b, self.single)]

    def counts(self):
        return (
            f"  {self.compared} steps compared, {self.raised} raised and refused; "
            f"largest distance {self.largest_ulps} ulps by the square root, {self.worst:.1e} within the tolerance"
        )


def same(a, b, single):
    """Equal as float32 or float64. Any NaN is NaN, and 0 is −0."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return bool(np.float32(a) == np.float32(b)) if single else a == b


class ieee_square_root:
    """Replaces torch's square root of tensors by that of numpy, which is IEEE's."""

    def __enter__(self):
        import torch

        self.torch, self.functions = torch, (torch.sqrt, torch.Tensor.sqrt)
        torch.sqrt = torch.Tensor.sqrt = lambda x: torch.from_numpy(np.sqrt(x.numpy())).reshape(x.shape)

    def __exit__(self, *_):
        self.torch.sqrt, self.torch.Tensor.sqrt = self.functions


def write(path, steps):
    """Writes the steps as plain rows."""
    with open(path, "w") as log:
        for step in steps:
            for i, (reward, group, length) in enumerate(zip(step.rewards, step.groups, step.lengths)):
                row = {"step": step.number, "group_id": f"g{group}", "response_length": length}
                row["prompt"] = f"question {group} of step {step.number}"
                row |= {name: column[i] for name, column in step.components.items()} or {"reward": reward}
                log.write(json.dumps(row) + "\n")


def whitening(step):
    """Leaves out steps of equal rewards for estimators that divide by the deviation of a whole batch: it is
    what rounding leaves of 0 there."""
    return len(set(step.rewards)) == 1


def ragged_by_chance(step):
    """Leaves out steps for frameworks that take n rows for a group: one with groups of different sizes goes
    unnoticed if the number of its rows is a multiple of n. Ours refuses it."""
    return len(set(step.sizes)) > 1 and len(step.rewards) % step.n == 0


def both_infinities(step):
    """Leaves out steps in which two reward functions give a sample +inf and −inf: theirs is NaN then, ours a sample
    without a score."""
    return any(math.inf in row and -math.inf in row for row in zip(*step.components.values()))
