"""Known labels: what a project's answers tell of the labels of the data set that it checks."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from annotation.models import Image
from annotation.rules.states import ImageState
from pipeline.checking.label import labels_of_source
from pipeline.checking.label_evidence import LabelEvidence, NewLabel, label_evidence_of
from pipeline.models import Entry, Progress
from pipeline.policies.compose import engine_of
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import from_json
from pipeline.settings.settings import Settings

MOST_WEIGHED = 250
"""The labels of this many images are weighed at most: about three seconds."""
IMAGES_PER_QUERY = 200


def known_labels(
    project_id: int, settings: Settings, most: int = MOST_WEIGHED
) -> list[tuple[list[LabelEvidence], list[NewLabel]]]:
    """Return what is known of the labels of finished images, drawn evenly; nothing if no data set is checked."""
    program = engine_of(settings).source.program
    if not program:
        return []
    merged = Image.objects.filter(project_id=project_id, state=ImageState.MERGED.value)
    images = list(merged.order_by("id").values_list("id", flat=True))
    drawn = sorted(Random(f"{project_id} {len(images)}").sample(images, min(most, len(images))))
    found, said = [], _last_proposals(drawn, program)
    for image, progress in read_progress(drawn):
        own = said.get(image, {})
        boxes, chains, flags = own.get("boxes", ()), own.get("chains", ()), own.get("flags", {})
        labels = labels_of_source(boxes, chains, flags, progress.mentions)
        found.append(label_evidence_of(progress, labels, settings))
    return found


def _last_proposals(images: Sequence[int], program: int) -> dict[int, dict[str, Any]]:
    """Return by image what the program said last, as its entry in the record has it."""
    entries = Entry.objects.filter(image__in=images, kind=EntryKind.PROPOSE.value, data__worker=program)
    return dict(entries.order_by("image", "sequence").values_list("image", "data"))


def read_progress(images: Sequence[int]) -> Iterator[tuple[int, ImageProgress]]:
    """Yield each of these images with its progress, in their order."""
    for start in range(0, len(images), IMAGES_PER_QUERY):
        part = images[start : start + IMAGES_PER_QUERY]
        states = dict(Progress.objects.filter(image__in=part).values_list("image", "state"))
        yield from ((image, from_json(states[image])) for image in part if image in states)
