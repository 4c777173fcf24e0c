"""Compressed texts that can be put behind one another, and archives of what is compressed already.

A text is compressed without an end, up to a whole byte. So the texts of several ranges together, and an end, are what a
ZIP archive holds of a file: nobody has to compress a large file at once.
"""

import shutil
import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

PIECE = 1 << 20
END = b"\x03\x00"
"""An empty last block."""
LOCAL_HEADER, NAME_AT = 30, 26
"""The bytes before the name of a member, and the place of the lengths of its name and of what stands behind that."""


def deflated(source: IO[bytes]) -> Iterator[bytes]:
    """Yield the text compressed, without an end."""
    made = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    while text := source.read(PIECE):
        yield made.compress(text)
    yield made.flush(zlib.Z_FULL_FLUSH)


class Archive:
    """A ZIP archive whose members are compressed already. All have the same time, so that the bytes tell nothing else.

    zipfile writes the headers and the directory.
    """

    def __init__(self, path: Path, day: tuple[int, int, int]) -> None:
        self._zip = ZipFile(path, "w", ZIP_DEFLATED)
        self._day = (*day, 0, 0, 0)

    def add(
        self,
        name: str,
        packed: Iterable[bytes],
        *,
        size: int,
        packed_size: int,
        checksum: int,
        how: int = ZIP_DEFLATED,
    ) -> None:
        """Add a member as it is compressed. `size`: of what it holds; `checksum`: its CRC-32; `how`: as of zipfile."""
        info = self._info(name, how)
        info.file_size, info.compress_size, info.CRC = size, packed_size, checksum
        file = self._zip.fp
        assert file is not None
        file.seek(self._zip.start_dir)
        info.header_offset = file.tell()
        file.write(info.FileHeader())
        for part in packed:
            file.write(part)
        self._zip.start_dir = file.tell()
        self._zip.filelist.append(info)
        self._zip.NameToInfo[name] = info
        self._zip._didModify = True  # type: ignore[attr-defined]  # or the directory is not written

    def add_file(self, name: str, file: Path, how: int = ZIP_DEFLATED) -> None:
        """Add a file, and compress it unless it is compressed already."""
        with file.open("rb") as source, self._zip.open(self._info(name, how), "w") as into:
            shutil.copyfileobj(source, into, PIECE)

    def close(self) -> None:
        """Write the directory."""
        self._zip.close()

    def _info(self, name: str, how: int) -> ZipInfo:
        info = ZipInfo(name, self._day)
        info.compress_type = how
        info.external_attr = 0o644 << 16
        return info


def raw_member(file: IO[bytes], member: ZipInfo) -> bytes:
    """Return a member of an archive as it is compressed there."""
    file.seek(member.header_offset + NAME_AT)
    name, extra = struct.unpack("<HH", file.read(4))
    file.seek(member.header_offset + LOCAL_HEADER + name + extra)
    return file.read(member.compress_size)
