"""Random training steps, the same ones in every run."""

import dataclasses
import math
import random
import struct

NAN, INF = math.nan, math.inf

# How the rewards of a step are drawn. Each takes a random.Random and returns one reward.
KINDS = {
    "binary": lambda r: float(r.random() < 0.4),
    "levels": lambda r: r.choice((0.0, 0.5, 1.0)),
    "tenths": lambda r: r.randint(0, 10) / 10,
    "signed": lambda r: r.randint(-20, 20) / 20,
    "continuous": lambda r: r.random(),
    "normal": lambda r: r.gauss(0, 1) * 10,
    "nan": lambda r: NAN if r.random() < 0.08 else r.randint(0, 10) / 10,
    "infinite": lambda r: r.choice((INF, -INF)) if r.random() < 0.06 else r.random(),
}

# How the samples of a step fall into groups: sizes of its groups.
SHAPES = {
    "even": lambda r: [r.choice((2, 3, 4, 5, 6, 7, 8, 12, 16))] * r.randint(2, 12),
    "one group": lambda r: [r.choice((2, 4, 7, 8, 16, 64, 200))],
    "large": lambda r: [r.choice((8, 16))] * r.choice((48, 80)),
    "ragged": lambda r: [r.randint(2, 12) for _ in range(r.randint(2, 10))],
    "with singletons": lambda r: [r.choice((1, 1, 4, 8)) for _ in range(r.randint(2, 10))],
    "only singletons": lambda r: [1] * r.randint(1, 12),
}


@dataclasses.dataclass
class Step:
    """One training step. The lists hold a value per sample, in the order of the batch."""

    number: int
    kind: str
    shape: str
    sizes: list  # of the groups
    rewards: list
    groups: list  # numbers of the groups
    lengths: list  # of the responses, in tokens
    components: dict = dataclasses.field(default_factory=dict)  # name -> rewards of one reward function

    @property
    def n(self):
        """The generations per prompt that the configuration would say: the commonest size, the larger of two."""
        return max(self.sizes, key=lambda n: (self.sizes.count(n), n))


def steps(count, kinds=KINDS, shapes=SHAPES, interleaved=False, components=(), rounded=False):
    """Steps of every kind and shape in turn. interleaved: rows of a group are not next to each other.
    components: the names of several reward functions, whose sum is the reward. rounded: rewards are float32, as they
    are after a trainer's tensors."""
    r = random.Random(1)
    pairs = [(kind, shape) for shape in shapes for kind in kinds]
    return [one(number, *pairs[number % len(pairs)], r, interleaved, components, rounded) for number in range(count)]


def one(number, kind, shape, r, interleaved, components, rounded):
    sizes = SHAPES[shape](r)
    groups = [g for g, size in enumerate(sizes) for _ in range(size)]
    if interleaved:
        r.shuffle(groups)
    # Every fifth group has one reward throughout: the dead groups of a run, and of constants
    # like 0.7 the ones in which float32 misses the mean.
    constants = {g: KINDS[kind](r) for g in range(len(sizes)) if r.random() < 0.2}

    def draw():
        rewards = [constants[g] if g in constants else KINDS[kind](r) for g in groups]
        return [struct.unpack("<f", struct.pack("<f", reward))[0] for reward in rewards] if rounded else rewards

    lengths = [r.randint(1, 40) for _ in groups]
    if not components:
        return Step(number, kind, shape, sizes, draw(), groups, lengths)
    columns = {name: draw() for name in components}
    total = [sum(v for v in row if not math.isnan(v)) for row in zip(*columns.values())]
    return Step(number, kind, shape, sizes, total, groups, lengths, columns)
