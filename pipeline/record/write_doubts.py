"""Write the doubts about labels of checked data sets, which lists of the worst labels read."""

from collections.abc import Iterable, Mapping

from annotation.models import Project
from pipeline.checking.doubt import Doubt, doubts_of
from pipeline.models import LabelDoubt, Progress
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.state.progress_json import from_json
from upkeep.atomic_again import atomic_again

IMAGES_AT_ONCE = 100
DIGITS = 6
UPDATED = ("standing", "part", "doubt", "mentions", "boxes", "flag")


def write_doubts(project_id: int, doubts: Mapping[int, Iterable[Doubt]]) -> None:
    """Put these doubts, by image, in place of those that were known, in the caller's transaction."""
    rows = {(image, one.chain): _row(project_id, image, one) for image, own in doubts.items() for one in own}
    known = LabelDoubt.objects.filter(image_id__in=doubts.keys()).values_list("id", "image_id", "chain")
    gone = [number for number, *place in known if tuple(place) not in rows]
    if gone:
        LabelDoubt.objects.filter(id__in=gone).delete()
    LabelDoubt.objects.bulk_create(
        rows.values(), update_conflicts=True, unique_fields=["image", "chain"], update_fields=UPDATED
    )


def refill_doubts(project: Project) -> int:
    """Compute all doubts of a project anew, under its present settings, and return their number."""
    settings = current_settings(project.pk)[1]
    ids = list(Progress.objects.filter(project=project).order_by("image_id").values_list("image_id", flat=True))
    parts = (ids[start : start + IMAGES_AT_ONCE] for start in range(0, len(ids), IMAGES_AT_ONCE))

    @atomic_again
    def refill(part: list[int]) -> int:
        rows = Progress.objects.select_for_update().filter(image_id__in=part).order_by("image_id")
        found = {row.image_id: doubts_of(from_json(row.state), settings) for row in rows}
        write_doubts(project.pk, found)
        return sum(map(len, found.values()))

    return sum(map(refill, parts))


def _row(project_id: int, image: int, one: Doubt) -> LabelDoubt:
    parts = {name: round(chance, DIGITS) for name, chance in one.chances._asdict().items()}
    return LabelDoubt(
        project_id=project_id,
        image_id=image,
        chain=one.chain,
        standing=one.standing.value,
        part=one.part.value,
        doubt=round(one.chances.doubt, DIGITS),
        **parts,
    )
