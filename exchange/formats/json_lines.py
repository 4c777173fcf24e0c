"""Files of JSON Lines with sorted keys."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from exchange.formats.parts import LINES, Layout, Part
from exchange.formats.phrases import GroundedImage
from exchange.json_text import json_text


def layout_of_lines(as_file: bool) -> Layout:  # noqa: FBT001  # formats have functions of this form
    """Return the one file of an export that is a file of lines."""
    return {"": [LINES]}


def write_lines(
    images: Iterable[GroundedImage], lines: Callable[[GroundedImage], Iterator[Mapping[str, Any]]], part: Part
) -> int:
    """Write the lines of each image, and return the number of images."""
    count, text = 0, part.text(LINES.name)
    for image in images:
        count += 1
        text.write("".join(f"{json_text(line)}\n" for line in lines(image)).encode())
    return count
