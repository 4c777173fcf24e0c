"""Table 4 and figure 3 of the paper for this project's finished images, and how close drawn boxes are to final ones."""

from typing import Any

from django.db.models import F

from annotation.models import Box, MergedBox, Project
from annotation.rules.box import Box as BoxValue
from annotation.rules.box import iou
from annotation.rules.states import BoxState
from exchange.load_project import stream_images
from pipeline.project.queries import link_sources
from reports.measure import measure

NEWEST = 20_000
"""The number of merged boxes over which the IOU is averaged, newest first."""


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
    return (sum(iou(one, mean) for one, mean in members) / len(members) if members else None), len(members)
