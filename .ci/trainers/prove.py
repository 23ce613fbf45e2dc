"""Runs the proofs, two at a time, and prints what they found: see run, which calls it."""

import concurrent.futures
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import kept
import page

HERE = pathlib.Path(__file__).parent
PARTS = {  # folder: what is done there
    "trl": "training",
    "writers": "own log writer",
    "functions": "own advantage function",
}
LIMIT = 900  # seconds for one proof, on a very busy machine; some 60 are usual for training
SHOWN = 5  # failures of a case that are printed


def main():
    flags = [a for a in sys.argv[1:] if a.startswith("--")]
    chosen = [HERE / a for a in sys.argv[1:] if not a.startswith("--")]
    if "--keep" in flags:
        os.environ["KEEP"] = "1"
    if "--few" in flags:
        os.environ["FEW"] = "1"
    start = time.time()
    with tempfile.TemporaryDirectory(prefix="vantage-trainers-") as work:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            proofs = list(pool.map(lambda file: prove(file, pathlib.Path(work)), chosen or all_proofs()))
    passed, failures = print_table(proofs)
    if not chosen:
        for sentence in kept.unproved(proofs):
            print(sentence)
            failures += 1
    print(f"\n{time.time() - start:.0f} s")
    if "--write" in flags and not failures and not chosen and "--few" not in flags:
        page.write(proofs, datetime.date.today())
    print(f"{passed} passed, {failures} failed")
    sys.exit(failures > 0)


def all_proofs():
    """The proofs of all parts: training first, since it takes longest."""
    return [file for part in PARTS for file in sorted((HERE / part).glob("*.py")) if not file.name.startswith("_")]


def prove(file, work):
    """Runs a proof as a process of its own."""
    folder = work / file.parent.name / file.stem
    folder.mkdir(parents=True)
    results, log = folder.with_suffix(".json"), folder.with_suffix(".txt")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | {
        "WORK": str(folder), "RESULTS": str(results), "PYTHONUNBUFFERED": "1", "PYTHONSAFEPATH": "1",
        "PYTHONPYCACHEPREFIX": f"{sys.prefix}/bytecode",  # kept with the environment, and out of the checkout
    }  # fmt: skip
    start = time.time()
    failure = "it ended without results"
    with open(log, "w") as out:
        try:
            subprocess.run([sys.executable, file], stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            failure = f"it took more than {LIMIT} s"
    if results.exists():
        proof = json.loads(results.read_text())
    else:
        proof = {"release": file.stem, "version": "", "cases": [], "unheard": [], "failures": [f"{file.stem}: {failure}"]}
    proof |= {"part": file.parent.name, "what": PARTS[file.parent.name], "seconds": time.time() - start}
    if any(proof["failures"]):
        print(f"\n{file.relative_to(HERE)} said last:\n{log.read_text(errors='replace')[-3000:]}", flush=True)
    return proof


def print_table(proofs):
    """Prints a line for each case, then a sentence for each failure; returns how many passed and failed."""
    form = "{:<16} {:<9} {:<23} {:<26} {:<34} {:>9} {:>9} {:>7} {:>6}"
    print("\n" + form.format("trainer", "version", "by", "case", "estimator", "samples", "equal", "near", "s"))
    counts, sentences = {"passed": 0, "FAILED": 0, "pending": 0}, []
    for proof in proofs:
        for case in proof["cases"]:
            verdict = "passed" if not case["failures"] else "pending" if case["pending"] else "FAILED"
            counts[verdict] += 1
            what = proof["release"], proof["version"], proof["what"], case["name"], case["estimator"]
            figures = case["samples"], case["equal"], case["near"], f"{case['seconds']:.1f}"
            print(form.format(*what, *figures) + f"  {verdict}" * (verdict != "passed"))
            sentences += case["failures"][:SHOWN]
            if len(case["failures"]) > SHOWN:
                sentences.append(f"… and {len(case['failures']) - SHOWN} more")
        counts["FAILED"] += bool(proof["failures"])
        sentences += proof["failures"]
        print(form.format("", "", "", "with imports", "", "", "", "", f"{proof['seconds']:.1f}"))
    if sentences:
        print("\n" + "\n".join(sentences))
    return counts["passed"], counts["FAILED"]


main()
