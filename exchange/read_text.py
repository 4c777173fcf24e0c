"""Text files: UTF-8 with or without a byte order mark, without characters that cannot be stored."""

import codecs
from os import SEEK_END
from pathlib import Path

from exchange.dataset import UNUSABLE
from exchange.problems import Defect


def read_bytes(path: Path, *, most: int) -> bytes:
    """Return the file's content. Raises Defect if it cannot be read, or has more than `most` bytes."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, SEEK_END)
            if size > most:
                raise Defect(f"has {size:,} bytes: at most {most:,} are read")
            file.seek(0)
            return file.read(size)  # as many bytes as are asked for are reserved, even if the file has fewer
    except OSError as error:
        raise Defect(f"cannot be read: {error.strerror or error}") from error


def decode(data: bytes, first_line: int = 1) -> str:
    """Decode UTF-8 without a byte order mark. `first_line` is the line of the first byte. Raises Defect."""
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line = first_line + error.object.count(b"\n", 0, error.start)
        byte = error.object[error.start]
        raise Defect(f"is not UTF-8 (byte 0x{byte:02x}): save the file as UTF-8", line) from error
    check_characters(text, first_line)
    return text


def check_characters(text: str, first_line: int | None = None) -> None:
    """Raise Defect for control characters and lone surrogates, with the line if `first_line` is given."""
    found = UNUSABLE.search(text)
    if found:
        line = None if first_line is None else first_line + text.count("\n", 0, found.start())
        raise Defect(f"has the control character U+{ord(found[0]):04X}: remove it", line)


def read_lines(path: Path, *, most: int) -> list[str]:
    """Return the lines of a file of at most `most` bytes, without their line ends (LF or CR LF). Raises Defect."""
    lines = decode(read_bytes(path, most=most)).split("\n")
    return [line.removesuffix("\r") for line in lines]
