"""verifiers 0.1: Rubric.score_group, which later releases no longer have."""

import asyncio
import sys

import comparison
import numpy as np
import proof
import stubs

sys.path.insert(0, proof.older("verifiers", "0.1.14"))
# What verifiers imports and scoring does not use.
stubs.install("tenacity", "rich", "datasets", "openai")

from verifiers.rubrics.rubric import Rubric  # noqa: E402


async def scores(completions, **_):
    return completions


def call(step, _):
    advantages = np.zeros(len(step.rewards))
    for g in range(len(step.sizes)):
        rows = np.flatnonzero(np.array(step.groups) == g)
        states = [state(step.rewards[i]) for i in rows]
        asyncio.run(Rubric(funcs=[reward_of_group]).score_group(states))
        advantages[rows] = [s["advantage"] for s in states]
    return advantages


def state(reward):
    return {"reward": None, "made": reward, "trajectory": [], "prompt": "", "completion": "", "answer": "", "task": "", "info": {}}


def reward_of_group(states):
    return [s["made"] for s in states]


def prove(p):
    comparison.Comparison(p, "verifiers").compare("group", call, interleaved=True)


proof.run("verifiers", prove, "0.1.14")
