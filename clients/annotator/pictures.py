"""Pictures as a model gets them: of a bounded size, with boxes drawn on them, as data URLs."""

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont, ImageOps

from clients.annotator.coordinates import PictureSizes
from clients.annotator.errors import NoPicture

DONE_BOX_COLOUR, JUDGED_BOX_COLOUR = (20, 90, 255), (255, 30, 30)
"""Colours of the boxes that are done and of the box that is judged."""
QUALITY = 90
SCREEN = 1600
"""The longest side in pixels of the smaller of the two sizes that the service offers."""
MAX_CACHED_FILES, MAX_CACHED_SCALED = 32, 8
"""Files that are kept, and scaled pictures: most questions in a row are about few images."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A picture as it is sent: a JPEG, and its size beside that of the image."""

    jpeg: bytes
    frame: PictureSizes

    @property
    def data_url(self) -> str:
        return "data:image/jpeg;base64," + base64.b64encode(self.jpeg).decode()


class PictureLoader:
    """Loads pictures and makes them ready to be sent."""

    def __init__(self, load: Callable[[str], bytes], *, longest: int, multiple: int = 1) -> None:
        """`load`: returns the file at an address of the service. `longest`: the longest side in pixels.

        `multiple`: both sides become multiples of it, so that a model that works on such sides does not scale again.
        """
        self._longest, self._multiple = longest, multiple
        self._load = lru_cache(MAX_CACHED_FILES)(load)
        self._scaled = lru_cache(MAX_CACHED_SCALED)(self._scale)

    def whole(self, image: dict[str, object]) -> Image.Image:
        """Return the largest upright picture as RGB. Raises NoPicture.

        `image`: url, full_url, width and height, as the API gives them.
        """
        return self._opened(str(image["full_url"]))

    def _opened(self, address: str) -> Image.Image:
        try:
            with Image.open(BytesIO(self._load(address))) as opened:
                return ImageOps.exif_transpose(opened).convert("RGB")
        except (OSError, ValueError, Image.DecompressionBombError) as error:
            raise NoPicture("a picture that cannot be read") from error

    def sent(
        self, image: dict[str, object], boxes: Sequence[Sequence[int]] = (), new_box: Sequence[int] | None = None
    ) -> Sent:
        """Return the picture with boxes that are done, numbered from 1, and the new one. Raises NoPicture."""
        address = image["full_url"] if self._longest > SCREEN else image["url"]
        picture = self._scaled(str(address)).copy()
        frame = PictureSizes((int(str(image["width"])), int(str(image["height"]))), picture.size)
        for number, box in enumerate(boxes, 1):
            _draw(picture, box, frame, DONE_BOX_COLOUR, str(number))
        if new_box:
            _draw(picture, new_box, frame, JUDGED_BOX_COLOUR, "")
        out = BytesIO()
        picture.save(out, "JPEG", quality=QUALITY)
        return Sent(out.getvalue(), frame)

    def _scale(self, address: str) -> Image.Image:
        picture = self._opened(address)
        scale = min(1.0, self._longest / max(picture.size))
        width, height = (self._side(side * scale) for side in picture.size)
        return picture.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=3.0)

    def _side(self, side: float) -> int:
        return max(self._multiple, round(side / self._multiple) * self._multiple)


def _draw(
    picture: Image.Image, box: Sequence[int], frame: PictureSizes, colour: tuple[int, int, int], name: str
) -> None:
    """Draw the outline of a box of the image around its inside, and its name in a corner."""
    line = max(2, max(frame.sent) // 300)
    at = [edge * sent / side for edge, sent, side in zip(box, frame.sent * 2, frame.image * 2, strict=True)]
    corners = (at[0] - line, at[1] - line, max(at[2] + line - 1, at[0]), max(at[3] + line - 1, at[1]))
    draw = ImageDraw.Draw(picture)
    draw.rectangle(corners, outline=colour, width=line)
    if name:
        font = ImageFont.load_default(max(12, max(frame.sent) // 50))
        corner = (max(at[0], 0), max(at[1], 0))
        draw.rectangle(draw.textbbox(corner, name, font=font), fill=colour)
        draw.text(corner, name, fill=(255, 255, 255), font=font)
