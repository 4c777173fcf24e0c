"""A set of labels with gold, of a real crowd or made up."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from workers.rules.skill import Judged


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


def read_label_sets(folder: Path) -> Iterator[LabelSet]:
    """Read the sets of a folder, by name. Raises OSError, ValueError or csv.Error for a file that cannot be read."""
    for labels in sorted(folder.glob("*/label.csv")):
        judgments = [Judged(worker, item, label) for item, worker, label in _rows(labels, 3)]
        truth = {item: label for item, label in _rows(labels.with_name("truth.csv"), 2)}
        if not judgments or not truth:
            raise ValueError(f"{labels.parent} has no labels or no gold.")
        yield LabelSet(labels.parent.name, judgments, truth)


def _rows(file: Path, columns: int) -> list[list[str]]:
    """Read the rows after the header line."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.reader(lines) if row][1:]
    for row in rows:
        if len(row) != columns:
            raise ValueError(f"{file} has a line of {len(row)} values, not {columns}: {','.join(row)}")
    return rows
