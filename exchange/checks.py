"""Checks of the texts, values and images of a source, and the errors that they raise.

Every message names the place of what is wrong, so that a user can find it.
"""

import codecs
import json
import math
import re
from collections import Counter
from os import SEEK_END
from pathlib import Path
from typing import Any, TypeVar

from annotation.bounds import (
    LONGEST_CAPTION,
    LONGEST_CATEGORY,
    LONGEST_ID,
    LONGEST_PHRASE,
    MOST_BAD_LINES,
    MOST_BOXES,
    MOST_CAPTIONS,
    MOST_CAPTIONS_TO_ANNOTATE,
    MOST_PHRASES,
    MOST_PHRASES_OF_CAPTION,
)
from exchange.dataset import UNUSABLE, DatasetImage, DatasetMention, Problem

P = TypeVar("P", bound=Problem)


class SourceError(Exception):
    """The source cannot be read at all; `problem` holds the place and the reason."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class Defect(Exception):
    """An error in the file that is read, with its line if it is known. The reader turns it into a `Problem`."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line

    def problem(self, file: str, image: str = "", key: str = "") -> Problem:
        """Return the problem with the file, and with the image that is left out; `key` tells it from others."""
        return Problem(file=file, line=self.line, image=image, message=self.message, key=key)


def source_error(file: object, message: str, line: int | None = None) -> SourceError:
    """Return the error for a source that cannot be read at all."""
    return SourceError(Problem(file=str(file), line=line, image="", message=message))


class BadRows(list[P]):
    """Problems of rows that cannot be read. A row may have two bytes, and its problem hundreds."""

    def append(self, problem: P) -> None:
        """Keep the problem. Raises SourceError for one too many."""
        super().append(problem)
        if len(self) > MOST_BAD_LINES:
            raise source_error(problem.file, f"has more than {MOST_BAD_LINES:,} rows that cannot be read")


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


def words_of(image: DatasetImage, mention: DatasetMention) -> str:
    return " ".join(image.captions[mention.caption].words[mention.start : mention.end])


def describe_excess(image: DatasetImage, *, to_annotate: bool = False) -> str:
    """Describe what is too long or too much (annotation/bounds.py); empty if nothing is.

    An image whose phrases all have their chains may have more captions than one that is still to be annotated.
    `to_annotate`: such an image is, too, since its chains are gold or pre-annotations.
    """
    for number, caption in enumerate(image.captions, start=1):
        if len(caption.text) > LONGEST_CAPTION:
            return f"caption {number} has {len(caption.text):,} characters: at most {LONGEST_CAPTION:,} are allowed"
    for mention in image.mentions:
        if len(words_of(image, mention)) > LONGEST_PHRASE:
            return f"a phrase of caption {mention.caption + 1} is longer than {LONGEST_PHRASE} characters"
    if any(len(box.category) > LONGEST_CATEGORY for box in image.boxes):
        return f"a category's name is longer than {LONGEST_CATEGORY} characters"
    if len(image.boxes) > MOST_BOXES:
        return f"it has {len(image.boxes):,} boxes: at most {MOST_BOXES:,} are allowed"
    return _too_many(image, to_annotate=to_annotate) or next(
        (
            f"caption {caption + 1} has {count:,} phrases: at most {MOST_PHRASES_OF_CAPTION} are allowed"
            for caption, count in Counter(mention.caption for mention in image.mentions).items()
            if count > MOST_PHRASES_OF_CAPTION
        ),
        "",
    )


def _too_many(image: DatasetImage, *, to_annotate: bool) -> str:
    """Say how many captions or phrases are too many, and whether more captions would be allowed if annotated."""
    captions, phrases = len(image.captions), len(image.mentions)
    for count, most, what in ((captions, MOST_CAPTIONS, "captions"), (phrases, MOST_PHRASES, "phrases")):
        if count > most:
            return f"it has {count:,} {what}: at most {most:,} are allowed"
    has_chains = bool(phrases) and all(mention.chain is not None for mention in image.mentions)
    if captions > MOST_CAPTIONS_TO_ANNOTATE and (to_annotate or not has_chains):
        way_out = (
            f"{MOST_CAPTIONS:,} if its chains are imported as annotations"
            if has_chains
            else f"{MOST_CAPTIONS:,} of an image whose phrases all have chains"
        )
        allowed = f"at most {MOST_CAPTIONS_TO_ANNOTATE:,} are allowed of an image that is still to be annotated"
        return f"it has {captions:,} captions: {allowed}, {way_out}"
    return ""
