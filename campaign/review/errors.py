"""Error analysis [paper 3.3.3]: the kinds of error, and how frequent each is in a sample of finished images."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workers.rules.share import wilson_interval


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of error. `of`: what it is counted among."""

    name: str
    key: str
    of: str
    about: str


KINDS = (
    Kind("chunking", "1", "mentions", "a phrase is too long or too short, is none, or is missing"),
    Kind("wrong link", "2", "chains", "coreference: phrases of one chain mean different things"),
    Kind("missed link", "3", "chains", "coreference: phrases of different chains mean the same thing"),
    Kind("wrong box", "4", "boxes", "a box is not tight, or is around something else"),
    Kind("missing box", "5", "chains", "something that the phrases mean has no box"),
)
"""The paper's two categories, chunking and coreference, the latter in its two directions; and errors of boxes, which
its figure 4 shows and its section does not count.
"""
NAMES = frozenset(kind.name for kind in KINDS)
MOST_PER_IMAGE = 99


@dataclass(frozen=True, slots=True)
class Share:
    """One line of the report."""

    name: str
    about: str
    errors: int
    of: str
    total: int
    low: float
    high: float

    @property
    def share(self) -> float:
        return self.errors / self.total if self.total else 0.0


def share_of(name: str, about: str, errors: int, of: str, total: int) -> Share:
    """Return a share with its 95 % interval. Several errors can lie in one part: no more than all parts are wrong."""
    errors = min(errors, total)
    return Share(name, about, errors, of, total, *wilson_interval(errors, total))


def report(tallies: Sequence[Mapping[str, Any]]) -> list[Share]:
    """Return the share of each kind, of coreference errors together, and of images with any error.

    `tallies`: of each image that was looked at, {"errors": {kind: number}, "mentions", "chains", "boxes"}.
    """
    errors: Counter[str] = Counter()
    parts: Counter[str] = Counter()
    for one in tallies:
        errors.update(one["errors"])
        parts.update({of: one[of] for of in ("mentions", "chains", "boxes")})
    lines = [share_of(kind.name, kind.about, errors[kind.name], kind.of, parts[kind.of]) for kind in KINDS]
    links = errors["wrong link"] + errors["missed link"]
    wrong = sum(any(one["errors"].values()) for one in tallies)
    return [
        *lines,
        share_of("coreference", "wrong and missed links together", links, "chains", parts["chains"]),
        share_of("any error", "images with an error of some kind", wrong, "images", len(tallies)),
    ]
