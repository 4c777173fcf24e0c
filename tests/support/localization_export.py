"""A small export in which the kind of a thing tells its place, for tests of localization.
Files of regions as another program hands them to the evaluation.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

WIDTH, HEIGHT = 200, 100
COLORS = {"red": (200, 30, 30), "blue": (30, 40, 200), "green": (30, 160, 40)}
CAPTIONS = (
    "[/EN#1/people A man] wears [/EN#2/clothing a {0} hat] near [/EN#3/animals a dog] under [/EN#4/scene the sky] .",
    "[/EN#1/people A tall man] and [/EN#3/animals a small dog] are outside for [/EN#0/notvisual a while] .",
    "[/EN#2/clothing A {0} hat] is on [/EN#1/people the man] .",
)


def flat_picture(color: tuple[int, ...], size: tuple[int, int] = (30, 30)) -> Image.Image:
    """Return a picture of one colour."""
    return Image.new("RGB", size, color)  # type: ignore[arg-type]


def boxes_of(number: int) -> dict[int, tuple[int, int, int, int]]:
    """Return the boxes of man, hat, dog and sky: always of the same kind of place, never quite the same."""
    lot = np.random.default_rng(number)
    x = int(lot.integers(40, 120))
    man = (x, 20, x + 30, 95)
    dog = (int(lot.integers(2, 20)), 75, int(lot.integers(30, 38)), 98)
    return {1: man, 2: (x + 8, 14, x + 22, 24), 3: dog, 4: (0, 0, WIDTH, 40 + int(lot.integers(0, 9)))}


def write_export(folder: Path, count: int = 24, *, pictures: bool = False, first: int = 0) -> Path:
    """Write `count` images named image000 and so on, with photographs of drawn boxes if asked. Returns the folder."""
    for name in ("Sentences", "Annotations", *(["images"] if pictures else [])):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for number in range(first, first + count):
        name, color = f"image{number:03d}", list(COLORS)[number % len(COLORS)]
        lines = [caption.format(color) for caption in CAPTIONS]
        (folder / "Sentences" / f"{name}.txt").write_text("\n".join(lines) + "\n")
        boxes = boxes_of(number)
        (folder / "Annotations" / f"{name}.xml").write_text(annotation(name, boxes))
        if pictures:
            paints = {4: (150, 190, 220), 1: (90, 70, 60), 2: COLORS[color], 3: (120, 80, 30)}
            image = Image.new("RGB", (WIDTH, HEIGHT), (200, 200, 190))
            draw = ImageDraw.Draw(image)
            for chain, paint in paints.items():
                x0, y0, x1, y1 = boxes[chain]
                draw.rectangle((x0, y0, x1 - 1, y1 - 1), fill=paint)
            image.save(folder / "images" / f"{name}.png")
    return folder


def annotation(name: str, boxes: dict[int, tuple[int, int, int, int]]) -> str:
    """Return the text of an annotation file."""
    objects = "".join(
        f"<object><name>{chain}</name><bndbox><xmin>{x0 + 1}</xmin><ymin>{y0 + 1}</ymin>"
        f"<xmax>{x1}</xmax><ymax>{y1}</ymax></bndbox></object>"
        for chain, (x0, y0, x1, y1) in boxes.items()
    )
    size = f"<size><width>{WIDTH}</width><height>{HEIGHT}</height><depth>3</depth></size>"
    return f"<annotation><filename>{name}.jpg</filename>{size}{objects}</annotation>"


def write_vectors(file: Path, size: int = 12) -> Path:
    """Write random vectors of the captions' words in word2vec's text format."""
    words = ["man", "hat", "dog", "sky", "tall", "small", "red", "blue", "green", "on", "near", "under", "for", "while"]
    rows: Any = np.random.default_rng(0).normal(size=(len(words), size))
    lines = [f"{len(words)} {size}"] + [
        f"{word} {' '.join(f'{x:.4f}' for x in row)}" for word, row in zip(words, rows, strict=True)
    ]
    file.write_text("\n".join(lines) + "\n")
    return file


def write_region_file(
    path: Path, regions: dict[str, tuple[NDArray[Any], NDArray[Any]]], classes: tuple[str, ...] = ()
) -> None:
    """Write boxes and values by image, and the names of the columns if there are any."""
    arrays: dict[str, Any] = {"classes": np.array(classes)} if classes else {}
    for image, (boxes, values) in regions.items():
        arrays |= {f"{image}/boxes": np.asarray(boxes, np.float32), f"{image}/values": np.asarray(values, np.float32)}
    np.savez(path, **arrays)
