"""Write images as files of a format, as an export of one part."""

import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from exchange.atomic import atomic_file, atomic_folder
from exchange.dataset import DatasetImage
from exchange.formats.format import Format
from exchange.formats.parts import ExportPart, PartText
from exchange.formats.phrases import ExportNote


def write_files(data_format: Format, images: Iterable[DatasetImage], target: Path) -> int:
    """Write the images to `target`, which appears when everything is written, and return their number.

    The target is a folder, or a file if the format has one or the target ends like one. Raises TargetExists if it is
    not empty, and ValueError for data that the format cannot hold.
    """
    as_file = data_format.is_file(target)
    with (atomic_file if as_file else atomic_folder)(target) as place:
        return write_in_place(data_format, images, place, as_file=as_file)


def write_in_place(
    data_format: Format,
    images: Iterable[Any],
    root: Path,
    *,
    as_file: bool,
    categories: Sequence[str] = (),
    notes: Counter[ExportNote] | None = None,
    pictures: str = "",
) -> int:
    """Write the images to `root`, a file or a folder that is there, and return their number.

    Arguments: see `ExportPart`.
    """
    assert data_format.write is not None
    layout = (as_file and data_format.file_layout) or data_format.layout
    files = {root / path if path else root: pieces for path, pieces in layout.items()}
    alone = {
        pieces[0].name: file for file, pieces in files.items() if len(pieces) == 1 and isinstance(pieces[0], PartText)
    }

    def open_text(name: str) -> IO[bytes]:
        return alone[name].open("wb") if name in alone else TemporaryFile()

    notes = Counter() if notes is None else notes
    with ExportPart(root, open_text, categories=categories, pictures=pictures, notes=notes) as part:
        for name in alone:
            part.text(name)  # the file of an export of nothing is empty
        count = data_format.write(images, part)
        for file, pieces in files.items():
            if file not in alone.values():
                _put_together(file, pieces, part)
    return count


def _put_together(file: Path, pieces: Sequence[bytes | PartText], part: ExportPart) -> None:
    with file.open("wb") as target:
        for piece in pieces:
            if isinstance(piece, bytes):
                target.write(piece)
                continue
            text = part.text(piece.name)
            text.seek(0)
            shutil.copyfileobj(text, target)


def pack_files(
    data_format: Format,
    images: Iterable[DatasetImage],
    folder: Path,
    pictures: Path,
    *,
    part: str = "",
    notes: Counter[ExportNote] | None = None,
) -> int:
    """Write rows and pictures together into the folder as files of a part, and return the number of images.

    `pictures`: a folder with the picture of each image once it is asked for; those that were written are removed.
    `part`: empty: the export has no parts.
    """
    packing = data_format.packing
    assert packing is not None
    with ExportPart(folder, notes=Counter() if notes is None else notes) as texts:
        rows = ((row, _take(pictures / row["file_name"])) for row in packing.rows(images, texts))
        return packing.pack(rows, folder, part or packing.whole)


def _take(picture: Path) -> bytes:
    data = picture.read_bytes()
    picture.unlink()
    return data
