"""twinkle: GRPOAdvantage and RLOOAdvantage."""

import comparison
import proof
import stubs

# What twinkle imports and advantages do not use.
stubs.install("requests", "datasets", "urllib3")

from twinkle.advantage.grpo import GRPOAdvantage  # noqa: E402
from twinkle.advantage.rloo import RLOOAdvantage  # noqa: E402


def prove(p):
    c = comparison.Comparison(p, "twinkle")
    for name, advantage in ("grpo", GRPOAdvantage()), ("rloo", RLOOAdvantage()):
        call = lambda step, scale: advantage(step.rewards, num_generations=step.n, scale=scale)  # noqa: E731
        c.compare(name, call, unlike=comparison.ragged_by_chance)


proof.run("twinkle-kit", prove)
