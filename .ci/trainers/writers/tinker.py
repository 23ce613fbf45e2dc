"""tinker-cookbook: rollout summaries, and its own reading of them."""

import types

import proof
import stubs
import written

# What tinker-cookbook imports and its log does not use.
stubs.install("chz", "tinker", "PIL", "blobfile", "datasets")

from tinker_cookbook.rl import data_processing, rollout_logging  # noqa: E402
from tinker_cookbook.rl.types import Trajectory, TrajectoryGroup, Transition  # noqa: E402
from tinker_cookbook.stores import storage, training_store  # noqa: E402


def groups(step):
    """The trajectories of a step: two turns, of which the last is rewarded, and no reward of the group."""
    size = step.n
    return [
        TrajectoryGroup(
            trajectories_G=[trajectory(reward) for reward in step.rewards[at : at + size]],
            final_rewards_G=[0.0] * size,
            metrics_G=[{} for _ in range(size)],
        )
        for at in range(0, len(step.rewards), size)
    ]


def trajectory(reward):
    def turn(reward, done):
        seen, action = types.SimpleNamespace(length=12), types.SimpleNamespace(tokens=[1, 2, 3], maybe_logprobs=None)
        return Transition(ob=seen, ac=action, reward=reward, episode_done=done, metrics={"format": 1.0})

    return Trajectory(transitions=[turn(0.0, False), turn(reward, True)], final_ob=types.SimpleNamespace(length=30))


def advantages(step):
    return [a for group in data_processing.compute_advantages(groups(step)) for a in group]


def prove(p):
    folder, steps = p.folder("run"), written.steps()
    store = training_store.TrainingRunStore(storage.LocalStorage(folder))
    for step in steps:
        batch = groups(step)
        tags = [["math"] for _ in batch]
        records = rollout_logging.serialize_rollout_summaries(
            split="train", iteration=step.number, trajectory_groups_P=batch, taglist_P=tags
        )
        store.write_rollouts(step.number, records)
    computed = "tinker-cookbook centered with scale none (assumed: the trainer's default)"
    written.check(p, "rollout summaries", folder, steps, computed, advantages)


proof.run("tinker-cookbook", prove)
