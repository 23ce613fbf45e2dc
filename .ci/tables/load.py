"""Loads every table and export of vantage with pandas, polars and DuckDB, and compares the values.

    python3 load.py DIR    DIR holds the program; logs and tables are written there

What is expected comes from the log and from arithmetic here: TRL's advantages without a scale are the rewards
less the mean of their group. All readers are called as a person would: with the path and nothing else.
"""

import csv
import json
import math
import os
import pathlib
import re
import subprocess
import sys

import duckdb
import pandas
import polars

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
WORK = pathlib.Path(sys.argv[1]).resolve()
os.environ["PATH"] = f"{WORK}{os.pathsep}{os.environ['PATH']}"
sys.path.append(str(REPOSITORY / ".ci" / "packages"))
import vantage  # noqa: E402  as in the wheel
TEXTS = ["plain", 'a "quoted", comma', "two\nlines\n", "<think>é 数学</think>", "", "tail "]
STEPS, GROUPS, SIZE = 12, 4, 4
DEAD_STEPS = 8  # more rows than a reader looks at before it decides on types


def main():
    checked = 0
    log = WORK / "log.jsonl"
    for format in ("csv", "jsonl"):
        rows = log_rows(infinite=format != "jsonl")  # JSON has no such number
        log.write_text("".join(json.dumps(row) + "\n" for row in rows))
        want = expected(rows)
        path = WORK / f"samples.{format}"
        path.write_bytes(program("export", log, "--format", format, "--columns", ",".join(want)))
        for reader, load in readers(format).items():
            compare(f"{reader}, export as {format}", load(path), want)
            checked += 1
    for name, arguments in tables(log).items():
        text = program(*arguments, "--format", "csv")
        path = WORK / f"{name}.csv"
        path.write_bytes(text)
        loaded = {reader: load(path) for reader, load in readers("csv").items()}
        first = loaded.pop("pandas")
        if not first or not next(iter(first.values())):
            sys.exit(f"{name}: no rows")
        for reader, table in loaded.items():
            compare(f"{reader}, {name} against pandas", table, first)
        checked += 3
    checked += numbers_stay_numbers(log) + module(log) + notebook()
    print(f"{checked} tables loaded, all values equal: pandas {pandas.__version__}, polars {polars.__version__}, DuckDB {duckdb.__version__}")


def numbers_stay_numbers(log):
    """A reward that is infinite or NaN is null in JSON lines without --columns, and the column is one of floats to every reader."""
    rows = log_rows(infinite=True)
    rows[40]["reward"] = math.nan
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    path = WORK / "numbers.jsonl"
    path.write_bytes(program("export", log))
    loaded = {"pandas": pandas.read_json(path, lines=True)["reward"].dtype, "polars": polars.read_ndjson(path)["reward"].dtype}
    loaded["duckdb"] = duckdb.sql(f"select reward from '{path}'").types[0]
    if {str(kind).lower() for kind in loaded.values()} - {"float64", "double"}:
        sys.exit(f"rewards are not numbers: {loaded}")
    for reader, load in readers("jsonl").items():
        got = load(path)
        want = [None if not math.isfinite(row["reward"]) else row["reward"] for row in rows]
        compare(f"{reader}, infinite rewards", {"reward": got["reward"]}, {"reward": want})
    head = next(csv.reader(program("export", log, "--format", "csv").decode().splitlines()))
    keys = list(json.loads(path.read_text().splitlines()[0]))
    if keys != head:
        sys.exit(f"JSON lines have {keys}, CSV has {head}")
    return 3


def module(log):
    """What `import vantage` returns, with both libraries, is what the commands write."""
    rows = log_rows(infinite=False)
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    want, settings = expected(rows), {"framework": "trl", "scale": "none"}
    frames = {"pandas": of_pandas, "polars": lambda frame: frame.to_dict(as_series=False)}
    for library, lists in frames.items():
        got = vantage.samples(log, frame=library, columns=",".join(want), **settings)
        compare(f"vantage.samples with {library}", lists(got), want)
        steps = lists(vantage.steps(log, frame=library, last=4, **settings))
        if steps["step"] != [9, 10, 11, 12] or steps["samples"] != [GROUPS * SIZE] * 4:
            sys.exit(f"vantage.steps with {library}: {steps['step']} {steps['samples']}")
        found = lists(vantage.findings(log, frame=library, **settings))
        told = json.loads(program("report", log, "--format", "json"))["findings"]
        if found["kind"] != [one["kind"] for one in told] or not told or found["example_step"] != [one["example"]["step"] for one in told]:
            sys.exit(f"vantage.findings with {library}: {found}, the report has {told}")
        try:
            vantage.samples(WORK / "nothing", frame=library)
            sys.exit("a log that is not there is no error")
        except vantage.VantageError as error:
            if "does not exist" not in str(error):
                sys.exit(f"a log that is not there: {error}")
    return 3 * len(frames)


def notebook():
    """The cells of the page, one after the other, in a folder with the run that they name."""
    run = WORK / "notebook" / "runs" / "qwen-math"
    run.mkdir(parents=True)
    (run / "rollouts").write_text("".join(json.dumps(row) + "\n" for row in log_rows(infinite=False)))
    page = (REPOSITORY / ".github" / "docs" / "notebooks.md").read_text()
    cells = re.findall(r"^```(\w*)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    before, names = os.getcwd(), {}
    os.chdir(WORK / "notebook")
    for language, cell in cells:
        if language == "python":
            exec(cell, names)
        else:
            subprocess.run(["sh", "-ec", cell], check=True)
    os.chdir(before)
    if len(cells) != 5:
        sys.exit(f"the page has {len(cells)} cells")
    return len(cells)


def program(*arguments):
    done = subprocess.run([WORK / "vantage", *arguments, "--framework", "trl", "--scale", "none"], stdout=subprocess.PIPE, check=True)
    return done.stdout


def log_rows(infinite):
    rows = []
    for step in range(1, STEPS + 1):
        for i in range(GROUPS * SIZE):
            row = {
                "step": step, "group": f"g{i // SIZE}", "prompt": f"question {i // SIZE}, step {step}\n?", "response": TEXTS[(step + i) % len(TEXTS)],
                "reward": (i * i + step) % 3 / 4 if step > DEAD_STEPS else 0, "response_length": 10 + i, "rewards": {"accuracy": i % 2, "format, strict": 0.1 * i},
            }
            if infinite and (step, i) == (2, 5):
                row["reward"] = math.inf  # json writes Infinity, as Python's loggers do
            if i == 7:
                del row["response_length"], row["rewards"]["accuracy"]
            rows.append(row)
    return rows


def expected(rows):
    columns = {name: [] for name in ("step", "group", "index", "reward", "advantage", "kept", "length", "file", "line", "reward/accuracy", "fate", "prompt", "response", "advantage_logged")}
    for line, row in enumerate(rows, 1):
        group = [r["reward"] for r in rows if (r["step"], r["group"]) == (row["step"], row["group"])]
        mean = sum(group) / len(group)
        advantage = row["reward"] - mean if math.isfinite(mean) else ...  # its formula is tested elsewhere
        values = {
            "step": row["step"], "group": row["group"], "index": (line - 1) % (GROUPS * SIZE), "reward": row["reward"], "advantage": advantage, "kept": True,
            "length": row.get("response_length"), "file": "log.jsonl", "line": line, "reward/accuracy": row["rewards"].get("accuracy"),
            "fate": ..., "prompt": row["prompt"], "response": row["response"], "advantage_logged": None,
        }
        for name, value in values.items():
            columns[name].append(value)
    return columns


def tables(log):
    return {
        "steps": ["report", log], "groups": ["report", log, "--per", "group"], "run": ["report", log, "--per", "run"], "breakdown": ["report", log, "--by", "difficulty"],
        "sweep": ["sweep", log], "groupsize": ["plan", log, "--sizes-only", "--solved-at", "0.5"], "compare": ["compare", log, log],
    }


def readers(format):
    """The readers by name. Each returns a dict of lists, in which a missing value is None or NaN."""
    return {
        "csv": {"pandas": lambda p: of_pandas(pandas.read_csv(p)), "polars": lambda p: polars.read_csv(p).to_dict(as_series=False), "duckdb": of_duckdb},
        "jsonl": {"pandas": lambda p: of_pandas(pandas.read_json(p, lines=True)), "polars": lambda p: polars.read_ndjson(p).to_dict(as_series=False), "duckdb": of_duckdb},
    }[format]


def of_pandas(frame):
    return {name: frame[name].tolist() for name in frame.columns}


def of_duckdb(path):
    found = duckdb.sql(f"from '{path}'")
    return dict(zip(found.columns, map(list, zip(*found.fetchall())), strict=True))


def compare(what, got, want):
    if list(got) != list(want):
        sys.exit(f"{what}: columns {list(got)}, want {list(want)}")
    for name, values in want.items():
        if len(got[name]) != len(values):
            sys.exit(f"{what}: {len(got[name])} rows, want {len(values)}")
        for row, (a, b) in enumerate(zip(got[name], values)):
            if b is not ... and not equal(a, b):
                sys.exit(f"{what}: row {row} of {name} is {a!r}, want {b!r}")


def equal(a, b):
    if missing(a) or missing(b):
        return missing(a) and missing(b)
    if isinstance(b, str) or isinstance(b, bool) or isinstance(a, bool):
        return a == b
    a, b = float(a), float(b)
    return a == b or abs(a - b) < 1e-6 * max(1, abs(b))  # TRL computes in float32


def missing(value):
    """CSV has one sign for what is missing and for empty text; a number that is none is NaN or text."""
    return value is None or value == "" or value == "NaN" or isinstance(value, float) and math.isnan(value)


main()
