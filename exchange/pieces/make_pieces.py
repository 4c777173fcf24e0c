"""Make the pieces of a large export, side by side with other job runners. Storage holds those that are made."""

import logging
import time
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

from django.core.files.base import File

from annotation.models import Project
from annotation.storage import store
from exchange.dataset import Numbers
from exchange.export_pictures import JPEG
from exchange.formats.format import Format, Need
from exchange.leftovers import workspace
from exchange.pieces.used_numbers import used_numbers
from exchange.pieces.write_piece import Range, taken_names, write_piece
from runtime.models import JobRun
from runtime.pieces import DONE, LOOK_SECONDS, PieceRows

logger = logging.getLogger(__name__)
LEAST_IMAGES = 1000
"""Exports of fewer are made at once: they take a second or two."""
PIECE_IMAGES = 400
"""Images of a piece: a second or less, so that nobody waits long for the last one. What is read at once divides it."""


def in_pieces(project: Project, data_format: Format, ids: list[int]) -> bool:
    """Tell whether an export of these images is made in pieces."""
    if len(ids) < LEAST_IMAGES:
        return False
    # A turned picture gets the ending .jpg; which of two gets that name depends on all images before.
    return not data_format.with_pictures or _jpeg_names_differ(project)


def _jpeg_names_differ(project: Project) -> bool:
    made = [PurePosixPath(name).with_suffix(".jpg") for name in taken_names(project) if not name.lower().endswith(JPEG)]
    return len(made) == len(set(made))


class Pieces:
    """The pieces of one export. `key` names the export among the runs of jobs, `place` is a name in storage."""

    def __init__(self, project: Project, data_format: Format, key: str, place: str) -> None:
        self.project, self.format = project, data_format
        self._rows = PieceRows(key)
        self._place = place
        self._number = 0
        """The number of the pieces, once they are planned."""

    def plan(self, ids: list[int]) -> None:
        """Write the row of each piece, unless an earlier process did: then its pieces are used."""
        self._number = len(range(0, len(ids), PIECE_IMAGES))
        if self.rows():
            return
        start, rows = Numbers(), list[tuple[str, list[Any]]]()
        for number, first in enumerate(range(0, len(ids), PIECE_IMAGES)):
            part = ids[first : first + PIECE_IMAGES]
            rows.append((f"{number:05}", [number, part, start]))
            if self.format.numbered:
                used = used_numbers(self._numbered(part), own_fields=Need.OWN_FIELDS in self.format.needs)
                start = start.plus(used)
        self._rows.add(rows)

    def _numbered(self, ids: list[int]) -> list[int]:
        """Return the images that use numbers up."""
        if not self.format.with_pictures:
            return ids
        shown = set(self.project.images.filter(id__in=ids).exclude(picture="").values_list("id", flat=True))
        return [id_ for id_ in ids if id_ in shown]

    def rows(self) -> list[JobRun]:
        """Return the rows of the pieces, in their order."""
        return self._rows.rows()

    def make_all(self, obey: Callable[[], None] = lambda: None) -> None:
        """Make the pieces that nobody else makes, until all are there. Raises what goes wrong with one.

        `obey` is called between two pieces, and may raise.
        """
        while not self.are_there():
            obey()
            if not self.make_one():
                time.sleep(LOOK_SECONDS)

    def are_there(self) -> bool:
        return all(row.state == DONE for row in self.rows())

    def make_one(self) -> bool:
        """Make the first piece that nobody makes. Returns False if there is none."""
        return self._rows.make_one(self._make)

    def _make(self, row: JobRun) -> None:
        number, ids, start = row.arguments
        if store().exists(self._path(number)):
            return  # another process has just made it
        with workspace() as folder:
            target = folder / "piece.zip"
            write_piece(self.project, self.format, Range(number, ids, Numbers(*start)), target, folder / "made")
            with target.open("rb") as file:
                store().save(self._path(number), File(file))

    def fetch(self, folder: Path) -> list[Path]:
        """Copy the planned pieces from storage into the folder, and return their files in order.

        Raises FileNotFoundError if another process has used and deleted them.
        """
        found = []
        for number in range(self._number):  # not of the rows: they may be gone
            file = folder / f"{number:05}.zip"
            with store().open(self._path(number)) as source, file.open("wb") as into:
                for part in source.chunks():
                    into.write(part)
            found.append(file)
        return found

    def forget(self) -> None:
        """Delete the pieces and their rows."""
        for number in range(len(self.rows())):
            store().delete(self._path(number))
        self._rows.forget()

    def _path(self, number: int) -> str:
        return f"{self._place}.{number:05}.piece"
