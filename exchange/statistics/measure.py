"""Counting of a data set [paper 3.4]: one pass over its images that keeps nothing but counts."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from django.db.models import Count, Q

from annotation.rules.box import Box, iou
from annotation.rules.comparable import comparable
from annotation.rules.mention_type import NOUN_TYPES
from exchange.dataset import DatasetImage, DatasetMention
from exchange.statistics.statistics import PartAgreement, Statistics, TypeCount, WordCount
from exchange.statistics.words import adjectives_of, noun_of, object_category
from pipeline.models import Judgment, SettingsVersion
from pipeline.protocol.tasks.coreference_link import PartAnswer
from pipeline.protocol.tasks.task import Task
from workers.models import Worker


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

    def count(self, found: Statistics) -> None:
        found.images += 1
        found.captions += len(self.image.captions)
        found.mentions += len(self.image.mentions)
        found.chains += len(self.mentions_of)
        found.boxes += len(self.image.boxes)
        self._count_chains(found)
        self._count_types(found)
        self._count_words(found)
        boxes = [box.box for box in self.image.boxes]
        found.closest_sum += sum(closest(boxes))
        found.enclosed_boxes += enclosed(boxes)

    def _count_chains(self, found: Statistics) -> None:
        sizes = [len(self.boxes_of[chain]) for chain in self.mentions_of]
        mentions = [len(of_chain) for of_chain in self.mentions_of.values()]
        found.chain_mentions += sum(mentions)
        found.chains_of_several_mentions += sum(number > 1 for number in mentions)
        found.chains_with_one_box += sizes.count(1)
        found.chains_with_several_boxes += sum(size > 1 for size in sizes)
        found.images_with_several_box_chain += any(size > 1 for size in sizes)

    def _count_types(self, found: Statistics) -> None:
        boxes: dict[str, set[int]] = defaultdict(set)
        for chain, mentions in self.mentions_of.items():
            for kind in {kind for mention in mentions for kind in mention.types}:
                count = found.types.setdefault(kind, TypeCount())
                count.chains += 1
                count.chain_mentions += len(mentions)
                boxes[kind] |= self.boxes_of[chain]
        for kind, places in boxes.items():
            found.types[kind].boxes += len(places)
        for mention in self.image.mentions:
            for kind in set(mention.types):
                found.types.setdefault(kind, TypeCount()).mentions += 1
        for kind in {kind for mention in self.image.mentions for kind in mention.types}:
            found.types[kind].images += 1

    def _count_words(self, found: Statistics) -> None:
        nouns: dict[str, set[int]] = defaultdict(set)
        adjectives: dict[str, set[int]] = defaultdict(set)
        for mention in self.image.mentions:
            words = comparable(self.image.captions[mention.caption].words[mention.start : mention.end]).split()
            boxes = self.boxes_of[mention.chain] if mention.chain is not None else set()
            if category := object_category(words):
                found.categories.add(category)
            if noun := noun_of(words):
                _add_word(found.nouns, nouns, noun, boxes)
            for adjective in adjectives_of(words):
                _add_word(found.adjectives, adjectives, adjective, boxes)
        _add_boxes(found.nouns, nouns)
        _add_boxes(found.adjectives, adjectives)


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
