"""Writes .github/docs/trainers.md from what the proofs found."""

import pathlib

import kept

PAGE = pathlib.Path(__file__).parents[3] / ".github" / "docs" / "trainers.md"

HEAD = """# Proved on real trainers

`.ci/trainers/run` installs these releases, lets them train, write their logs and compute advantages, and compares what
`vantage export` prints with what they had, as float32. This page is what it found on {date}.

| | |
| --- | --- |
| training | the trainer trains a random model of two layers for 20 steps while the program follows; compared are the advantages that its loss was given |
| own log writer | the framework's own code writes a log of made rewards; compared are samples and advantages |
| own advantage function | the framework's own function is called on 240 random steps |

| trainer | release | by | estimators | advantages | equal to the bit | near |
| --- | --- | --- | --- | ---: | ---: | ---: |
"""

FOOT = """
Near is off by one or two units in the last place. `torch.sqrt` of the wheels on PyPI is that of Intel's MKL: it is off by one
unit in 0.7 % of values on one machine and in 20 % on another, and a quotient by it then by up to two; where quotients are
subtracted from each other (grpo_normalize_then_sum, gdpo) what is left near 0 differs by more. The program takes the
square root of IEEE 754, and with that in place of MKL's all are equal to the bit. Estimators that whiten over the tokens
of a batch (REINFORCE++, GDPO of verl, normalisation over a batch) sum in another order: they agree to 1e-4 of the largest
advantage, as [their descriptions](estimators/README.md) say, and count as near too. All was computed on a CPU: the order of sums
on a GPU is not proved.

Where the framework raises an exception, `vantage export` must call the step refused, and nowhere else. Left out are
groups of different sizes that fill up a matrix by chance, a sample with both infinities, and equal rewards throughout a
batch that is whitened.

## By kept numbers

These have no release on PyPI, or one that is not installed for a function or two. Their own functions were called once, at
the revision or release that stands here; the numbers are kept, and `go test ./estimators` compares them.

| repository | revision | estimators | cases |
| --- | --- | --- | ---: |
{kept}

`.ci/trainers/run --newest` takes today's releases instead.
"""


def write(proofs, date):
    lines = []
    for proof in proofs:
        if not proof["cases"]:
            continue
        estimators = ", ".join(dict.fromkeys(c["estimator"] for c in proof["cases"] if c["estimator"]))
        total = {key: sum(c[key] for c in proof["cases"] if not c["failures"]) for key in ("samples", "equal", "near")}
        lines.append(
            f"| {proof['release']} | {proof['version']} | {proof['what']} | {estimators} | "
            f"{total['samples']:,} | {total['equal']:,} | {total['near']:,} |\n"
        )
    PAGE.write_text(HEAD.format(date=date.isoformat()) + "".join(lines) + FOOT.format(kept=kept.table()))
