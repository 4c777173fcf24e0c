"""Import of a data set into a project, image by image, so that it can be stopped and run again."""

import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from annotation.bounds import (
    LONGEST_CAPTION,
    LONGEST_CATEGORY,
    LONGEST_PHRASE,
    MOST_BOXES,
    MOST_CAPTIONS,
    MOST_PHRASES,
    MOST_PHRASES_OF_CAPTION,
)
from annotation.models import Project
from annotation.pictures import PictureError, store_picture, verify_picture
from annotation.rules.dictionaries import Dictionaries, types_of
from annotation.rules.mention import is_mention
from annotation.rules.states import ProjectState
from exchange.chunk_captions import Chunker, chunk_image, make_chunker
from exchange.dataset import DatasetCaption, DatasetImage, Problem
from exchange.detect import count_images, detect_format, reader_for
from exchange.import_image import import_image, words_of
from exchange.picture_files import Pictures
from exchange.source import opened
from members.add_member import add_member
from members.models import Role
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.settings_versions import current_settings, open_project
from upkeep.marked_points import reach


@dataclass(slots=True)
class ImportReport:
    """The result of an import. `already_there` counts images whose name the project already has; they are skipped."""

    images: int = 0
    already_there: int = 0
    problems: list[Problem] = field(default_factory=list)
    mentions: int = 0
    waiting_for_phrases: int = 0

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
    owner: User | None = None,
    state: ProjectState = ProjectState.RUNNING,
    progress: Progress = lambda images, total: images,
    report: ImportReport | None = None,
) -> ImportReport:
    """Import the source at `path` into the project of this name. A missing project is made, with `settings`.

    `owner` becomes a requester of the project. `state`: of a missing project. `report`: counts what happens meanwhile.

    A source is a folder, a .zip of one, s3://BUCKET/PREFIX/ or s3://BUCKET/FILE.zip.

    Each image is committed by itself, after its picture was decoded: pages write meanwhile. A bad image is left out and
    reported. With `strict` every image is checked before the first is written; one problem refuses the whole import:
    raises StrictImportError with every problem, and stores nothing. Raises SourceError if the source cannot be read at
    all, and StorageError if a bucket stops responding; images imported before that stay.
    """
    report = ImportReport() if report is None else report
    with opened(path) as source:
        folder, pictures = source.folder, source.pictures
        name = source_format or detect_format(folder)
        # Read the first image before making a project: a source that cannot be read must not leave an empty project.
        images = iter(progress(reader_for(name)(folder, pictures), count_images(folder, name, pictures)))
        images = chain(list(islice(images, 1)), images)
        if strict:
            known = Project.objects.filter(name=project_name).first()
            with _checked(_Check(known, settings, pictures, report).ready(images)) as checked:
                if report.problems:
                    raise StrictImportError(report.problems)
                project = _project(project_name, settings, owner, state)
                _Write(project, pictures, report, gold=gold).take(checked)
        else:
            project = _project(project_name, settings, owner, state)
            check = _Check(project, settings, pictures, report, store=True)
            _Write(project, pictures, report, gold=gold).take(check.ready(images))
    return report


def _project(name: str, settings: ProtocolSettings | None, owner: User | None, state: ProjectState) -> Project:
    project = open_project(name=name, settings=settings, state=state)
    if owner is not None:
        add_member(owner, project, Role.REQUESTER)
    return project


class _Ready(NamedTuple):
    """An image that was checked, and its picture: the format, and the name in storage if it is stored already."""

    image: DatasetImage
    picture_format: str = ""
    stored: str = ""


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

    With `store` a picture is stored as soon as it was decoded, so that it is fetched once.
    """

    def __init__(
        self,
        project: Project | None,
        settings: ProtocolSettings | None,
        pictures: Pictures,
        report: ImportReport,
        *,
        store: bool = False,
    ) -> None:
        self.pictures, self.report, self.store = pictures, report, store
        used = current_settings(project.id)[1] if project else settings or ProtocolSettings()
        self.dictionaries, self.language = used.edited_dictionaries(), used.caption_language
        self.there = set(project.images.values_list("name", flat=True)) if project else set()
        self._chunker: Chunker | None = None
        self._chunker_made = False

    def ready(self, images: Iterable[DatasetImage | Problem]) -> Iterator[_Ready]:
        """Yield the images that can be imported. Counts and problems go into the report."""
        for image in images:
            if isinstance(image, Problem):
                self.report.problems.append(image)
            elif image.name in self.there:
                self.report.already_there += 1
            elif problem := beyond_bounds(image) or beyond_bounds(image := self._with_phrases(image)):
                self.report.problems.append(Problem(image.source, None, image.name, problem))
            else:
                try:
                    yield self._with_picture(image)
                except PictureError as error:
                    self.report.problems.append(Problem(image.source, None, image.name, f"the picture {error}"))

    def _with_picture(self, image: DatasetImage) -> _Ready:
        if image.picture is None:
            return _Ready(image)
        with self.pictures.open(image.picture) as file:
            kind = verify_picture(file).format
            return _Ready(image, kind, store_picture(file, picture_format=kind) if self.store else "")

    def _with_phrases(self, image: DatasetImage) -> DatasetImage:
        if any(not caption.chunked for caption in image.captions):
            if not self._chunker_made:
                self._chunker, self._chunker_made = make_chunker(self.dictionaries, self.language), True
            if self._chunker is not None:
                image = chunk_image(image, self._chunker, self.dictionaries)
        return with_types(image, self.dictionaries)


class _Write:
    """The writing of an import: a short transaction for each image."""

    def __init__(self, project: Project, pictures: Pictures, report: ImportReport, *, gold: bool) -> None:
        self.project, self.pictures, self.report, self.gold = project, pictures, report, gold
        self.version = current_settings(project.id)[0]
        last = project.images.aggregate(last=Max("position"))["last"]
        self.position = 0 if last is None else last + 1

    def take(self, images: Iterable[_Ready]) -> None:
        for image, picture_format, stored in images:
            try:
                picture = stored or self._store(image.picture, picture_format)
            except PictureError as error:  # the file has changed since it was checked
                self.report.problems.append(Problem(image.source, None, image.name, f"the picture {error}"))
                continue
            reach("import: picture stored")
            with transaction.atomic():
                import_image(
                    self.project, self.position, image, picture=picture, gold=self.gold, settings_version=self.version
                )
            reach("import: image committed")
            self.position += 1
            self.report.images += 1
            self.report.mentions += len(image.mentions)
            self.report.waiting_for_phrases += not all(caption.chunked for caption in image.captions)

    def _store(self, picture: str | None, picture_format: str) -> str:
        if picture is None:
            return ""
        with self.pictures.open(picture) as file:
            return store_picture(file, picture_format=picture_format)


def beyond_bounds(image: DatasetImage) -> str:
    """Describe what is too long or too much (annotation/bounds.py); empty if nothing is."""
    for number, caption in enumerate(image.captions, start=1):
        if len(caption.text) > LONGEST_CAPTION:
            return f"caption {number} has {len(caption.text):,} characters: at most {LONGEST_CAPTION:,} are allowed"
    for mention in image.mentions:
        if len(words_of(image, mention)) > LONGEST_PHRASE:
            return f"a phrase of caption {mention.caption + 1} is longer than {LONGEST_PHRASE} characters"
    if any(len(box.category) > LONGEST_CATEGORY for box in image.boxes):
        return f"a category's name is longer than {LONGEST_CATEGORY} characters"
    for count, most, what in (
        (len(image.captions), MOST_CAPTIONS, "captions"),
        (len(image.boxes), MOST_BOXES, "boxes"),
        (len(image.mentions), MOST_PHRASES, "phrases"),
    ):
        if count > most:
            return f"it has {count:,} {what}: at most {most:,} are allowed"
    by_caption = Counter(mention.caption for mention in image.mentions)
    return next(
        (
            f"caption {caption + 1} has {count:,} phrases: at most {MOST_PHRASES_OF_CAPTION} are allowed"
            for caption, count in by_caption.items()
            if count > MOST_PHRASES_OF_CAPTION
        ),
        "",
    )


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
