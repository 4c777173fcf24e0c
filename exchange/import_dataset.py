"""Import of a data set into a project, image by image, so that it can be stopped and run again."""

import pickle
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

from django.db import transaction
from django.db.models import Max

from annotation.decode_picture import PictureError, verify_picture
from annotation.models import Image, Project
from annotation.pictures import store_picture
from exchange.chunk_captions import Chunker, chunk_image, make_chunker, with_spans, with_types
from exchange.dataset import DatasetImage, Detail, Problem, Remark
from exchange.formats import detect
from exchange.formats.pictures import MAX_PICTURES_NAMED, SourcePictures
from exchange.image_bounds import describe_excess
from exchange.import_image import import_image, without_chains
from exchange.import_report import ImportReport
from exchange.known_images import KnownImage, KnownImages
from exchange.problems import source_error
from exchange.read_ahead import PreparedImages, ReadAhead
from exchange.registry import FORMATS, import_format
from exchange.source import opened
from pipeline.project.settings_versions import current_settings, open_project
from pipeline.record.append_entries import add_picture
from pipeline.settings.settings import Settings
from runtime.marked_points import reach
from runtime.words import counted


class StrictImportError(Exception):
    """A strict import found problems: nothing was imported."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(f"Nothing was imported: {len(problems)} problems.")
        self.problems = problems


Progress = Callable[[Iterable[DatasetImage | Problem], int], Iterable[DatasetImage | Problem]]
"""A wrapper around the stream of images that shows progress; the second argument is about their number."""
Propose = Callable[[Image, DatasetImage], object]
"""A taker of the chains and boxes that came with an image, called in the transaction that writes the image."""


def import_dataset(
    *,
    project_name: str = "",
    project: Project | None = None,
    path: Path | str,
    source_format: str | None = None,
    gold: bool = False,
    propose: Propose | None = None,
    labelled: bool = False,
    strict: bool = False,
    settings: Settings | None = None,
    within: Collection[Path] | None = None,
    progress: Progress = lambda images, total: images,
    report: ImportReport | None = None,
    ahead: ReadAhead | None = None,
    boxes: str = "",
) -> ImportReport:
    """Import the source at `path` into the project, or the one of this name. A missing one is made, with `settings`.

    `report`: counts what happens meanwhile. `ahead`: shares the work of a large import without `strict` with other job
    runners. `boxes`: the unit of the boxes, one of `BoxUnit`; empty: nobody said. Chains and their boxes become the
    annotation; with `gold` the right answers instead; with `propose` they are given to it, and the images, like those
    with gold, are still to be annotated. `labelled`: a source without any chain is refused with SourceError. A source
    is a folder, a .zip of one, s3://BUCKET/PREFIX/ or s3://BUCKET/FILE.zip. `within`: see `opened`.

    Each image is committed by itself, after its picture was decoded: pages write meanwhile. A bad image is left out and
    reported. With `strict` every image is checked before the first is written; one problem refuses the whole import:
    raises StrictImportError with every problem, and stores nothing. Raises SourceError if the source cannot be read at
    all, and StorageError if a bucket stops responding; images imported before that stay. Without an image that can be
    imported no project is made: see `ImportReport.why_nothing`.
    """
    report = ImportReport() if report is None else report
    with opened(path, within) as source:
        folder = source.folder
        data_format = import_format(source_format) if source_format else detect(folder, FORMATS.values())
        pictures = data_format.open_pictures(folder, source.pictures)
        if labelled:
            _refuse_without_chains(path, data_format.images(folder, pictures, boxes))
        report.columns = data_format.describe_columns(folder)
        read = data_format.images(folder, pictures, boxes)
        images = _images(read, data_format.estimate(folder, pictures), pictures, progress, report, ahead)
        known = project or Project.objects.filter(name=project_name).first()
        to_annotate, prepared = gold or propose is not None, ahead.prepared if ahead and not strict else None
        check = _Check(known, settings, pictures, report, to_annotate=to_annotate, store=not strict, prepared=prepared)
        checked = check.ready(images)
        with _checked(checked) if strict else nullcontext(checked) as ready:
            if strict and report.problems:
                raise StrictImportError(report.problems)
            # A project is made when an image is ready: a source of which nothing comes must not leave an empty one.
            if first := list(islice(ready, 1)):
                into = project or open_project(name=project_name, settings=settings)
                _Write(into, pictures, report, gold=gold, propose=propose).take(chain(first, ready))
        report.remarks += check.caption_remarks()
    return report


def _refuse_without_chains(path: Path | str, images: Iterable[DatasetImage | Problem]) -> None:
    boxes = 0
    for image in images:
        if isinstance(image, DatasetImage):
            if image.chains:
                return
            boxes += len(image.boxes)
    has = "neither chains nor boxes"
    instead = "a check begins with phrases that have chains, or boxes of their own"
    if boxes:
        has = f"{boxes:,} box{'' if boxes == 1 else 'es'} with categories, and no chain"
        instead += "; import as pre-annotations, and people judge the boxes for the phrases that they fit"
    raise source_error(path, f"has {has}, so nothing of it can be checked, and nothing was imported: {instead}")


def _images(
    read: Iterable[DatasetImage | Problem],
    total: int,
    pictures: SourcePictures,
    progress: Progress,
    report: ImportReport,
    ahead: ReadAhead | None,
) -> Iterator[DatasetImage | Problem]:
    """Return the images, and those that are left out, as they are read."""
    report.pictures_in_source = sum(1 for _ in pictures)
    images = _without_remarks(read, report)
    return iter(progress(ahead.through(images, total, pictures) if ahead else images, total))


def _without_remarks(
    images: Iterable[DatasetImage | Problem], report: ImportReport
) -> Iterator[DatasetImage | Problem]:
    """Yield the images, and those that are left out; keep in the report what is said of others."""
    for image in images:
        if isinstance(image, Remark):
            report.remarks.append(image)
        elif isinstance(image, Detail):
            report.add_detail(image)
        else:
            yield image


class _Ready(NamedTuple):
    """An image that was checked, and its picture: the format, and the name in storage if it is stored already."""

    image: DatasetImage
    picture_format: str = ""
    stored: str = ""
    known: KnownImage | None = None
    """The image of the project that only lacks its picture; None for a new image."""


@contextmanager
def _checked(images: Iterable[_Ready]) -> Iterator[Iterator[_Ready]]:
    """Check every image, keeping them on disk meanwhile; yields them again, in order."""
    with TemporaryFile() as file:
        count = 0
        for image in images:
            pickle.dump(image, file)
            count += 1
        file.seek(0)
        yield (pickle.load(file) for _ in range(count))


class _Check:
    """The checks of an import, which write no row: words, phrases, types, pictures.

    With `store` a picture is stored as soon as it was decoded, so that it is fetched once. `to_annotate`: whether
    images with chains are still to be annotated.
    """

    def __init__(
        self,
        project: Project | None,
        settings: Settings | None,
        pictures: SourcePictures,
        report: ImportReport,
        *,
        to_annotate: bool,
        store: bool = False,
        prepared: PreparedImages | None = None,
    ) -> None:
        self.pictures, self.report, self.to_annotate, self.store = pictures, report, to_annotate, store
        self.prepared = prepared or PreparedImages()
        self.version, used = current_settings(project.id) if project else (0, settings or Settings())
        self.dictionaries, self.language = used.edited_dictionaries(), used.caption_language
        self.there = KnownImages(project)
        self._chunker: Chunker | None = None
        self._chunker_made = False
        self._other_captions: list[str] = []
        self._others = 0

    def caption_remarks(self) -> Iterator[Remark]:
        """Yield a remark about images that the project has with other captions."""
        if self._others:
            some = ", ".join(self._other_captions) + (", …" if self._others > len(self._other_captions) else "")
            images = counted(self._others, "image")
            message = f"{images} of the project came again with other captions, and stay as they are: {some}"
            yield Remark("", None, "", message)

    def ready(self, images: Iterable[DatasetImage | Problem]) -> Iterator[_Ready]:
        """Yield the images that can be imported. Counts and problems go into the report."""
        for image in images:
            if isinstance(image, Problem):
                self.report.problems.append(image)
            elif known := self.there.find(image):
                yield from self._lacking(image, known)
            elif problem := describe_excess(image, to_annotate=self.to_annotate) or describe_excess(
                image := self._with_phrases(image), to_annotate=self.to_annotate
            ):
                self.report.problems.append(_problem(image, problem))
            else:
                yield from self._with_picture(image)

    def _lacking(self, image: DatasetImage, known: KnownImage) -> Iterator[_Ready]:
        """Yield an image that the project has, if its picture came only now. It must have the size of the boxes."""
        if image.picture is None or known.has_picture:
            self.report.already_there += 1
            self.report.ids.append(known.id)
            self.report.pictures_used += image.picture is not None
            self._compare_captions(image, known)
        elif (image.width, image.height) != (known.width, known.height):
            here = f"the project has this image with {known.width} x {known.height} pixels"
            self.report.problems.append(_problem(image, f"{here}, and its picture has {image.width} x {image.height}"))
        else:
            self._compare_captions(image, known)
            yield from self._with_picture(image, known)

    def _compare_captions(self, image: DatasetImage, known: KnownImage) -> None:
        if how := self.there.other_captions(known, image):
            self._others += 1
            if len(self._other_captions) < MAX_PICTURES_NAMED:
                self._other_captions.append(f"{image.path or image.name} ({how})")

    def _with_picture(self, image: DatasetImage, known: KnownImage | None = None) -> Iterator[_Ready]:
        if image.picture is None:
            yield _Ready(image)
            return
        if found := self.prepared.picture(image.picture):
            yield _Ready(image, *found, known)
            return
        try:
            with self.pictures.open(image.picture) as file:
                kind = verify_picture(file).format
                stored = store_picture(file, picture_format=kind) if self.store else ""
        except PictureError as error:
            self.report.problems.append(_problem(image, f"the picture {error}"))
        else:
            yield _Ready(image, kind, stored, known)

    def _with_phrases(self, image: DatasetImage) -> DatasetImage:
        if (spans := self.prepared.spans(image, self.version)) is not None:
            image = with_spans(image, spans, self.dictionaries)
        elif any(not caption.chunked for caption in image.captions):
            if not self._chunker_made:
                self._chunker, self._chunker_made = make_chunker(self.dictionaries, self.language), True
            if self._chunker is not None:
                image = chunk_image(image, self._chunker, self.dictionaries)
        return with_types(image, self.dictionaries)


def _problem(image: DatasetImage, message: str) -> Problem:
    return Problem(image.source, None, image.path or image.name, message)


class _Write:
    """The writing of an import: a short transaction for each image."""

    def __init__(
        self, project: Project, pictures: SourcePictures, report: ImportReport, *, gold: bool, propose: Propose | None
    ) -> None:
        self.project, self.pictures, self.report = project, pictures, report
        self.gold, self.propose = gold, propose
        self.version = current_settings(project.id)[0]
        self.there = KnownImages(project)
        last = project.images.aggregate(last=Max("position"))["last"]
        self.position = 0 if last is None else last + 1

    def take(self, images: Iterable[_Ready]) -> None:
        for image, picture_format, stored, known in images:
            try:
                picture = stored or self._store(image.picture, picture_format)
            except PictureError as error:  # the file has changed since it was checked
                self.report.problems.append(_problem(image, f"the picture {error}"))
                continue
            reach("import: picture stored")
            if known is None:
                self._write(image, picture)
            else:
                self.report.pictures_added += add_picture(image_id=known.id, picture=picture, path=image.path)
                self.report.already_there += 1
                self.report.ids.append(known.id)
            self.report.pictures_used += bool(picture)

    def _write(self, image: DatasetImage, picture: str) -> None:
        name, number = self.there.name_for(image), self.there.id_for(image, self.position)
        image = replace(image, name=name, coco_id=number)
        written = without_chains(image) if self.propose else image
        with transaction.atomic():
            row = import_image(
                self.project, self.position, written, picture=picture, gold=self.gold, settings_version=self.version
            )
            if self.propose and image.chains:
                self.propose(row, image)
        reach("import: image committed")
        self.there.add(image)
        self.position += 1
        report = self.report
        report.images += 1
        report.with_picture += bool(picture)
        report.mentions += len(image.mentions)
        report.known_boxes += sum(not box.chains for box in image.boxes)
        report.with_chains += bool(image.chains)
        report.chains += len(image.chains)
        report.chain_boxes += sum(bool(box.chains) for box in image.boxes)
        report.waiting_for_phrases += not all(caption.chunked for caption in image.captions)
        report.ids.append(row.pk)

    def _store(self, picture: str | None, picture_format: str) -> str:
        if picture is None:
            return ""
        with self.pictures.open(picture) as file:
            return store_picture(file, picture_format=picture_format)
