"""The agreement between the types from the dictionaries and the types in a data set."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.rules.comparable import comparable
from annotation.rules.dictionaries import Dictionaries, types_of
from annotation.rules.mention_type import NOUN_TYPES, MentionType
from exchange.dataset import DatasetImage
from runtime.words import percent

Types = tuple[str, ...]
MOST_DIFFERENCES = 15
"""Printed differences."""


@dataclass
class TypeAgreement:
    """Counts of mentions. `theirs`, `ours` and `both` are by type; a mention counts once for each of its types."""

    mentions: int = 0
    exact: int = 0
    sharing: int = 0
    theirs: Counter[str] = field(default_factory=Counter)
    ours: Counter[str] = field(default_factory=Counter)
    both: Counter[str] = field(default_factory=Counter)
    differences: Counter[tuple[str, Types, Types]] = field(default_factory=Counter)
    """The number of mentions by phrase in lower case, their types, and ours."""

    def add(self, words: Sequence[str], theirs: Iterable[str], dictionaries: Dictionaries) -> None:
        """Count one mention."""
        given, found = set(theirs), {str(kind) for kind in types_of(words, dictionaries)}
        self.mentions += 1
        self.exact += given == found
        self.sharing += bool(given & found)
        self.theirs.update(given)
        self.ours.update(found)
        self.both.update(given & found)
        if given != found:
            self.differences[comparable(words).lower(), tuple(sorted(given)), tuple(sorted(found))] += 1

    def precision(self, kind: str) -> float | None:
        """Return the share of our mentions of this type that have it in the data; None if we have none."""
        return self.both[kind] / self.ours[kind] if self.ours[kind] else None

    def recall(self, kind: str) -> float | None:
        """Return the share of the data's mentions of this type that we give it; None if the data has none."""
        return self.both[kind] / self.theirs[kind] if self.theirs[kind] else None

    def kinds(self) -> list[MentionType]:
        """Return the types of nouns, and that of pronouns if any mention has it."""
        return [type_ for type_ in MentionType if type_ in NOUN_TYPES or self.theirs[type_] or self.ours[type_]]

    def to_json(self) -> dict[str, Any]:
        """Return all counts and shares, and every difference, the most frequent first."""
        return {
            "mentions": self.mentions,
            "exact": self.exact,
            "sharing": self.sharing,
            "types": {
                str(kind): {
                    "theirs": self.theirs[kind],
                    "ours": self.ours[kind],
                    "both": self.both[kind],
                    "precision": self.precision(kind),
                    "recall": self.recall(kind),
                }
                for kind in self.kinds()
            },
            "differences": [
                {"phrase": phrase, "theirs": theirs, "ours": ours, "mentions": count}
                for (phrase, theirs, ours), count in self.commonest_differences()
            ],
        }

    def commonest_differences(self) -> list[tuple[tuple[str, Types, Types], int]]:
        """Return the differences with their counts, the most frequent first, then by phrase."""
        return sorted(self.differences.items(), key=lambda item: (-item[1], item[0]))


def count_type_agreement(images: Iterable[DatasetImage], dictionaries: Dictionaries) -> TypeAgreement:
    """Count every mention that has types in the data. Reads one image at a time."""
    agreement = TypeAgreement()
    for image in images:
        for mention in image.mentions:
            if mention.types:
                words = image.captions[mention.caption].words[mention.start : mention.end]
                agreement.add(words, mention.types, dictionaries)
    return agreement


def describe_type_agreement(agreement: TypeAgreement) -> str:
    """Format a table for a terminal, the overall shares and the most frequent differences."""
    if not agreement.mentions:
        return "No mention has a type, so nothing can be compared."
    lines = [f"{'type':<12} {'in data':>8} {'ours':>8} {'both':>8} {'precision':>10} {'recall':>8}"]
    for kind in agreement.kinds():
        counts = f"{agreement.theirs[kind]:>8} {agreement.ours[kind]:>8} {agreement.both[kind]:>8}"
        lines.append(
            f"{kind:<12} {counts} {percent(agreement.precision(kind), 1):>10} {percent(agreement.recall(kind), 1):>8}"
        )
    total = agreement.mentions
    lines += [
        "",
        f"{total} mentions; same types: {agreement.exact} ({percent(agreement.exact / total, 1)}); "
        f"at least one type shared: {agreement.sharing} ({percent(agreement.sharing / total, 1)})",
    ]
    common = agreement.commonest_differences()[:MOST_DIFFERENCES]
    if common:
        lines += ["", "Most frequent differences (mentions, phrase: data / ours)"]
    lines += [f"{n:>5}  {phrase}: {', '.join(theirs)} / {', '.join(ours)}" for (phrase, theirs, ours), n in common]
    return "\n".join(lines)
