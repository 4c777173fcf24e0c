"""The parts of an archive: ranges of its images, which several job runners write side by side. Storage holds them.

A part is an archive of the texts of its range, of whole files, and of what was counted.
"""

import json
import shutil
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo
from zlib import MAX_WBITS, Z_FULL_FLUSH, compressobj

from django.core.files.base import File

from annotation.models import Box, Caption, Chain, KnownBox, Mention, MergedBox, Project
from annotation.rules.states import BoxState
from annotation.storage import store
from exchange.data_card.counts import counts_as_json
from exchange.data_card.facts import count
from exchange.dataset import DatasetImage, Numbers
from exchange.export_dataset import Export
from exchange.export_options import AS_THEY_CAME, ExportOptions
from exchange.export_pictures import JPEG, taken_names
from exchange.formats.format import Format, RowNeed
from exchange.formats.parts import ExportPart, used_numbers_of
from exchange.json_columns import column_text
from exchange.json_text import read_json
from exchange.leftovers import workspace
from runtime.models import JobRun
from runtime.pieces import DONE, LOOK_SECONDS, PieceRows

LEAST_IMAGES = 1000
"""Exports of fewer are one part: they take a second or two."""
PART_IMAGES = 400
"""Images of a part: a second or less, so that nobody waits long for the last one. What is read at once divides it."""
MANIFEST = "manifest.json"
TEXTS, FILES = "texts/", "files/"
"""The folders of a part: compressed texts without an end, and whole files of the export."""
COUNTED_AT_ONCE = 500
EDGES = ("x0", "y0", "x1", "y1")
CHUNK = 1 << 20


class PartRange(NamedTuple):
    """Images of an export that are written together."""

    number: int
    """Its place among the ranges, from 0."""
    images: list[int]
    """Their ids, in the order of the export."""
    start: Numbers
    """The numbers that the ranges before it use up."""


def in_parts(project: Project, data_format: Format, ids: list[int]) -> bool:
    """Tell whether an export of these images is made in several parts."""
    if len(ids) < LEAST_IMAGES:
        return False
    # A turned picture gets the ending .jpg; which of two gets that name depends on all images before.
    return not data_format.with_pictures or _jpeg_names_differ(project)


def _jpeg_names_differ(project: Project) -> bool:
    made = [PurePosixPath(name).with_suffix(".jpg") for name in taken_names(project) if not name.lower().endswith(JPEG)]
    return len(made) == len(set(made))


class ExportParts:
    """The parts of one archive. `key` names the export among the runs of jobs, `place` is a name in storage."""

    def __init__(self, project: Project, data_format: Format, key: str, place: str) -> None:
        self.project, self.format = project, data_format
        self._rows = PieceRows(key)
        self._place = place
        self._number = 0
        """The number of the parts, once they are planned."""

    def plan(self, ids: list[int]) -> None:
        """Write the row of each part, unless an earlier process did: then its parts are used."""
        self._number = len(range(0, len(ids), PART_IMAGES))
        if self.rows():
            return
        start, rows = Numbers(), list[tuple[str, list[Any]]]()
        for number, first in enumerate(range(0, len(ids), PART_IMAGES)):
            images = ids[first : first + PART_IMAGES]
            rows.append((f"{number:05}", [number, images, start]))
            if self.format.numbered:
                shown = Export(self.project, self.format, include_unmerged=True).ids(images)
                start = start.plus(used_numbers(shown, own_fields=RowNeed.OWN_FIELDS in self.format.needs))
        self._rows.add(rows)

    def rows(self) -> list[JobRun]:
        """Return the rows of the parts, in their order."""
        return self._rows.rows()

    def make_all(self) -> None:
        """Make the parts that nobody else makes, until all are there. Raises what goes wrong with one."""
        while any(row.state != DONE for row in self.rows()):
            if not self.make_one():
                time.sleep(LOOK_SECONDS)

    def make_one(self) -> bool:
        """Make the first part that nobody makes. Returns False if there is none."""
        return self._rows.make_one(self._make)

    def _make(self, row: JobRun) -> None:
        number, ids, start = row.arguments
        if store().exists(self._path(number)):
            return  # another process has just made it
        with workspace() as folder:
            target = write_part(self.project, self.format, PartRange(number, ids, Numbers(*start)), folder)
            with target.open("rb") as file:
                store().save(self._path(number), File(file))

    def fetch(self, folder: Path) -> list[Path]:
        """Copy the planned parts from storage into the folder, and return their files in order.

        Raises FileNotFoundError if another process has used and deleted them.
        """
        found = []
        for number in range(self._number):  # not of the rows: they may be gone
            file = folder / f"{number:05}.zip"
            with store().open(self._path(number)) as source, file.open("wb") as into:
                for chunk in source.chunks():
                    into.write(chunk)
            found.append(file)
        return found

    def forget(self) -> None:
        """Delete the parts and their rows."""
        for number in range(len(self.rows())):
            store().delete(self._path(number))
        self._rows.forget()

    def _path(self, number: int) -> str:
        return f"{self._place}.{number:05}.part"


def write_part(project: Project, data_format: Format, images: PartRange, folder: Path) -> Path:
    """Write a part into the folder, which is empty, and return its file."""
    texts, files, target = folder / "texts", folder / "files", folder / "part.zip"
    texts.mkdir()
    pictures = ExportOptions(AS_THEY_CAME if data_format.with_pictures else None)
    # The range holds the images that the export may have, finished or not.
    export = Export(project, data_format, pictures, include_unmerged=True)
    used = Numbers()

    def counted(read: Iterable[DatasetImage]) -> Iterator[DatasetImage]:
        nonlocal used
        for image in read:
            used = used.plus(used_numbers_of(image))
            yield image

    content = export.content(
        frozenset(images.images),
        pictures=files if data_format.with_pictures else None,
        first=images.start.chains + 1,
        with_project=images.number == 0,
    )
    assert data_format.write is not None
    with ExportPart(files, partial(_new_text, texts), images.start, export.categories(), notes=export.notes) as part:
        data_format.write(counted(content) if data_format.load is None else content, part)
    manifest = {
        "start": list(images.start),
        "used": list(used),
        "notes": export.notes,
        "counts": counts_as_json(*count(export.ids(images.images))),
    }
    _pack(texts, files, target, manifest, ZIP_STORED if data_format.with_pictures else ZIP_DEFLATED)
    return target


def _new_text(folder: Path, name: str) -> IO[bytes]:
    return (folder / name).open("w+b")


def _pack(texts: Path, files: Path, target: Path, manifest: dict[str, Any], how: int) -> None:
    """Write the archive of a part, and remove what is in it. `how`: the compression of the files, as of zipfile."""
    sizes = {}
    with ZipFile(target, "w", ZIP_DEFLATED) as packed:
        for file in sorted(texts.iterdir()):
            sizes[file.name] = file.stat().st_size
            with file.open("rb") as source, packed.open(ZipInfo(TEXTS + file.name), "w", force_zip64=True) as into:
                for chunk in deflated(source):
                    into.write(chunk)
        for file in sorted(files.rglob("*")):
            if file.is_file():
                packed.write(file, FILES + file.relative_to(files).as_posix(), how)
        packed.writestr(MANIFEST, json.dumps(manifest | {"sizes": sizes}))
    shutil.rmtree(texts)
    shutil.rmtree(files, ignore_errors=True)  # some formats have none


def deflated(source: IO[bytes]) -> Iterator[bytes]:
    """Yield the text compressed, without an end, up to a whole byte.

    So the texts of several parts together, and an end, are what a ZIP archive holds of a file: nobody has to compress
    a large file at once.
    """
    compress = compressobj(wbits=-MAX_WBITS)
    while text := source.read(CHUNK):
        yield compress.compress(text)
    yield compress.flush(Z_FULL_FLUSH)


def used_numbers(ids: Sequence[int], *, own_fields: bool) -> Numbers:
    """Return the numbers that an export of these images uses up, in a few statements, without making its images.

    So each range knows where it begins. `own_fields`: whether the export has boxes of the import that have a category
    and no chain.
    """
    found = Numbers(images=len(ids))
    for start in range(0, len(ids), COUNTED_AT_ONCE):
        found = found.plus(_used(ids[start : start + COUNTED_AT_ONCE], own_fields=own_fields))
    return found


def _used(ids: Sequence[int], *, own_fields: bool) -> Numbers:
    of = {"image_id__in": ids}
    joined = Chain.objects.filter(**of, merged_into__isnull=False).order_by()
    rows = joined.values_list("image_id", "name", "merged_into")
    into = {(image, name): final for image, name, final in rows if final is not None}
    phrases: dict[int, Counter[int]] = defaultdict(Counter)
    for image, chain, number in Mention.objects.filter(**of).order_by().values_list("image_id", "chain", "number"):
        phrases[image][number if chain is None else into.get((image, chain), chain)] += 1
    boxes = _chains_of_boxes(ids, into)
    shown = KnownBox.objects.filter(**of, exported=True).count() if own_fields else 0
    return Numbers(
        chains=sum(map(len, phrases.values())),
        grounded=sum(len(set().union(*box)) for box in boxes.values()),
        captions=Caption.objects.filter(**of).count(),
        boxes=shown + sum(map(len, boxes.values())),
        annotations=sum(
            phrases[image][chain] for image, image_boxes in boxes.items() for box in image_boxes for chain in box
        ),
    )


def _chains_of_boxes(ids: Sequence[int], into: dict[tuple[int, int], int]) -> dict[int, list[set[int]]]:
    """Return for each image the chains of each of its boxes, as `ImageRows` has them."""
    accepted = Box.objects.filter(image_id__in=ids, state=BoxState.ACCEPTED.value).order_by()
    chain_of: dict[tuple[int, int], int] = {}
    same: dict[int, dict[tuple[int, ...], set[int]]] = defaultdict(lambda: defaultdict(set))
    for image, number, chain, *edges in accepted.values_list("image_id", "number", "chain", *EDGES):
        chain_of[image, number] = final = into.get((image, chain), chain)
        same[image][tuple(edges)].add(final)
    merged: dict[int, dict[tuple[int, ...], set[int]]] = defaultdict(lambda: defaultdict(set))
    rows = MergedBox.objects.filter(image_id__in=ids).order_by()
    for image, members, *edges in rows.values_list("image_id", column_text("members"), *EDGES):
        merged[image][tuple(edges)] |= {chain_of[image, number] for number in read_json(members)}
    return {image: list(boxes.values()) for image, boxes in (same | merged).items()}
