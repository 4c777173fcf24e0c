"""Made-up images in the tables, as they are just before merging: chains complete, boxes accepted."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import transaction

from annotation.models import Box, Chain, Image, Project
from annotation.rules.box_merge import BoxToMerge
from annotation.rules.states import BoxState, ChainState, ImageState
from pipeline.models import Entry, Progress
from pipeline.record.append_entries import what_is_due
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.linking.link_plan import LinkSource
from pipeline.rules.progress.mention_progress import MentionProgress
from pipeline.rules.progress.progress import BoxProgress, ChainProgress, ImageProgress, Vote
from pipeline.rules.progress.progress_json import to_json
from pipeline.rules.progress.rows import BOXES, CHAINS
from pipeline.rules.tasks import box_coverage, coreference_link
from studies.pipeline_speed.made_boxes import HEIGHT, WIDTH
from upkeep import clock

CAPTIONS_OF_CHAIN = (1, 2, 3, 1, 2)
"""The number of captions that mention a chain, in turns: about 17 mentions per image."""
WORKERS = (1, 2)


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
    Box.objects.bulk_create(
        Box(image=row, number=number, **BOXES.row(box)._asdict())
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
            chain.coverage.append(Vote(_next(progress), worker, box_coverage.Answer.ALL_THERE.value))
    for number, box in enumerate(boxes):
        progress.boxes[number] = BoxProgress(
            number, box.chain, box.box, BoxState.ACCEPTED, None, _next(progress), _next(progress)
        )
    progress.drawn = len(boxes)
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
        answer = coreference_link.Answer.SAME if same else coreference_link.Answer.DIFFERENT
        progress.votes[first, number] = [Vote(_next(progress), WORKERS[0], answer.value)]
        progress.sources[first, number] = LinkSource.ASKED_YES if same else LinkSource.ASKED_NO


def _next(progress: ImageProgress) -> int:
    """Return the number of the record's next entry."""
    progress.sequence += 1
    return progress.sequence
