"""Export of a project in every format, with the pictures and in the parts that are asked for."""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from annotation.models import Project
from annotation.rules.states import ImageState
from exchange.data_card.facts import Facts, gather
from exchange.data_card.write_card import with_card, write_card
from exchange.dataset import DatasetImage
from exchange.export_options import AS_THEY_CAME, ExportOptions, LeftOut, filtered
from exchange.export_pictures import with_pictures
from exchange.formats.chat import write_chat
from exchange.formats.coco.write import write_coco
from exchange.formats.flickr30k.write import write_flickr30k
from exchange.formats.hub.write import write_hub
from exchange.formats.mdetr.write import write_mdetr
from exchange.formats.odvg.write import write_odvg
from exchange.formats.parquet.write import TRAIN, check_parts, write_parquet
from exchange.formats.parquet.write import is_there as parquet_is_there
from exchange.formats.phrases import OF_EVERY_CAPTION, Fates, GroundedImage, grounded
from exchange.jsonl.write import write_jsonl
from exchange.kept_pictures import KeptPictures, kept_pictures
from exchange.load_project import categories_of, stream_images
from exchange.splits import parts_of
from runtime.marked_points import reach

ENDINGS = {
    "flickr30k-entities": "",
    "coco": "",
    "jsonl": ".jsonl",
    "mdetr": ".json",
    "odvg": ".jsonl",
    "chat": ".jsonl",
    "hub": "",
    "parquet": "",
}
"""The ending of each format's file; empty: the format is a folder."""
FORMATS = tuple(ENDINGS)
RECORD, COCO, HUB, PARQUET = "jsonl", "coco", "hub", "parquet"
WITH_PICTURES = (HUB, PARQUET)
"""The formats that never go without pictures."""
GROUNDING = ("mdetr", "odvg", "chat", *WITH_PICTURES)
"""The formats of captions whose phrases have boxes."""
PICTURES = "images"
"""The folder of pictures beside the texts, but for hub folders and Parquet, which hold them beside or in their rows."""
NAME = "annotations"
"""The name of a format's file beside its pictures, without its ending."""
NO_OPTIONS = ExportOptions()


@dataclass(frozen=True, slots=True)
class ExportReport:
    """The result of an export."""

    images: int
    left_out: int
    """Images that are not merged yet and were not requested."""
    notes: tuple[str, ...] = ()
    """A sentence about everything else that was left out, or that a reader should know."""


@dataclass(frozen=True, slots=True)
class _Export:
    """A running export."""

    project: Project
    export_format: str
    options: ExportOptions
    include_unmerged: bool
    step: Callable[[], object]
    counts: Counter[LeftOut]
    fates: Fates

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence about each thing that was left out so far, or that a reader should know."""
        left_out = (f"{self.counts[why]:,} {why}." for why in LeftOut if self.counts[why])
        return (*left_out, *self.fates.sentences())


def formats_here() -> list[str]:
    """Return the formats that this installation can write: Parquet needs an extra."""
    return [one for one in FORMATS if one != PARQUET or parquet_is_there()]


def export_dataset(
    *,
    project: Project,
    target: Path,
    export_format: str,
    include_unmerged: bool = False,
    only: Collection[int] | None = None,
    options: ExportOptions = NO_OPTIONS,
    step: Callable[[], object] = lambda: None,
    card: bool = True,
) -> ExportReport:
    """Write the project to `target`, which appears when everything is written.

    It is a folder or, by ENDINGS, a file; with pictures or parts it is always a folder. The same project gives the same
    bytes. `only`: ids of the images to write; None: all. `step` is called after each image. `card`: with a data card.
    Raises TargetExists if the target is not empty, and ValueError for an unknown format, and for options that it cannot
    have.
    """
    if export_format not in FORMATS:
        raise ValueError(f"Unknown format {export_format!r}: choose one of {', '.join(FORMATS)}.")
    if export_format in WITH_PICTURES and options.pictures is None:
        options = replace(options, pictures=AS_THEY_CAME)
    _check(export_format, options)
    export = _Export(project, export_format, options, include_unmerged, step, Counter(), Fates())
    parts = _ids_by_part(export, only) if options.splits else {}
    kept = None
    with ExitStack() as stack:
        if options.pictures is None or export_format == PARQUET:
            place = stack.enter_context(with_card(target, folder=_is_folder(export, target)))
        else:
            kept = stack.enter_context(kept_pictures(target))
            place = kept.folder
        if export_format == PARQUET:
            place.mkdir()
            shards: list[tuple[str, Collection[int] | None]] = [*parts.items()] or [(TRAIN, only)]
            images = sum([_write_shards(export, place, part, ids) for part, ids in shards])
        elif options.splits:
            place.mkdir(exist_ok=True)
            images = sum(_write(export, place / f"{part}{_ending(export)}", ids, kept) for part, ids in parts.items())
        else:
            images = _write(export, place, only, kept)
        if card:
            write_card(_facts(export, [*chain(*parts.values())] if parts else only), place)
    reach("export: written")
    unmerged = project.images.exclude(state=ImageState.MERGED.value).count()
    notes = (*(kept.sentences() if kept else ()), *export.notes)
    return ExportReport(images, 0 if include_unmerged else unmerged, notes)


def _check(export_format: str, options: ExportOptions) -> None:
    if export_format == RECORD and (options.filters or options.pictures not in (None, AS_THEY_CAME)):
        raise ValueError(f"The format {RECORD} is the whole record: nothing can be left out, and no picture scaled.")
    if export_format == PARQUET:
        check_parts(parts_of(options.splits))


def _ending(export: _Export) -> str:
    """Return the ending of what is written: with pictures every format is a folder."""
    return ENDINGS[export.export_format] if export.options.pictures is None else ""


def _is_folder(export: _Export, target: Path) -> bool:
    one_file = export.export_format == COCO and target.suffix == ".json"
    return bool(export.options.splits) or not (_ending(export) or (one_file and export.options.pictures is None))


def _facts(export: _Export, only: Collection[int] | None) -> Facts:
    """Return what the card says about the export of these images, or of all, which has been written."""
    images = export.project.images.order_by("position")
    if not export.include_unmerged:
        images = images.filter(state=ImageState.MERGED.value)
    if export.export_format in WITH_PICTURES:
        images = images.exclude(picture="")
    wanted = None if only is None else frozenset(only)
    return gather(
        export.project,
        [one for one in images.values_list("id", flat=True) if wanted is None or one in wanted],
        export_format=export.export_format,
        fewer_boxes=export.counts[LeftOut.UNSURE] + export.counts[LeftOut.PROGRAMS],
        notes=export.notes,
        parts=parts_of(export.options.splits),
    )


def _ids_by_part(export: _Export, only: Collection[int] | None) -> Mapping[str, list[int]]:
    """Return the ids of the images of each part. Images that are in no part are counted."""
    found: dict[str, list[int]] = {part: [] for part in parts_of(export.options.splits)}
    images = export.project.images.order_by("position")
    if not export.include_unmerged:
        images = images.filter(state=ImageState.MERGED.value)
    for number, name in images.values_list("id", "name"):
        if only is not None and number not in only:
            continue
        part = export.options.splits.get(name)
        if part is None:
            export.counts[LeftOut.NO_PART] += 1
        else:
            found[part].append(number)
    return found


def _write(export: _Export, target: Path, only: Collection[int] | None, kept: KeptPictures | None) -> int:
    """Write these images, or all, and return their number. `kept`: takes the pictures that go with them."""
    if export.options.pictures is None or kept is None:
        return _write_texts(export, target, _images(export, only), only)
    is_hub, ending = export.export_format == HUB, ENDINGS[export.export_format]
    place = target if is_hub else target / PICTURES
    images = _with_pictures(export, place, only, kept)
    texts = target if is_hub else target / f"{NAME}{ending}"
    target.mkdir(exist_ok=True)
    count = _write_texts(export, texts, images, only)
    if not is_hub and not ending:  # the folders of a format lie beside those of its pictures
        for one in texts.iterdir():
            one.rename(target / one.name)
        texts.rmdir()
    return count


def _write_shards(export: _Export, folder: Path, part: str, only: Collection[int] | None) -> int:
    """Write the Parquet files of a part into the folder, and return the number of images."""
    with TemporaryDirectory(dir=folder) as name:
        images = _with_pictures(export, Path(name), only, None)
        return write_parquet(_grounded(export, _shown(images)), folder, Path(name), part)


def _with_pictures(
    export: _Export, place: Path, only: Collection[int] | None, kept: KeptPictures | None
) -> Iterator[DatasetImage]:
    """Yield the images, whose pictures are then in the folder."""
    assert export.options.pictures is not None
    names = export.project.images.values_list("path", "name")
    taken = {path or f"{name}.jpg" for path, name in names}
    return with_pictures(_images(export, only), place, export.options.pictures, export.counts, taken, kept)


def _shown(images: Iterable[DatasetImage]) -> Iterator[DatasetImage]:
    return (image for image in images if image.picture is not None)


def _images(export: _Export, only: Collection[int] | None) -> Iterator[DatasetImage]:
    stream = stream_images(
        export.project,
        include_unmerged=export.include_unmerged,
        only=only,
        own_fields=export.export_format in ("coco", *WITH_PICTURES),
        answers=export.export_format == "coco" or export.options.people_only,
        chances=export.export_format in GROUNDING or export.options.min_confidence > 0,
    )
    return _counted(filtered(stream, export.options, export.counts), export.step)


def _write_texts(export: _Export, target: Path, images: Iterable[DatasetImage], only: Collection[int] | None) -> int:
    match export.export_format:
        case "jsonl":
            step = export.step
            if export.options.pictures is not None:
                step = lambda: None  # noqa: E731  # the pictures are counted
                deque(images, maxlen=0)
            return write_jsonl(export.project, target, include_unmerged=export.include_unmerged, only=only, step=step)
        case "coco":
            return write_coco(images, target, categories=categories_of(export.project))
        case "flickr30k-entities":
            return write_flickr30k(images, target)
        case "chat":
            folder = "" if export.options.pictures is None else f"{PICTURES}/"
            return write_chat(_grounded(export, images), target, export.fates, folder)
        case "mdetr":
            return write_mdetr(_grounded(export, images), target)
        case "odvg":
            return write_odvg(_grounded(export, images), target)
        case _:
            return write_hub(_grounded(export, _shown(images)), target)


def _grounded(export: _Export, images: Iterable[DatasetImage]) -> Iterator[GroundedImage]:
    return grounded(images, export.fates, every=export.export_format in OF_EVERY_CAPTION)


def _counted(images: Iterable[DatasetImage], step: Callable[[], object]) -> Iterator[DatasetImage]:
    for image in images:
        yield image
        reach("export: half written")
        step()
