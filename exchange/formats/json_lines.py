"""Files of JSON Lines with sorted keys, which appear when they are complete."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from exchange.atomic import atomic_file
from exchange.formats.phrases import GroundedImage
from exchange.json_text import json_text


def write_lines(
    images: Iterable[GroundedImage], lines: Callable[[GroundedImage], Iterator[Mapping[str, Any]]], target: Path
) -> int:
    """Write the lines of each image, and return the number of images. Raises TargetExists if the file is not empty."""
    count = 0
    with atomic_file(target) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        for image in images:
            count += 1
            file.writelines(f"{json_text(one)}\n" for one in lines(image))
    return count
