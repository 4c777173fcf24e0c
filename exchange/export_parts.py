"""The parts of an archive: ranges of its images, which several job runners write side by side, and then one joins.

Storage holds them. A part is an archive of the texts of its range, of whole files, and of what was counted. Joined, the
bytes are those that one part would have given.
"""

import json
import shutil
import struct
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import date
from functools import partial
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo
from zlib import MAX_WBITS, Z_FULL_FLUSH, compressobj, crc32, decompressobj

from django.core.files.base import File

from annotation.models import Box, Caption, Chain, KnownBox, Mention, MergedBox, Project
from annotation.rules.states import BoxState
from annotation.storage import store
from exchange.data_card.counts import AnswerCounts, RowCounts, add_counts, counts_as_json
from exchange.data_card.facts import Facts, count
from exchange.data_card.write_card import CROISSANT, ENDING, README, write_card
from exchange.dataset import DatasetImage, Numbers
from exchange.export_dataset import Export
from exchange.export_options import AS_THEY_CAME, ExportOptions
from exchange.export_pictures import JPEG, taken_names
from exchange.formats.format import Format, RowNeed
from exchange.formats.parts import LINES, ExportPart, PartText, used_numbers_of
from exchange.formats.phrases import ExportNote, note_sentences
from exchange.formats.pictures import SUFFIXES
from exchange.json_text import read_json
from exchange.leftovers import workspace
from exchange.load_project import column_text
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


COMPRESSED = SUFFIXES | {".parquet"}
"""Endings of files that a format has compressed."""
END = b"\x03\x00"
"""An empty last block of a compressed text."""
LOCAL_HEADER, NAME_AT = 30, 26
"""The bytes before the name of a member, and the place of the lengths of its name and of what stands behind that."""


class PartsDifferError(Exception):
    """A part has used up other numbers than the ones after it were told: the images changed meanwhile."""


def join_parts(project: Project, data_format: Format, parts: Sequence[Path], target: Path, name: str) -> None:
    """Write the archive of an export to `target`, in an empty folder. `name`: of the export's folder or file.

    Raises PartsDifferError for parts that do not belong together.
    """
    root = target.parent / "inside" / name
    with ExitStack() as stack:
        opened = [_WrittenPart(stack.enter_context(ZipFile(part))) for part in parts]
        _check(data_format, opened)
        files = {} if data_format.packing else data_format.layout
        is_folder = "" not in files
        (root if is_folder else root.parent).mkdir(parents=True)
        joined = {path: _Joined(root / path if path else root, pieces, opened) for path, pieces in files.items()}
        for file in joined.values():
            file.write()
        packing = data_format.packing
        if packing:
            packing.pack((row for part in opened for row in part.rows()), root, packing.whole)
        shards = sorted(file for file in root.rglob("*") if file.is_file()) if packing else []
        packed = [] if packing else [name for part in opened for name in part.names]
        rows, answers, notes = RowCounts(), AnswerCounts(), Counter[ExportNote]()
        for manifest in (part.manifest for part in opened):
            add_counts(rows, answers, manifest["counts"])
            notes.update({ExportNote(note): number for note, number in manifest["notes"].items()})
        facts = Facts(project, data_format, rows, answers, note_sentences(notes), packed=packed)
        write_card(facts, root)
        day = facts.changed
        archive = PackedArchive(target, (day.year, day.month, day.day))
        for path, file in sorted(joined.items()):
            file.add_to(archive, f"{name}/{path}" if path else name)
        for shard in shards:
            archive.add_file(f"{name}/{shard.relative_to(root).as_posix()}", shard, ZIP_STORED)
        for part in opened if not packing else ():
            part.copy_files(archive, name)
        card = root if is_folder else root.with_name(root.name + ENDING)
        for card_file in (CROISSANT, README):
            archive.add_file(f"{card.name}/{card_file}", card / card_file)
        archive.close()


def _check(data_format: Format, parts: Sequence["_WrittenPart"]) -> None:
    used = Numbers()
    for part in parts if data_format.numbered else ():
        if Numbers(*part.manifest["start"]) != used:
            raise PartsDifferError
        used = used.plus(Numbers(*part.manifest["used"]))


class PackedArchive:
    """A ZIP archive whose members are compressed already. All have the same time, so that the bytes tell nothing else.

    zipfile writes the headers and the directory.
    """

    def __init__(self, path: Path, day: tuple[int, int, int]) -> None:
        self._zip = ZipFile(path, "w", ZIP_DEFLATED)
        self._day = (*day, 0, 0, 0)

    def add(
        self, name: str, packed: Iterable[bytes], *, size: int, packed_size: int, checksum: int, how: int = ZIP_DEFLATED
    ) -> None:
        """Add a member as it is compressed. `size`: of what it holds; `checksum`: its CRC-32; `how`: as of zipfile."""
        info = self._info(name, how)
        info.file_size, info.compress_size, info.CRC = size, packed_size, checksum
        file = self._zip.fp
        assert file is not None
        file.seek(self._zip.start_dir)
        info.header_offset = file.tell()
        file.write(info.FileHeader())
        for chunk in packed:
            file.write(chunk)
        self._zip.start_dir = file.tell()
        self._zip.filelist.append(info)
        self._zip.NameToInfo[name] = info
        self._zip._didModify = True  # type: ignore[attr-defined]  # or the directory is not written

    def add_file(self, name: str, file: Path, how: int = ZIP_DEFLATED) -> None:
        """Add a file, and compress it unless it is compressed already."""
        with file.open("rb") as source, self._zip.open(self._info(name, how), "w") as into:
            shutil.copyfileobj(source, into, CHUNK)

    def close(self) -> None:
        """Write the directory."""
        self._zip.close()

    def _info(self, name: str, how: int) -> ZipInfo:
        info = ZipInfo(name, self._day)
        info.compress_type = how
        info.external_attr = 0o644 << 16
        return info


def pack_folder(folder: Path, target: Path, day: date) -> None:
    """Write all files of the folder as an archive. What is compressed by its format stays as it is."""
    archive = PackedArchive(target, (day.year, day.month, day.day))
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        how = ZIP_STORED if file.suffix.lower() in COMPRESSED else ZIP_DEFLATED
        archive.add_file(file.relative_to(folder).as_posix(), file, how)
    archive.close()


class _WrittenPart:
    """A part that is read."""

    def __init__(self, opened: ZipFile) -> None:
        self._zip = opened
        self.manifest: dict[str, Any] = json.loads(opened.read(MANIFEST))
        self.files = [member for member in opened.infolist() if member.filename.startswith(FILES)]

    @property
    def names(self) -> list[str]:
        return [file.filename.removeprefix(FILES) for file in self.files]

    def has_text(self, text: str) -> bool:
        """Tell whether the text is not empty."""
        return bool(self.manifest["sizes"][text])

    def text(self, name: str) -> IO[bytes]:
        """Open a text, which is compressed."""
        return self._zip.open(TEXTS + name)

    def copy_files(self, archive: PackedArchive, folder: str) -> None:
        """Copy the whole files as they are compressed here."""
        source = self._zip.fp
        assert source is not None
        for file in self.files:
            source.seek(file.header_offset + NAME_AT)
            name, extra = struct.unpack("<HH", source.read(4))
            source.seek(file.header_offset + LOCAL_HEADER + name + extra)
            packed = source.read(file.compress_size)
            sizes = {"size": file.file_size, "packed_size": len(packed), "checksum": file.CRC}
            archive.add(f"{folder}/{file.filename.removeprefix(FILES)}", [packed], **sizes, how=file.compress_type)

    def rows(self) -> Iterator[tuple[dict[str, Any], bytes]]:
        """Yield the rows of images, each with its picture."""
        for line in self._lines():
            row: dict[str, Any] = json.loads(line)
            yield row, self._zip.read(FILES + row["file_name"])

    def _lines(self) -> Iterator[bytes]:
        read, rest = decompressobj(wbits=-MAX_WBITS), b""
        with self.text(LINES.name) as packed:
            while chunk := packed.read(CHUNK):
                *lines, rest = (rest + read.decompress(chunk)).split(b"\n")
                yield from lines


class _Joined:
    """A file of the export: on disk as it is, and compressed in what the parts hold."""

    def __init__(self, path: Path, pieces: Sequence[bytes | PartText], parts: Sequence[_WrittenPart]) -> None:
        self._path, self._pieces, self._parts = path, pieces, parts
        self._size = self._packed_size = self._checksum = 0

    def write(self) -> None:
        """Write the file, which the card describes, and measure it."""
        with self._path.open("wb") as file:
            for source in self._sources():
                read = decompressobj(wbits=-MAX_WBITS)
                while packed := source.read(CHUNK):
                    text = read.decompress(packed)
                    file.write(text)
                    self._size += len(text)
                    self._packed_size += len(packed)
                    self._checksum = crc32(text, self._checksum)

    def add_to(self, archive: PackedArchive, name: str) -> None:
        """Add the file to the archive, from the parts."""
        sizes = {"size": self._size, "packed_size": self._packed_size + len(END), "checksum": self._checksum}
        archive.add(name, self._packed(), **sizes)

    def _packed(self) -> Iterator[bytes]:
        for source in self._sources():
            while chunk := source.read(CHUNK):
                yield chunk
        yield END

    def _sources(self) -> Iterator[IO[bytes]]:
        for piece in self._pieces:
            if isinstance(piece, bytes):
                yield _in_between(piece)
                continue
            parts = self._parts[-1:] if piece.last else self._parts
            for place, part in enumerate([part for part in parts if part.has_text(piece.name)]):
                if place and piece.between:
                    yield _in_between(piece.between)
                with part.text(piece.name) as source:
                    yield source


def _in_between(text: bytes) -> IO[bytes]:
    return BytesIO(b"".join(deflated(BytesIO(text))))
