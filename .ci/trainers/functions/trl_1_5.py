"""TRL 1.5: the last release whose standard deviation counts samples without a score, see frame/trl_statements.py."""

import comparison
import trl_statements
import proof

FOLDER = proof.older("trl", "1.5.1")


def unlike(step):
    return comparison.ragged_by_chance(step) or comparison.both_infinities(step)


def prove(p):
    by_aggregation = "if self.multi_objective_aggregation"
    grpo = trl_statements.caller(FOLDER, trl_statements.GRPO, by_aggregation, by_aggregation)
    rloo = trl_statements.caller(FOLDER, trl_statements.RLOO, "rewards = (rewards_per_func", "if self.normalize_advantages")
    trl_statements.compare(p, "trl-1.5", grpo, rloo, unlike)


proof.run("trl", prove, "1.5.1")
