"""Figures of images, chains, links and boxes: how they moved, what was foretold of them, and the paper's table 4."""

from typing import Any

from django.db.models import Count, F, Q, Sum

from annotation.models import Box, Chain, Image, MergedBox, Project
from annotation.rules.box import Box as BoxValue
from annotation.rules.box import iou
from annotation.rules.states import BoxState, ChainState, ImageState
from exchange.load_project import stream_images
from exchange.statistics.measure import measure
from pipeline.models import Judgment, Question, Transition
from pipeline.project.queries import link_sources
from pipeline.protocol.tasks.chain_verification import VerificationAnswer
from pipeline.protocol.tasks.task import QuestionState, Task
from projects.quality.calibration import calibration_tenths

IMAGES_SHOWN = 12
S = ChainState
BACK = (
    (S.QUALITY, S.DRAWING),
    (S.COVERAGE, S.DRAWING),
    (S.DRAWING, S.REQUIREMENT),
    (S.DRAWING, S.REVIEW),
    (S.QUALITY, S.REVIEW),
)
"""Moves against the current: a worker did not accept what another had done."""
NEWEST = 20_000
"""The number of merged boxes over which the IOU is averaged, newest first."""


def images(project_id: int) -> dict[str, Any]:
    """Return the images with the most moves against the current, and with the most seconds of answering."""
    against = Q()
    for old, new in BACK:
        against |= Q(old=old.value, new=new.value)
    moves = Transition.objects.filter(against, project=project_id, machine="chain").order_by().values_list("image")
    disputed = list(moves.annotate(number=Count("id")).order_by("-number", "image")[:IMAGES_SHOWN])
    times = Judgment.objects.filter(question__project=project_id, seconds__isnull=False).order_by()
    spent = times.values_list("question__image").annotate(number=Sum("seconds"))
    slowest = list(spent.order_by("-number", "question__image")[:IMAGES_SHOWN])
    ids = [image for image, _ in (*disputed, *slowest)]
    known = {row.pk: row for row in Image.objects.filter(pk__in=ids)}

    def rows(found: list[tuple[int, Any]]) -> list[dict[str, Any]]:
        return [
            {"id": pk, "name": known[pk].name, "picture": bool(known[pk].picture), "value": round(value)}
            for pk, value in found
            if pk in known
        ]

    return {"disputed": rows(disputed), "slowest": rows(slowest)}


def flow(project_id: int) -> dict[str, Any]:
    """Return the moves by states, the outcomes of questions by task, and counts before and after merging."""
    moves = Transition.objects.filter(project=project_id, machine="chain").exclude(old="").exclude(old=F("new"))
    arrows = moves.order_by().values_list("old", "new").annotate(Count("id"))
    closed = Question.objects.filter(project_id=project_id, state=QuestionState.CLOSED.value)
    outcomes = closed.order_by().values_list("task", "outcome").annotate(Count("id"))
    verified = {outcome: number for task, outcome, number in outcomes if task == Task.CHAIN_VERIFICATION.value}
    return {
        "arrows": [[old, new, number] for old, new, number in arrows],
        "kept": verified.get(VerificationAnswer.TRUE.value, 0),
        "broken": verified.get(VerificationAnswer.FALSE.value, 0),
        **_merging(project_id),
    }


def _merging(project_id: int) -> dict[str, int]:
    merged = {"image__project": project_id, "image__state": ImageState.MERGED.value}
    chains = Chain.objects.filter(**merged)
    return {
        "chains": chains.count(),
        "chains_joined": chains.filter(merged_into__isnull=False).count(),
        "boxes": Box.objects.filter(**merged, state=BoxState.ACCEPTED.value).count(),
        "boxes_left": MergedBox.objects.filter(image__project=project_id).count(),
    }


def links(project_id: int) -> dict[str, Any]:
    """Return the tenths of the predicted chance that have links, each as the values of `Tenth` and whether it holds."""
    return {"tenths": [[*tenth, tenth.holds] for tenth in calibration_tenths(project_id)]}


def paper(project_id: int) -> dict[str, Any]:
    """Return the rows of table 4 and figure 3, and the mean IOU of joined boxes with the boxes they are part of."""
    project = Project.objects.get(pk=project_id)
    found = measure(stream_images(project, include_unmerged=False), link_sources(project))
    overlap, boxes = _overlap(project_id)
    return {"table_4": found.table_4(), "figure_3": found.figure_3(), "iou": overlap, "iou_boxes": boxes}


def _overlap(project_id: int) -> tuple[float | None, int]:
    newest = MergedBox.objects.filter(image__project=project_id).order_by("-id")
    joined = [box for box in newest[:NEWEST].iterator() if len(box.members) > 1]
    of_image = {box.image_id for box in joined}
    drawn = Box.objects.filter(image__in=of_image, state=BoxState.ACCEPTED.value).values_list(
        "image", "number", F("x0"), F("y0"), F("x1"), F("y1")
    )
    known = {(image, number): BoxValue(*edges) for image, number, *edges in drawn}
    members = [(known[box.image_id, n], box.box) for box in joined for n in box.members if (box.image_id, n) in known]
    return (sum(iou(box, mean) for box, mean in members) / len(members) if members else None), len(members)
