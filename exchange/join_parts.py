"""The parts of an archive put together in their order: the bytes are those that one part would have given."""

import json
import shutil
import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo
from zlib import MAX_WBITS, crc32, decompressobj

from annotation.models import Project
from exchange.data_card.counts import AnswerCounts, RowCounts, add_counts
from exchange.data_card.facts import Facts
from exchange.data_card.write_card import CROISSANT, ENDING, README, write_card
from exchange.dataset import Numbers
from exchange.export_parts import CHUNK, FILES, MANIFEST, TEXTS, deflated
from exchange.formats.format import Format
from exchange.formats.parts import LINES, PartText
from exchange.formats.phrases import ExportNote, note_sentences
from exchange.formats.pictures import SUFFIXES

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
        facts = _facts(project, data_format, opened, packed)
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


def raw_member(file: IO[bytes], member: ZipInfo) -> bytes:
    """Return a member of an archive as it is compressed there."""
    file.seek(member.header_offset + NAME_AT)
    name, extra = struct.unpack("<HH", file.read(4))
    file.seek(member.header_offset + LOCAL_HEADER + name + extra)
    return file.read(member.compress_size)


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
            packed = raw_member(source, file)
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


def _facts(project: Project, data_format: Format, parts: Sequence[_WrittenPart], packed: Sequence[str]) -> Facts:
    rows, answers, notes = RowCounts(), AnswerCounts(), Counter[ExportNote]()
    for manifest in (part.manifest for part in parts):
        add_counts(rows, answers, manifest["counts"])
        notes.update({ExportNote(note): number for note, number in manifest["notes"].items()})
    return Facts(project, data_format, rows, answers, note_sentences(notes), packed=packed)
