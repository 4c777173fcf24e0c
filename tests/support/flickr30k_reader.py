"""A second reader of the Flickr30k Entities format, written from its description; it shares no code with the first."""

import re
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

PHRASE = re.compile(r"\[/EN#(?P<chain>\d+)(?P<types>(?:/[a-z]+)*) (?P<words>[^\]]+)\]")


@dataclass
class ReadImage:
    """The contents of one image's files; boxes are (x0, y0, x1, y1), half open."""

    sentences: list[str] = field(default_factory=list)
    phrases: list[tuple[int, int, str, tuple[str, ...], str]] = field(default_factory=list)
    """Sentence number, number of words before the phrase, chain, types, words."""
    size: tuple[int, int] = (0, 0)
    boxes: dict[str, list[tuple[int, int, int, int]]] = field(default_factory=lambda: defaultdict(list))
    scene: set[str] = field(default_factory=set)
    no_box: set[str] = field(default_factory=set)


def read(folder: Path) -> dict[str, ReadImage]:
    """Read every image of the folder, by name."""
    images = {}
    for sentences in sorted((folder / "Sentences").glob("*.txt")):
        image = images[sentences.stem] = ReadImage()
        with sentences.open(encoding="utf-8", newline="\n") as file:
            for number, line in enumerate(file):
                _read_line(image, number, line.rstrip("\n"))
        _read_xml(image, folder / "Annotations" / f"{sentences.stem}.xml")
    return images


def _read_line(image: ReadImage, number: int, line: str) -> None:
    image.sentences.append(PHRASE.sub(lambda found: found["words"], line))
    for found in PHRASE.finditer(line):
        before = PHRASE.sub(lambda earlier: earlier["words"], line[: found.start()]).split()
        types = tuple(found["types"].split("/")[1:])
        image.phrases.append((number, len(before), found["chain"], types, found["words"]))


def _read_xml(image: ReadImage, file: Path) -> None:
    root = ElementTree.parse(file).getroot()
    image.size = (int(root.findtext("size/width", "")), int(root.findtext("size/height", "")))
    for thing in root.findall("object"):
        names = [name.text or "" for name in thing.findall("name")]
        box = thing.find("bndbox")
        for name in names:
            if box is not None:
                x0, y0, x1, y1 = (int(box.findtext(tag, "")) for tag in ("xmin", "ymin", "xmax", "ymax"))
                image.boxes[name].append((x0 - 1, y0 - 1, x1, y1))
            if thing.findtext("scene") == "1":
                image.scene.add(name)
            if thing.findtext("nobndbox") == "1":
                image.no_box.add(name)
