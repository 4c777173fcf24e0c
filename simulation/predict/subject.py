"""The images of a project as a prediction sees them: phrases, what is known of chains and boxes, the work so far."""

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, TypeVar

from django.db.models import Count, QuerySet, Sum

from annotation.models import Gold, Image, Mention
from annotation.rules.box import Box
from annotation.rules.states import ImageState, NonVisual
from annotation.rules.transitivity import LinkMention
from pipeline.checking.label_evidence import ChainLabel, labels_of_source, same_boxes
from pipeline.learning.refit import last_proposals
from pipeline.models import Assignment, Judgment, Progress
from pipeline.models.work import OF_SWEEPS
from pipeline.protocol.image.machine import EntryKind, RecordEntry
from pipeline.protocol.image.merging import final_chain
from pipeline.protocol.state.mention_progress import MentionProgress
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from pipeline.settings.table_3 import work_of_link
from simulation.score import final_mentions
from simulation.spoiled_image import undo
from simulation.view import TrueChain, TrueImage
from workers.models import TrustStatus
from workers.rules.trust_states import TrustState


@dataclass(frozen=True, slots=True)
class Subject:
    """One image. Width and height are in pixels."""

    key: str
    width: int
    height: int
    mentions: tuple[MentionProgress, ...]
    known: TrueImage | None = None
    """Its chains and boxes, where they are known: from gold, or because the image is finished."""
    from_gold: bool = True
    """The known truth is gold. Else workers found it, and links found no chain that they cannot make."""
    source_labels: Mapping[str, Any] | None = None
    """In a checked project, what the source says of it, as it is in an entry."""

    def for_links(self) -> list[LinkMention]:
        return [mention.for_links() for mention in self.mentions]

    def first_entry(self) -> RecordEntry:
        """Return the entry with which a record of this image begins."""
        rows: list[list[Any]] = [
            [
                *(mention.number, mention.caption, mention.start, mention.end, list(mention.types), mention.text),
                *(mention.before, mention.vector, mention.form, mention.sentence),
            ]
            for mention in self.mentions
        ]
        return RecordEntry(0, EntryKind.IMPORT, {"mentions": rows})


V = TypeVar("V")
SOURCE = 10**9 - 2
"""The number of the source in a forecast: those of simulated workers begin at 0."""


def renumbered(settings: Settings) -> Settings:
    """Return the settings of a project in which the source has the number `SOURCE`; others as they are."""
    if not settings.reference_set:
        return settings
    before, after, known = str(settings.reference_set), str(SOURCE), settings.learned
    boxes = replace(known.boxes, programs=_renamed(known.boxes.programs, before, after))
    learned = replace(known, programs=_renamed(known.programs, before, after), boxes=boxes)
    return replace(settings, reference_set=SOURCE, pre_annotations=True, learned=learned)


def _renamed(values: Mapping[str, V], before: str, after: str) -> dict[str, V]:
    return {after if name == before else name: value for name, value in values.items()}


def labels_of_source_image(subject: Subject) -> list[ChainLabel]:
    """Return the labels of an image as its source has them; none without a source."""
    said = subject.source_labels
    if said is None:
        return []
    there = [mention.number for mention in subject.mentions]
    return labels_of_source(said["boxes"], said.get("chains", ()), said.get("flags", {}), there)


def draw_truth(subject: Subject, wrong: float, draw: Random) -> TrueImage:
    """Return what may be true of an image if this share of its source's labels is wrong, 0 to 1.

    The errors are of the kinds and in the shares that audits report, at places that chance draws.
    """
    labels = labels_of_source_image(subject)
    placed = {number for label in labels for number in label.mentions}
    left = [ChainLabel((mention.number,), ()) for mention in subject.mentions if mention.number not in placed]
    chains = tuple(
        TrueChain(str(place), label.mentions, label.flag == NonVisual.SCENE.value, label.boxes)
        for place, label in enumerate([*labels, *left])
    )
    return undo(TrueImage(subject.key, subject.width, subject.height, chains), subject.mentions, draw, wrong)


def waiting(progress: ImageProgress) -> set[int]:
    """Return the mentions about which an expert has yet to decide."""
    return {number for chain in progress.chains.values() if chain.review is not None for number in chain.mentions}


def right_in(truth: TrueImage, labels: Sequence[ChainLabel], waits: Collection[int] = ()) -> list[bool]:
    """Tell of each true chain whether a label has exactly its mentions and its boxes, each at an IOU of 0.5.

    `waits`: mentions about which an expert has yet to decide; they make no label right.
    """
    boxes_of = {label.mentions: label.boxes for label in labels if not set(waits).intersection(label.mentions)}
    found = [boxes_of.get(tuple(sorted(chain.mentions))) for chain in truth.chains]
    return [
        boxes is not None and same_boxes(boxes, chain.boxes) for boxes, chain in zip(found, truth.chains, strict=True)
    ]


Counts = Mapping[Task, int]
OVER = (ImageState.MERGED.value, ImageState.REVIEW.value)
"""States of images about which workers are asked no more: finished, or left to an expert."""
MOST_KNOWN = 200
"""Images with a known truth that priors are learned from."""
IMAGES_PER_BATCH = 200


def _none() -> Counts:
    return dict.fromkeys(PROTOCOL_TASKS, 0)


@dataclass(frozen=True, slots=True)
class SoFar:
    """Answers by task, money and workers so far."""

    real: Counts = field(default_factory=_none)
    """Answers to real questions."""
    unfinished: Counts = field(default_factory=_none)
    """Those among them about images that are still asked about."""
    known: Counts = field(default_factory=_none)
    """Answers to verification questions."""
    tests: Counts = field(default_factory=_none)
    """Answers in tests, which are not paid."""
    link_work: float = 1.0
    """The mean work of a real question about links, in pairs: a sweep takes longer."""
    cents: int = 0
    """Earned by workers."""
    begun: Counts = field(default_factory=_none)
    """Workers who have begun to qualify."""

    def hours_done(self, seconds: Mapping[Task, float]) -> float:
        """Return the hours of what a forecast counts as done. `seconds`: of an answer, by task."""
        over = {task: number - self.unfinished[task] for task, number in self.real.items()}
        seconds = {**seconds, Task.COREFERENCE_LINK: seconds[Task.COREFERENCE_LINK] * self.link_work}
        return sum(seconds[task] * (over[task] + self.known[task] + self.tests[task]) for task in over) / 3600


def read_so_far(project_id: int, model_annotators: Collection[int] = ()) -> SoFar:
    """Count the work of a project. `model_annotators`: model annotators, whose answers cost people nothing."""
    real = Judgment.objects.filter(question__project=project_id).exclude(worker__in=model_annotators)
    known = Judgment.objects.filter(assignment__project=project_id, known__isnull=False)
    tests = known.filter(assignment__kind=Assignment.Kind.TEST)
    begun = TrustStatus.objects.filter(project=project_id).exclude(state=TrustState.INVITED.value)
    unfinished = real.exclude(question__image__state__in=OVER)
    in_tests = _by_task(tests, "assignment__task")
    answered = _by_task(known, "assignment__task")
    earned = Assignment.objects.filter(project=project_id).aggregate(all=Sum("earned_cents"))["all"]
    answered_real = _by_task(real, "question__task")
    return SoFar(
        real=answered_real,
        unfinished=_by_task(unfinished, "question__task"),
        known={task: answered[task] - in_tests[task] for task in PROTOCOL_TASKS},
        tests=in_tests,
        link_work=_link_work(real, answered_real[Task.COREFERENCE_LINK]),
        cents=earned or 0,
        begun=_by_task(begun, "task"),
    )


def _link_work(real: QuerySet[Judgment], links: int) -> float:
    """Return the mean work of a real question about links, in pairs. `links`: the answers to such questions."""
    swept = real.filter(OF_SWEEPS).values_list("question__subject", flat=True)
    further = sum(len(subject) - 2 for subject in swept.iterator())
    return work_of_link(further / links) if links else 1.0


def _by_task(rows: QuerySet, field: str) -> dict[Task, int]:  # type: ignore[type-arg]  # of any model
    found = dict(rows.order_by().values(field).annotate(number=Count("id")).values_list(field, "number"))
    return {task: found.get(task.value, 0) for task in PROTOCOL_TASKS}


def phrases_of(project_id: int) -> dict[int, int]:
    """Count the phrases of each image that has any, by id, in import order."""
    rows = Mention.objects.filter(image__project=project_id).order_by("image__position").values_list("image")
    return dict(rows.annotate(Count("id")))


def finished_of(project_id: int) -> set[int]:
    """Return the ids of the images about which workers are asked no more."""
    return set(Image.objects.filter(project=project_id, state__in=OVER).values_list("id", flat=True))


def draw_images(ids: Sequence[int], count: int, seed: int) -> list[int]:
    """Draw a sample of images; all of them if there are fewer."""
    return random.Random(f"sample {seed}").sample(list(ids), min(count, len(ids)))


def known_images(project_id: int, seed: int, *, use_gold: bool = True, use_finished: bool = True) -> list[int]:
    """Return the ids of finished images and of images with gold, at most `MOST_KNOWN` of them."""
    merged = Image.objects.filter(project=project_id, state=ImageState.MERGED.value)
    finished = merged.values_list("id", flat=True) if use_finished else ()
    gold = (
        Gold.objects.filter(image__project=project_id, complete=True).values_list("image_id", flat=True)
        if use_gold
        else ()
    )
    return draw_images(sorted({*finished, *gold}), MOST_KNOWN, seed)


def read_subjects(ids: Sequence[int], *, use_gold: bool = True, checked: int = 0) -> Iterator[Subject]:
    """Yield the images with these ids, in this order. `use_gold`: gold counts as a known truth.

    `checked`: the number of the source of a checked project.
    """
    for first in range(0, len(ids), IMAGES_PER_BATCH):
        some = ids[first : first + IMAGES_PER_BATCH]
        rows = Progress.objects.filter(image_id__in=some).select_related("image").in_bulk()
        rows_of_gold = Gold.objects.filter(image_id__in=some, complete=True).values_list("image_id", "chains")
        gold = dict(rows_of_gold) if use_gold else {}
        said = last_proposals(some, checked) if checked else {}
        for image_id in some:
            if image_id in rows:
                image, progress = rows[image_id].image, from_json(rows[image_id].state)
                known = None
                if image_id in gold:
                    known = TrueImage.make(image.name, image.width, image.height, gold[image_id])
                elif progress.state is ImageState.MERGED:
                    known = finished_truth(image, progress)
                mentions = tuple(sorted(progress.mentions.values(), key=lambda mention: mention.order))
                yield Subject(
                    image.name, image.width, image.height, mentions, known, image_id in gold, said.get(image_id)
                )


def finished_truth(image: Image, progress: ImageProgress) -> TrueImage:
    """Return the chains and boxes of a finished image, as they are in the data set."""
    members = final_mentions(progress)
    boxes: dict[int, list[Box]] = {name: [] for name in members}
    for merged in progress.merged:
        for name in {final_chain(progress, progress.boxes[number].chain) for number in merged.members}:
            boxes[name].append(merged.box)
    made = tuple(
        TrueChain(
            str(name),
            tuple(progress.reading_order(mentions)),
            progress.chains[name].non_visual == NonVisual.SCENE.value,
            tuple(boxes[name]),
        )
        for name, mentions in sorted(members.items())
    )
    return TrueImage(image.name, image.width, image.height, made)


def judgments_of(ids: Collection[int], model_annotators: Collection[int] = ()) -> dict[int, int]:
    """Return the answers to real questions that each image took so far, without those of `model_annotators`."""
    given = Judgment.objects.filter(question__image__in=ids).exclude(worker__in=model_annotators)
    return dict(given.order_by().values_list("question__image").annotate(Count("id")))
