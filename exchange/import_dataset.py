"""Import of a data set into a project, image by image, so that it can be stopped and run again."""

import pickle
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

from django.db import transaction
from django.db.models import Max

from annotation.decode_picture import PictureError, verify_picture
from annotation.models import Caption, Image, Project
from annotation.pictures import store_picture
from exchange.checks import describe_excess, source_error
from exchange.chunk_captions import Chunker, chunk_image, make_chunker, with_spans, with_types
from exchange.dataset import DatasetImage, Detail, Problem, Remark
from exchange.formats import detect
from exchange.formats.pictures import MAX_PICTURES_NAMED, SourcePictures
from exchange.import_image import import_image, without_chains
from exchange.names import free_name, image_name, number_of, same_name, same_path
from exchange.read_ahead import PreparedImages, ReadAhead
from exchange.registry import FORMATS, import_format
from exchange.source import opened
from pipeline.project.settings_versions import current_settings, open_project
from pipeline.record.append_entries import add_picture
from pipeline.settings.settings import Settings
from runtime.marked_points import reach
from runtime.words import counted

CUT, left_out = "cut at the edge of the picture", "left out"
MOST_DETAILS = 20_000
"""Details that are named; all are counted."""


@dataclass(slots=True)
class ImportReport:
    """The result of an import: each image of the source is imported, or was there already, or is left out."""

    images: int = 0
    already_there: int = 0
    """Images that the project has already: skipped, but for pictures that they lacked."""
    problems: list[Problem] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    details: Counter[str] = field(default_factory=Counter)
    """Parts of images that were cut or left out, while the images stay."""
    mentions: int = 0
    waiting_for_phrases: int = 0
    columns: str = ""
    """The way in which a table of captions was read, in words."""
    with_picture: int = 0
    """Of those imported."""
    pictures_added: int = 0
    """Of those already there."""
    pictures_used: int = 0
    pictures_in_source: int = 0
    known_boxes: int = 0
    """Boxes with a category and without a chain, of those imported."""
    with_chains: int = 0
    """Of those imported, images that came with chains."""
    chains: int = 0
    chain_boxes: int = 0
    """Boxes of these chains."""
    ids: list[int] = field(default_factory=list)
    """Images of the project that the source has, imported now or before."""

    @property
    def left_out(self) -> int:
        return len({problem.left_out for problem in self.problems if problem.left_out})

    def add_detail(self, detail: Detail) -> None:
        """Count a part of an image that was cut or left out, and name the first ones among the problems."""
        self.details[CUT if detail.cut else left_out] += 1
        if self.details.total() <= MOST_DETAILS:
            self.problems.append(detail)

    @property
    def why_nothing(self) -> str:
        """Say why nothing of the source is in the project; empty if anything is."""
        if self.images or self.already_there:
            return ""
        reasons = [problem for problem in self.problems if problem.image] or self.problems
        why = f"{counted(self.left_out, 'image')} left out, the first as {reasons[0]}" if reasons else "it has no image"
        return f"Nothing was imported: {why}."


def source_in_words(report: ImportReport) -> str:
    """Return sentences for people: what was read in another way than it was said, and what became of pictures."""
    said = [f"{remark.message}." for remark in report.remarks]
    said += [f"Details {what}: {report.details[what]:,}." for what in (CUT, left_out) if report.details[what]]
    if report.pictures_in_source:
        said.append(f"Pictures used: {report.pictures_used:,} of {report.pictures_in_source:,} in the source.")
    if report.pictures_added:
        said.append(f"{counted(report.pictures_added, 'picture')} added to images that came without.")
    if lacking := report.images - report.with_picture:
        images = "1 image has" if lacking == 1 else f"{lacking:,} images have"
        said.append(f"{images} no picture: nobody is asked about boxes there, until you import them with pictures.")
    return " ".join(said)


class KnownImage(NamedTuple):
    """An image of the project."""

    id: int
    name: str
    path: str
    """Empty if it came from texts that name no pictures."""
    width: int
    height: int
    has_picture: bool


class KnownImages:
    """The images of a project as they were when this was made, and those that were added since."""

    def __init__(self, project: Project | None) -> None:
        self._by_path: dict[str, KnownImage] = {}
        self._without_path: dict[str, KnownImage] = {}
        self._by_name: dict[str, KnownImage] = {}
        self._names: set[str] = set()
        self._numbers: dict[str, int] = {}
        self._ids: set[int | str] = set()
        self._largest = 0
        self._project = project
        self._captions: dict[int, tuple[int, bytes]] | None = None
        if project is not None:
            columns = ("id", "name", "path", "width", "height", "picture", "position", "coco_id")
            rows = project.images.order_by("position").values_list(*columns)
            for number, name, path, width, height, picture, position, coco_id in rows.iterator():
                known = KnownImage(number, name, path, width, height, bool(picture))
                self._names.add(same_name(known.name))
                self._by_name[same_path(known.name)] = known
                if known.path:
                    self._by_path[same_path(known.path)] = known
                else:
                    self._without_path[same_path(known.name)] = known
                self._add_id(position + 1 if coco_id is None else coco_id)

    def find(self, image: DatasetImage) -> KnownImage | None:
        """Return the project's image that this one of a source is; each is found for one image of a source only.

        An image is told by its path. One of texts that name no pictures has none, and is told by its name.
        """
        if not image.path:
            return self._by_name.get(same_path(image.name))
        if same_path(image.path) in self._by_path:
            return self._by_path[same_path(image.path)]
        return self._without_path.pop(same_path(image_name(image.path)), None)

    def other_captions(self, known: KnownImage, image: DatasetImage) -> str:
        """Say how the captions of an image of a source differ from the project's; empty if they do not."""
        if self._captions is None:
            self._captions = self._read_captions()
        texts = [caption.text for caption in image.captions]
        number, digest = self._captions.get(known.id, (0, _digest([])))
        if digest == _digest(texts):
            return ""
        if number != len(texts):
            return f"{number:,} here, {len(texts):,} in the source"
        own = Caption.objects.filter(image=known.id).values_list("text", flat=True)
        return "in another order" if sorted(own) == sorted(texts) else "other words in the source"

    def _read_captions(self) -> dict[int, tuple[int, bytes]]:
        """Return the number of each image's captions, and a digest of their texts: a project may have a million."""
        rows = Caption.objects.filter(image__project=self._project).order_by("image_id", "number")
        found = {}
        for image, captions in groupby(rows.values_list("image_id", "text").iterator(), key=itemgetter(0)):
            texts = [text for _, text in captions]
            found[image] = len(texts), _digest(texts)
        return found

    def name_for(self, image: DatasetImage) -> str:
        """Return the image's name, with its ending if the project has another image of that name."""
        if same_name(image.name) not in self._names:
            return image.name
        return free_name(image.file_name, self._names, self._numbers)

    def id_for(self, image: DatasetImage, position: int) -> int | str:
        """Return the id in COCO files, which no other image of the project has.

        That of the source; without one, the number that is the image's name, as pictures of Flickr30k and COCO have it
        and MDETR's evaluation joins by it; else its place in the project.
        """
        for wanted in (image.coco_id, number_of(image.name), position + 1):
            if wanted is not None and wanted not in self._ids:
                return wanted
        return self._largest + 1

    def add(self, image: DatasetImage) -> None:
        """Note an image that was written, with its name and id."""
        self._names.add(same_name(image.name))
        if image.coco_id is not None:
            self._add_id(image.coco_id)

    def _add_id(self, number: int | str) -> None:
        self._ids.add(number)
        if isinstance(number, int):
            self._largest = max(self._largest, number)


def _digest(texts: list[str]) -> bytes:
    return blake2b("\0".join(texts).encode(), digest_size=16).digest()


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
