"""Writes .github/docs/trainers.md from what the proofs found."""

import pathlib

PAGE = pathlib.Path(__file__).parents[3] / ".github" / "docs" / "trainers.md"

HEAD = """# Proved on real trainers

`.ci/trainers/run` installs these releases, lets them train, write their logs and compute advantages, and compares what
`vantage export` prints with what they had, as float32. This page is what it found on {date}.

| | |
| --- | --- |
| training | the trainer trains a random model of two layers for 20 steps while the program follows; compared are the advantages that its loss was given |
| own log writer | the framework's own code writes a log of made rewards; compared are samples and advantages |
| own advantage function | the framework's own function is called on 240 random steps |

| trainer | release | by | estimators | advantages | equal to the bit | off by one unit in the last place |
| --- | --- | --- | --- | ---: | ---: | ---: |
"""

FOOT = """
One unit in the last place: `torch.sqrt` of the wheels on PyPI is that of Intel's MKL and is off by one unit in 0.7 % of
values; the program has the square root of IEEE 754. All was computed on a CPU: the order of sums on a GPU is not proved.
`.ci/trainers/run --newest` takes today's releases instead.
"""


def write(proofs, date):
    lines = []
    for proof in proofs:
        if not proof["cases"]:
            continue
        estimators = ", ".join(dict.fromkeys(c["estimator"] for c in proof["cases"] if c["estimator"]))
        total = {key: sum(c[key] for c in proof["cases"]) for key in ("samples", "equal", "ulp")}
        lines.append(
            f"| {proof['release']} | {proof['version']} | {proof['what']} | {estimators} | "
            f"{total['samples']:,} | {total['equal']:,} | {total['ulp']:,} |\n"
        )
    PAGE.write_text(HEAD.format(date=date.isoformat()) + "".join(lines) + FOOT)
