"""Write a corrected data set: the files of its source, with the labels of the images that changed."""

import os
import shutil
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from exchange.atomic import atomic_file, atomic_folder, check_free
from exchange.corrected.corrected_image import Corrections, corrected_image
from exchange.corrected.held import NotHeld, not_held
from exchange.dataset import DatasetImage, Problem
from exchange.formats import detect
from exchange.formats.edits import Edit, EditStore
from exchange.formats.format import Corrector as FormatCorrector
from exchange.formats.format import Format
from exchange.formats.picture_files import FolderPictures, Pictures, is_picture
from exchange.import_dataset import Progress
from exchange.leftovers import workspace
from exchange.problems import Defect, SourceError, source_error
from exchange.registry import FORMATS, corrected_formats, import_format
from exchange.source import opened
from exchange.unpack import is_clutter
from runtime.marked_points import reach

Corrector = Callable[[Iterable[DatasetImage]], Iterator[tuple[DatasetImage, Corrections | None]]]
"""Yields the images of the source with what is to change; raises Defect for one that differs from what was checked."""


@dataclass(slots=True)
class CorrectedReport:
    """The result of a corrected export."""

    source_format: str = ""
    images: int = 0
    """Images of the source that can be read."""
    changed: int = 0
    """Images with other labels than in the source."""
    problems: list[Problem] = field(default_factory=list)
    """Parts of the source that cannot be read; they stay as they are."""
    not_held: Counter[NotHeld] = field(default_factory=Counter)
    examples: dict[NotHeld, str] = field(default_factory=dict)
    """The first image of each."""


def write_corrected(
    *,
    path: Path | str,
    target: Path,
    corrector: Corrector,
    source_format: str | None = None,
    pictures: bool = False,
    within: Collection[Path] | None = None,
    ended: Callable[[], object] = lambda: None,
    progress: Progress = lambda images, total: images,
) -> CorrectedReport:
    """Write the source at `path`, corrected, into the folder `target`, or into a .zip of it by its ending.

    Files, and entries of files, of which nothing changed keep their bytes. `pictures`: they are copied, too. `within`:
    see `exchange.source.opened`. `ended` is called once all images were given to the corrector, and may raise
    SourceError. The target appears when all is written, and was read again: labels that the format cannot hold are
    counted.

    Raises SourceError for a source that cannot be read, has no labels that could be corrected, or is not the one that
    was checked; TargetExists if the target is not empty.
    """
    zipped = target.suffix == ".zip"
    check_free(target, folder=not zipped)
    with ExitStack() as stack:
        source = stack.enter_context(opened(path, within))
        data_format = import_format(source_format) if source_format else detect(source.folder, FORMATS.values())
        if data_format.correct is None:
            raise source_error(
                path,
                f"is in the format {data_format.name}, into which corrections are not written: use manage.py "
                f"export_dataset, or give one of {', '.join(corrected_formats())}",
            )
        if pictures and not isinstance(source.pictures, FolderPictures):
            raise source_error(
                path, "has its pictures in a bucket, from where they are not copied: leave --pictures out"
            )
        report, edits = CorrectedReport(data_format.name), stack.enter_context(EditStore())
        there = data_format.open_pictures(source.folder, source.pictures)
        total = data_format.estimate(source.folder, there)
        images = iter(progress(data_format.images(source.folder, there), total))
        _collect(data_format.correct, images, corrector, edits, report)
        ended()
        edits.name_chains()
        out = stack.enter_context(workspace() if zipped else atomic_folder(target))
        _copy(source.folder, out, pictures=pictures)
        reach("corrected: copied")
        try:
            data_format.correct.patch(source.folder, out, edits)
        except Defect as defect:
            raise source_error(path, f"cannot be corrected: {defect.message}", defect.line) from defect
        _check(data_format, out, source.pictures, edits, report)
        if zipped:
            _zip(out, stack.enter_context(atomic_file(target)))
    return report


def _collect(
    written: FormatCorrector,
    images: Iterable[DatasetImage | Problem],
    corrector: Corrector,
    edits: EditStore,
    report: CorrectedReport,
) -> None:
    """Keep an edit for each image of which the labels change."""

    def readable() -> Iterator[DatasetImage]:
        for image in images:
            if isinstance(image, Problem):
                report.problems.append(image)
            else:
                report.images += 1
                edits.look_at(image)
                yield image

    try:
        for image, corrections in corrector(readable()):
            if corrections is not None and (after := corrected_image(image, corrections)) != image:
                edits.keep(written.key_of(image), Edit(image, after))
                report.changed += 1
    except Defect as defect:
        raise SourceError(
            Problem(
                "SOURCE", None, "", f"is not what was checked: {defect.message}. Give the data set as it was imported."
            )
        ) from defect


def _copy(source: Path, target: Path, *, pictures: bool) -> None:
    """Copy the files of a source; pictures if they are wanted."""
    for at, _, files in os.walk(source):
        folder = Path(at)
        place = target / folder.relative_to(source)
        place.mkdir(exist_ok=True)
        for name in files:
            if not is_clutter(name) and (pictures or not is_picture(name)):
                shutil.copyfile(folder / name, place / name)


def _check(data_format: Format, out: Path, pictures: Pictures, edits: EditStore, report: CorrectedReport) -> None:
    """Read the corrected set again, and count the labels that are not as they were to be."""
    if not len(edits):
        return
    assert data_format.correct is not None
    unread = set(edits)
    for image in data_format.images(out, data_format.open_pictures(out, pictures)):
        if isinstance(image, DatasetImage) and (edit := edits.get(key := data_format.correct.key_of(image))):
            unread.discard(key)
            _count(edit, image, report)
    for key in unread:
        edit = edits.get(key)
        assert edit is not None
        _count(edit, None, report)


def _count(edit: Edit, written: DatasetImage | None, report: CorrectedReport) -> None:
    for why, often in not_held(edit, written).items():
        report.not_held[why] += often
        report.examples.setdefault(why, edit.before.path or edit.before.name)


def _zip(folder: Path, target: Path) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(folder).as_posix())
