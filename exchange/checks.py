"""Checks of texts and of values from JSON files. Every message names the value's place, so that a user can find it."""

import codecs
import json
import math
import re
from os import SEEK_END
from pathlib import Path
from typing import Any

from annotation.bounds import LONGEST_ID
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


_NUMBER = re.compile(r"-?[1-9][0-9]{0,17}|0")


def parse_json(text: str | bytes) -> Any:
    """Read JSON text. Raises Defect with the line for text that is not JSON.

    NaN and Infinity are read as numbers here, so that only the image that holds them is left out.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise Defect(f"is not JSON: {error.msg} (column {error.colno})", error.lineno) from error
    except (RecursionError, ValueError) as error:
        raise Defect(f"is not JSON that can be read: {error}") from error


def member(value: object, key: str, where: str) -> Any:
    """Return the value of a key of a JSON object. Raises Defect if there is no object or no such key."""
    if not isinstance(value, dict):
        raise Defect(f"{where} is {kind(value)}, not an object")
    if key not in value:
        raise Defect(f"{where} has no {key!r}")
    return value[key]


def as_list(value: object, where: str) -> list[Any]:
    """Return a JSON array. Raises Defect for anything else."""
    if not isinstance(value, list):
        raise Defect(f"{where} is {kind(value)}, not a list")
    return value


def as_text(value: object, where: str) -> str:
    """Return a string of usable characters. Raises Defect for anything else."""
    if not isinstance(value, str):
        raise Defect(f"{where} is {kind(value)}, not a text")
    try:
        check_characters(value)
    except Defect as defect:
        raise Defect(f"{where} {defect.message}") from defect
    return value


def as_id(value: object, where: str) -> int | str:
    """Return an id: a whole number of at most 64 bits, which may be written 1.0, or a usable text that is not long.

    Raises Defect for anything else.
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise Defect(f"{where} is {kind(value)}, not a whole number or a text")
    if isinstance(value, int):
        # All multiples of 2 ** 61 - 1 have one hash: a dict of many of them would take forever.
        if value.bit_length() > 64:
            raise Defect(f"{where} is a whole number of more than 64 bits: write it as a text")
        return value
    if len(value) > LONGEST_ID:
        raise Defect(f"{where} has {len(value):,} characters: at most {LONGEST_ID} are allowed")
    return as_text(value, where)


def same_id(number: int | str) -> int | str:
    """Return the form in which ids are compared: a number may be a number in one file and a text in another."""
    return int(number) if isinstance(number, str) and _NUMBER.fullmatch(number) else number


def as_number(value: object, where: str) -> float:
    """Return a finite number. Raises Defect for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Defect(f"{where} is {kind(value)}, not a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise Defect(f"{where} is {number}, not a finite number")
    return number


def as_pixels(value: object, where: str) -> int:
    """Return a side of an image, a whole number of at least one pixel. Raises Defect for anything else."""
    number = as_number(value, where)
    if not number.is_integer() or not 1 <= number < 1_000_000:
        raise Defect(f"{where} is {value}, not a whole number of pixels")
    return int(number)


def kind(value: object) -> str:
    """Name the kind of a value of JSON or of a Parquet file."""
    names = {
        dict: "an object",
        list: "a list",
        str: "a text",
        bool: "true or false",
        type(None): "null",
        bytes: "bytes",
    }
    return names.get(type(value), "a number")
