"""verifiers: write_episode, which prime-rl calls as well."""

import proof
import stubs
import written

# What verifiers imports and episodes do not use.
stubs.install("aiohttp", "anthropic", "math_verify", "openai", "prime_sandboxes", "renderers", "tenacity")

from verifiers.v1 import episode, trace, types  # noqa: E402
from verifiers.v1.configs.agent import WireAgentConfig  # noqa: E402
from verifiers.v1.graph import MessageNode  # noqa: E402
from verifiers.v1.state import State  # noqa: E402
from verifiers.v1.task import WireTaskData  # noqa: E402
from verifiers.v1.utils import trace_store  # noqa: E402

Trace = trace.Trace[WireTaskData, State, WireAgentConfig]


def write(folder, steps, judged=False, advantages=None):
    """Writes an episode per rollout: a trace, and besides, if judged, that of a judge which is not trained."""
    for step in steps:
        given = advantages(step) if advantages else [None] * len(step.rewards)
        for i, (reward, group) in enumerate(zip(step.rewards, step.groups)):
            question = f"What is {group} + {step.number}?"
            task = trace.TraceTask(type="Sum", data=WireTaskData(idx=group, prompt=question))
            traces = [one(task, "solver", True, question, f"It is {i}.", reward, given[i])]
            if judged:
                traces.append(one(task, "judge", False, "Is it right?", "No.", 0.5, None))
            work = episode.TrainRunInfo(id="run", work=episode.TrainWorkInfo(step=step.number))
            named = episode.GroupInfo(id=f"group-{step.number}-{group}")
            trace_store.write_episode(folder, episode.WireEpisode(task=task, group=named, run=work, ok=True, traces=traces))


def one(task, name, trainable, question, answer, reward, advantage):
    agent = trace.AgentInfo(config=WireAgentConfig(), name=name, trainable=trainable)
    asked = MessageNode(message=types.UserMessage(content=question), token_ids=[1, 2], mask=[False, False])
    credit = None if advantage is None else [advantage] * 3
    said = MessageNode(
        message=types.AssistantMessage(content=answer),
        sampled=True,
        token_ids=[3, 4, 5, 6],
        mask=[False, True, True, True],
        logprobs=[-0.5] * 3,
        advantages=credit,
    )
    rewards = {"correct": trace.Reward(score=reward)}
    return Trace(task=task, agent=agent, nodes=[asked, said], rewards=rewards, metrics={"num_turns": 1.0}, ok=True)


def centred(step):
    """prime-rl's grpo, in float32: see the kept numbers."""
    import torch

    rewards = torch.tensor(step.rewards).view(-1, step.n)
    return (rewards - rewards.mean(dim=1, keepdim=True)).view(-1).tolist()


def prove(p):
    steps = written.steps(rounded=True)
    computed = "prime-rl grpo with scale none (assumed: the trainer's default)"
    folder = p.folder("run")
    write(folder, steps)
    written.check(p, "traces.jsonl", folder, steps, computed, centred)
    folder = p.folder("judged")
    write(folder, steps, judged=True)
    written.check(p, "a judge that is not trained", folder, steps, computed, centred)
    folder = p.folder("credited")
    write(folder, steps, advantages=centred)
    written.check(p, "advantages of nodes", folder, steps, "prime-rl grpo with scale none ≈ 894/894 as logged", centred)  # rounded by verifiers


proof.run("verifiers", prove)
