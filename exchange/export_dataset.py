"""Export of a project as Flickr30k Entities, COCO, or JSON Lines with the whole record."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from annotation.models import Project
from annotation.rules.states import ImageState
from exchange.coco.write import write_coco
from exchange.dataset import DatasetImage
from exchange.flickr30k.write import write_flickr30k
from exchange.jsonl.write import write_jsonl
from exchange.load_project import categories_of, stream_images
from upkeep.marked_points import reach

FORMATS = ("flickr30k-entities", "coco", "jsonl")


@dataclass(frozen=True, slots=True)
class ExportReport:
    """The result of an export."""

    images: int
    left_out: int
    """Images that are not merged yet and were not requested."""


def export_dataset(
    *,
    project: Project,
    target: Path,
    export_format: str,
    include_unmerged: bool = False,
    only: Collection[int] | None = None,
    step: Callable[[], object] = lambda: None,
) -> ExportReport:
    """Write the project to `target`, a folder (for jsonl a file), which appears when everything is written.

    The same project gives the same bytes. `only`: ids of the images to write; None: all. `step` is called after each
    image. Raises TargetExists if the target is not
    empty, and ValueError for an unknown format.
    """
    if export_format not in FORMATS:
        raise ValueError(f"Unknown format {export_format!r}: choose one of {', '.join(FORMATS)}.")
    if export_format == "jsonl":
        images = write_jsonl(project, target, include_unmerged=include_unmerged, only=only, step=step)
    elif export_format == "coco":
        stream = stream_images(project, include_unmerged=include_unmerged, only=only, own_fields=True)
        images = write_coco(_counted(stream, step), target, categories=categories_of(project))
    else:
        stream = stream_images(project, include_unmerged=include_unmerged, only=only)
        images = write_flickr30k(_counted(stream, step), target)
    reach("export: written")
    unmerged = project.images.exclude(state=ImageState.MERGED.value).count()
    return ExportReport(images, 0 if include_unmerged else unmerged)


def _counted(images: Iterable[DatasetImage], step: Callable[[], object]) -> Iterator[DatasetImage]:
    for image in images:
        yield image
        reach("export: half written")
        step()
