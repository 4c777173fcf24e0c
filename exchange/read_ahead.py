"""The images of a large import, read ahead of what is written, so that several job runners prepare them.

Whoever carries the import out reads the source, a bounded number of images ahead, and alone writes the images, in their
order. What it finds in no piece is done when the image comes: a piece leaves out what is wrong, so that nobody else has
to tell it.
"""

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple

from annotation.decode_picture import PictureError, verify_picture
from annotation.models import Project
from annotation.pictures import store_picture
from exchange.chunk_captions import Chunker, Span, make_chunker, why_no_chunker
from exchange.dataset import UNUSABLE, DatasetImage, Problem
from exchange.formats.pictures import FolderPictures, SourcePictures
from exchange.names import same_path
from pipeline.project.settings_versions import all_settings, current_settings
from runtime.models import JobRun
from runtime.pieces import LOOK_SECONDS, PieceRows
from runtime.runs import this_machine

PHRASES, PICTURES, MADE = "phrases", "pictures", "made"
HELP_SECONDS = 60
"""The time after which a job runner that helps lets other jobs go first."""
IDLE_SECONDS = 2
"""The time for which it waits for pieces to come: loading the parser anew takes a second."""
Stored = tuple[str, str]
"""The format of a picture, and its name in storage."""


class WorkAhead(NamedTuple):
    """An import that takes help, as a message says it."""

    run: str
    """The key of its run."""
    begun: str
    """Tells this try from earlier ones."""
    project: int
    version: int
    """Of the project's settings, whose dictionaries hold."""
    machine: str
    """The machine whose disk holds the folder; only its job runners read pictures."""
    folder: str
    """The folder of the pictures; empty: they are read one by one when their images come."""
    within: Sequence[str] | None
    """As of `opened`."""


class PiecesAhead:
    """The pieces of one import, for whoever makes one. `look` is called between images; it may raise."""

    def __init__(self, work: WorkAhead, look: Callable[[], object] = lambda: None) -> None:
        self._work, self._look = work, look
        self.rows = PieceRows(f"{work.run} {work.begun}")
        self.settings = all_settings(work.project)[work.version]
        self.dictionaries = self.settings.edited_dictionaries()

    @property
    def finds_phrases(self) -> bool:
        return not why_no_chunker(self.settings.caption_language)

    @cached_property
    def chunker(self) -> Chunker | None:
        return make_chunker(self.dictionaries, self.settings.caption_language)

    def is_running(self) -> bool:
        """Tell whether the import goes on."""
        return JobRun.objects.filter(key=self._work.run, state=JobRun.State.RUNNING).exists()

    def add(self, number: int, images: Sequence[DatasetImage]) -> int:
        """Write the rows of a piece of images. Returns the number of rows."""
        todo = {PHRASES: self._without_phrases(images), PICTURES: self._pictures(images)}
        rows = [(f"{number:06} {kind}", [kind, what]) for kind, what in todo.items() if what]
        self.rows.add(rows)
        return len(rows)

    def make_one(self) -> bool:
        """Make the first piece that nobody makes and that can be made here. Returns False if there is none."""
        return self.rows.make_one(self._make, may=self._may)

    def take(self, number: int, wait: Callable[[], object]) -> tuple[dict[str, list[list[Span]]], dict[str, Stored]]:
        """Return the phrases by place in the piece, and the pictures by path, and delete the rows.

        Makes what nobody else makes; `wait` is called while another process makes the rest.
        """
        found: dict[str, Any] = {PHRASES: {}, PICTURES: {}}
        mine = [row for row in self.rows.rows() if self.rows.name_of(row).startswith(f"{number:06} ")]
        numbers = [row.pk for row in mine]
        while JobRun.objects.filter(pk__in=numbers).exclude(state=JobRun.State.DONE).exists():
            if not self.make_one():
                wait()
        for _, what, kind in JobRun.objects.filter(pk__in=numbers).values_list("arguments", flat=True):
            found[kind] = what
        JobRun.objects.filter(pk__in=numbers).delete()
        return found[PHRASES], {path: (kind, name) for path, (kind, name) in found[PICTURES].items()}

    def _may(self, name: str) -> bool:
        if name.endswith(PHRASES):
            return self.finds_phrases
        return self._work.machine == this_machine()

    def _without_phrases(self, images: Sequence[DatasetImage]) -> dict[str, list[tuple[str, ...]]]:
        if not self.finds_phrases:
            return {}
        words = [[caption.words for caption in image.captions if not caption.chunked] for image in images]
        return {str(at): found for at, found in enumerate(words) if found and _fits(" ".join(chain(*found)))}

    def _pictures(self, images: Sequence[DatasetImage]) -> list[str]:
        paths = [image.picture for image in images if image.picture is not None] if self._work.folder else []
        return [path for path in paths if _fits(path)]

    def _make(self, row: JobRun) -> None:
        kind, what, *_ = row.arguments
        if kind == MADE:  # by another process, since the rows were read
            return
        made = self._find_phrases(what) if kind == PHRASES else self._store(what)
        # What was to be done is not needed any more.
        JobRun.objects.filter(pk=row.pk).update(arguments=[MADE, made, kind])

    def _find_phrases(self, captions: dict[str, list[list[str]]]) -> dict[str, list[list[Span]]]:
        found: dict[str, list[list[Span]]] = {}
        if self.chunker is None:
            return found
        for at, words in captions.items():  # image by image, as elsewhere: the parser's sums depend on what it reads
            self._look()
            found[at] = list(self.chunker.chunk_many(words))
        return found

    def _store(self, paths: Sequence[str]) -> dict[str, Stored]:
        within = self._work.within
        pictures = FolderPictures(Path(self._work.folder), None if within is None else [Path(path) for path in within])
        stored = {}
        for path in paths:
            self._look()
            try:
                with pictures.open(path) as file:
                    kind = verify_picture(file).format
                    stored[path] = kind, store_picture(file, picture_format=kind)
            except PictureError:
                continue
        return stored


def _fits(text: str) -> bool:
    """Tell whether a row can hold the text. A source may have any characters in captions and paths."""
    return UNUSABLE.search(text) is None


def help_with_import(work: WorkAhead) -> bool:
    """Make pieces of an import that another process carries out. Returns whether more may come."""
    if not PieceRows(work.run).rows():
        return False
    pieces, begun = PiecesAhead(work), time.monotonic()
    idle_since = begun
    while (now := time.monotonic()) < begun + HELP_SECONDS and pieces.is_running():
        if pieces.make_one():
            idle_since = time.monotonic()
        elif now > idle_since + IDLE_SECONDS:
            return False
        else:
            time.sleep(LOOK_SECONDS)
    return pieces.is_running()


LEAST_IMAGES = 200
"""Imports of fewer are done by one process: they take a second or two."""
PIECE_IMAGES = 50
"""Images of a piece: half a second for phrases of five captions each."""
MOST_AHEAD = 16
"""Pieces that are read ahead. When half of them are written, as many are read again, and help is asked for."""
Item = DatasetImage | Problem


@dataclass
class PreparedImages:
    """Phrases and pictures of images that come next."""

    version: int = 0
    """Of the settings under which phrases were found."""
    _spans: dict[int, Sequence[Sequence[Span]]] = field(default_factory=dict)
    _pictures: dict[str, Stored] = field(default_factory=dict)

    def spans(self, image: DatasetImage, version: int) -> list[list[Span]] | None:
        """Return the phrases of each caption that had none; None: they are not known under these settings."""
        found = self._spans.get(id(image)) if version == self.version else None
        return None if found is None else [[(start, end) for start, end in spans] for spans in found]

    def picture(self, path: str) -> Stored | None:
        """Return the picture's format and its name in storage; None: it was not stored."""
        return self._pictures.get(path)

    def fill(
        self, images: Sequence[DatasetImage], spans: dict[str, list[list[Span]]], pictures: dict[str, Stored]
    ) -> None:
        """Know this of these images, which must stay in memory, and nothing of others."""
        self._spans = {id(images[int(at)]): found for at, found in spans.items()}
        self._pictures = pictures


class ReadAhead:
    """The reading of one import. `run`: the key of its run; `ask`: asks other job runners for help with a message.

    `look` is called while pieces are made; what it raises ends the import.
    """

    def __init__(
        self,
        project: Project,
        run: str,
        ask: Callable[[WorkAhead, int], object],
        look: Callable[[], object] = lambda: None,
    ) -> None:
        self._project, self._run, self._ask, self._look = project, run, ask, look
        self.prepared = PreparedImages()

    def through(self, images: Iterable[Item], total: int, pictures: SourcePictures) -> Iterable[Item]:
        """Hand the images on; when one comes, `prepared` knows what the pieces found. `total`: about their number."""
        return self._through(images, pictures) if total >= LEAST_IMAGES else images

    def forget(self) -> None:
        """Delete the rows of this try and of earlier ones."""
        PieceRows(self._run).forget()

    def _through(self, images: Iterable[Item], pictures: SourcePictures) -> Iterator[Item]:
        self.forget()
        work = self._work(pictures)
        pieces, there = PiecesAhead(work, self._look), _there(self._project)
        self.prepared.version = work.version
        ahead: deque[tuple[int, list[Item], list[DatasetImage]]] = deque()
        batches, number, failed = _batches(images), 0, None
        while True:
            if len(ahead) <= MOST_AHEAD // 2:
                rows = 0
                while len(ahead) < MOST_AHEAD:
                    try:
                        batch = next(batches, None)
                    except Exception as error:  # told when the images before are written
                        batch, failed = None, error
                    if batch is None:
                        break
                    new = [image for image in batch if isinstance(image, DatasetImage) and _same(image) not in there]
                    rows += pieces.add(number, new)
                    ahead.append((number, batch, new))
                    number += 1
                if rows:
                    self._ask(work, rows)
            if not ahead:
                break
            piece, batch, new = ahead.popleft()
            self.prepared.fill(new, *pieces.take(piece, self._wait))
            yield from batch
        if failed is not None:
            raise failed

    def _work(self, pictures: SourcePictures) -> WorkAhead:
        version = current_settings(self._project.pk)[0]
        folder, within = "", None
        if isinstance(pictures, FolderPictures):
            folder, within = str(pictures.folder), _texts(pictures.within)
        return WorkAhead(self._run, token_hex(4), self._project.pk, version, this_machine(), folder, within)

    def _wait(self) -> None:
        self._look()
        time.sleep(LOOK_SECONDS)


def _batches(images: Iterable[Item]) -> Iterator[list[Item]]:
    """Yield the images in pieces. If reading fails, the error comes after what was read."""
    batch, failed = list[Item](), None
    try:
        for image in images:
            batch.append(image)
            if len(batch) == PIECE_IMAGES:
                yield batch
                batch = []
    except Exception as error:
        failed = error
    if batch:
        yield batch
    if failed is not None:
        raise failed


def _there(project: Project) -> set[str]:
    """Return the images that the project has: nothing of them is prepared."""
    return {same_path(path or name) for name, path in project.images.values_list("name", "path").iterator()}


def _same(image: DatasetImage) -> str:
    return same_path(image.path or image.name)


def _texts(places: Collection[Path] | None) -> list[str] | None:
    return None if places is None else [str(place) for place in places]
