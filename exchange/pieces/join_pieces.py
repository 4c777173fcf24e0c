"""The pieces of an export put together in their order: the bytes are those that one process would have written."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_STORED, ZipFile
from zlib import MAX_WBITS, crc32, decompressobj

from annotation.models import Project
from exchange.data_card.counts import AnswerCounts, RowCounts, add_counts
from exchange.data_card.facts import Facts, facts_of
from exchange.data_card.write_card import CROISSANT, ENDING, README, write_card
from exchange.dataset import Numbers
from exchange.export_options import LeftOut
from exchange.formats.format import Format
from exchange.formats.parts import LINES, Text
from exchange.formats.phrases import Fate, Fates
from exchange.pieces.deflated import END, PIECE, Archive, deflated, raw_member
from exchange.pieces.write_piece import FILES, TEXTS, read_manifest


class PiecesDifferError(Exception):
    """A piece has used up other numbers than the ones after it were told: the images changed meanwhile."""


def join_pieces(project: Project, data_format: Format, pieces: Sequence[Path], target: Path, name: str) -> None:
    """Write the archive of an export to `target`, in an empty folder. `name`: of the export's folder or file.

    Raises PiecesDifferError for pieces that do not belong together.
    """
    root = target.parent / "inside" / name
    with ExitStack() as stack:
        opened = [_Piece(stack.enter_context(ZipFile(piece))) for piece in pieces]
        _check(data_format, opened)
        files = {} if data_format.packing else data_format.layout(False)
        is_folder = "" not in files
        (root if is_folder else root.parent).mkdir(parents=True)
        joined = {path: _Joined(root / path if path else root, parts, opened) for path, parts in files.items()}
        for one in joined.values():
            one.write()
        packing = data_format.packing
        if packing:
            packing.pack((row for piece in opened for row in piece.rows()), root, packing.whole)
        shards = sorted(file for file in root.rglob("*") if file.is_file()) if packing else []
        packed = [] if packing else [name for piece in opened for name in piece.names]
        facts = _facts(project, data_format, opened, packed)
        write_card(facts, root)
        day = facts.changed
        archive = Archive(target, (day.year, day.month, day.day))
        for path, file in sorted(joined.items()):
            file.add_to(archive, f"{name}/{path}" if path else name)
        for shard in shards:
            archive.add_file(f"{name}/{shard.relative_to(root).as_posix()}", shard, ZIP_STORED)
        for piece in opened if not packing else ():
            piece.copy_files(archive, name)
        card = root if is_folder else root.with_name(root.name + ENDING)
        for card_file in (CROISSANT, README):
            archive.add_file(f"{card.name}/{card_file}", card / card_file)
        archive.close()


def _check(data_format: Format, pieces: Sequence["_Piece"]) -> None:
    used = Numbers()
    for piece in pieces if data_format.numbered else ():
        if Numbers(*piece.manifest["start"]) != used:
            raise PiecesDifferError
        used = used.plus(Numbers(*piece.manifest["used"]))


class _Piece:
    """A piece that is read."""

    def __init__(self, opened: ZipFile) -> None:
        self._zip = opened
        self.manifest = read_manifest(opened)
        self.files = [one for one in opened.infolist() if one.filename.startswith(FILES)]

    @property
    def names(self) -> list[str]:
        return [file.filename.removeprefix(FILES) for file in self.files]

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
        for file in self.files:
            packed = raw_member(source, file)
            sizes = {"size": file.file_size, "packed_size": len(packed), "checksum": file.CRC}
            archive.add(f"{folder}/{file.filename.removeprefix(FILES)}", [packed], **sizes, how=file.compress_type)

    def rows(self) -> Iterator[tuple[dict[str, Any], bytes]]:
        """Yield the rows of images, each with its picture."""
        with self.text(LINES.name) as packed:
            lines = decompressobj(wbits=-MAX_WBITS).decompress(packed.read()).split(b"\n")
        for line in filter(None, lines):
            row: dict[str, Any] = json.loads(line)
            yield row, self._zip.read(FILES + row["file_name"])


class _Joined:
    """A file of the export: on disk as it is, and compressed in what the pieces hold."""

    def __init__(self, path: Path, parts: Sequence[bytes | Text], pieces: Sequence[_Piece]) -> None:
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
            pieces = self._pieces[-1:] if part.last else self._pieces
            for place, piece in enumerate([piece for piece in pieces if piece.holds(part.name)]):
                if place and part.between:
                    yield _in_between(part.between)
                with piece.text(part.name) as source:
                    yield source


def _in_between(text: bytes) -> IO[bytes]:
    return BytesIO(b"".join(deflated(BytesIO(text))))


def _facts(project: Project, data_format: Format, pieces: Sequence[_Piece], packed: Sequence[str]) -> Facts:
    rows, answers, fates, left_out = RowCounts(), AnswerCounts(), Fates(), Counter[LeftOut]()
    for manifest in (piece.manifest for piece in pieces):
        add_counts(rows, answers, manifest["counts"])
        fates.counts.update({Fate(why): number for why, number in manifest["fates"].items()})
        left_out.update({LeftOut(why): number for why, number in manifest["left_out"].items()})
    notes = [f"{left_out[why]:,} {why}." for why in LeftOut if left_out[why]]
    return facts_of(
        project,
        rows,
        answers,
        export_format=data_format,
        notes=[*notes, *fates.sentences()],
        packed=packed,
    )
