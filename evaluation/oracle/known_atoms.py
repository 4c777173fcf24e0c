"""Known atoms [paper Yao 3.2, 5.1, 5.2, 5.3]: those that an oracle is given of an image, some of them wrong."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor

import numpy as np

from evaluation.errors import InputError
from evaluation.language import CATEGORIES, Atom

Lists = Mapping[str, Sequence[tuple[str, int]]]
"""By category: the lemmas with their counts."""
SHORT = {"ENT": ("entity",), "ACT": ("action",), "ATT": ("attribute",), "ALL": CATEGORIES}
"""The categories of the paper's short names."""
NONE = "NA"
Bag = tuple[int, ...]
"""Numbers of atoms, each once, ascending."""


def atom_lists(atoms: Iterable[Atom]) -> Lists:
    """Return the lists. Equally common atoms stand in alphabetical order."""
    counts = Counter(atoms)
    lists: dict[str, list[tuple[str, int]]] = {category: [] for category in CATEGORIES}
    for (category, lemma), count in sorted(counts.items(), key=lambda one: (-one[1], one[0])):
        lists[category].append((lemma, count))
    return lists


def numbered(lists: Lists, categories: Iterable[str], k: int) -> dict[Atom, int]:
    """Return the commonest k atoms of each category, numbered from 0."""
    chosen = [(category, lemma) for category in categories for lemma, _ in lists[category][:k]]
    return {atom: number for number, atom in enumerate(chosen)}


@dataclass(frozen=True, slots=True, order=True)
class Point:
    """The commonest `k` atoms of each category of the group, of which a share `accuracy` is right."""

    group: str
    """ENT, ACT, ATT, ALL; NA for no atoms."""
    k: int = 0
    accuracy: float = 1.0

    @property
    def name(self) -> str:
        """Return the name as in figures, such as "NA", "ALL:200", "ALL:200@0.7"."""
        if self.group == NONE:
            return NONE
        return f"{self.group}:{self.k}" + ("" if self.accuracy == 1 else f"@{self.accuracy:g}")

    @property
    def categories(self) -> tuple[str, ...]:
        """Return the categories of its atoms."""
        return SHORT.get(self.group, ())


def read_points(text: str) -> list[Point]:
    """Return the points of a list such as "NA,ALL:50,ENT:200". Raises InputError for an unknown or a doubled one."""
    points: list[Point] = []
    for name in text.split(","):
        group, colon, k = name.strip().partition(":")
        if name.strip() == NONE:
            point = Point(NONE)
        elif colon and group in SHORT and k.isascii() and k.isdigit() and int(k) > 0:
            point = Point(group, int(k))
        else:
            raise InputError(
                f"{name.strip()!r} is not a point: give NA, or one of {', '.join(SHORT)} with k, as in ALL:50."
            )
        if point in points:
            raise InputError(f"The point {point.name} stands twice.")
        points.append(point)
    return points


def read_accuracies(text: str) -> list[float]:
    """Return the shares of a list such as "1,0.7". Raises InputError for anything outside 0 to 1, or doubled."""
    found: list[float] = []
    for word in text.split(","):
        try:
            share = float(word)
        except ValueError:
            share = -1
        if not 0 <= share <= 1:
            raise InputError(f"{word.strip()!r} is not an accuracy: give shares from 0 to 1, as in 1,0.7.")
        if share in found:
            raise InputError(f"The accuracy {share:g} stands twice.")
        found.append(share)
    return found


def bag(atoms: Iterable[Atom], numbers: Mapping[Atom, int]) -> Bag:
    """Return the numbers of those atoms that have one."""
    return tuple(sorted({numbers[atom] for atom in atoms if atom in numbers}))


def noise(own: Bag, accuracy: float, count: int, rng: np.random.Generator) -> Bag:
    """Return the bag with round((1 - accuracy) x its size) members replaced by atoms that it does not hold.

    `count`: the number of all atoms. Halves are rounded up. If fewer atoms are outside the bag than are to be
    replaced, only so many are.
    """
    others = np.setdiff1d(np.arange(count), own)
    wrong = min(floor((1 - accuracy) * len(own) + 0.5 + 1e-9), len(others))
    if not wrong:
        return own
    kept: Sequence[int] = rng.choice(own, len(own) - wrong, replace=False).tolist()
    return tuple(sorted([*kept, *rng.choice(others, wrong, replace=False).tolist()]))
