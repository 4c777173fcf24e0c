"""Import of a data set into a project, image by image, so that it can be stopped and run again."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path

from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Max

from annotation.models import Image, Project
from annotation.pictures import PictureError, store_picture, verify_picture
from annotation.rules.dictionaries import Dictionaries, types_of
from annotation.rules.mention import is_mention
from exchange.chunk_captions import Chunker, chunk_image, make_chunker
from exchange.dataset import DatasetCaption, DatasetImage, Problem
from exchange.detect import count_images, detect_format, reader_for
from exchange.import_image import import_image, words_of
from exchange.picture_files import Pictures
from exchange.source import opened
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.settings_versions import current_settings, open_project

LONGEST_PHRASE, LONGEST_CATEGORY, MOST_WORDS = 500, 100, 32767
"""Limits of the tables: characters of a phrase, characters of a category, words of a caption."""


@dataclass(slots=True)
class ImportReport:
    """The result of an import. `already_there` counts images whose name the project already has; they are skipped."""

    images: int = 0
    already_there: int = 0
    problems: list[Problem] = field(default_factory=list)
    mentions: int = 0
    waiting_for_phrases: int = 0
    pictures: list[str] = field(default_factory=list)
    """The names, in storage, of the pictures that this run stored."""

    @property
    def left_out(self) -> int:
        return len({problem.image for problem in self.problems if problem.image})


class StrictImportError(Exception):
    """A strict import found problems: nothing was imported."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(f"Nothing was imported: {len(problems)} problems.")
        self.problems = problems


Progress = Callable[[Iterable[DatasetImage | Problem], int], Iterable[DatasetImage | Problem]]
"""A wrapper around the stream of images that shows progress; the second argument is about their number."""


def import_dataset(
    *,
    project_name: str,
    path: Path | str,
    source_format: str | None = None,
    gold: bool = False,
    strict: bool = False,
    settings: ProtocolSettings | None = None,
    progress: Progress = lambda images, total: images,
) -> ImportReport:
    """Import the source at `path` into the project of this name. A missing project is made, with `settings`.

    A source is a folder, a .zip of one, s3://BUCKET/PREFIX/ or s3://BUCKET/FILE.zip.

    Each image is committed by itself. A bad image is left out and reported. With `strict` one problem refuses the whole
    import: raises StrictImportError with every problem, and stores nothing. Raises SourceError if the source cannot be
    read at all, and StorageError if a bucket stops responding; images imported before that stay.
    """
    report = ImportReport()
    with opened(path) as source:
        folder, pictures = source.folder, source.pictures
        name = source_format or detect_format(folder)
        # Read the first image before making a project: a source that cannot be read must not leave an empty project.
        images = iter(progress(reader_for(name)(folder, pictures), count_images(folder, name, pictures)))
        first = list(islice(images, 1))
        with _all_or_nothing(report) if strict else _each_by_itself():
            project = open_project(name=project_name, settings=settings)
            _Import(project, pictures, report, gold=gold).take(chain(first, images))
    return report


@contextmanager
def _each_by_itself() -> Iterator[None]:
    yield


@contextmanager
def _all_or_nothing(report: ImportReport) -> Iterator[None]:
    try:
        with transaction.atomic():
            yield
            if report.problems:
                raise StrictImportError(report.problems)
    except BaseException:
        for picture in report.pictures:
            default_storage.delete(picture)
        raise


class _Import:
    """One run of an import: the values needed for every image, and the counts."""

    def __init__(self, project: Project, pictures: Pictures, report: ImportReport, *, gold: bool) -> None:
        self.project, self.pictures, self.report, self.gold = project, pictures, report, gold
        self.version, settings = current_settings(project.id)
        self.dictionaries = settings.edited_dictionaries()
        self.there = set(project.images.values_list("name", flat=True))
        last = project.images.aggregate(last=Max("position"))["last"]
        self.position = 0 if last is None else last + 1
        self._chunker: Chunker | None = None
        self._chunker_made = False

    def take(self, images: Iterable[DatasetImage | Problem]) -> None:
        for image in images:
            if isinstance(image, Problem):
                self.report.problems.append(image)
            elif image.name in self.there:
                self.report.already_there += 1
            else:
                self._take_image(image)

    def _take_image(self, image: DatasetImage) -> None:
        try:
            picture = self._store(image.picture)
        except PictureError as error:
            self.report.problems.append(Problem(image.source, None, image.name, f"the picture {error}"))
            return
        ready = self._with_phrases(image)
        if too_long := beyond_tables(ready):
            self.report.problems.append(Problem(image.source, None, image.name, too_long))
            return
        with transaction.atomic():
            import_image(
                self.project,
                self.position,
                ready,
                picture=picture,
                gold=self.gold,
                settings_version=self.version,
            )
        self.position += 1
        self.report.images += 1
        self.report.mentions += len(ready.mentions)
        self.report.waiting_for_phrases += not all(caption.chunked for caption in ready.captions)

    def _store(self, picture: str | None) -> str:
        if picture is None:
            return ""
        with self.pictures.open(picture) as file:
            info = verify_picture(file)
            name = store_picture(file, picture_format=info.format)
        # Pictures are stored by their content. If another image shows the same one, a strict import must not delete it.
        if not Image.objects.filter(picture=name).exists():
            self.report.pictures.append(name)
        return name

    def _with_phrases(self, image: DatasetImage) -> DatasetImage:
        if any(not caption.chunked for caption in image.captions):
            if not self._chunker_made:
                self._chunker, self._chunker_made = make_chunker(self.dictionaries), True
            if self._chunker is not None:
                image = chunk_image(image, self._chunker, self.dictionaries)
        return with_types(image, self.dictionaries)


def beyond_tables(image: DatasetImage) -> str:
    """Describe what is too long for the tables; empty if nothing is."""
    for mention in image.mentions:
        if len(words_of(image, mention)) > LONGEST_PHRASE:
            return f"a phrase of caption {mention.caption + 1} is longer than {LONGEST_PHRASE} characters"
    if any(len(box.category) > LONGEST_CATEGORY for box in image.boxes):
        return f"a category's name is longer than {LONGEST_CATEGORY} characters"
    most = max((len(caption.words) for caption in image.captions), default=0)
    return f"a caption has more than {MOST_WORDS} words" if most > MOST_WORDS else ""


def with_types(image: DatasetImage, dictionaries: Dictionaries) -> DatasetImage:
    """Add types where the source has none. Phrases that are no mentions become non-visual, unless annotated."""
    mentions, captions = [], list(image.captions)
    for mention in image.mentions:
        words = captions[mention.caption].words[mention.start : mention.end]
        given = mention.chain is not None or mention.types
        lists = dictionaries.words
        if not given and not is_mention(words, pronouns=lists["pronouns"], non_visual=lists["non visual"]):
            captions[mention.caption] = _hide(captions[mention.caption], (mention.start, mention.end))
            continue
        types = mention.types or tuple(kind.value for kind in types_of(words, dictionaries))
        mentions.append(replace(mention, types=types))
    return replace(image, mentions=tuple(mentions), captions=tuple(captions))


def _hide(caption: DatasetCaption, span: tuple[int, int]) -> DatasetCaption:
    return replace(caption, non_visual=tuple(sorted((*caption.non_visual, span))))
