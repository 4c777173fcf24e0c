"""Made-up label sets: crowds that are hard for one method or another, with the truth of all or of some items."""

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from studies.skills.label_set import LabelSet
from workers.rules.skill import Judged

Chances = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MadeCrowd:
    """The numbers that a made-up set is drawn by. Shares are 0 to 1."""

    items: int = 600
    workers: int = 40
    classes: int = 2
    labels: int = 3
    """Labels of each item, without those of the dominant worker."""
    accuracy: float = 0.75
    spread: float = 0.12
    """The standard deviation of accuracy over workers."""
    row_spread: float = 0.0
    """The standard deviation of a worker's accuracy over classes."""
    dominant: float = 0.0
    """The share of the items that one worker labels beside the others."""
    dominant_accuracy: float = 0.65
    alone: float = 0.0
    """The share of the items with one label: the dominant worker's, if there is one."""
    hard: float = 0.0
    """The share of the items on which most workers fall for the same wrong class."""
    spammers: float = 0.0
    """The share of the workers whose labels have nothing to do with the item."""
    uneven: bool = False
    """Whether some classes are rare."""
    gold: int | None = None
    """The number of items with gold; None: all."""


MADE = {
    "one worker, weak": MadeCrowd(labels=2, dominant=0.95),
    "one worker, poor": MadeCrowd(items=300, labels=2, accuracy=0.8, spread=0.0, dominant=1.0, dominant_accuracy=0.6),
    "one worker, 4 classes": MadeCrowd(classes=4, dominant=0.95, dominant_accuracy=0.55),
    "one worker, often alone": MadeCrowd(classes=3, dominant=0.97, alone=0.7),
    "one worker, one-sided": MadeCrowd(dominant=0.95, dominant_accuracy=0.7, row_spread=0.2),
    "little gold": MadeCrowd(items=1500, classes=3, labels=4, gold=100),
    "little gold, one worker": MadeCrowd(items=1500, classes=3, labels=2, gold=150, dominant=0.95),
    "20 classes": MadeCrowd(classes=20, labels=4),
    "20 classes, uneven": MadeCrowd(classes=20, labels=4, uneven=True),
    "20 classes, few labels": MadeCrowd(items=300, workers=60, classes=20),
    "50 classes": MadeCrowd(items=800, workers=60, classes=50, labels=5),
    "400 workers": MadeCrowd(items=500, workers=400, classes=3, labels=4, accuracy=0.8),
    "hard items": MadeCrowd(labels=5, hard=0.2),
    "spammers": MadeCrowd(labels=6, accuracy=0.85, spread=0.08, spammers=0.4),
    "small": MadeCrowd(items=80, workers=15, classes=3, labels=5, accuracy=0.7),
}
"""The made-up sets by name."""

USUAL_GOLD = 600
"""The gold items of a usual set. Sets with fewer are drawn more often: one item of 80 is more than a point."""
LURED = 0.6
"""The chance of the same wrong class on a hard item."""


def made_sets(name: str, draws: int) -> list[LabelSet]:
    """Draw the set of this name `draws` times; with little gold as often as it takes to have as many gold items."""
    crowd = MADE[name]
    gold = crowd.gold or crowd.items
    return [made_set(name, seed) for seed in range(max(draws, ceil(draws * USUAL_GOLD / gold)))]


def made_set(name: str, seed: int) -> LabelSet:
    """Draw the set of this name."""
    crowd = MADE[name]
    draw = np.random.default_rng([seed, *name.encode()])
    shares = draw.dirichlet(np.full(crowd.classes, 0.5 if crowd.uneven else 50.0)) + 0.3 / crowd.classes
    truth = draw.choice(crowd.classes, crowd.items, p=shares / shares.sum())
    says = _says(crowd, draw)
    lure = (truth + draw.integers(1, crowd.classes, crowd.items)) % crowd.classes
    hard = draw.random(crowd.items) < crowd.hard
    judgments = []
    for item, worker in _assigned(crowd, draw):
        chances = says[worker, truth[item]]
        if hard[item]:
            chances = (1 - LURED) / crowd.classes + LURED * (np.arange(crowd.classes) == lure[item])
        label = int(np.searchsorted(np.cumsum(chances), draw.random() * chances.sum()))
        judgments.append(Judged(str(worker), str(item), str(min(label, crowd.classes - 1))))
    gold = {str(item): str(truth[item]) for item in range(crowd.items if crowd.gold is None else crowd.gold)}
    return LabelSet(name, judgments, gold)


def _says(crowd: MadeCrowd, draw: np.random.Generator) -> Chances:
    """Return each worker's chances of answers [workers, truths, answers]; the dominant worker is the last."""
    count, classes = crowd.workers + 1, crowd.classes
    means = np.append(draw.normal(crowd.accuracy, crowd.spread, crowd.workers), crowd.dominant_accuracy)
    right = np.clip(means[:, None] + crowd.row_spread * draw.normal(size=(count, classes)), 1 / classes + 0.02, 0.98)
    common = draw.dirichlet(np.full(classes - 1, 0.7), size=classes)
    says = np.zeros((count, classes, classes))
    for worker in range(count):
        for truth in range(classes):
            errors = 0.7 * common[truth] + 0.3 * draw.dirichlet(np.ones(classes - 1))
            own = right[worker, truth]
            says[worker, truth] = np.insert((1 - own) * errors, truth, own)
    for spammer in np.flatnonzero(draw.random(crowd.workers) < crowd.spammers):
        says[spammer] = draw.dirichlet(np.full(classes, 0.3))
    return says


def _assigned(crowd: MadeCrowd, draw: np.random.Generator) -> list[tuple[int, int]]:
    """Return the item and the worker of each label. A few workers do most of the work, as everywhere."""
    activity = np.log(draw.dirichlet(np.full(crowd.workers, 0.5)) + 1e-4)
    assigned = []
    for item in range(crowd.items):
        order = np.argsort(-(activity + draw.gumbel(size=crowd.workers)))
        chosen = order[: crowd.labels].tolist()
        if draw.random() < crowd.alone:
            chosen = [crowd.workers] if crowd.dominant else chosen[:1]
        elif draw.random() < crowd.dominant:
            chosen.append(crowd.workers)
        assigned += [(item, worker) for worker in chosen]
    return assigned
