"""What every proof needs: a place to work, the program, and a comparison of advantages bit for bit.

A proof is a file of trl/, writers/ or functions/ that does not begin with an underscore. It is run as a process of its
own, so what a framework replaces of another, or of torch, hurts no other proof, and a release that cannot be imported
costs only its own. It ends with

    proof.run("trl", prove)      # the name of the release on the package index

where prove(p) is given a Proof. Whatever it raises is a failure like any other. Once proof is imported files beside it
can be, but a framework's package comes first: writers/verl.py does not hide verl.
"""

import contextlib
import csv
import dataclasses
import importlib.metadata
import json
import math
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import time
import traceback

sys.path.append(os.path.dirname(os.path.abspath(sys.argv[0])))  # last; PYTHONSAFEPATH keeps it from being the first

KEPT = pathlib.Path(__file__).parents[3] / "internal" / "commands" / "testdata" / "trainers"


def run(release, prove, version=None):
    """Runs prove(p). version is that of an older release, which lies in a folder of its own; else it is the installed one."""
    p = Proof(release, version or importlib.metadata.version(release))
    try:
        prove(p)
    except Exception as error:
        traceback.print_exc()
        p.failures.append(f"{p.release}: {type(error).__name__}: {str(error).strip().splitlines()[:1]}")
    with open(os.environ["RESULTS"], "w") as out:
        json.dump({"release": p.release, "version": p.version, "cases": p.cases, "unheard": p.unheard, "failures": p.failures}, out)


def older(release, version):
    """The folder that holds an older release, of older.txt."""
    return os.path.join(sys.prefix, "older", f"{release}-{version}")


@dataclasses.dataclass
class Row:
    """A sample as `vantage export` prints it: step and index within the step, both as in the log."""

    step: int
    index: int
    group: str
    reward: float
    advantage: float
    refused: bool


class Proof:
    def __init__(self, release, version):
        self.release, self.version = release, version
        self.name = pathlib.Path(sys.argv[0]).stem
        self.cases, self.failures = [], []
        self.unheard = []  # options of the trainer without an effect
        self.program = os.environ["VANTAGE"]
        self.work = pathlib.Path(os.environ["WORK"])
        self.keeping = "KEEP" in os.environ  # see keep

    def folder(self, name):
        """A new folder to write a log into."""
        path = self.work / name
        path.mkdir(parents=True)
        return path

    def vantage(self, *arguments):
        """Standard output and standard error of the program, which must succeed."""
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True, env=self.environment())
        if done.returncode != 0:
            raise RuntimeError(f"vantage {' '.join(map(str, arguments))}: exit code {done.returncode}: {done.stderr.strip()}")
        return done.stdout, done.stderr

    def environment(self):
        """One in which the program keeps what it remembers of runs within the folder of the proof."""
        return {**os.environ, "XDG_STATE_HOME": str(self.work / "state"), "XDG_CONFIG_HOME": str(self.work / "config")}

    def export(self, *arguments):
        """The rows of `vantage export`, and what it says on standard error: whose arithmetic, and what was assumed."""
        out, said = self.vantage("export", "--format", "csv", *arguments)  # it has NaN and infinity
        rows = []
        for o in csv.DictReader(out.splitlines()):
            rows.append(Row(int(o["step"]), int(o["index"]), o["group"], number(o["reward"]), number(o["advantage_original"]), o["refused"] == "true"))
        return rows, said

    def keep(self, name, folder, pattern, estimator, advantages):
        """Keeps the files of a small log whose names match as test data of the project, beside the advantages that it must
        be found to have: those of each step, in the order of the log. Only where run was called with --keep."""
        kept = KEPT / name
        shutil.rmtree(kept, ignore_errors=True)
        for file in folder.rglob("*"):
            if file.is_file() and file.match(pattern):
                (kept / "log" / file.relative_to(folder)).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, kept / "log" / file.relative_to(folder))
        want = {"release": f"{self.release} {self.version}", "estimator": estimator, "advantages": advantages}
        (kept / "want.json").write_text(json.dumps(want) + "\n")

    @contextlib.contextmanager
    def case(self, name, estimator, pending=False, seconds=0.0):
        """Compares within a case of its own. Example: with p.case("chat", "trl grpo") as case: case.same(…).

        The failures of a pending case are shown, and do not fail the run: what it asks of the program is still to come.
        seconds are those that were spent on it before.
        """
        case = Case(", ".join(filter(None, (f"{self.release} {self.version}", estimator, name))))
        start = time.time()
        try:
            yield case
        except Exception as error:
            traceback.print_exc()
            case.failures.append(f"{case.name}: {type(error).__name__}: {error}")
        print(f"{case.name}: {len(case.failures)} failures", *case.failures[:5], sep="\n  ", flush=True)
        self.cases.append(
            {"name": name, "estimator": estimator, "pending": pending, "samples": case.samples, "equal": case.equal,
             "near": case.near, "failures": case.failures, "seconds": seconds + time.time() - start}
        )  # fmt: skip


class Case:
    def __init__(self, name):
        self.name = name
        self.samples = self.equal = self.near = 0
        self.failures = []

    def fail(self, sentence):
        self.failures.append(f"{self.name}: {sentence}")

    def same(self, theirs, ours, where="row {}".format, ulps=1):
        """Compares float32 by float32. where(i) says which value it is, such as "step 3, row 7".

        A distance of so many units in the last place is let through and counted as near: torch.sqrt of the wheels on PyPI
        was seen to be off by one unit in 0.7 % to 20 % of values, while the program takes the square root of IEEE 754. A
        quotient by it may then be off by two.
        """
        if len(theirs) != len(ours):
            self.fail(f"{len(theirs)} values are theirs and {len(ours)} ours")
            return
        for i, (their, our) in enumerate(zip(theirs, ours)):
            self.samples += 1
            distance = ulps_between(their, our)
            if distance == 0:
                self.equal += 1
            elif distance <= ulps:
                self.near += 1
            else:
                self.fail(f"{where(i)}: theirs {float32(their)!r}, ours {float32(our)!r}")


def ulps_between(a, b):
    """How many float32 lie between two, which are rounded to float32 first. NaN is NaN; 0.0 and -0.0 are one step apart."""
    if math.isnan(a) or math.isnan(b):
        return 0 if math.isnan(a) and math.isnan(b) else math.inf
    return abs(ordered(a) - ordered(b))


def ordered(x):
    """The place of a float32 among all float32."""
    bits = struct.unpack("<i", struct.pack("<f", x))[0]
    return bits if bits >= 0 else -(bits & 0x7FFFFFFF) - 1


def float32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def number(x):
    """A cell of a table, which is empty where the log has no number."""
    return float(x) if x else math.nan
