"""Lets trackio write the database that is kept here: python3 write.py, with trackio 0.43.0 installed."""

import os
import pathlib
import shutil
import sqlite3
import tempfile

here = pathlib.Path(__file__).parent
folder = pathlib.Path(tempfile.mkdtemp())
os.environ["TRACKIO_DIR"] = str(folder)

import trackio  # noqa: E402
from trackio.sqlite_storage import SQLiteStorage  # noqa: E402


def rows(step):
    """Rows as TRL logs them: two prompts with two completions each."""
    return [
        {"step": step, "prompt": f"what is {step} + {i}?", "completion": f"ä {j}\n", "correct": float((i + j + step) % 2), "short_reward": 0.5 * j if j else float("nan"), "advantage": 0.25 * j - 0.25}
        for i in range(2)
        for j in range(2)
    ]


def trace(step, i, row):
    """A trace as TRL's asynchronous GRPO logs it."""
    turns = [{"role": "user", "content": row["prompt"]}, {"role": "assistant", "content": row["completion"]}]
    metadata = {"reward": row["correct"], "reward_std": 0.5, "rewards/correct": row["correct"], "advantage": row["advantage"]}
    metadata |= {"group_id": 10 * step + i // 2, "model_version": step, "prompt_tokens": 7, "completion_tokens": 3 + i}
    return trackio.Trace(messages=turns, metadata=metadata)


def log(name, steps, traces):
    trackio.init(project="math", name=name)
    for step in steps:
        trackio.log({"loss": 0.5, **{f"metric/{k}/of a long name": 0.25 * k for k in range(40)}}, step=step)
        if traces:
            trackio.log({"rollouts": [trace(step, i, row) for i, row in enumerate(rows(step))]}, step=step)
        else:
            trackio.log({"completions": trackio.Table(data=rows(step)), "other": trackio.Table(columns=["a", "b"], data=[[1, 2]])})
    trackio.finish()


log("brave/sun", [1, 2], traces=False)
log("calm sea", [1], traces=True)
path = folder / "math.db"
small = sqlite3.connect(path, isolation_level=None)
for pragma in ("journal_mode = delete", "page_size = 512"):
    small.execute(f"PRAGMA {pragma}")
small.execute("VACUUM")
small.execute("PRAGMA journal_mode = wal")
(run,) = small.execute("SELECT run_id FROM metrics WHERE run_name = 'brave/sun'").fetchone()
small.close()
shutil.copy(path, here / "math.db")

# The same without traces.
shutil.copy(path, here / "completions.db")
small = sqlite3.connect(here / "completions.db", isolation_level=None)
for statement in ("PRAGMA journal_mode = delete", "DELETE FROM traces", "VACUUM", "PRAGMA journal_mode = wal"):
    small.execute(statement)
small.close()

# And without tables: averages only.
shutil.copy(here / "completions.db", here / "averages.db")
small = sqlite3.connect(here / "averages.db", isolation_level=None)
for statement in ("PRAGMA journal_mode = delete", "DELETE FROM metrics WHERE CAST(metrics AS TEXT) LIKE '%trackio.table%'", "VACUUM", "PRAGMA journal_mode = wal"):
    small.execute(statement)
small.close()

# What is logged next lies in the log beside the database, as long as somebody has it open.
reader = sqlite3.connect(path)
reader.execute("SELECT count(*) FROM metrics").fetchone()
SQLiteStorage.bulk_log("math", "brave/sun", [{"completions": trackio.Table(data=rows(3))._to_dict("math", "brave/sun")}], run_id=run, steps=[5])
shutil.copy(f"{path}-wal", here / "later.db-wal")
reader.close()
