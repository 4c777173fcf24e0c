"""Keep predictions of a program: replace what it predicted for these images. They are then due in the record."""

from typing import Any, NamedTuple

from annotation.models import Project
from campaign.models import ModelPrediction
from campaign.predictions.phrases import Found
from upkeep import clock
from workers.models import Worker

LONGEST_NAME = 100
"""In characters, as in the column of workers."""
AT_ONCE = 500


class ProgramError(Exception):
    """The program's name cannot be used; the message says why."""


class Kept(NamedTuple):
    """A count of what was kept."""

    images: int
    boxes: int
    chains: int
    unchanged: int
    """Images for which the program had predicted exactly this before."""
    unknown: tuple[str, ...]
    """Names of images that the project does not have."""
    unused: int
    """Boxes of a detector that fit no phrase."""
    beyond: int
    """Boxes behind the best ones of their phrase."""


def program_named(name: str) -> Worker:
    """Return the program of this name, made if there is none. Raises ProgramError for a name that is another's."""
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise ProgramError(f"A program's name has 1 to {LONGEST_NAME} printable characters; this one has {len(name)}.")
    worker, _ = Worker.objects.get_or_create(name=name, defaults={"kind": Worker.Kind.PROGRAM})
    if worker.kind != Worker.Kind.PROGRAM:
        raise ProgramError(f"{name!r} is the name of a worker who is not a program: choose another name.")
    return worker


def keep_predictions(project: Project, program: Worker, found: Found, *, by: str = "") -> Kept:
    """Write the predictions; what was predicted so before stays untouched. They are due until they are entered."""
    counts = {"boxes": 0, "chains": 0, "unchanged": 0}
    for start in range(0, len(found.images), AT_ONCE):
        _keep_some(project, program, found.images[start : start + AT_ONCE], by, counts)
    return Kept(
        len(found.images),
        counts["boxes"],
        counts["chains"],
        counts["unchanged"],
        tuple(found.unknown),
        found.unused,
        found.beyond,
    )


def _keep_some(project: Project, program: Worker, part: list[Any], by: str, counts: dict[str, int]) -> None:
    there = ModelPrediction.objects.filter(program=program, image_id__in=[one.image.id for one in part])
    before = {image: row for image, *row in there.values_list("image_id", "boxes", "chains", "due")}
    written = []
    for one in part:
        counts["boxes"] += len(one.boxes)
        counts["chains"] += len(one.chains)
        boxes, chains, due = before.get(one.image.id, ([], [], False))
        if one.image.id in before and (boxes, chains) == (one.boxes, one.chains):
            counts["unchanged"] += 1
            continue
        written.append(
            ModelPrediction(
                project=project,
                program=program,
                image_id=one.image.id,
                boxes=one.boxes,
                chains=one.chains,
                # Empty lists take back what is left of earlier ones.
                due=(due or (one.boxes, one.chains) != (boxes, chains)) and not one.image.finished,
                made_by=by[:150],
                created_at=clock.now(),
            )
        )
    ModelPrediction.objects.bulk_create(
        written,
        update_conflicts=True,
        unique_fields=["project", "program", "image"],
        update_fields=["boxes", "chains", "due", "made_by", "created_at"],
    )
