"""Writes logs with trackio and datasets, and compares what vantage exports of them with what these read: compare.py FOLDER, with vantage in it."""

import json
import os
import pathlib
import random
import subprocess
import sys

WORK = pathlib.Path(sys.argv[1])
os.environ |= {"TRACKIO_DIR": str(WORK / "trackio"), "HF_HUB_OFFLINE": "1", "HF_DATASETS_DISABLE_PROGRESS_BARS": "1", "XDG_STATE_HOME": str(WORK / "state")}

import datasets
import pandas
import trackio
from trackio.sqlite_storage import SQLiteStorage

STEPS = 12
FIELDS = ("step", "reward", "advantage_logged", "response")


def rows(step):
    """The completions of a step in the columns of TRL: texts of all lengths, rewards without round numbers, and none of some."""
    draw = random.Random(step)
    for prompt in range(4):
        for n in range(4):
            text = "".join(draw.choice("ab\n\"\\ä😀 ") for _ in range(draw.choice([1, 50, 3000])))
            yield {"step": step, "prompt": f"what is {step} + {prompt}?", "completion": f"{n}{text}.", "right": draw.random(), "advantage": draw.gauss(0, 1)}


def export(path):
    """The samples that vantage reads, in the order of the log."""
    done = subprocess.run([WORK / "vantage", "export", path, "--columns", ",".join(FIELDS)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"vantage export {path}: {done.stderr}")
    return [tuple(json.loads(line)[field] for field in FIELDS) for line in done.stdout.splitlines()]


def same(name, theirs, ours, digits=0.0):
    theirs = [(r["step"], r["right" if "right" in r else "reward"], r["advantage"], r["completion"]) for r in theirs]
    if len(theirs) != len(ours):
        sys.exit(f"{name}: {len(ours)} samples, {len(theirs)} were written")
    for want, got in zip(theirs, ours):
        # A reward is a number of 32 bits in an export.
        if (want[0], want[3]) != (got[0], got[3]) or abs(want[1] - got[1]) > 1e-7 or abs(want[2] - got[2]) > digits:
            sys.exit(f"{name}: {got}, written was {want}")
    print(f"{name}: {len(ours)} samples as it reads them")


def logged(project, run):
    """The rows of all tables of a run, as trackio itself reads them."""
    return [row for entry in SQLiteStorage.get_logs(project, run) for row in (entry.get("completions") or {}).get("_value", [])]


def with_trackio():
    for run in ("one", "another"):
        trackio.init(project="math", name=run)
        for step in range(1, STEPS + 1):
            trackio.log({"loss": 1 / step, **{f"metric/{k}": random.random() for k in range(60)}}, step=step)
            trackio.log({"completions": trackio.Table(dataframe=pandas.DataFrame(rows(step)))})
            if run == "one" and step == STEPS // 2:
                subprocess.run([WORK / "vantage", "report", WORK / "trackio" / "math.db"], capture_output=True)  # a reader is no hindrance
        trackio.finish()
    path = WORK / "trackio" / "math.db"
    before = sorted((p.name, p.stat().st_size, p.stat().st_mtime_ns) for p in path.parent.glob("math.db*"))
    for run in ("one", "another"):
        same(f"trackio {trackio.__version__}", logged("math", run), export(path / run))
    if before != sorted((p.name, p.stat().st_size, p.stat().st_mtime_ns) for p in path.parent.glob("math.db*")):
        sys.exit("the database, or a file beside it, was touched")


def with_datasets():
    table = [row for step in range(1, STEPS + 1) for row in rows(step)]
    for row in table:
        row["reward"] = row.pop("right")
    saved = WORK / "saved"
    datasets.Dataset.from_list(table).save_to_disk(saved, num_shards=3)
    same(f"datasets {datasets.__version__} saved to disk", list(datasets.load_from_disk(str(saved))), export(saved))
    lines = WORK / "saved.jsonl"
    datasets.load_from_disk(str(saved)).to_json(lines)
    same(f"datasets {datasets.__version__}", list(datasets.load_from_disk(str(saved))), export(lines), digits=1e-9)  # to_json() writes ten decimals


with_trackio()
with_datasets()
