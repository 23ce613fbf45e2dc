"""Estimators that no installed release can prove: the numbers of their own functions are kept instead."""

import collections
import json
import os
import pathlib
import subprocess

GOLDEN = pathlib.Path(__file__).parents[3] / "estimators" / "testdata" / "golden"

# Where the numbers of a framework, or of a single estimator, begin among the files of GOLDEN. The frameworks have no release
# on the index, or one that is not installed for a function or two. Of ReMax the reward of a greedy response is needed, which
# no log holds.
KEPT = {
    "art": "art",
    "axolotl": "axolotl_",
    "cosmos-rl": "cosmos_",
    "easyr1": "easyr1_brian_",
    "easyr1-upstream": "easyr1_upstream_",
    "areno": "areno",
    "miles": "miles_",
    "nemo-rl": "nemo_rl_",
    "open-instruct": "open_instruct",
    "papers pkpo_s": "pkpo",
    "papers pkpo_sloo": "pkpo",
    "papers pkpo_sloo_minus_one": "pkpo",
    "papers pods": "pods_",
    "papers w_reinforce": "rlvr_decomposed",
    "papers nsr": "rlvr_decomposed",
    "papers psr": "rlvr_decomposed",
    "prime-rl": "prime_rl_",
    "rlinf": "rlinf",
    "rllm": "rllm",
    "roll": "roll_",
    "slime": "slime_",
    "torchtitan": "torchtitan",
    "trinity": "trinity",
    "verl remax": "verl_remax",
}


def estimators():
    """All estimators that can be computed from a log, as the program lists them: "verl grpo"."""
    done = subprocess.run([os.environ["VANTAGE"], "list", "estimators", "--format", "json"], capture_output=True, text=True, check=True)
    return [f"{e['framework']} {e['name']}" for e in json.loads(done.stdout)["estimators"] if e["computable"]]


def unproved(proofs):
    """A sentence for each estimator that neither a function's proof nor kept numbers prove."""
    called = {case["estimator"] for proof in proofs if proof["part"] == "functions" for case in proof["cases"]}
    return [f"{e} is proved by nothing" for e in estimators() if e not in called and not key(e)]


def key(estimator):
    """The key of KEPT under which an estimator is proved, None if it is not."""
    return next((k for k in (estimator, estimator.split()[0]) if k in KEPT), None)


def table():
    """The lines of a table: framework, revision, estimators, how many cases."""
    by_key = collections.defaultdict(list)
    for e in estimators():
        if key(e):
            by_key[key(e)].append(e)
    lines = []
    for k, names in by_key.items():
        files = [json.loads(path.read_text()) for path in sorted(GOLDEN.glob(KEPT[k] + "*.json"))]
        repository, revision = origin(files[0]["source"])
        lines.append(f"| {repository} | {revision} | {listed(names)} | {sum(len(f['cases']) for f in files):,} |\n")
    return "".join(lines)


def listed(names):
    """Names of estimators with a comma between them; that of the framework, which they begin with, stands once."""
    first, *rest = [*names] or [""]
    framework = first.split(" ")[0] + " "
    return ", ".join([first] + ([name.removeprefix(framework) for name in rest] if all(name.startswith(framework) for name in rest) else rest))


def origin(source):
    """Repository and revision, of "owner/name@revision file" or "owner/name wheel name==version file"."""
    repository, at, revision = source.split()[0].partition("@")
    return (repository, revision[:9]) if at else (repository, source.split()[2].partition("==")[2])
