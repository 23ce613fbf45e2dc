#!/usr/bin/env python3
"""Asks rl-doctor what ails the runs that .ci/diagnosis/run --keep DIR left, from their scalars, and prints it beside what vantage said.

    .ci/diagnosis/run --seed 911 --keep DIR
    python -m venv VENV && VENV/bin/pip install rldoctor==0.2.0
    .ci/diagnosis/rldoctor.py DIR VENV/bin/rl-doctor [.github/docs/tools.md]

rl-doctor reads scalars and has other kinds, so each of its detectors counts as right for all kinds of ours that move the scalars it
looks at. Entropy, KL, gradients and held-out scores are not made, and its detectors of these say nothing.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

EQUIVALENT = {
    "advantage_collapse": {"saturated", "too_hard", "equal_rewards", "answer_collapse", "grader_outage", "reward_collapse", "reward_hacking"},
    "length_pathology": {"length_explosion", "length_collapse", "truncation", "answer_collapse", "reward_hacking"},
    "reward_composition": {"reward_hacking", "grader_outage"},
    "plateau": {"reward_collapse", "too_hard", "saturated", "equal_rewards", "grader_outage", "stuck_data", "degenerate_text", "length_explosion", "answer_collapse"},
}
LEVELS = {"WARNING": {"WARNING", "CRITICAL"}, "CRITICAL": {"CRITICAL"}}


def findings(program, scalars):
    done = subprocess.run([program, "diagnose", scalars, "--format", "json"], capture_output=True, text=True, check=True)
    return [(finding["detector"], finding["severity"]) for finding in json.loads(done.stdout)["findings"]]


def main(folder, program, page=None):
    runs = [path for path in sorted(pathlib.Path(folder).glob("*.truth.json"))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = list(pool.map(lambda path: findings(program, str(path).replace(".truth.json", ".scalars.jsonl")), runs))
    ill, healthy = collections.defaultdict(collections.Counter), collections.Counter()
    for path, doctor in zip(runs, said):
        run = json.loads(path.read_text())
        alarms = {alarm["kind"] for alarm in run["alarms"] or ()}
        planted = run["truth"]["ill"] or []
        if run["part"] not in ("ill", "healthy"):
            continue
        for level, severities in LEVELS.items():
            detectors = {detector for detector, severity in doctor if severity in severities}
            if not planted:
                healthy[level] += bool(detectors)
            for one in planted:
                ill[one["kind"]][level] += any(one["kind"] in EQUIVALENT.get(detector, ()) for detector in detectors)
        if not planted:
            healthy.update(runs=1, vantage=bool(alarms))
        for one in planted:
            ill[one["kind"]].update(planted=1, vantage=bool(alarms & {one["kind"], one.get("or")}))
    total = sum(ill.values(), collections.Counter())
    table = "| kind | planted | vantage | rl-doctor, warnings too | rl-doctor, critical |\n| --- | ---: | ---: | ---: | ---: |\n"
    for kind, count in [*sorted(ill.items()), ("all", total)]:
        table += f"| {kind} | {count['planted']} | {count['vantage']} | {count['WARNING']} | {count['CRITICAL']} |\n"
    table += f"| healthy runs with an alarm | {healthy['runs']} | {healthy['vantage']} | {healthy['WARNING']} | {healthy['CRITICAL']} |\n"
    print(table, end="")
    if page:
        before, begin, rest = pathlib.Path(page).read_text().partition("<!-- rl-doctor: written by .ci/diagnosis/rldoctor.py -->\n")
        _, end, after = rest.partition("<!-- end of rl-doctor -->")
        pathlib.Path(page).write_text(before + begin + table + end + after)


if __name__ == "__main__":
    main(*sys.argv[1:])
