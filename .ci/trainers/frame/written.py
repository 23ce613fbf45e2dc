"""Checks what is read of a log that a framework's own code has written of made steps."""

import collections

import made

FINITE = {kind: draw for kind, draw in made.KINDS.items() if kind not in ("nan", "infinite")}
EVEN = {"even": made.SHAPES["even"]}
COUNT = 20


def steps(**how):
    """Steps as trainers write them: groups of one size, rewards that are numbers."""
    return made.steps(COUNT, **{"kinds": FINITE, "shapes": EVEN} | how)


def check(p, name, path, written, computed, advantages, *flags, first=0, pending=False):
    """Reads the log at path, of the steps written, in which step 0 is called first, in a case of that name.

    computed is what the program must say, without being told: "verl grpo with scale group (assumed: the trainer's default)".
    advantages(step) are those of the framework; None if the log is one of evaluations, which have none.
    """
    with p.case(name, " ".join(computed.split()[:2]), pending) as case:
        rows, said = p.export(path, *flags)
        report, _ = p.vantage("report", path, *flags)
        if f"computed as {computed}" not in said:
            case.fail(f"it must say computed as {computed}, and says {said.strip()}")
        if "refused" in said or "problem" in said:
            case.fail(said.strip())
        head = report.split("\n\n")[0]
        if f"{len(written)} steps" not in head:
            case.fail(f"the head of the report must name {len(written)} steps, and is {head}")
        by_step = collections.defaultdict(list)
        for row in rows:
            by_step[row.step - first].append(row)
        for step in written:
            samples = sorted(by_step.pop(step.number, []), key=lambda row: row.index)
            where = f"step {step.number}"
            rewards = [row.reward for row in samples]
            if rewards != step.rewards:
                case.fail(f"{where}: {len(rewards)} rewards {rewards[:8]}, written were {len(step.rewards)}: {step.rewards[:8]}")
                continue
            if partition(row.group for row in samples) != partition(step.groups):
                case.fail(f"{where}: groups {partition(row.group for row in samples)}, written were {partition(step.groups)}")
                continue
            if not advantages:
                case.samples, case.equal = case.samples + len(rewards), case.equal + len(rewards)
                continue
            theirs = [float(a) for a in advantages(step)]
            case.same(theirs, [row.advantage for row in samples], lambda i, where=where: f"{where}, row {i}", ulps=2)
        if by_step:
            case.fail(f"steps that nobody wrote: {sorted(by_step)}")


def partition(groups):
    """The rows of each group, in the order of their first rows: the names of groups do not matter."""
    rows = collections.defaultdict(list)
    for i, group in enumerate(groups):
        rows[group].append(i)
    return list(rows.values())
