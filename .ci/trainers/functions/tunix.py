"""Tunix: the three functions of tunix/rl/algo_core.py. NaN rewards are 0 before, as its reward manager makes them."""

import comparison
import cut
import numpy as np
import proof

FUNCTIONS = {"grpo": "compute_advantages", "drgrpo": "compute_drgrpo_advantages", "rloo": "compute_rloo_advantages"}


def caller(function):
    def call(step, _):
        return function(np.nan_to_num(np.array(step.rewards), nan=0.0, posinf=np.inf, neginf=-np.inf), step.n)

    return call


def prove(p):
    path = cut.file_of("tunix.rl.algo_core")
    c = comparison.Comparison(p, "tunix")
    for name, definition in FUNCTIONS.items():
        c.compare(name, caller(cut.definition(path, definition, {"np": np, "jnp": np})), unlike=comparison.ragged_by_chance)


proof.run("google-tunix", prove)
