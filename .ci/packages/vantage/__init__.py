"""Samples, steps and findings of an RL run as tables of pandas or polars. The program `vantage` reads the log and computes.

    import vantage
    samples = vantage.samples("runs/qwen-math/rollouts", keep_neg_ratio=0.5)
    steps = vantage.steps("runs/qwen-math/rollouts", last=20, frame="polars")
    findings = vantage.findings("runs/qwen-math/rollouts")

Other arguments are flags of `vantage export` and `vantage report`, with _ in the place of -; a list repeats a flag. What the
program notes, such as whose arithmetic it takes, goes to logging.getLogger("vantage").
"""

from __future__ import annotations

import io
import json
import logging
import os
import shutil
import subprocess
import sysconfig
import warnings
from typing import TYPE_CHECKING, Any, Literal, overload

if TYPE_CHECKING:
    import pandas
    import polars

    Path = str | os.PathLike[str]


class VantageError(Exception):
    """The program could not answer; the message is its own."""


@overload
def samples(path: Path, *, frame: Literal["pandas"] = "pandas", **flags: Any) -> pandas.DataFrame: ...
@overload
def samples(path: Path, *, frame: Literal["polars"], **flags: Any) -> polars.DataFrame: ...
def samples(path: Path, *, frame: str = "pandas", **flags: Any) -> Any:
    """A row for each sample, with the columns of `vantage export`. A number that is missing, NaN or infinite is missing."""
    lines = io.BytesIO(_run("export", path, "--format=jsonl", **flags))
    if frame == "polars":
        return _library(frame).read_ndjson(lines, infer_schema_length=None)
    return _library(frame).read_json(lines, lines=True, dtype=False, precise_float=True)


@overload
def steps(path: Path, *, frame: Literal["pandas"] = "pandas", **flags: Any) -> pandas.DataFrame: ...
@overload
def steps(path: Path, *, frame: Literal["polars"], **flags: Any) -> polars.DataFrame: ...
def steps(path: Path, *, frame: str = "pandas", **flags: Any) -> Any:
    """A row for each step, with the counts and metrics of `vantage report --format csv`."""
    table = io.BytesIO(_run("report", path, "--format=csv", **flags))
    if frame == "polars":
        return _library(frame).read_csv(table, infer_schema_length=None)
    return _library(frame).read_csv(table, float_precision="round_trip")


@overload
def findings(path: Path, *, frame: Literal["pandas"] = "pandas", **flags: Any) -> pandas.DataFrame: ...
@overload
def findings(path: Path, *, frame: Literal["polars"], **flags: Any) -> polars.DataFrame: ...
def findings(path: Path, *, frame: str = "pandas", **flags: Any) -> Any:
    """A row for each thing that ails the run, the worst first. The log may have averages of steps alone."""
    found = json.loads(_run("report", path, "--format=json", **flags))["findings"]
    columns = {name: [one.get(name) for one in found] for name in ("kind", "severity", "since", "until", "title", "advice")}
    columns["evidence"] = ["; ".join(one.get("evidence", [])) for one in found]
    columns |= {f"example_{key}": [one.get("example", {}).get(key) for one in found] for key in ("step", "group")}
    return _library(frame).DataFrame(columns)


def _library(name: str) -> Any:
    if name not in ("pandas", "polars"):
        raise ValueError(f"frame={name!r}: choose pandas or polars")
    return __import__(name)


def _run(command: str, path: Path, *options: str, **flags: Any) -> bytes:
    """Standard output of the program: the one that was installed with this module, else that of the PATH."""
    program = shutil.which("vantage", path=sysconfig.get_path("scripts")) or shutil.which("vantage")
    if program is None:
        raise VantageError("there is no program vantage on the PATH: install the package vantage-rl")
    for name, value in flags.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            options += (f"--{name.replace('_', '-')}={str(one).lower() if isinstance(one, bool) else one}",)
    done = subprocess.run([program, command, *options, "--", os.fspath(path)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = "; ".join(map(_sentence, done.stderr.decode(errors="replace").splitlines()))
    if done.returncode and not (done.returncode == 1 and command == "export" and done.stdout):
        raise VantageError(said or f"vantage {command} ended with {done.returncode}")
    if done.returncode:  # some records of the log could not be read: the others were written
        warnings.warn(said, stacklevel=3)
    elif said:
        logging.getLogger(__name__).info("%s", said)
    return done.stdout


def _sentence(line: str) -> str:
    """What the program says of an error or notes, as an object of JSON or as a line."""
    message = json.loads(line) if line.startswith("{") else {"note": line.replace("vantage: ", "", 1)}
    return message.get("error") or message["note"]
