"""Compares a trainer's own off-policy correction with what `vantage offpolicy` says of each token, on random log-probs."""

import json
import os

import numpy as np

STEPS = 12 if "FEW" in os.environ else 40
NEAR = 1e-5  # relative: sums of float32 have their own order


class Batch:
    """Rows of one step, padded, as numpy arrays of float32."""

    def __init__(self, random, noise):
        self.lengths = random.integers(1, 40, 12)
        width = self.lengths.max()
        self.mask = np.array([[t < n and random.random() > 0.1 for t in range(width)] for n in self.lengths], dtype=np.float32)
        self.mask[:, 0] = 1
        self.rollout = np.minimum(0, -random.exponential(0.6, self.mask.shape)).astype(np.float32)
        drift = random.normal(0, noise, self.mask.shape) + random.normal(0, noise / 4, (len(self.lengths), 1))
        self.old = np.minimum(0, self.rollout + drift).astype(np.float32)
        self.advantages = random.normal(0, 1, len(self.lengths)).astype(np.float32)


def compare(p, rule, options, call):
    """A case for a rule with options. call(batch) returns weights, or None for 1, and the mask that is left, of the batch's shape."""
    text = ", ".join(f"{key}={value}" for key, value in options.items())
    with p.case(text, rule) as case:
        random = np.random.default_rng(53)
        batches = [Batch(random, noise) for noise in np.geomspace(0.003, 1.5, STEPS)]
        path = p.folder(f"{rule} {text}".replace("/", " ")) / "rollouts.jsonl"
        write(path, batches)
        flags = [word for key, value in options.items() for word in ("--option", f"{key}={value}")]
        out, _ = p.vantage("offpolicy", path, "--off-policy", rule, *flags, "--per", "sample", "--tokens", "--format", "jsonl")
        rows = iter([json.loads(line) for line in out.splitlines()])
        for number, batch in enumerate(batches):
            weights, mask = call(batch)
            weights = np.ones_like(batch.mask) if weights is None else np.broadcast_to(np.asarray(weights), batch.mask.shape)
            mask = np.broadcast_to(np.asarray(mask), batch.mask.shape)
            for i, length in enumerate(batch.lengths):
                judge(case, f"step {number}, row {i}", next(rows), batch.mask[i, :length], weights[i, :length], mask[i, :length])


def judge(case, where, ours, trains, weights, mask):
    last = np.flatnonzero(trains)[-1] + 1  # a row ends at its last token that trains
    kept = "".join("." if not m else "1" if left and w != 0 else "0" for m, left, w in zip(trains[:last], mask, weights))
    case.samples += 1
    if ours["kept_tokens"] != kept:
        case.fail(f"{where}: theirs keeps {kept}, ours {ours['kept_tokens']}")
        return
    for t in np.flatnonzero(trains[:last]):
        theirs, mine = float(weights[t]), float(ours["weights"][t])
        if abs(theirs - mine) > NEAR * max(1e-3, abs(theirs)):
            case.fail(f"{where}, token {t}: theirs {theirs!r}, ours {mine!r}")
            return
    case.equal += 1


def write(path, batches):
    with open(path, "w") as out:
        for number, b in enumerate(batches):
            for i, n in enumerate(b.lengths):
                row = {"step": number, "advantage": float(b.advantages[i]), "response_mask": b.mask[i, :n].astype(int).tolist()}
                row |= {"rollout_log_probs": b.rollout[i, :n].tolist(), "old_log_probs": b.old[i, :n].tolist()}
                out.write(json.dumps(row) + "\n")
