"""Asks the program what ails each training, whole and as it grows, and prints how often it is right.

    python judge.py OUT --binary ./vantage [--write .github/docs/diagnosis.md] [--each]

Each training is cut at eight places, as a person would have seen it then. A look is false if it alarms of a healthy
training, or of an ill one before its illness began.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

CUTS = 8
SLACK = 0.1  # of a training, that a look may be early by
SOON = 0.1, 0.25  # of a training, after the onset: looks that show whether an alarm comes in time
MARKS = "<!-- trainings -->", "<!-- /trainings -->"


class Training:
    def __init__(self, folder):
        told = json.loads((folder / "truth.json").read_text())
        self.folder, self.name, self.kinds, self.since = folder, told["name"], told["kinds"], told["since"]
        self.right, self.length = list(told["right"].values()), list(told["length"].values())
        self.steps = len(self.right)

    def ill(self):
        """It is ill as it was meant to be, or by what the answers were worth: learning can fail by itself."""
        return bool(self.kinds) and self.came_out() or self.fell()

    def came_out(self):
        """What was meant to begin at a step does; what the policy must do first is seen in its answers: those of the first step are the base
        policy's."""
        if self.since is not None:
            return True
        last, longer = thirds(self.right)[1], thirds(self.length)[1]
        return last < self.right[0] - 0.1 or not 0.67 < longer / self.length[0] < 1.5 or last > 0.95

    def fell(self):
        first, last = thirds(self.right)
        return last < max(first, self.right[0]) - 0.2


def thirds(values):
    n = max(1, len(values) // 3)
    return sum(values[:n]) / n, sum(values[-n:]) / n


def look(binary, log):
    """The findings of a log: kind, severity and onset."""
    out = subprocess.run([binary, "summary", log, "--format", "json"], capture_output=True, text=True)
    if out.returncode != 0:
        raise SystemExit(f"{log}: {out.stderr}")
    said = json.loads(out.stdout)
    return said["health"], [(f["kind"], f["severity"], f.get("since")) for f in said.get("findings", [])]


def cut(log, step, into):
    """The log as it was when a step had been written."""
    (into / "completions").mkdir(parents=True)
    for table in (log / "completions").iterdir():
        if int(re.findall(r"\d+", table.name)[-1]) <= step:
            os.link(table, into / "completions" / table.name)
    state = json.loads((log / "trainer_state.json").read_text())
    state["log_history"] = [line for line in state["log_history"] if line["step"] <= step]
    (into / "trainer_state.json").write_text(json.dumps(state))


def looked(training, binary, work, step):
    """What is said when a step had been written."""
    if step >= training.steps:
        return look(binary, training.folder / "log")
    log = work / training.folder.name / str(step)
    if not log.exists():
        cut(training.folder / "log", step, log)
    return look(binary, log)


def judged(training, binary, work):
    """What is said at each of the looks, the last of which is of the whole."""
    steps = [training.steps * place // CUTS for place in range(1, CUTS + 1)]
    return [(step, *looked(training, binary, work, step)) for step in steps]


def in_time(training, binary, work):
    """Whether an ill training whose onset is known is alarmed so soon after it."""
    steps = [training.since - 1 + round(soon * training.steps) for soon in SOON]
    return [any(kind in training.kinds for kind, _ in alarms(looked(training, binary, work, step)[1])) for step in steps]


def alarms(findings):
    return [(kind, since) for kind, severity, since in findings if severity == "alarm"]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--binary", required=True)
    arguments.add_argument("--write", type=pathlib.Path)
    arguments.add_argument("--each", action="store_true")
    given = arguments.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(dir=given.out))
    counts = dict.fromkeys(["ill", "named", "by an alarm", "of another kind alone", "healthy", "alarmed", "called healthy", "looks", "false looks", "did not come out", "dated", "in a tenth", "in a quarter"], 0)
    lines = []
    try:
        for folder in sorted(p.parent for p in given.out.glob("*/truth.json")):
            training = Training(folder)
            binary = os.path.abspath(given.binary)
            looks = judged(training, binary, work)
            lines.append(count(training, looks, counts))
            if training.since is not None:
                counts["dated"] += 1
                for name, soon in zip(["in a tenth", "in a quarter"], in_time(training, binary, work)):
                    counts[name] += soon
    finally:
        shutil.rmtree(work)
    end = summary(counts, given.binary)
    print(table(lines, end))
    if given.write:
        text = table([line for line in lines if not (line.startswith("| healthy: ") and line.endswith(" | healthy | – |"))], end)
        page = given.write.read_text()
        before, rest = page.split(MARKS[0])
        given.write.write_text(before + MARKS[0] + "\n" + text + "\n" + MARKS[1] + rest.split(MARKS[1])[1])


def table(lines, end):
    return "\n".join(["| training | right | findings at its end | first alarm at |", "| --- | ---: | --- | ---: |", *lines, "", end])


def count(training, looks, counts):
    """A line for a training, and what it adds to the counts."""
    _, health, findings = looks[-1]
    said = {kind for kind, severity, _ in findings if severity in ("alarm", "watch", "over")}
    named = said & set(training.kinds)
    first, last = thirds(training.right)
    ill = training.ill()
    if not ill and training.kinds:  # what was tried did not work: it is neither ill nor a healthy one by design
        counts["did not come out"] += 1
    elif ill:
        counts["ill"] += 1
        counts["named"] += bool(named)
        counts["by an alarm"] += any(kind in training.kinds for kind, _ in alarms(findings))
        counts["of another kind alone"] += not named and bool(alarms(findings))
    else:
        counts["healthy"] += 1
        counts["alarmed"] += bool(alarms(findings))
        counts["called healthy"] += health.startswith("healthy")
    began = training.since or 1 if ill else training.steps + 1
    for step, _, found in looks:
        unlisted = [kind for kind, _ in alarms(found) if ill or kind not in training.kinds]
        counts["looks"] += 1
        counts["false looks"] += bool(unlisted) and step < began - SLACK * training.steps
    alarmed = next((str(step) for step, _, found in looks if alarms(found)), "–")
    words = ", ".join(kind + ("" if severity == "alarm" else f" ({severity})") for kind, severity, _ in findings if severity != "advice") or health
    state = "" if ill else "no effect: " if training.kinds else "healthy: "
    return f"| {state}{training.name} | {first:.2f} → {last:.2f} | {words} | {alarmed} |"


def summary(counts, binary):
    revision = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    return (
        f"Measured on {datetime.date.today()} at revision {revision}: of {counts['ill']} ill trainings {counts['named']} named, {counts['by an alarm']} of them "
        f"by an alarm, {counts['of another kind alone']} by another kind alone; of {counts['healthy']} healthy ones {counts['alarmed']} alarmed and "
        f"{counts['called healthy']} called healthy; in {counts['did not come out']} the illness did not come out; {counts['false looks']} of {counts['looks']} looks at growing trainings alarmed too early. "
        f"Of {counts['dated']} whose onset is known {counts['in a tenth']} were alarmed within {SOON[0]:.0%} of the training after it, and "
        f"{counts['in a quarter']} within {SOON[1]:.0%}."
    )


main()
