"""Points [paper Yao 5.2]: which atoms an oracle is given: the k commonest of a category, or of each, or none."""

from dataclasses import dataclass

from evaluation.errors import InputError
from evaluation.language.atoms import CATEGORIES

SHORT = {"ENT": ("entity",), "ACT": ("action",), "ATT": ("attribute",), "ALL": CATEGORIES}
"""The categories of the paper's short names."""
NONE = "NA"


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
