"""Scores of programs: one quality by task, measured on what became of their boxes or on chains that are known."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from django.db.models import Count, Q

from annotation.models import Box as BoxRow
from annotation.models import Chain, Gold, Image, Mention, Project
from annotation.rules.box import Box
from annotation.rules.states import BoxState, ImageState
from annotation.rules.transitivity import LinkMention
from pipeline.known.prediction_score import (
    SCORED,
    Basis,
    PredictionQuality,
    ScoreStatus,
    Truth,
    box_quality,
    quality_of,
    right_boxes,
    right_links,
    score_status,
)
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_work import TrustSettings
from pipeline.settings.settings import Settings
from projects.models import ModelPrediction
from projects.predictions.in_use import Use, boxes_in_use, links_in_use
from workers.rules.score import Score, ScoreRule

MOST_IMAGES = 300
"""Images with known chains on which a program is scored, the newest ones."""


class TaskScore(NamedTuple):
    task: Task
    quality: PredictionQuality | None
    """None: nothing tells yet."""
    minimum: float
    status: ScoreStatus
    predicts: bool
    """Whether the program predicts anything of the task."""

    @property
    def score(self) -> Score:
        return self.quality.score if self.quality else Score()

    @property
    def unknown(self) -> str:
        return "nothing tells yet" if self.predicts else "–"


class ProgramOutcomes(NamedTuple):
    """The outcomes of a program, of each image: right ones, and all."""

    tried: list[tuple[int, int]]
    phrases: list[tuple[int, int]]
    pairs: list[tuple[int, int]]

    @property
    def boxes(self) -> PredictionQuality | None:
        return box_quality(self.tried, self.phrases)

    @property
    def foreseen(self) -> PredictionQuality | None:
        return quality_of(Basis.PHRASES, self.phrases)

    @property
    def links(self) -> PredictionQuality | None:
        return quality_of(Basis.PAIRS, self.pairs)


class Program(NamedTuple):
    """A program, what it predicted, and what came of its pre-annotations."""

    id: int
    name: str
    images: int
    due: int
    """Images whose predictions are still to be entered in the record."""
    scores: tuple[TaskScore, ...]
    """In the order of SCORED."""
    pre_annotations: Mapping[str, int]
    """Its boxes that were proposed, by state."""
    links: Use | None = None
    """The use of the links of its chains; None if it predicts no chains."""
    boxes: Use | None = None
    """The use of its boxes; None if it predicts none."""

    @property
    def pre_annotated(self) -> int:
        return sum(self.pre_annotations.values())

    @property
    def accepted(self) -> int:
        return self.pre_annotations.get(BoxState.ACCEPTED.value, 0)

    @property
    def bad(self) -> int:
        return self.pre_annotations.get(BoxState.DISCARDED.value, 0)


def programs(project: Project, settings: Settings) -> list[Program]:
    """Return the programs with predictions in the project, by name."""
    rows = ModelPrediction.objects.filter(project=project).order_by("program__name")
    counted = rows.values_list("program", "program__name").annotate(
        images=Count("id"),
        waiting=Count("id", filter=Q(due=True)),
        with_boxes=Count("id", filter=~Q(boxes=[])),
        with_chains=Count("id", filter=~Q(chains=[])),
    )
    boxes = pre_annotations_by_program(project.pk)
    measured = _measured(project.pk, [number for number, *_ in counted])
    return [
        Program(
            number,
            name,
            images,
            waiting,
            _task_scores(
                measured[number], settings, boxes=bool(with_boxes) or number in boxes, chains=bool(with_chains)
            ),
            boxes[number],
            links=links_in_use(number, settings) if with_chains else None,
            boxes=boxes_in_use(number, measured[number].boxes, measured[number].foreseen, settings)
            if with_boxes or boxes[number]
            else None,
        )
        for number, name, images, waiting, with_boxes, with_chains in counted
    ]


def _task_scores(
    measured: ProgramOutcomes, settings: TrustSettings, *, boxes: bool, chains: bool
) -> tuple[TaskScore, ...]:
    found = {Task.BOX_DRAWING: (measured.boxes, boxes), Task.COREFERENCE_LINK: (measured.links, chains)}
    told = []
    for task in SCORED:
        (quality, predicts), minimum = found[task], settings.minimum[task.value]
        stands = score_status(quality.score if quality else Score(), minimum, ScoreRule(settings.below_minimum))
        told.append(TaskScore(task, quality, minimum, stands, predicts))
    return tuple(told)


def _measured(project_id: int, programs: list[int]) -> dict[int, ProgramOutcomes]:
    """Return the outcomes by program. Of the images whose chains are known, it reads the newest of each."""
    found = {program: ProgramOutcomes([], [], []) for program in programs}
    states = (BoxState.ACCEPTED.value, BoxState.DISCARDED.value)
    rows = BoxRow.objects.filter(image__project=project_id, pre_annotated=True, state__in=states).order_by()
    kept = Count("id", filter=Q(state=BoxState.ACCEPTED.value))
    for program, _, good, number in rows.values_list("drawn_by", "image").annotate(good=kept, all=Count("id")):
        if program in found:
            found[program].tried.append((good, number))
    known = Q(image__gold__isnull=False) | Q(image__state=ImageState.MERGED.value)
    predicted = ModelPrediction.objects.filter(known, project=project_id).order_by("-image")
    said = predicted.values_list("image_id", "boxes", "chains")
    newest = {program: list(said.filter(program=program)[:MOST_IMAGES]) for program in found}
    images = {image for rows in newest.values() for image, *_ in rows}
    true = truths(images) if images else {}
    for program, measured in found.items():
        for image, boxes, chains in newest[program]:
            measured.phrases.append(right_boxes(boxes, true[image]))
            measured.pairs.append(right_links(chains, true[image]))
    return found


def pre_annotations_by_program(project_id: int) -> dict[int, Counter[str]]:
    """Return the boxes that each program proposed, by their state. Boxes that were not taken yet are not counted."""
    found: dict[int, Counter[str]] = defaultdict(Counter)
    rows = BoxRow.objects.filter(image__project=project_id, pre_annotated=True).order_by()
    for program, state, number in rows.values_list("drawn_by", "state").annotate(Count("id")):
        found[program or 0][state] += number
    return found


def truths(ids: Collection[int]) -> dict[int, Truth]:
    """Return the truth of each of these images that has one, in a fixed number of statements."""
    gold = dict(Gold.objects.filter(image_id__in=ids).values_list("image_id", "chains"))
    rest = Image.objects.filter(id__in=set(ids).difference(gold), state=ImageState.MERGED.value)
    finished = list(rest.order_by().values_list("id", flat=True))
    mentions: dict[int, list[LinkMention]] = defaultdict(list)
    chain_of: dict[int, dict[int, Any]] = defaultdict(dict)
    rows = Mention.objects.filter(image_id__in=[*gold, *finished]).order_by("image", "number")
    for image, number, caption, start, types, chain in rows.values_list(
        "image_id", "number", "caption__number", "start", "types", "chain"
    ):
        mentions[image].append(LinkMention(number, caption, start, frozenset(types), ""))
        if chain is not None:
            chain_of[image][number] = chain
    found = {image: _of_gold(chains, mentions[image]) for image, chains in gold.items()}
    boxes = _boxes(finished)
    merged = _merged(finished)
    for image in finished:
        final = {number: merged.get((image, chain), chain) for number, chain in chain_of[image].items()}
        own: dict[Any, list[Box]] = defaultdict(list)
        for chain, box in boxes[image]:
            own[merged.get((image, chain), chain)].append(box)
        found[image] = Truth(final, own, mentions[image])
    return found


def _of_gold(chains: list[dict[str, Any]], mentions: list[LinkMention]) -> Truth:
    chain_of = {number: place for place, chain in enumerate(chains) for number in chain["mentions"]}
    boxes = {place: [Box(*box) for box in chain["boxes"]] for place, chain in enumerate(chains)}
    return Truth(chain_of, boxes, mentions)


def _boxes(ids: list[int]) -> dict[int, list[tuple[int, Box]]]:
    found: dict[int, list[tuple[int, Box]]] = defaultdict(list)
    rows = BoxRow.objects.filter(image_id__in=ids, state=BoxState.ACCEPTED.value).order_by()
    for image, chain, *edges in rows.values_list("image_id", "chain", "x0", "y0", "x1", "y1"):
        found[image].append((chain, Box(*edges)))
    return found


def _merged(ids: list[int]) -> dict[tuple[int, int], int]:
    """Return the chain that each merged chain ended in."""
    rows = Chain.objects.filter(image_id__in=ids, merged_into__isnull=False).order_by()
    places = rows.values_list("image_id", "name", "merged_into")
    return {(image, name): into for image, name, into in places if into is not None}
