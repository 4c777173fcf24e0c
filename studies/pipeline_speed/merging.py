"""The time to merge as many boxes as the paper had: with the rule alone, and with rows read and written.

The images are made up as they are just before merging: chains complete, and as many boxes accepted as in the paper,
10.8 per image, of which merging leaves about 8.7 [3.3.2].
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from random import Random
from statistics import fmean
from typing import Any

from django.db import transaction
from django.db.models import Count
from tqdm import tqdm

from annotation.models import Box as BoxRow
from annotation.models import Chain, Image, MergedBox, Project
from annotation.rules.box import Box
from annotation.rules.box_merge import BoxToMerge, merge_boxes
from annotation.rules.mention_type import NOUN_TYPES
from annotation.rules.states import BoxState, ChainState, ImageState
from pipeline.models import Entry, Progress
from pipeline.project.settings_versions import open_project
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.state.answer import ChainAnswer
from pipeline.protocol.state.mention_progress import MentionProgress
from pipeline.protocol.state.progress import BoxProgress, ChainProgress, ImageProgress, LinkSource, TallyVote
from pipeline.protocol.state.progress_json import to_json
from pipeline.protocol.state.rows import BOXES, CHAINS
from pipeline.protocol.tasks.box_coverage import CoverageAnswer
from pipeline.protocol.tasks.coreference_link import CoreferenceAnswer
from pipeline.protocol.tasks.task import Task
from pipeline.record.append_entries import what_is_due
from pipeline.record.merge_images import merge_images
from runtime import clock
from studies.pipeline_speed.figure import Figure
from studies.pipeline_speed.scratch import scratch_databases

WIDTH, HEIGHT = 500, 375
ENTITIES = (5, 12)
"""The smallest and the largest number of entities with a box."""
SEEN_AGAIN = 0.27
"""The share of entities whose box is drawn again for another chain, as if two of their phrases were not linked."""
SAME_CHAIN = 0.15
"""The share of entities that belong to the chain of the previous entity."""
OFF = 0.037
"""The error of an edge that is drawn again: its standard deviation in shares of the side."""
CAPTIONS_OF_CHAIN = (1, 2, 3, 1, 2)
"""The number of captions that mention a chain, in turns: about 17 mentions per image."""
WORKERS = (1, 2)
SEED = 1
RULE_GOAL, ROWS_GOAL = 4.0, 60.0
IMAGES_PER_TRANSACTION = 500


def made_images(count: int, seed: int) -> Iterator[list[BoxToMerge]]:
    """Yield the boxes of each image in order of acceptance, with chains from 0. A seed gives the same images again."""
    rng = Random(seed)
    return (_image(rng) for _ in range(count))


def _image(rng: Random) -> list[BoxToMerge]:
    boxes: list[BoxToMerge] = []
    chain, types = -1, frozenset[str]()
    for _ in range(rng.randint(*ENTITIES)):
        if not boxes or rng.random() >= SAME_CHAIN:
            chain, types = chain + 1, _types(rng)
        boxes.append(BoxToMerge(_box(rng), types, chain))
    again = [box for box in boxes if rng.random() < SEEN_AGAIN]
    for number, (box, types, _) in enumerate(again):
        boxes.append(BoxToMerge(_drawn_again(rng, box), types, chain + 1 + number))
    return boxes


def _types(rng: Random) -> frozenset[str]:
    kinds = [kind.value for kind in NOUN_TYPES]
    return frozenset(rng.sample(kinds, 2 if rng.random() < 0.1 else 1))


def _box(rng: Random) -> Box:
    width, height = rng.randint(40, WIDTH // 2), rng.randint(40, HEIGHT // 2)
    x0, y0 = rng.randint(0, WIDTH - width), rng.randint(0, HEIGHT - height)
    return Box(x0, y0, x0 + width, y0 + height)


def _drawn_again(rng: Random, box: Box) -> Box:
    """Return the box as another worker would draw it, at least 1 x 1 and inside the image."""
    dx, dy = OFF * (box.x1 - box.x0), OFF * (box.y1 - box.y0)
    x0, y0 = max(0, round(rng.gauss(box.x0, dx))), max(0, round(rng.gauss(box.y0, dy)))
    x1, y1 = min(WIDTH, round(rng.gauss(box.x1, dx))), min(HEIGHT, round(rng.gauss(box.y1, dy)))
    return Box(x0, y0, max(x1, x0 + 1), max(y1, y0 + 1))


@transaction.atomic
def write_images(project: Project, first: int, images: Sequence[list[BoxToMerge]]) -> None:
    """Write images from position `first` on. Captions and questions are left out, because merging uses none."""
    now = clock.now()
    rows = Image.objects.bulk_create(
        Image(
            project=project,
            name=f"made-{first + place:05}",
            position=first + place,
            width=WIDTH,
            height=HEIGHT,
            state=ImageState.BOXING.value,
        )
        for place in range(len(images))
    )
    made = [(row, just_before_merging(boxes)) for row, boxes in zip(rows, images, strict=True)]
    Chain.objects.bulk_create(
        Chain(image=row, name=name, **CHAINS.row(chain)._asdict())
        for row, progress in made
        for name, chain in progress.chains.items()
    )
    BoxRow.objects.bulk_create(
        BoxRow(image=row, number=number, **BOXES.row(box)._asdict())
        for row, progress in made
        for number, box in progress.boxes.items()
    )
    _write_record(made, now)


def _write_record(made: Iterable[tuple[Image, ImageProgress]], now: datetime) -> None:
    states = [(row, progress, to_json(progress)) for row, progress in made]
    Entry.objects.bulk_create(
        Entry(
            project_id=row.project_id,
            image=row,
            sequence=0,
            kind=EntryKind.IMPORT.value,
            settings_version=1,
            data={"mentions": state["mentions"]},
            created_at=now,
        )
        for row, _, state in states
    )
    Progress.objects.bulk_create(
        Progress(
            image=row,
            project_id=row.project_id,
            sequence=progress.sequence,
            state=state,
            due=what_is_due(progress),
        )
        for row, progress, state in states
    )


def just_before_merging(boxes: Sequence[BoxToMerge]) -> ImageProgress:
    """Return the progress of an image with these accepted boxes, and with its mentions, votes and link sources."""
    progress = ImageProgress(state=ImageState.BOXING, started=True)
    types = {box.chain: sorted(box.types) for box in boxes}
    for name in sorted(types):
        progress.chains[name] = ChainProgress(name, [], ChainState.COMPLETE, name)
    for caption in range(max(CAPTIONS_OF_CHAIN)):
        for name, chain in progress.chains.items():
            if caption < CAPTIONS_OF_CHAIN[name % len(CAPTIONS_OF_CHAIN)]:
                _mention(progress, chain, caption, types[name])
    for chain in progress.chains.values():
        for worker in WORKERS:
            chain.answers.append(
                ChainAnswer(_next(progress), worker, Task.BOX_COVERAGE, CoverageAnswer.ALL_THERE.value, [])
            )
    for number, box in enumerate(boxes):
        progress.boxes[number] = BoxProgress(
            number, box.chain, box.box, BoxState.ACCEPTED, None, _next(progress), _next(progress)
        )
    progress.next_box = len(boxes)
    return progress


def _mention(progress: ImageProgress, chain: ChainProgress, caption: int, types: list[str]) -> None:
    """Add a mention to the chain, with a "same" vote for its first mention and a "different" for the next chain."""
    number = len(progress.mentions)
    start = 2 * chain.name
    progress.mentions[number] = MentionProgress(number, caption, start, start + 2, types, f"the thing{chain.name}")
    chain.mentions.append(number)
    if caption == 0:
        return
    other = (chain.name + 1) % len(progress.chains)
    for first, same in ((chain.name, True), (other, False)):
        answer = CoreferenceAnswer.SAME if same else CoreferenceAnswer.DIFFERENT
        progress.votes[first, number] = [TallyVote(_next(progress), WORKERS[0], answer.value)]
        progress.sources[first, number] = LinkSource.ASKED_YES if same else LinkSource.ASKED_NO


def _next(progress: ImageProgress) -> int:
    """Return the number of the record's next entry."""
    progress.sequence += 1
    return progress.sequence


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
        "boxes per image": BoxRow.objects.filter(image__project=project).count() / merged,
        "left per image": MergedBox.objects.filter(image__project=project).count() / merged,
        "chains per image": chains["all"] / merged,
        "chains left per image": (chains["all"] - chains["gone"]) / merged,
        "boxes": "made up (seeded); the figure excludes making and inserting them",
    }


def _shown(images: int) -> "tqdm[list[BoxToMerge]]":
    return tqdm(made_images(images, SEED), total=images, unit="image", desc="make boxes", disable=None)
