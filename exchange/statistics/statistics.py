"""Statistics of a data set [paper 3.4, figure 6]: counts of its images and phrases, and the figures that follow.

One pass over the images keeps nothing but counts. No tagger is used: a word that is on none of the lists of adjectives
and fillers counts as a noun.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

from django.db.models import Count, Q

from annotation.rules.box import Box, iou
from annotation.rules.comparable import comparable
from annotation.rules.head_noun import head_noun
from annotation.rules.mention_type import NOUN_TYPES
from exchange.dataset import DatasetImage, DatasetMention
from pipeline.models import Judgment, SettingsVersion
from pipeline.protocol.tasks.coreference_link import PartAnswer
from pipeline.protocol.tasks.task import Task
from workers.models import Worker

_LINES = Path(__file__).with_name("words.txt").read_text(encoding="utf-8").splitlines()
_LISTS = {name: frozenset(words.split()) for name, _, words in (line.partition(":") for line in _LINES)}
COLORS = _LISTS["colors"]
ADJECTIVES = COLORS | _LISTS["adjectives"]
FILLERS = _LISTS["fillers"]
"""Words that are no nouns of a phrase, and no adjectives."""
NOT_NOUNS = ADJECTIVES | FILLERS


def noun_of(words: Sequence[str]) -> str | None:
    """Return the head noun of a phrase in lower case, or None.

    None if the last word is a number, a determiner or a similar word, or a colour ("a dark blue", "an orange"): a
    colour at the end of a phrase usually means clothing, rarely fruit. Any other adjective at the end of a phrase
    stands for a noun ("a male", "the elderly").
    """
    head = head_noun(words)
    if head in COLORS or head in FILLERS or not _has_letter(head):
        return None
    return head


def adjectives_of(words: Sequence[str]) -> set[str]:
    """Return the adjectives of a phrase, by our list, without the head noun ("a young male": young)."""
    lower = [word.lower() for word in words]
    head = noun_of(words)
    if head is not None:
        lower = lower[: len(lower) - 1 - lower[::-1].index(head)]
    return {word for word in lower if word in ADJECTIVES}


def object_category(words: Sequence[str]) -> str:
    """Return the phrase without everything but nouns, an object category of table 1; empty if it has no noun."""
    kept = [word for word in map(str.lower, words) if word not in NOT_NOUNS and _has_letter(word)]
    noun = noun_of(words)
    if noun in ADJECTIVES:
        kept.append(str(noun))
    return " ".join(kept)


def _has_letter(word: str) -> bool:
    return any(map(str.isalpha, word))


Json = dict[str, Any]


def ratio(part: float, whole: float) -> float | None:
    """Return part / whole, or None if the whole is 0."""
    return round(part / whole, 6) if whole else None


@dataclass(slots=True)
class TypeCount:
    """Counts of one type. A chain has every type of its mentions, and counts in full in each.

    The paper's table 4 only adds up this way: its types hold 256,446 chains, while there are 244,035 chains, and the
    mentions by type exceed the mentions in the same way.
    """

    chains: int = 0
    mentions: int = 0
    """Mentions that have the type themselves [figure 5]."""
    chain_mentions: int = 0
    """All mentions of the type's chains [table 4]."""
    boxes: int = 0
    """Boxes of the type's chains, each counted once, however many of these chains point to it."""
    images: int = 0
    """Images in which a mention has the type."""

    def row(self) -> Json:
        """Return the type's row of table 4."""
        return {
            "chains": self.chains,
            "mentions_per_chain": ratio(self.chain_mentions, self.chains),
            "boxes_per_chain": ratio(self.boxes, self.chains),
        }


@dataclass(slots=True)
class WordCount:
    """A noun or an adjective of the phrases."""

    mentions: int = 0
    """Mentions with the word."""
    boxes: int = 0
    """Boxes of these mentions' chains, each counted once."""


class PartAgreement(TypedDict):
    """Counts of links about which at least two workers answered and at least one named a part."""

    links: int
    part: int
    """Those of which every answer is that one is part of the other ..."""
    direction: int
    """... and those of which every answer names the same one."""


@dataclass(slots=True)
class Statistics:
    """Counts over merged images, and figures that follow from them. Shares are 0.0 to 1.0, or None of nothing."""

    images: int = 0
    captions: int = 0
    mentions: int = 0
    chains: int = 0
    boxes: int = 0
    types: dict[str, TypeCount] = field(default_factory=dict)
    chain_mentions: int = 0
    """Mentions in a chain: all of them, unless the source has no chains."""
    chains_of_several_mentions: int = 0
    chains_with_one_box: int = 0
    chains_with_several_boxes: int = 0
    images_with_several_box_chain: int = 0
    closest_sum: float = 0.0
    enclosed_boxes: int = 0
    categories: set[str] = field(default_factory=set)
    nouns: dict[str, WordCount] = field(default_factory=dict)
    adjectives: dict[str, WordCount] = field(default_factory=dict)
    link_sources: dict[str, int] = field(default_factory=dict)
    parts: PartAgreement | None = None
    """None: workers were not asked for parts."""

    def table_1(self) -> Json:
        """Return the data set's row of table 1. Object categories are an estimate, found without a tagger."""
        return {
            "images": self.images,
            "objects_per_image": ratio(self.boxes, self.images),
            "object_categories": len(self.categories),
            "objects_per_category": ratio(self.boxes, len(self.categories)),
            "sentences_per_image": ratio(self.captions, self.images),
            "expressions_per_image": ratio(self.mentions, self.images),
        }

    def table_4(self) -> dict[str, Json]:
        """Return a row per type, and the total, in which every chain, mention and box counts once."""
        rows = {name: count.row() for name, count in self.types.items()}
        rows["total"] = TypeCount(self.chains, self.mentions, self.chain_mentions, self.boxes).row()
        return rows

    def figure_5(self) -> dict[str, Json]:
        """Return the chains, mentions and boxes of each type."""
        return {
            name: {"chains": count.chains, "mentions": count.mentions, "boxes": count.boxes}
            for name, count in self.types.items()
        }

    def section_3_4(self) -> Json:
        """Return the averages and shares in the paper's text, by name."""
        without = self.chains - self.chains_with_one_box - self.chains_with_several_boxes
        return {
            "mentions_per_caption": ratio(self.mentions, self.captions),
            "chains_per_image": ratio(self.chains, self.images),
            "boxes_per_image": ratio(self.boxes, self.images),
            "chains_with_several_mentions": ratio(self.chains_of_several_mentions, self.chains),
            "chains_with_one_box": ratio(self.chains_with_one_box, self.chains),
            "chains_with_several_boxes": ratio(self.chains_with_several_boxes, self.chains),
            "chains_without_box": ratio(without, self.chains),
            "images_with_a_chain_of_several_boxes": ratio(self.images_with_several_box_chain, self.images),
            "mean_highest_iou": ratio(self.closest_sum, self.boxes),
            "boxes_enclosed_by_another": ratio(self.enclosed_boxes, self.boxes),
            "images_mentioning": {name: ratio(count.images, self.images) for name, count in self.types.items()},
        }

    def figure_3(self) -> list[Json]:
        """Return the number of links from each source, the most common first."""
        total = sum(self.link_sources.values())
        rows = sorted(self.link_sources.items(), key=lambda row: (-row[1], row[0]))
        return [{"source": source, "links": links, "share": ratio(links, total)} for source, links in rows]

    def figure_6(self, top: int = 20) -> dict[str, list[Json]]:
        """Return the most common nouns and adjectives, with their shares of all boxes and of all mentions."""
        return {"nouns": self._words(self.nouns, top), "adjectives": self._words(self.adjectives, top)}

    def _words(self, counts: Mapping[str, WordCount], top: int) -> list[Json]:
        ranked = sorted(counts.items(), key=lambda row: (-row[1].mentions, -row[1].boxes, row[0]))
        return [
            {
                "word": word,
                "occurrences": count.mentions,
                "occurrences_share": ratio(count.mentions, self.mentions),
                "boxes": count.boxes,
                "boxes_share": ratio(count.boxes, self.boxes),
            }
            for word, count in ranked[:top]
        ]

    def as_json(self) -> Json:
        """Return everything, ready for json.dumps, in the order of the paper; parts last, if they were asked for."""
        totals = {name: getattr(self, name) for name in ("images", "captions", "mentions", "chains", "boxes")}
        return {
            "totals": totals,
            "table_1": self.table_1(),
            "table_4": self.table_4(),
            "section_3_4": self.section_3_4(),
            "figure_3": self.figure_3(),
            "figure_5": self.figure_5(),
            "figure_6": self.figure_6(),
            **({} if self.parts is None else {"parts": self.parts}),
        }


def closest(boxes: Sequence[Box]) -> list[float]:
    """Return the highest IOU of each box with another box of the image; 0.0 for an image's only box."""
    best = [0.0] * len(boxes)
    for a, first in enumerate(boxes):
        for b in range(a + 1, len(boxes)):
            overlap = iou(first, boxes[b])
            best[a] = max(best[a], overlap)
            best[b] = max(best[b], overlap)
    return best


def enclosed(boxes: Sequence[Box]) -> int:
    """Count the boxes that lie completely inside another. Edges may touch; two equal boxes enclose each other."""
    return sum(any(a != b and _inside(box, boxes[b]) for b in range(len(boxes))) for a, box in enumerate(boxes))


def _inside(inner: Box, outer: Box) -> bool:
    return outer.x0 <= inner.x0 and outer.y0 <= inner.y0 and inner.x1 <= outer.x1 and inner.y1 <= outer.y1


def measure(
    images: Iterable[DatasetImage], link_sources: Mapping[str, int] | None = None, parts: PartAgreement | None = None
) -> Statistics:
    """Count merged images. `link_sources` is the number of links from each source, by the pipeline's record.

    Every image counts once. Boxes without a chain count only in the totals and for overlap. `parts` is passed on.
    """
    types = {kind.value: TypeCount() for kind in NOUN_TYPES}
    found = Statistics(types=types, link_sources=dict(link_sources or {}), parts=parts)
    for image in images:
        _OneImage(image).count(found)
    return found


class _OneImage:
    """One image, with the mentions and boxes of each chain looked up."""

    def __init__(self, image: DatasetImage) -> None:
        self.image = image
        self.mentions_of: dict[str, list[DatasetMention]] = {chain.name: [] for chain in image.chains}
        for mention in image.mentions:
            if mention.chain is not None:
                self.mentions_of.setdefault(mention.chain, []).append(mention)
        self.boxes_of: dict[str, set[int]] = defaultdict(set)
        for place, box in enumerate(image.boxes):
            for chain in box.chains:
                self.boxes_of[chain].add(place)

    def count(self, statistics: Statistics) -> None:
        statistics.images += 1
        statistics.captions += len(self.image.captions)
        statistics.mentions += len(self.image.mentions)
        statistics.chains += len(self.mentions_of)
        statistics.boxes += len(self.image.boxes)
        self._count_chains(statistics)
        self._count_types(statistics)
        self._count_words(statistics)
        boxes = [box.box for box in self.image.boxes]
        statistics.closest_sum += sum(closest(boxes))
        statistics.enclosed_boxes += enclosed(boxes)

    def _count_chains(self, statistics: Statistics) -> None:
        sizes = [len(self.boxes_of[chain]) for chain in self.mentions_of]
        mentions = [len(of_chain) for of_chain in self.mentions_of.values()]
        statistics.chain_mentions += sum(mentions)
        statistics.chains_of_several_mentions += sum(number > 1 for number in mentions)
        statistics.chains_with_one_box += sizes.count(1)
        statistics.chains_with_several_boxes += sum(size > 1 for size in sizes)
        statistics.images_with_several_box_chain += any(size > 1 for size in sizes)

    def _count_types(self, statistics: Statistics) -> None:
        boxes: dict[str, set[int]] = defaultdict(set)
        for chain, mentions in self.mentions_of.items():
            for kind in {kind for mention in mentions for kind in mention.types}:
                count = statistics.types.setdefault(kind, TypeCount())
                count.chains += 1
                count.chain_mentions += len(mentions)
                boxes[kind] |= self.boxes_of[chain]
        for kind, places in boxes.items():
            statistics.types[kind].boxes += len(places)
        for mention in self.image.mentions:
            for kind in set(mention.types):
                statistics.types.setdefault(kind, TypeCount()).mentions += 1
        for kind in {kind for mention in self.image.mentions for kind in mention.types}:
            statistics.types[kind].images += 1

    def _count_words(self, statistics: Statistics) -> None:
        nouns: dict[str, set[int]] = defaultdict(set)
        adjectives: dict[str, set[int]] = defaultdict(set)
        for mention in self.image.mentions:
            words = comparable(self.image.captions[mention.caption].words[mention.start : mention.end]).split()
            boxes = self.boxes_of[mention.chain] if mention.chain is not None else set()
            if category := object_category(words):
                statistics.categories.add(category)
            if noun := noun_of(words):
                _add_word(statistics.nouns, nouns, noun, boxes)
            for adjective in adjectives_of(words):
                _add_word(statistics.adjectives, adjectives, adjective, boxes)
        _add_boxes(statistics.nouns, nouns)
        _add_boxes(statistics.adjectives, adjectives)


def _add_word(counts: dict[str, WordCount], places: dict[str, set[int]], word: str, boxes: set[int]) -> None:
    counts.setdefault(word, WordCount()).mentions += 1
    places[word] |= boxes


def _add_boxes(counts: dict[str, WordCount], places: Mapping[str, set[int]]) -> None:
    for word, boxes in places.items():
        counts[word].boxes += len(boxes)


def part_agreement(project_id: int) -> PartAgreement | None:
    """Return how far workers agree on parts; None: the project never asked for them.

    Programs are left out. Voided answers are among the others, as in the agreement of tasks. Costs two statements.
    """
    if not SettingsVersion.objects.filter(project=project_id, values__part_answers=True).exists():
        return None
    asked = {"question__project": project_id, "question__task": Task.COREFERENCE_LINK.value}
    people = Judgment.objects.filter(**asked).exclude(worker__kind=Worker.Kind.PROGRAM)
    # A link that is asked again may be another question.
    links = (
        people.order_by()
        .values("question__image", "question__subject")
        .annotate(
            all=Count("id"),
            first=Count("id", filter=Q(answer=PartAnswer.A_OF_B.value)),
            second=Count("id", filter=Q(answer=PartAnswer.B_OF_A.value)),
        )
    )
    told = links.filter(Q(first__gt=0) | Q(second__gt=0), all__gt=1).values_list("all", "first", "second")
    counts = list(told)
    return {
        "links": len(counts),
        "part": sum(first + second == every for every, first, second in counts),
        "direction": sum(every in (first, second) for every, first, second in counts),
    }
