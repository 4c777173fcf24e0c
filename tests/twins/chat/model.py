"""A model that sees the picture and reads the prompt of a request, knows the scenes, and errs as often as it should."""

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from annotation.rules.box import Box
from exchange.dataset import DatasetImage
from tests.twins.chat.truth import Mark, Truth, boxes_of

SMALL = (16, 12)
MARKED = re.compile(r"^- (.*\[\[.*)$", re.M)
MARK = re.compile(r"\[\[|\]\]")
BLUE = re.compile(r"blue and numbered in the picture: (.*)$", re.M)
RED = re.compile(r"red in the picture: (\[.*?\])")
LISTED = re.compile(r"\d+: (\[.*?\])")
NUMBERED = re.compile(r"^\d+: ", re.M)
WORDS = {1: "box", 2: "scene", 3: "none"}
OTHERS = {
    "coreference_link": ("same", "different"),
    "chain_verification": ("true", "false"),
    "box_requirement": ("box", "none"),
    "box_quality": ("good", "bad"),
    "box_coverage": ("all there", "more needed"),
}


@dataclass
class TwinModel:
    """A model. `form`: how it gives and reads boxes: pixels, 0-1000, 0-1, each also with -yx. `error`: its share."""

    truth: Truth
    pictures: Path
    form: str = "pixels"
    error: float = 0.0

    def __post_init__(self) -> None:
        self._small = {image.name: small(self.pictures / f"{image.name}.jpg") for image in self.truth.images}

    def reply(self, request: dict[str, Any]) -> str:
        """Return what the model says to a request."""
        parts = request["messages"][-1]["content"]
        text = next(part["text"] for part in parts if part["type"] == "text")
        jpeg = base64.b64decode(
            next(p["image_url"]["url"] for p in parts if p["type"] == "image_url").partition(",")[2]
        )
        task = request["response_format"]["json_schema"]["name"]
        if task == "box_proposal":
            return json.dumps(self._proposals(text, jpeg))
        marks = [mark for line in MARKED.findall(text) for mark in marks_in(line)]
        image, sent = self._seen(jpeg, {caption for caption, _ in marks})
        blue, red = BLUE.search(text), RED.search(text)
        done = [self._box(numbers, image, sent) for numbers in LISTED.findall(blue[1])] if blue else []
        new = self._box(red[1], image, sent) if red else None
        right = self.truth.right(task, image, marks, done, new)
        draw = int.from_bytes(hashlib.sha256((text + task).encode()).digest()[:4]) / 2**32
        return json.dumps(self._said(task, right, image, sent, wrong=draw < self.error))

    def _said(self, task: str, right: Any, image: DatasetImage, sent: tuple[int, int], *, wrong: bool) -> Any:
        if task != "box_drawing":
            word = WORDS.get(right, right) if task == "box_requirement" else right
            return {"answer": next(one for one in OTHERS[task] if one != word) if wrong else word}
        if "box" not in right or wrong:
            return {"none_missing": True, "box": None}
        return {"none_missing": False, "box": self._numbers(right["box"], image, sent)}

    def _proposals(self, text: str, jpeg: bytes) -> dict[str, Any]:
        caption = next(line.removeprefix("- ") for line in text.splitlines() if line.startswith("- "))
        image, sent = self._seen(jpeg, {caption})
        number = next(place for place, one in enumerate(image.captions) if one.text == caption)
        mentions = sorted((one for one in image.mentions if one.caption == number), key=lambda one: one.start)
        assert len(NUMBERED.findall(text)) == len(mentions)
        found = [[self._numbers(box, image, sent) for box in boxes_of(image, str(one.chain))] for one in mentions]
        return {"phrases": [{"phrase": place, "boxes": boxes} for place, boxes in enumerate(found, 1)]}

    def _seen(self, jpeg: bytes, captions: set[str]) -> tuple[DatasetImage, tuple[int, int]]:
        """Return the image that the picture shows, among those with these captions, and the size of the picture."""
        with Image.open(BytesIO(jpeg)) as picture:
            size = picture.size
        look = small(BytesIO(jpeg))
        fitting = self.truth.with_captions(captions)
        return min(fitting, key=lambda image: float(np.abs(self._small[image.name] - look).sum())), size

    def _numbers(self, box: Any, image: DatasetImage, sent: tuple[int, int]) -> list[float]:
        units = self._units(sent)
        sides = (image.width, image.height)
        x0, y0, x1, y1 = (round(at / side * unit, 4) for at, side, unit in zip(box, sides * 2, units * 2, strict=True))
        return [y0, x0, y1, x1] if self.form.endswith("-yx") else [x0, y0, x1, y1]

    def _box(self, numbers: str, image: DatasetImage, sent: tuple[int, int]) -> Box:
        a, b, c, d = json.loads(numbers)
        edges = (b, a, d, c) if self.form.endswith("-yx") else (a, b, c, d)
        units, sides = self._units(sent), (image.width, image.height)
        x0, y0, x1, y1 = (round(at / unit * side) for at, side, unit in zip(edges, sides * 2, units * 2, strict=True))
        return Box(x0, y0, x1, y1)

    def _units(self, sent: tuple[int, int]) -> tuple[float, float]:
        return {"pixels": sent, "0-1000": (1000, 1000), "0-1": (1, 1)}[self.form.removesuffix("-yx")]


def marks_in(line: str) -> list[Mark]:
    """Return the phrases that are marked in a caption."""
    text = MARK.sub("", line)
    found, removed = [], 0
    for mark in MARK.finditer(line):
        if mark[0] == "[[":
            found.append((text, mark.start() - removed))
        removed += 2
    return found


def small(picture: Any) -> Any:
    """Return a few grey values by which a picture is told from others, whatever boxes are drawn on it."""
    with Image.open(picture) as opened:
        opened.draft("L", (64, 48))
        return np.asarray(opened.convert("L").resize(SMALL, Image.Resampling.BOX), np.int32)
