"""Writes the tables here, and rows.jsonl, what pyarrow itself reads of them as vantage writes it: bytes as null, times as numbers, and no null
in a struct. pyarrow 26.0.1."""

import datetime
import decimal
import json
import math
import pathlib

import pyarrow as pa
from pyarrow import ipc

HERE = pathlib.Path(__file__).parent
MESSAGES = [{"role": "user", "content": "q"}, {"role": "assistant", "content": None}]


def table(first, end):
    rows = range(first, end)
    return pa.table({
        "step": pa.array([i // 4 for i in rows], pa.int32()),
        "reward": pa.array([None if i == 5 else i / 8 for i in rows], pa.float32()),
        "half": pa.array([0.5 * i for i in rows], pa.float16()),
        "advantage": pa.array([math.nan if i == 3 else -1.2 * i for i in rows], pa.float64()),
        "ok": pa.array([i % 3 == 0 for i in rows], pa.bool_()),
        "u8": pa.array([200 + i for i in rows], pa.uint8()),
        "u64": pa.array([2**63 + i for i in rows], pa.uint64()),
        "i8": pa.array([-i for i in rows], pa.int8()),
        "prompt": [f'what is {i // 4}?\n"ä😀\\' for i in rows],
        "completion": pa.array([None if i == 2 else "x" * i for i in rows], pa.large_utf8()),
        "view": pa.array([("short" if i % 2 else "a text longer than twelve bytes ") + str(i) for i in rows], pa.string_view()),
        "raw": pa.array([b"\x00\x01" for _ in rows], pa.binary()),
        "fixed": pa.array([b"abc" for _ in rows], pa.binary(3)),
        "source": pa.array([["math", None, "code", "logic"][i % (3 if i < 5 else 4)] for i in rows]).dictionary_encode(),
        "nothing": pa.nulls(len(rows)),
        "messages": pa.array([None if i == 1 else MESSAGES[: i % 3] for i in rows], pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))),
        "ids": pa.array([[i, i + 1][: i % 3] for i in rows], pa.large_list(pa.int16())),
        "pair": pa.array([[i, -i] for i in rows], pa.list_(pa.int64(), 2)),
        "metrics": pa.array([None if i == 0 else [("a", 1.5), ("b", i)] for i in rows], pa.map_(pa.string(), pa.float64())),
        "cost": pa.array([decimal.Decimal(-i) / 4 for i in rows], pa.decimal128(10, 2)),
        "at": pa.array([datetime.datetime(2026, 1, 1) + datetime.timedelta(seconds=i) for i in rows], pa.timestamp("us")),
        "day": pa.array([datetime.date(2026, 1, 1) for _ in rows], pa.date32()),
    })


def value(v):
    if isinstance(v, dict):
        return {k: value(x) for k, x in v.items() if x is not None}
    if isinstance(v, list) and v and isinstance(v[0], tuple):
        return dict(v)
    if isinstance(v, list):
        return [value(x) for x in v]
    if isinstance(v, datetime.datetime):
        return (v - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1)
    if isinstance(v, datetime.date):
        return (v - datetime.date(1970, 1, 1)).days
    return float(v) if isinstance(v, decimal.Decimal) else None if isinstance(v, bytes) else v


whole = table(0, 9)
for codec in (None, "lz4", "zstd"):
    name, options = f"{codec or 'plain'}.arrow", ipc.IpcWriteOptions(compression=codec, emit_dictionary_deltas=True)
    with ipc.new_stream(HERE / f"stream_{name}", whole.schema, options=options) as out:  # whose second dictionary is another one
        for part in (table(0, 5), table(5, 9)):
            out.write_table(part)
    with ipc.new_file(HERE / f"file_{name}", whole.schema, options=options) as out:
        for part in (whole.slice(0, 5), whole.slice(5)):
            out.write_table(part)
(HERE / "rows.jsonl").write_text("".join(json.dumps({k: None if v is None else value(v) for k, v in row.items()}) + "\n" for row in whole.to_pylist()))
