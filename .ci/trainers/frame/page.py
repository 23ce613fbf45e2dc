"""Writes .github/docs/contributors/proofs.md from what the proofs found."""

import pathlib

import kept

PAGE = pathlib.Path(__file__).parents[3] / ".github" / "docs" / "contributors" / "proofs.md"

HEAD = """# Proved on real trainers

    .ci/trainers/run              # --few tries less, --newest today's releases

`.ci/trainers/run` installs these releases, lets them train, write their logs and compute advantages, and compares these advantages
with `vantage export`, as float32. It wrote this page on {date}.

| | |
| --- | --- |
| training | the trainer trains a random model of two layers for 20 steps while vantage follows; the advantages of its loss are compared |
| own log writer | the framework's own code writes a log of made rewards; samples and advantages are compared |
| own advantage function | the framework's own function is called on 240 random steps: of verl, TRL and ms-swift the statements by which its trainer calls it, with its own configuration; of the others the function alone, because their trainers need an inference engine |

| trainer | release | by | estimators | advantages | equal | near |
| --- | --- | --- | --- | ---: | ---: | ---: |
"""

FOOT = """
*Near* values differ by one or two units in the last place. The reason is `torch.sqrt` of PyTorch's wheels, which use Intel's MKL: it differs from IEEE 754 by one
unit for 0.7 % of values on one machine and 20 % on another. A quotient then differs by up to two units, and a small difference of quotients
(grpo_normalize_then_sum, gdpo) by more. With the IEEE square root in place of MKL's, all are equal. Estimators that whiten over the tokens of a batch
(REINFORCE++, GDPO of verl, normalisation over a batch) sum in another order: they agree to 1e-4 of the largest advantage, and count as near too. Everything
ran on a CPU: the order of sums on a GPU is unproved.

## Options without effect

Each option of verl, TRL and ms-swift that changes the scale, the discount or the range of rewards is tried with several values, by the trainer's own call. Those that
change nothing are listed here; with `--config` vantage computes as the trainer, and warns.

| trainer | release | options |
| --- | --- | --- |
{unheard}

## What is left out

`vantage export` must mark a step as refused exactly where the framework raises an exception. The comparison leaves out groups of different sizes that fill a
matrix by chance, a sample with both infinities, and equal rewards throughout a batch that is whitened.

## By stored numbers

These aren't on PyPI, or are too heavy to install for one function. Their own functions were called once, at the listed revision or release; the numbers are
stored, and `go test ./estimators` compares them.

| repository | revision | estimators | cases |
| --- | --- | --- | ---: |
{kept}

`.ci/trainers/run --newest` takes today's releases instead.
"""


def write(proofs, date):
    lines, unheard = [], []
    for proof in proofs:
        cases = [c for c in proof["cases"] if c["name"] != "options"]
        if not cases:
            continue
        if proof["unheard"]:
            unheard.append(f"| {proof['release']} | {proof['version']} | {', '.join(proof['unheard'])} |")
        estimators = kept.listed(dict.fromkeys(c["estimator"] for c in cases if c["estimator"]))
        total = {key: sum(c[key] for c in cases if not c["failures"]) for key in ("samples", "equal", "near")}
        lines.append(
            f"| {proof['release']} | {proof['version']} | {proof['what']} | {estimators} | "
            f"{total['samples']:,} | {total['equal']:,} | {total['near']:,} |\n"
        )
    PAGE.write_text(HEAD.format(date=date.isoformat()) + "".join(lines) + FOOT.format(kept=kept.table(), unheard="\n".join(unheard)))
