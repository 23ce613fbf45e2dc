"""tinker-cookbook: compute_advantages of tinker_cookbook/rl/data_processing.py."""

import comparison
import proof
import stubs

# What tinker-cookbook imports and advantages do not use.
stubs.install("chz", "tinker", "PIL", "blobfile", "datasets")

import numpy as np  # noqa: E402
from tinker_cookbook.rl import data_processing, types  # noqa: E402


def call(step, _):
    advantages = np.zeros(len(step.rewards))
    groups = np.array(step.groups)
    rows = [np.flatnonzero(groups == g) for g in range(len(step.sizes))]
    batch = [
        types.TrajectoryGroup(
            trajectories_G=[types.Trajectory(transitions=[], final_ob=None) for _ in at],
            final_rewards_G=[step.rewards[i] for i in at],
            metrics_G=[{} for _ in at],
        )
        for at in rows
    ]
    for at, group in zip(rows, data_processing.compute_advantages(batch), strict=True):
        advantages[at] = group
    return advantages


def prove(p):
    comparison.Comparison(p, "tinker").compare("centered", call, interleaved=True)


proof.run("tinker-cookbook", prove)
