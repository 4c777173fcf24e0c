"""Export of a project in every format, with the pictures and in the parts that are asked for."""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from annotation.models import Project
from annotation.rules.states import ImageState
from exchange.data_card.facts import Facts, gather
from exchange.data_card.write_card import with_card, write_card
from exchange.dataset import DatasetImage
from exchange.export_options import AS_THEY_CAME, ExportOptions, LeftOut, filtered, parts_of
from exchange.export_pictures import KeptPictures, kept_pictures, with_pictures
from exchange.formats.format import Format, Need
from exchange.formats.phrases import Fates
from exchange.formats.write_files import pack_files, write_in_place
from exchange.load_project import categories_of, load_needed
from exchange.registry import export_format as format_called
from runtime.marked_points import reach

PICTURES = "images"
"""The folder of pictures beside the texts, but for formats that always hold them beside or in their rows."""
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
    format: Format
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

    It is a folder or, as the format has it, a file; with pictures or parts always a folder. The same project gives
    the same bytes. `only`: ids of the images to write; None: all. `step` is called after each image. `card`: with
    a data card. Raises TargetExists if the target is not empty, and ValueError for an unknown format, and for
    options that it cannot have.
    """
    data_format = format_called(export_format)
    if data_format.with_pictures and options.pictures is None:
        options = replace(options, pictures=AS_THEY_CAME)
    _check(data_format, options)
    export = _Export(project, data_format, options, include_unmerged, step, Counter(), Fates())
    parts = _ids_by_part(export, only) if options.splits else {}
    kept = None
    with ExitStack() as stack:
        if options.pictures is None or data_format.packing:
            place = stack.enter_context(with_card(target, folder=not _is_file(export, target)))
        else:
            kept = stack.enter_context(kept_pictures(target))
            place = kept.folder
        if data_format.packing:
            place.mkdir()
            shards: list[tuple[str, Collection[int] | None]] = [*parts.items()] or [("", only)]
            images = sum([_pack(export, place, part, ids) for part, ids in shards])
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


def _check(data_format: Format, options: ExportOptions) -> None:
    if data_format.record and (options.filters or options.pictures not in (None, AS_THEY_CAME)):
        raise ValueError(
            f"The format {data_format.name} is the whole record: nothing can be left out, and no picture scaled."
        )
    data_format.check_parts(parts_of(options.splits))


def _ending(export: _Export) -> str:
    """Return the ending of what is written: with pictures every format is a folder."""
    return export.format.ending if export.options.pictures is None else ""


def _is_file(export: _Export, target: Path) -> bool:
    return not export.options.splits and export.options.pictures is None and export.format.is_file(target)


def _facts(export: _Export, only: Collection[int] | None) -> Facts:
    """Return what the card says about the export of these images, or of all, which has been written."""
    images = export.project.images.order_by("position")
    if not export.include_unmerged:
        images = images.filter(state=ImageState.MERGED.value)
    if export.format.with_pictures:
        images = images.exclude(picture="")
    wanted = None if only is None else frozenset(only)
    return gather(
        export.project,
        [image for image in images.values_list("id", flat=True) if wanted is None or image in wanted],
        export_format=export.format,
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
        return _write_texts(export, target, _loaded(export, only), as_file=export.format.is_file(target))
    ending, beside = export.format.ending, export.format.with_pictures
    images: Iterable[Any] = _with_pictures(export, target if beside else target / PICTURES, only, kept)
    target.mkdir(exist_ok=True)
    if export.format.load:
        deque(images, maxlen=0)
        images = _loaded(export, only, step=lambda: None)  # the pictures are counted
    root = target / f"{NAME}{ending}" if ending else target
    return _write_texts(export, root, images, as_file=bool(ending), pictures="" if beside else f"{PICTURES}/")


def _write_texts(export: _Export, root: Path, images: Iterable[Any], *, as_file: bool, pictures: str = "") -> int:
    if not as_file:
        root.mkdir(exist_ok=True)
    categories = categories_of(export.project) if Need.CATEGORIES in export.format.needs else ()
    return write_in_place(
        export.format,
        _shown(images) if export.format.with_pictures else images,
        root,
        as_file=as_file,
        categories=categories,
        fates=export.fates,
        pictures=pictures,
    )


def _pack(export: _Export, folder: Path, part: str, only: Collection[int] | None) -> int:
    """Write files of rows and pictures into the folder, and return the number of images."""
    with TemporaryDirectory(dir=folder) as name:
        images = _shown(_with_pictures(export, Path(name), only, None))
        return pack_files(export.format, images, folder, Path(name), part=part, fates=export.fates)


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


def _loaded(export: _Export, only: Collection[int] | None, step: Callable[[], object] | None = None) -> Iterable[Any]:
    """Return what the format writes: images, or what it loads itself."""
    if export.format.load is None:
        return _images(export, only)
    return export.format.load(
        export.project, only=only, include_unmerged=export.include_unmerged, step=step or export.step
    )


def _images(export: _Export, only: Collection[int] | None) -> Iterator[DatasetImage]:
    needs = set(export.format.needs)
    if export.options.people_only:
        needs.add(Need.ANSWERS)
    if export.options.min_confidence > 0:
        needs.add(Need.CHANCES)
    stream = load_needed(export.project, needs, include_unmerged=export.include_unmerged, only=only)
    return _counted(filtered(stream, export.options, export.counts), export.step)


def _counted(images: Iterable[DatasetImage], step: Callable[[], object]) -> Iterator[DatasetImage]:
    for image in images:
        yield image
        reach("export: half written")
        step()
