"""Agreement of answers: the share of pairs that agree, Krippendorff's alpha, and the overlap of drawn boxes."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import krippendorff
import numpy as np

from annotation.rules.box import Box, iou

Profile = tuple[tuple[str, int], ...]
"""The answers to one question: each word that was said, and how often. Most questions share few profiles."""
EXACT = 1 << 60
SAME_BOX = 0.5
"""The IOU from which two drawings are of one thing, as in the paper's verification questions."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of answers to the same questions, over questions with at least two answers."""

    questions: int
    answers: int
    share: float | None
    """Of the pairs of answers to one question, the share that agree; each answer weighs the same. None: no pairs."""
    alpha: float | None
    """Krippendorff's alpha, nominal. None: no pairs, or all answers are the same, where alpha is not defined."""


def agreement(profiles: Mapping[Profile, int]) -> Agreement:
    """Return the agreement of questions, which are counted by their profiles. Those with one answer are passed over."""
    pairable = {profile: count for profile, count in profiles.items() if _size(profile) > 1}
    questions = sum(pairable.values())
    answers = sum(_size(profile) * count for profile, count in pairable.items())
    if not answers:
        return Agreement(0, 0, None, None)
    alike = sum(count * _alike(profile) for profile, count in pairable.items())
    return Agreement(questions, answers, alike / answers, _alpha(pairable))


def _size(profile: Profile) -> int:
    return sum(number for _, number in profile)


def _alike(profile: Profile) -> float:
    """Return the answers of a question, each by the share of the others that say the same."""
    return sum(number * (number - 1) for _, number in profile) / (_size(profile) - 1)


def _alpha(profiles: Mapping[Profile, int]) -> float | None:
    words = sorted({word for profile in profiles for word, _ in profile})
    if len(words) < 2:
        return None
    place = {word: number for number, word in enumerate(words)}
    counts = np.zeros((len(profiles), len(words)), dtype=np.int16)
    for row, profile in enumerate(profiles):
        for word, number in profile:
            counts[row, place[word]] = number
    units = np.repeat(counts, list(profiles.values()), axis=0)
    return float(krippendorff.alpha(value_counts=units, level_of_measurement="nominal"))


def profile_of(words: Iterable[str]) -> Profile:
    """Return the profile of the answers to one question."""
    return tuple(sorted(Counter(words).items()))


@dataclass(slots=True)
class Overlap:
    """The IOU of drawings that answer one question, over pairs of them."""

    pairs: int = 0
    total: int = 0
    """The sum of the IOUs in parts of EXACT: whole numbers have the same sum in any order."""
    alike: int = 0
    """Pairs with an IOU of at least SAME_BOX."""

    def add(self, drawings: Collection[Sequence[int]]) -> None:
        """Add the pairs of a question's drawings, each as [x0, y0, x1, y1]."""
        for first, second in combinations(drawings, 2):
            overlap = iou(Box(*first), Box(*second))
            self.pairs += 1
            self.total += round(overlap * EXACT)
            self.alike += overlap >= SAME_BOX

    @property
    def mean(self) -> float | None:
        return self.total / EXACT / self.pairs if self.pairs else None
