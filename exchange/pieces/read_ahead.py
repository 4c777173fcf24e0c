"""The images of a large import, read ahead of what is written, so that several job runners prepare them."""

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex

from annotation.models import Project
from exchange.chunk_captions import Span
from exchange.dataset import DatasetImage, Problem
from exchange.formats.picture_files import FolderPictures, Pictures
from exchange.names import same_path
from exchange.pieces.prepare_images import PiecesAhead, Stored, WorkAhead
from pipeline.project.settings_versions import current_settings
from runtime.pieces import LOOK_SECONDS, PieceRows
from runtime.runs import this_machine

LEAST_IMAGES = 200
"""Imports of fewer are done by one process: they take a second or two."""
PIECE_IMAGES = 50
"""Images of a piece: half a second for phrases of five captions each."""
MOST_AHEAD = 16
"""Pieces that are read ahead. When half of them are written, as many are read again, and help is asked for."""
Item = DatasetImage | Problem


@dataclass
class Prepared:
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
        self.prepared = Prepared()

    def through(self, images: Iterable[Item], total: int, pictures: Pictures) -> Iterable[Item]:
        """Hand the images on; when one comes, `prepared` knows what the pieces found. `total`: about their number."""
        return self._through(images, pictures) if total >= LEAST_IMAGES else images

    def forget(self) -> None:
        """Delete the rows of this try and of earlier ones."""
        PieceRows(self._run).forget()

    def _through(self, images: Iterable[Item], pictures: Pictures) -> Iterator[Item]:
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
                    new = [one for one in batch if isinstance(one, DatasetImage) and _same(one) not in there]
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

    def _work(self, pictures: Pictures) -> WorkAhead:
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
