"""The details of an image that a source has wrong: each is cut or left out, named and counted; what is sound stays."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

from annotation.bounds import LONGEST_ID
from annotation.rules.box import Box
from exchange.checks import BadRows, Defect, as_list, as_number, source_error
from exchange.dataset import Detail

# COCO gives coordinates in hundredths of a pixel. Anything below a millionth is floating-point noise.
_DIGITS = 6
_SLACK = 1
"""The number of pixels that a box may reach over the edge without a word: rounding makes it."""


class BoxUnit(StrEnum):
    """The units in which the boxes of a source may be."""

    PIXELS = "pixels"
    SHARES = "shares"
    """Shares of the picture from 0 to 1."""


@dataclass(slots=True)
class BoxForm:
    """The form of the boxes of one source, and what was seen of them."""

    unit: BoxUnit | None = None
    """None: nobody said; they are read as pixels."""
    largest: float = -math.inf
    """The largest edge that was read."""

    def note(self, *edges: float) -> None:
        """Note the right and the lower edges of boxes."""
        self.largest = max(self.largest, *edges)

    def pixels(self, numbers: Sequence[float], width: int, height: int) -> list[float]:
        """Return [x, y, width, height] in pixels."""
        x, y, w, h = numbers
        self.note(x + w, y + h)
        return [x * width, y * height, w * width, h * height] if self.unit is BoxUnit.SHARES else [x, y, w, h]

    def check(self, file: str) -> None:
        """Raise SourceError if all edges of the source are at most 1, and nobody said that they are pixels."""
        if self.unit is None and -math.inf < self.largest <= 1:
            raise source_error(
                file,
                "all edges of its boxes are at most 1: shares of the picture, it seems, and not pixels. Choose the "
                "unit of the boxes, on the page or with --boxes shares or --boxes pixels",
            )


@dataclass(slots=True)
class Details:
    """The details of one image that were cut or left out."""

    file: str
    image: str
    """The path of its picture."""
    line: int | None = None
    """The line of the image, for details that know none."""
    form: BoxForm = field(default_factory=BoxForm)
    found: list[Detail] = field(default_factory=BadRows)

    @contextmanager
    def left_out(self, what: str, line: int | None = None) -> Iterator[None]:
        """Leave `what` out, such as "the box", if reading it raises Defect."""
        try:
            yield
        except Defect as defect:
            self.add(f"{defect.message}: {what} is left out", defect.line or line)

    def add(self, message: str, line: int | None = None, *, cut: bool = False) -> None:
        """Note what became of a detail."""
        self.found.append(Detail(self.file, line or self.line, "", f"{message} ({self.image[:LONGEST_ID]})", cut=cut))

    def box(
        self, value: object, width: int, height: int, where: str, line: int | None = None, *, slack: int = _SLACK
    ) -> Box:
        """Return the smallest whole-pixel box around [x, y, width, height], cut at the edge of the image.

        `slack`: pixels that it may reach over the edge without a word. Raises Defect for a value that is no box, or has
        no area in the image.
        """
        numbers = self.form.pixels(four_numbers(value, where), width, height)
        box = whole_box(numbers, width, height, where)
        if passes_edge(numbers, width, height, slack):
            self.add(
                f"{where} {numbers} is not inside the image of {width} x {height} pixels: it is cut", line, cut=True
            )
        return box


def four_numbers(value: object, where: str) -> list[float]:
    """Return the numbers of [x, y, width, height]. Raises Defect for anything else."""
    numbers = [as_number(number, where) for number in as_list(value, where)]
    if len(numbers) != 4:
        raise Defect(f"{where} has {len(numbers)} numbers, not 4 (x, y, width, height)")
    return numbers


def whole_box(value: object, width: int, height: int, where: str) -> Box:
    """Return the smallest whole-pixel box around [x, y, width, height], cut at the edge of the image. Sizes in pixels.

    Raises Defect for a value that is no box, or has no area in the image.
    """
    x, y, w, h = numbers = four_numbers(value, where)
    if w <= 0 or h <= 0:
        raise Defect(f"{where} {numbers} has no area")
    left, upper = (math.floor(round(max(edge, 0), _DIGITS)) for edge in (x, y))
    right, lower = (math.ceil(round(min(edge, most), _DIGITS)) for edge, most in ((x + w, width), (y + h, height)))
    box = Box(left, upper, right, lower)
    if not box.fits(width, height):
        raise Defect(f"{where} {numbers} is outside the image of {width} x {height} pixels")
    return box


def passes_edge(numbers: Sequence[float], width: int, height: int, slack: int = _SLACK) -> bool:
    """Tell whether [x, y, width, height] reaches further over the edge of the image than rounding does."""
    x, y, w, h = numbers
    right, lower = round(x + w, _DIGITS), round(y + h, _DIGITS)
    return min(x, y) < -slack or right > width + slack or lower > height + slack
