"""The pieces of an export put together in their order: the bytes are those that one process would have written."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from typing import IO
from zipfile import ZIP_STORED, ZipFile
from zlib import MAX_WBITS, crc32, decompressobj

from annotation.models import Project
from exchange.data_card.count_answers import AnswerCounts
from exchange.data_card.count_rows import RowCounts
from exchange.data_card.facts import Facts, facts_of
from exchange.data_card.kept_counts import add_counts
from exchange.data_card.write_card import CROISSANT, ENDING, README, write_card
from exchange.dataset import Numbers
from exchange.export_options import LeftOut
from exchange.formats.coco.write import FILES as COCO_FILES
from exchange.formats.coco.write import INFO, layout
from exchange.formats.grounding_rows import HubRow
from exchange.formats.hub.write import METADATA
from exchange.formats.mdetr.write import FILE as MDETR_FILE
from exchange.formats.mdetr.write import VALUES as MDETR_VALUES
from exchange.formats.parquet.write import FOLDER, TRAIN, write_rows
from exchange.formats.phrases import Fate, Fates
from exchange.pieces.deflated import END, PIECE, Archive, deflated, raw_member
from exchange.pieces.write_piece import FILES, LINES, TEXTS, UNNUMBERED, read_manifest

CATEGORIES, PARQUET = "categories", "parquet"
Part = bytes | str
"""Bytes of a file, or the name of a text of the pieces."""
ITEMS_JOINED = b","
"""Between the items of a list that stand in two pieces."""


class PiecesDifferError(Exception):
    """A piece has used up other numbers than the ones after it were told: the images changed meanwhile."""


def join_pieces(project: Project, export_format: str, pieces: Sequence[Path], target: Path, name: str) -> None:
    """Write the archive of an export to `target`, in an empty folder. `name`: of the export's folder or file.

    Raises PiecesDifferError for pieces that do not belong together.
    """
    root = target.parent / "inside" / name
    with ExitStack() as stack:
        opened = [_Piece(stack.enter_context(ZipFile(one))) for one in pieces]
        _check(export_format, opened)
        files = dict(_files(export_format))
        is_folder = "" not in files
        (root if is_folder else root.parent).mkdir(parents=True)
        joined = {path: _Joined(root / path if path else root, parts, opened) for path, parts in files.items()}
        for one in joined.values():
            one.write()
        if is_parquet := export_format == PARQUET:
            write_rows((row for piece in opened for row in piece.rows()), root, TRAIN)
        packed = [] if is_parquet else [name for one in opened for name in one.names]
        facts = _facts(project, export_format, opened, packed)
        write_card(facts, root)
        day = facts.changed
        archive = Archive(target, (day.year, day.month, day.day))
        for path, one in sorted(joined.items()):
            one.add_to(archive, f"{name}/{path}" if path else name)
        for shard in sorted((root / FOLDER).glob("*.parquet")) if is_parquet else ():
            archive.add_file(f"{name}/{FOLDER}/{shard.name}", shard, ZIP_STORED)
        for piece in opened if not is_parquet else ():
            piece.copy_files(archive, name)
        card = root if is_folder else root.with_name(root.name + ENDING)
        for file in (CROISSANT, README):
            archive.add_file(f"{card.name}/{file}", card / file)
        archive.close()


def _check(export_format: str, pieces: Sequence["_Piece"]) -> None:
    used = Numbers()
    for one in pieces if export_format not in UNNUMBERED else ():
        if Numbers(*one.manifest["start"]) != used:
            raise PiecesDifferError
        used = used.plus(Numbers(*one.manifest["used"]))


class _Piece:
    """A piece that is read."""

    def __init__(self, opened: ZipFile) -> None:
        self._zip = opened
        self.manifest = read_manifest(opened)
        self.files = [one for one in opened.infolist() if one.filename.startswith(FILES)]

    @property
    def names(self) -> list[str]:
        return [one.filename.removeprefix(FILES) for one in self.files]

    def holds(self, text: str) -> bool:
        """Tell whether the text is not empty."""
        return bool(self.manifest["sizes"][text])

    def text(self, name: str) -> IO[bytes]:
        """Open a text, which is compressed."""
        return self._zip.open(TEXTS + name)

    def copy_files(self, archive: Archive, folder: str) -> None:
        """Copy the whole files as they are compressed here."""
        source = self._zip.fp
        assert source is not None
        for one in self.files:
            packed = raw_member(source, one)
            sizes = {"size": one.file_size, "packed_size": len(packed), "checksum": one.CRC}
            archive.add(f"{folder}/{one.filename.removeprefix(FILES)}", [packed], **sizes, how=one.compress_type)

    def rows(self) -> Iterator[tuple[HubRow, bytes]]:
        """Yield the rows of images, each with its picture."""
        with self.text(LINES) as packed:
            lines = decompressobj(wbits=-MAX_WBITS).decompress(packed.read()).split(b"\n")
        for line in filter(None, lines):
            row: HubRow = json.loads(line)
            yield row, self._zip.read(FILES + row["file_name"])


def _files(export_format: str) -> Iterator[tuple[str, list[Part]]]:
    """Yield the files that are made of texts: their paths in the export, empty for the export itself, and parts."""
    match export_format:
        case "coco":
            for path, lists in COCO_FILES.items():
                yield path, list(layout(lists, INFO))
        case "mdetr":
            yield "", list(layout(MDETR_FILE, MDETR_VALUES))
        case "hub":
            yield METADATA, [LINES]
        case "flickr30k-entities" | "parquet":
            pass
        case _:
            yield "", [LINES]


class _Joined:
    """A file of the export: on disk as it is, and compressed in what the pieces hold."""

    def __init__(self, path: Path, parts: Sequence[Part], pieces: Sequence[_Piece]) -> None:
        self._path, self._parts, self._pieces = path, parts, pieces
        self._size = self._packed_size = self._checksum = 0

    def write(self) -> None:
        """Write the file, which the card describes, and measure it."""
        with self._path.open("wb") as file:
            for source in self._sources():
                read = decompressobj(wbits=-MAX_WBITS)
                while packed := source.read(PIECE):
                    text = read.decompress(packed)
                    file.write(text)
                    self._size += len(text)
                    self._packed_size += len(packed)
                    self._checksum = crc32(text, self._checksum)

    def add_to(self, archive: Archive, name: str) -> None:
        """Add the file to the archive, from the pieces."""
        sizes = {"size": self._size, "packed_size": self._packed_size + len(END), "checksum": self._checksum}
        archive.add(name, self._packed(), **sizes)

    def _packed(self) -> Iterator[bytes]:
        for source in self._sources():
            while part := source.read(PIECE):
                yield part
        yield END

    def _sources(self) -> Iterator[IO[bytes]]:
        for part in self._parts:
            if isinstance(part, bytes):
                yield _in_between(part)
                continue
            # Every piece has all categories of the project.
            pieces = self._pieces[-1:] if part == CATEGORIES else self._pieces
            for place, piece in enumerate([one for one in pieces if one.holds(part)]):
                if place and part != LINES:
                    yield _in_between(ITEMS_JOINED)
                with piece.text(part) as source:
                    yield source


def _in_between(text: bytes) -> IO[bytes]:
    return BytesIO(b"".join(deflated(BytesIO(text))))


def _facts(project: Project, export_format: str, pieces: Sequence[_Piece], packed: Sequence[str]) -> Facts:
    rows, answers, fates, left_out = RowCounts(), AnswerCounts(), Fates(), Counter[LeftOut]()
    for manifest in (one.manifest for one in pieces):
        add_counts(rows, answers, manifest["counts"])
        fates.counts.update({Fate(why): number for why, number in manifest["fates"].items()})
        left_out.update({LeftOut(why): number for why, number in manifest["left_out"].items()})
    notes = [f"{left_out[why]:,} {why}." for why in LeftOut if left_out[why]]
    return facts_of(
        project,
        rows,
        answers,
        export_format=export_format,
        notes=[*notes, *fates.sentences()],
        packed=packed,
    )
