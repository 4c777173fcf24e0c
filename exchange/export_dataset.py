"""Export of a project in every format, with the pictures and in the parts that are asked for."""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from annotation.models import Project
from annotation.rules.states import ImageState
from exchange.data_card.facts import Facts, count
from exchange.data_card.write_card import with_card, write_card
from exchange.dataset import DatasetImage
from exchange.export_options import AS_THEY_CAME, NO_OPTIONS, ExportOptions, filtered, parts_of
from exchange.export_pictures import PictureJournal, earlier_pictures, taken_names, with_pictures
from exchange.formats.format import ExportOption, Format, RowNeed, pack_files, write_in_place
from exchange.formats.phrases import ExportNote, note_sentences
from exchange.load_project import categories_of, ids_in_order, stream_images
from exchange.registry import export_format as format_called
from runtime.marked_points import reach

PICTURES = "images"
"""The folder of pictures beside the texts, but for formats that always hold them beside or in their rows."""
NAME = "annotations"
"""The name of a format's file beside its pictures, without its ending."""


@dataclass(frozen=True, slots=True)
class ExportReport:
    """The result of an export."""

    images: int
    left_out: int
    """Images that are not merged yet and were not requested."""
    notes: tuple[str, ...] = ()
    """A sentence about everything else that was left out, or that a reader should know."""


@dataclass(frozen=True, slots=True)
class Export:
    """An export that is being made, whole or as a part."""

    project: Project
    format: Format
    options: ExportOptions = NO_OPTIONS
    include_unmerged: bool = False
    step: Callable[[], object] = lambda: None
    """Called after each image."""
    notes: Counter[ExportNote] = field(default_factory=Counter)

    def ids(self, only: Collection[int] | None = None) -> list[int]:
        """Return the ids of the images that it holds, in its order. `only`: those that it may hold; None: all."""
        ids = ids_in_order(self.project, only, include_unmerged=self.include_unmerged)
        if not self.format.with_pictures:
            return ids
        shown = set(self.project.images.exclude(picture="").values_list("id", flat=True))
        return [image for image in ids if image in shown]

    def categories(self) -> Sequence[str]:
        """Return the categories that have a number in the format, in the order of their numbers."""
        return categories_of(self.project) if RowNeed.CATEGORIES in self.format.needs else ()

    def content(
        self,
        only: Collection[int] | None,
        *,
        pictures: Path | None = None,
        journal: PictureJournal | None = None,
        first: int = 1,
        with_project: bool = True,
    ) -> Iterable[Any]:
        """Return what the format writes of these images, or of all: images, or what it loads itself.

        `pictures`: the folder that gets the picture of each; `journal`: what an earlier export left there. `first`: the
        number of the first chain; `with_project`: whether the project itself is written, too.
        """
        images = self._images(only, first)
        if pictures is not None:
            assert self.options.pictures is not None
            names = taken_names(self.project)
            images = with_pictures(images, pictures, self.options.pictures, self.notes, names, journal)
        if self.format.load is None:
            return (image for image in images if image.picture is not None) if self.format.with_pictures else images
        step = self.step
        if pictures is not None:
            deque(images, maxlen=0)
            step = lambda: None  # noqa: E731  # the pictures are counted
        return self.format.load(
            self.project, only=only, include_unmerged=self.include_unmerged, with_project=with_project, step=step
        )

    def _images(self, only: Collection[int] | None, first: int) -> Iterator[DatasetImage]:
        needs = {*self.format.needs}
        if self.options.people_only:
            needs.add(RowNeed.ANSWERS)
        if self.options.min_confidence > 0:
            needs.add(RowNeed.CHANCES)
        stream = stream_images(self.project, needs, include_unmerged=self.include_unmerged, only=only, first=first)
        for image in filtered(stream, self.options, self.notes):
            yield image
            reach("export: half written")
            self.step()


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
    check_options(data_format, options)
    export = Export(project, data_format, options, include_unmerged, step)
    parts = _ids_by_part(export, only) if options.splits else {"": only}
    kept = None
    with ExitStack() as stack:
        if options.pictures is None or data_format.packing:
            place = stack.enter_context(with_card(target, folder=not _is_file(export, target)))
        else:
            kept = stack.enter_context(earlier_pictures(target))
            place = kept.folder
        if data_format.packing or options.splits:
            place.mkdir(exist_ok=True)
        images = sum([_write(export, place, part, ids, kept) for part, ids in parts.items()])
        if card:
            of_parts = [image for ids in parts.values() for image in ids or ()]
            write_card(_facts(export, of_parts if options.splits else only), place)
    reach("export: written")
    unmerged = project.images.exclude(state=ImageState.MERGED.value).count()
    notes = (*(kept.sentences() if kept else ()), *note_sentences(export.notes))
    return ExportReport(images, 0 if include_unmerged else unmerged, notes)


def check_options(data_format: Format, options: ExportOptions) -> None:
    """Raise ValueError for options that the format does not take, and for parts that it cannot have."""
    always = {ExportOption.PICTURES} if data_format.with_pictures else set()
    if wrong := sorted(options.chosen - data_format.options - always):
        names = " and no ".join(option.replace("_", " ") for option in wrong)
        raise ValueError(f"The format {data_format.name} takes no {names}.")
    data_format.check_parts(parts_of(options.splits))


def _is_file(export: Export, target: Path) -> bool:
    return not export.options.splits and export.options.pictures is None and export.format.is_file(target)


def _facts(export: Export, only: Collection[int] | None) -> Facts:
    """Return what the card says about the export of these images, or of all, which has been written."""
    fewer_boxes = export.notes[ExportNote.UNSURE] + export.notes[ExportNote.PROGRAMS]
    notes, parts = note_sentences(export.notes), parts_of(export.options.splits)
    return Facts(export.project, export.format, *count(export.ids(only)), notes, fewer_boxes, parts)


def _ids_by_part(export: Export, only: Collection[int] | None) -> Mapping[str, Collection[int] | None]:
    """Return the ids of the images of each part. Images that are in no part are counted."""
    found: dict[str, list[int]] = {part: [] for part in parts_of(export.options.splits)}
    names = dict(export.project.images.values_list("id", "name"))
    for number in ids_in_order(export.project, only, include_unmerged=export.include_unmerged):
        part = export.options.splits.get(names[number])
        if part is None:
            export.notes[ExportNote.NO_PART] += 1
        else:
            found[part].append(number)
    return found


def _write(export: Export, place: Path, part: str, only: Collection[int] | None, journal: PictureJournal | None) -> int:
    """Write these images, or all, and return their number. `part`: empty: there are no parts.

    `journal`: takes the pictures that go with them: every format is a folder then.
    """
    data_format, ending = export.format, export.format.ending
    if data_format.packing:
        with TemporaryDirectory(dir=place) as name:
            images = export.content(only, pictures=Path(name))
            return pack_files(data_format, images, place, Path(name), part=part, notes=export.notes)
    target = place / f"{part}{'' if journal else ending}" if part else place
    root = target / f"{NAME}{ending}" if journal and ending else target
    as_file = bool(ending) if journal else data_format.is_file(target)
    folder = root.parent if as_file else root
    folder.mkdir(exist_ok=True)
    pictures = None if journal is None else target if data_format.with_pictures else target / PICTURES
    return write_in_place(
        data_format,
        export.content(only, pictures=pictures, journal=journal),
        root,
        as_file=as_file,
        categories=export.categories(),
        notes=export.notes,
        pictures=f"{PICTURES}/" if pictures and not data_format.with_pictures else "",
    )
