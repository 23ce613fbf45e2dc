"""Writes databases with SQLite itself, and what it reads in them as JSON: python3 write.py FOLDER [SEED]. Without a seed those that are kept here."""

import json
import pathlib
import random
import shutil
import sqlite3
import sys

VALUES = [None, 0, 1, -1, 127, -128, 32767, -32768, 8388607, -8388608, 2**31, -(2**31), 2**47 - 1, -(2**47), 2**63 - 1, -(2**63), 0.5, -1e300, "", "käse\n\"x\"", b"\x00\xff"]


def text(rng, size):
    return (rng.randbytes(20).hex() * (size // 40 + 1))[:size]


def fill(db, rng, rows, sizes):
    for _ in range(rows):
        value = rng.choice(VALUES) if rng.random() < 0.5 else text(rng, rng.choice(sizes))
        db.execute("INSERT INTO logged (run, metrics, more) VALUES (?, ?, ?)", (rng.choice(["a", "b"]), value, rng.choice(VALUES)))


def dump(path):
    """The rows as SQLite reads them: texts and blobs as hexadecimal digits, since they are not told apart."""
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    db.text_factory = bytes
    rows = [[v.hex() if isinstance(v, bytes) else v for v in row] for row in db.execute("SELECT rowid, run, metrics, more, late FROM logged ORDER BY rowid")]
    db.close()
    return rows


def write(folder, name, rng, page, journal, rows, sizes, gaps):
    made = folder / "made.db"
    for old in folder.glob("made.db*"):
        old.unlink()
    db = sqlite3.connect(made, isolation_level=None)
    db.execute(f"PRAGMA page_size = {page}")
    db.execute(f"PRAGMA journal_mode = {journal}")
    db.execute("PRAGMA wal_autocheckpoint = 0")
    db.execute("PRAGMA synchronous = off")
    db.execute("CREATE TABLE other (x TEXT PRIMARY KEY) WITHOUT ROWID")
    db.execute('CREATE TABLE "logged" (id INTEGER PRIMARY KEY AUTOINCREMENT, -- (the id)\n run TEXT NOT NULL DEFAULT \'a,b)\', [metrics], "more" REAL CHECK (more <> 7), UNIQUE (id, run))')
    fill(db, rng, rows, sizes)
    if gaps:
        db.execute("DELETE FROM logged WHERE rowid % 3 = 0")
    if journal == "wal":
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.execute("ALTER TABLE logged ADD COLUMN late TEXT")
    fill(db, rng, rows // 4 + 1, sizes)
    db.execute("UPDATE logged SET late = 'later' WHERE rowid % 5 = 0")
    if journal == "wal":  # a transaction that is not committed lies in the log, and counts for nothing
        db.execute("PRAGMA cache_size = 1")
        db.execute("BEGIN")
        fill(db, rng, 50, [page])
    for end in ("", "-wal"):
        source = pathlib.Path(f"{made}{end}")
        if source.exists():
            shutil.copy(source, folder / f"{name}.db{end}")
    if journal == "wal":
        db.execute("ROLLBACK")
    (folder / f"{name}.json").write_text("[" + ",\n".join(json.dumps(row) for row in dump(made)) + "]\n")
    db.close()
    for old in folder.glob("made.db*"):
        old.unlink()


folder = pathlib.Path(sys.argv[1])
if len(sys.argv) > 2:
    rng = random.Random(int(sys.argv[2]))
    for n in range(8):
        page = rng.choice([512, 1024, 4096, 65536])
        write(folder, f"{n}", rng, page, rng.choice(["wal", "delete"]), rng.choice([0, 3, 100, 1000]), [1, 40, page - 60, page * 3, page * 10][: rng.choice([2, 3, 5]) if page < 9000 else 2], rng.random() < 0.5)
else:
    write(folder, "small", random.Random(1), 512, "delete", 20, [3, 450, 2000], True)
    write(folder, "log", random.Random(2), 512, "wal", 40, [3, 450, 2000], False)
