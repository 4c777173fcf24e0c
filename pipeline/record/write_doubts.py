"""Write the doubts about labels of checked data sets, which lists of the worst labels read."""

from collections.abc import Iterable
from typing import NamedTuple

from annotation.models import Project
from pipeline.checking.doubt import Doubt, doubts_of
from pipeline.models import LabelDoubt, Progress
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import from_json
from pipeline.settings.settings import Settings
from runtime.database import atomic_again

IMAGES_AT_ONCE = 100
CHANCE_DIGITS = 6
UPDATED = ("standing", "part", "doubt", "mentions", "boxes", "flag")


class FoldedImage(NamedTuple):
    """An image after its last entry, and the settings that it follows."""

    project_id: int
    image_id: int
    progress: ImageProgress
    settings: Settings


def write_doubts(images: Iterable[FoldedImage]) -> int:
    """Put the doubts about labels, where a data set is checked, in place of those that were known.

    Runs in the caller's transaction, and returns the number of doubts. Of other images nothing is asked or written.
    """
    checked = [doubted for doubted in images if doubted.settings.reference_set]
    if not checked:
        return 0
    rows = {
        (image.image_id, doubted.chain): _row(image, doubted)
        for image in checked
        for doubted in doubts_of(image.progress, image.settings)
    }
    known = LabelDoubt.objects.filter(image_id__in=[image.image_id for image in checked])
    places = known.values_list("id", "image_id", "chain")
    gone = [number for number, *place in places if tuple(place) not in rows]
    if gone:
        LabelDoubt.objects.filter(id__in=gone).delete()
    LabelDoubt.objects.bulk_create(
        rows.values(), update_conflicts=True, unique_fields=["image", "chain"], update_fields=UPDATED
    )
    return len(rows)


def refill_doubts(project: Project) -> int:
    """Compute all doubts of a project anew, under its present settings, and return their number."""
    settings = current_settings(project.pk)[1]
    ids = list(Progress.objects.filter(project=project).order_by("image_id").values_list("image_id", flat=True))
    parts = (ids[start : start + IMAGES_AT_ONCE] for start in range(0, len(ids), IMAGES_AT_ONCE))

    @atomic_again
    def refill(part: list[int]) -> int:
        rows = Progress.objects.select_for_update().filter(image_id__in=part).order_by("image_id")
        return write_doubts(FoldedImage(project.pk, row.image_id, from_json(row.state), settings) for row in rows)

    return sum(map(refill, parts))


def _row(image: FoldedImage, doubted: Doubt) -> LabelDoubt:
    parts = {name: round(chance, CHANCE_DIGITS) for name, chance in doubted.chances._asdict().items()}
    return LabelDoubt(
        project_id=image.project_id,
        image_id=image.image_id,
        chain=doubted.chain,
        standing=doubted.status.value,
        part=doubted.part.value,
        doubt=round(doubted.chances.doubt, CHANCE_DIGITS),
        **parts,
    )
