"""Lets datasets and pyarrow write the tables that are kept here, and what they read in them: python3 write.py, with datasets 5.2.0 and pyarrow 26.0.1."""

import json
import math
import pathlib
import shutil
import tempfile

import datasets
import numpy
import pyarrow

here = pathlib.Path(__file__).parent


def clean(value, top=True):
    """A value as it is expected: fields of structs that are null are left out, maps are objects, and numbers that JSON lacks are texts."""
    if isinstance(value, dict):
        return {k: clean(v, False) for k, v in value.items() if top or v is not None}
    if isinstance(value, list):
        if value and all(isinstance(v, tuple) for v in value):
            return {str(k): clean(v, False) for k, v in value}
        return [clean(v, False) for v in value]
    if isinstance(value, numpy.floating):
        value = float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def expect(name, rows):
    (here / f"{name}.jsonl").write_text("".join(json.dumps(clean(row)) + "\n" for row in rows))


def samples():
    """Samples as a person keeps them: texts, conversations, numbers, and a column of classes."""
    for n in range(7):
        yield {
            "step": n // 4 + 1, "prompt": f"what is {n // 2}?\n\"so\" \\ \u00e4\U0001f600", "completion": [{"role": "assistant", "content": f"{n}"}, {"role": "tool", "content": None}],
            "reward": n / 3, "advantage": float(n % 2), "split": n % 2, "scores": [0.5] * (n % 3), "info": {"ok": n > 3, "notes": None if n else "first"},
        }  # fmt: skip


folder = pathlib.Path(tempfile.mkdtemp())
features = datasets.Features({
    "step": datasets.Value("int64"), "prompt": datasets.Value("string"), "completion": datasets.List({"role": datasets.Value("string"), "content": datasets.Value("string")}),
    "reward": datasets.Value("float32"), "advantage": datasets.Value("float64"), "split": datasets.ClassLabel(names=["a", "b"]), "scores": datasets.List(datasets.Value("float64")),
    "info": {"ok": datasets.Value("bool"), "notes": datasets.Value("string")},
})  # fmt: skip
kept = datasets.Dataset.from_list(list(samples()), features=features)
kept.save_to_disk(folder / "samples")
shutil.copy(folder / "samples" / "data-00000-of-00001.arrow", here / "samples.arrow")
expect("samples", datasets.load_from_disk(str(folder / "samples")))

halves = pyarrow.array(numpy.array([1.5, -2.0, 65504, 5.9604645e-08, math.inf, 0], dtype=numpy.float16))
table = pyarrow.table({
    "int8": pyarrow.array([-128, 127, None, 0, 1, 2], pyarrow.int8()), "uint16": pyarrow.array([65535, 0, 1, 2, None, 3], pyarrow.uint16()),
    "uint64": pyarrow.array([2**64 - 1, 0, 1, 2, 3, 4], pyarrow.uint64()), "int32": pyarrow.array([-(2**31), 2**31 - 1, 0, 1, 2, 3], pyarrow.int32()),
    "half": halves, "single": pyarrow.array([0.1, -1e30, math.nan, None, 0.0, math.inf], pyarrow.float32()), "double": pyarrow.array([0.1, 1e300, math.nan, None, -0.5, -math.inf]),
    "large": pyarrow.array(["a", "", None, "\u00e4\n", "x" * 300, "e"], pyarrow.large_string()), "dictionary": pyarrow.array(["u", "v", None, "u", "w", "v"]).dictionary_encode(),
    "bools": pyarrow.array([True, False, None, True, True, False]), "nothing": pyarrow.nulls(6),
    "lists": pyarrow.array([[1, None], [], None, [2], [3, 4, 5], [6]], pyarrow.large_list(pyarrow.int64())),
    "pairs": pyarrow.array([[1.0, 2.0], [3.0, 4.0], None, [5.0, 6.0], [7.0, 8.0], [9.0, 0.5]], pyarrow.list_(pyarrow.float64(), 2)),
    "deep": pyarrow.array([[[{"a": 1, "b": None}]], [[]], [None], None, [[{"a": None, "b": "x"}, None]], []], pyarrow.list_(pyarrow.list_(pyarrow.struct({"a": pyarrow.int16(), "b": pyarrow.string()})))),
    "map": pyarrow.array([[("k", 1)], [], None, [("a", 2), ("b", None)], [], [("z", 3)]], pyarrow.map_(pyarrow.string(), pyarrow.int32())),
    "listed": pyarrow.array([["a", "b"], ["a"], [], None, ["c"], ["b"]], pyarrow.list_(pyarrow.dictionary(pyarrow.int8(), pyarrow.string()))),
})  # fmt: skip
rows = table.to_pylist()
for row in rows:
    row["map"] = {} if row["map"] == [] else row["map"]
expect("types", rows)
with pyarrow.ipc.new_file(here / "types.arrow", table.schema) as out:
    out.write_table(table.slice(0, 4), max_chunksize=3)  # parts of arrays, with offsets that do not begin at 0
    out.write_table(table.slice(4))
with pyarrow.ipc.new_stream(here / "packed.arrow", table.schema, options=pyarrow.ipc.IpcWriteOptions(compression="zstd")) as out:
    out.write_table(table)
