"""The time to merge as many boxes as the paper had: with the rule alone, and with rows read and written."""

import time
from itertools import islice
from statistics import fmean
from typing import Any

from django.db.models import Count
from tqdm import tqdm

from annotation.models import Box, Chain, MergedBox, Project
from annotation.rules.box_merge import BoxToMerge, merge_boxes
from annotation.rules.states import ImageState
from pipeline.project.settings_versions import open_project
from pipeline.record.merge_images import merge_images
from studies.pipeline_speed.figure import Figure
from studies.pipeline_speed.made_boxes import made_images
from studies.pipeline_speed.made_rows import write_images
from studies.pipeline_speed.scratch import scratch_databases

SEED = 1
RULE_GOAL, ROWS_GOAL = 4.0, 60.0
IMAGES_PER_TRANSACTION = 500


def merge_rule(*, images: int) -> Figure:
    """Measure the rule alone, on values, one image after another."""
    made = list(_shown(images))
    started = time.perf_counter()
    left = [len(merge_boxes(boxes).groups) for boxes in made]
    seconds = time.perf_counter() - started
    details = {
        "images": len(left),
        "boxes per image": fmean(map(len, made)),
        "left per image": fmean(left),
        "boxes": "made up (seeded)",
    }
    return Figure("merge-rule", f"Merging {images:,} images, the rule alone", seconds, "s", RULE_GOAL, True, details)


def merge_rows(*, images: int) -> Figure:
    """Measure the whole work of the service: read due images, merge them, and write them with their record."""
    with scratch_databases() as (database,):
        database.use()
        project = open_project(name="made")
        made = iter(_shown(images))  # one iterator: a second loop over a progress bar would begin anew
        first = 0
        while part := list(islice(made, IMAGES_PER_TRANSACTION)):
            write_images(project, first, part)
            first += len(part)
        started = time.perf_counter()
        merged = merge_images(project_id=project.id)
        seconds = time.perf_counter() - started
        if merged != images:
            raise RuntimeError(f"{merged:,} of {images:,} images were merged: the measured time is not valid.")
        details = _rows_details(project)
    what = f"Merging {images:,} images, with rows read and written"
    return Figure("merge-rows", what, seconds, "s", ROWS_GOAL, True, details)


def _rows_details(project: Project) -> dict[str, Any]:
    """Count what the tables hold after merging."""
    merged = project.images.filter(state=ImageState.MERGED.value).count()
    chains = Chain.objects.filter(image__project=project).aggregate(all=Count("id"), gone=Count("merged_into"))
    return {
        "images": merged,
        "boxes per image": Box.objects.filter(image__project=project).count() / merged,
        "left per image": MergedBox.objects.filter(image__project=project).count() / merged,
        "chains per image": chains["all"] / merged,
        "chains left per image": (chains["all"] - chains["gone"]) / merged,
        "boxes": "made up (seeded); the figure excludes making and inserting them",
    }


def _shown(images: int) -> "tqdm[list[BoxToMerge]]":
    return tqdm(made_images(images, SEED), total=images, unit="image", desc="make boxes", disable=None)
