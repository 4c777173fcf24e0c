"""Accuracy on labels of real crowds: majority vote, our skill estimate, and Crowd-Kit where it is installed."""

import csv
import importlib
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from reports.tables import number, table
from workers.rules.one_coin import estimate_one_coin
from workers.rules.skill import Judged, estimate_skills


@dataclass(frozen=True)
class LabelSet:
    """A set of labels from one folder: label.csv (item, worker, label) and truth.csv (item, truth) for some items."""

    name: str
    judgments: list[Judged]
    truth: dict[str, str]

    @property
    def classes(self) -> list[str]:
        return sorted({str(judged.answer) for judged in self.judgments} | set(self.truth.values()))

    def accuracy(self, answers: Mapping[str, object]) -> float:
        """Return the share of gold items with the right answer, from 0 to 1. A missing answer counts as wrong."""
        return sum(answers.get(item) == truth for item, truth in self.truth.items()) / len(self.truth)


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
    crowd_kit: float | None

    @property
    def margin(self) -> float:
        """Return the skill estimate's accuracy less the better of majority vote and Crowd-Kit."""
        return self.skill - max(self.majority, self.crowd_kit or 0.0)


def read_label_sets(folder: Path) -> Iterator[LabelSet]:
    """Read the sets of a folder, by name. Raises OSError, ValueError or csv.Error for a file that cannot be read."""
    for labels in sorted(folder.glob("*/label.csv")):
        judgments = [Judged(worker, item, label) for item, worker, label in _rows(labels, 3)]
        truth = {item: label for item, label in _rows(labels.with_name("truth.csv"), 2)}
        if not judgments or not truth:
            raise ValueError(f"{labels.parent} has no labels or no gold.")
        yield LabelSet(labels.parent.name, judgments, truth)


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
        skill=labels.accuracy({str(item): skill.best(item) for item in skill.posterior}),
        kinds=skill.kinds,
        one_coin=labels.accuracy({str(item): max(c, key=c.__getitem__) for item, c in coin.posterior.items()}),
        crowd_kit=crowd_kit_accuracy(labels),
    )


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


def label_accuracy_text(rows: list[LabelAccuracy]) -> str:
    """Format the table for a terminal, in percent, ending in a line break."""
    header = ["set", "items", "workers", "labels", "majority", "skill", "kinds", "one coin", "Crowd-Kit D-S", "margin"]
    cells = [
        [
            row.name,
            *map(number, (row.items, row.workers, row.labels)),
            *map(_percent, (row.majority, row.skill)),
            str(row.kinds),
            *map(_percent, (row.one_coin, row.crowd_kit)),
            f"{row.margin * 100:+.2f}",
        ]
        for row in rows
    ]
    note = "Percent of the gold items. Margin: skill less the better of majority and Crowd-Kit, in percentage points."
    return table("Labels of real crowds", header, cells) + "\n" + note + "\n"


def _rows(file: Path, columns: int) -> list[list[str]]:
    """Read the rows after the header line."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.reader(lines) if row][1:]
    for row in rows:
        if len(row) != columns:
            raise ValueError(f"{file} has a line of {len(row)} values, not {columns}: {','.join(row)}")
    return rows


def _tie_share(votes: Counter[object], truth: str) -> float:
    most = [answer for answer, count in votes.items() if count == max(votes.values())]
    return (truth in most) / max(1, len(most))


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share * 100:.2f}"
