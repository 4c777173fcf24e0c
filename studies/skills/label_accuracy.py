"""Accuracy on labels with gold: majority vote, Dawid-Skene, our skill estimate, and Crowd-Kit where it is installed."""

import importlib
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from reports.tables import number, table
from studies.skills.label_set import LabelSet
from studies.skills.plain_dawid_skene import plain_dawid_skene
from workers.rules.one_coin import estimate_one_coin
from workers.rules.skill import SkillEstimate, SkillRules, estimate_skills


@dataclass(frozen=True)
class LabelAccuracy:
    """One row of the table. Accuracies are shares from 0 to 1; `crowd_kit` is None where Crowd-Kit is not installed."""

    name: str
    items: int
    workers: int
    labels: int
    majority: float
    skill: float
    kinds: int
    one_coin: float
    dawid_skene: float
    crowd_kit: float | None

    @property
    def margin(self) -> float:
        """Return the skill estimate's accuracy less the better of majority vote and Dawid-Skene."""
        return self.skill - max(self.majority, self.dawid_skene)


def measure_labels(labels: LabelSet) -> LabelAccuracy:
    """Measure all methods on one set. None of them sees the gold."""
    skill = estimate_skills(labels.judgments, labels.classes)
    coin = estimate_one_coin(labels.judgments, len(labels.classes))
    return LabelAccuracy(
        name=labels.name,
        items=len(skill.posterior),
        workers=len(skill.workers),
        labels=len(labels.judgments),
        majority=majority_accuracy(labels),
        skill=_accuracy(labels, skill),
        kinds=skill.kinds,
        one_coin=labels.accuracy({str(item): max(c, key=c.__getitem__) for item, c in coin.posterior.items()}),
        dawid_skene=labels.accuracy(plain_dawid_skene(labels)),
        crowd_kit=crowd_kit_accuracy(labels),
    )


def skill_accuracy(labels: LabelSet, rules: SkillRules) -> float:
    """Return the accuracy of the skill estimate by these rules, from 0 to 1."""
    return _accuracy(labels, estimate_skills(labels.judgments, labels.classes, rules=rules))


def better_of_plain(labels: LabelSet) -> float:
    """Return the accuracy of majority vote or of plain Dawid-Skene, whichever is better here, from 0 to 1."""
    return max(majority_accuracy(labels), labels.accuracy(plain_dawid_skene(labels)))


def _accuracy(labels: LabelSet, skill: SkillEstimate) -> float:
    return labels.accuracy({str(item): skill.best(item) for item in skill.posterior})


def majority_accuracy(labels: LabelSet) -> float:
    """Return the accuracy of the most frequent label, from 0 to 1. A tie of n labels with the right one counts 1/n."""
    votes: dict[object, Counter[object]] = {}
    for _, item, answer in labels.judgments:
        votes.setdefault(item, Counter())[answer] += 1
    shares = [_tie_share(votes.get(item, Counter()), truth) for item, truth in labels.truth.items()]
    return sum(shares) / len(shares)


def crowd_kit_accuracy(labels: LabelSet) -> float | None:
    """Return the accuracy of Crowd-Kit's DawidSkene, from 0 to 1, or None where Crowd-Kit is not installed."""
    try:
        frames = importlib.import_module("pandas")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            aggregation = importlib.import_module("crowdkit.aggregation")
    except ImportError:
        return None
    rows = [(str(item), str(worker), str(answer)) for worker, item, answer in labels.judgments]
    frame = frames.DataFrame(rows, columns=["task", "worker", "label"])
    return labels.accuracy(aggregation.DawidSkene().fit_predict(frame).to_dict())


def label_accuracy_text(rows: Sequence[LabelAccuracy]) -> str:
    """Format the table of real crowds for a terminal, in percent, ending in a line break."""
    header = ["set", "items", "workers", "labels", "majority", "D-S", "skill", "kinds", "one coin", "Crowd-Kit D-S"]
    cells = [
        [
            row.name,
            *map(number, (row.items, row.workers, row.labels)),
            *map(_percent, (row.majority, row.dawid_skene, row.skill)),
            str(row.kinds),
            *map(_percent, (row.one_coin, row.crowd_kit)),
            f"{row.margin * 100:+.2f}",
        ]
        for row in rows
    ]
    note = "Percent of the gold items. Margin: skill less the better of majority and D-S, in percentage points."
    return table("Labels of real crowds", [*header, "margin"], cells) + "\n" + note + "\n"


def made_accuracy_text(sets: Sequence[Sequence[LabelAccuracy]]) -> str:
    """Format the table of made-up crowds: means and standard deviations over the draws of each set."""
    cells = [
        [
            drawn[0].name,
            number(len(drawn)),
            *(_spread([getattr(row, name) for row in drawn]) for name in ("majority", "dawid_skene", "skill")),
            _spread([row.margin for row in drawn], "+"),
        ]
        for drawn in sets
    ]
    title = "Made-up labels, mean ± standard deviation over draws"
    return table(title, ["set", "draws", "majority", "D-S", "skill", "margin"], cells) + "\n"


def _spread(shares: Sequence[float], sign: str = "") -> str:
    return f"{100 * fmean(shares):{sign}.2f} ±{100 * stdev(shares) if len(shares) > 1 else 0.0:.2f}"


def _tie_share(votes: Counter[object], truth: str) -> float:
    most = [answer for answer, count in votes.items() if count == max(votes.values())]
    return (truth in most) / max(1, len(most))


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share * 100:.2f}"
