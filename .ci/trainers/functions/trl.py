"""TRL: see frame/trl_statements.py, and the statements of the experimental asynchronous trainer, which are numpy."""

import cut
import trl_statements
import numpy as np
import proof

FIRST, LAST = "unscorable_mask =", "torch.nan_to_num(advantages"


def prove(p):
    c = trl_statements.compare(p, "trl", trl_statements.caller(None, trl_statements.GRPO, FIRST, LAST), trl_statements.caller(None, trl_statements.RLOO, FIRST, LAST))
    path = cut.file_of("trl.experimental.async_grpo.async_rollout_worker")
    score = cut.statements(path, "_score_group", "arr =", "if scored_mask.any()", ["all_rewards"], "advantages", {"np": np})

    def by_group(step, _):
        advantages = np.zeros(len(step.rewards))
        for g in range(len(step.sizes)):
            rows = np.flatnonzero(np.array(step.groups) == g)
            advantages[rows] = score([[step.rewards[i] for i in rows]])
        return advantages

    c.compare("async_grpo", by_group, interleaved=True)


proof.run("trl", prove)
