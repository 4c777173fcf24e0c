"""Known labels: what a project's answers tell of the labels of the data set that it checks."""

from collections.abc import Iterator, Sequence
from random import Random

from annotation.models import Image
from annotation.rules.states import ImageState
from pipeline.models import Progress
from pipeline.rules.checking.label_evidence import LabelEvidence, NewLabel, evidence_of, labels_in
from pipeline.rules.progress.progress import ImageProgress
from pipeline.rules.progress.progress_json import from_json
from pipeline.rules.settings.protocol import ProtocolSettings

MOST_WEIGHED = 250
"""The labels of this many images are weighed at most: about three seconds."""
AT_ONCE = 200


def known_labels(
    project_id: int, settings: ProtocolSettings, most: int = MOST_WEIGHED
) -> list[tuple[list[LabelEvidence], list[NewLabel]]]:
    """Return what is known of the labels of finished images, drawn evenly; nothing if no data set is checked."""
    source = settings.source()
    if not source.program:
        return []
    merged = Image.objects.filter(project_id=project_id, state=ImageState.MERGED.value)
    images = list(merged.order_by("id").values_list("id", flat=True))
    drawn = Random(f"{project_id} {len(images)}").sample(images, min(most, len(images)))
    return [evidence_of(one, labels_in(one, source), settings) for one in read_progress(sorted(drawn))]


def read_progress(images: Sequence[int]) -> Iterator[ImageProgress]:
    """Yield the progress of these images, in their order."""
    for start in range(0, len(images), AT_ONCE):
        part = images[start : start + AT_ONCE]
        states = dict(Progress.objects.filter(image__in=part).values_list("image", "state"))
        yield from (from_json(states[image]) for image in part if image in states)
