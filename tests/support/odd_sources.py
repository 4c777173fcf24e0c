"""Odd sources of images: made by lots, with what must become of each of their images."""

import json
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath
from random import Random
from typing import Any

from exchange.names import same_name, same_path
from tests.support.pictures import plain_jpeg

NAMES = (
    "0001.JPG", "1.jpg", "01.jpg", "image1.jpg", "image1.png", "Image1.jpg", "IMAGE1.JPG", "cam1/x_7.jpeg",
    "cam1_x/7.jpeg", "cam1/x/7.jpeg", "cam2/0001.JPG", "a/b/c/d.png", "a b.jpg", "image (1).jpg", "dog.2.jpg",
    "caf\u00e9.jpg", "cafe\u0301 2.jpg", "\u5c71.png", "\U0001f415.jpg", "it's.jpg", "a,b.jpg", "a;b.jpg", "%41.jpg",
    "stra\u00dfe.jpg", "STRASSE.jpg", "x" * 190 + ".jpg", "x" * 190 + ".png",
    "con.jpg", "-rf.jpg", "#1.jpg", "1.0.jpg",
)  # fmt: skip
UNUSABLE = ("\x00", "\x1b", "\ud800", "\udcff")
"""Characters that a name may not have: NUL, an escape, and halves of characters that stand alone."""
UNUSABLE_IN_FILES = ("\x1b", "\udcff")
"""Those of them that the name of a file can have all the same."""
HEIGHT = 12
FORMATS = ("coco", "csv", "jsonl", "entities")


@dataclass
class Odd:
    """An image of a source: its path, captions and width, and why it must be left out; empty if it is whole."""

    path: str
    width: int
    captions: list[str]
    fault: str = ""
    id: Any = None
    spoilt: str = ""
    """A character that no name may have, for the faults about such names."""

    @property
    def read(self) -> list[str]:
        """The captions that can be read; an image without any is left out."""
        if self.fault == "caption is not text":
            return self.captions[:-1]
        return self.captions if self.fault in ("", "empty caption") else []

    @property
    def written(self) -> str:
        """The path as the source's files tell it."""
        return f"{self.spoilt}{self.path}" if self.fault == "name of no text" else self.path


@dataclass
class OddSource:
    """A source in a folder. `pictures`: whether it has any."""

    folder: Path
    kind: str
    pictures: bool
    images: list[Odd] = field(default_factory=list)

    @property
    def whole(self) -> dict[str, Odd]:
        return {self._told(one): one for one in self.images if one.read}

    @property
    def in_file(self) -> int:
        """The number of images that the files name."""
        return len(self.images) + sum(EXTRA.get(one.fault, 0) for one in self.images)

    def _told(self, one: Odd) -> str:
        return PurePosixPath(one.path).stem if self.kind == "entities" else one.path


def odd_source(folder: Path, seed: int) -> OddSource:
    """Write the source of this seed into the folder, which is new. At least one of its images is whole."""
    rng = Random(seed)
    kind = FORMATS[seed % len(FORMATS)]
    source = OddSource(folder, kind, kind in ("csv", "jsonl") or rng.random() < 0.8)
    for path in _paths(rng, kind):
        captions = [f"A dog {number} with {len(path)} men" for number in range(rng.randint(1, 3))]
        source.images.append(Odd(path, 20 + len(source.images), captions, id=_id(rng, len(source.images))))
    for one in source.images[1:]:
        if rng.random() < 0.4:
            one.fault = rng.choice(FAULTS[kind])
            one.spoilt = rng.choice(UNUSABLE_IN_FILES if kind == "entities" else UNUSABLE)
            others = [other.path for other in source.images if other is not one]
            if one.fault == "no picture" and (not source.pictures or _may_be_another(one.path, others)):
                one.fault = ""
    folder.mkdir()
    WRITERS[kind](source, rng)
    if source.pictures:
        _write_pictures(source, rng)
    return source


def _paths(rng: Random, kind: str) -> list[str]:
    """Draw paths; no two have the same letters."""
    drawn = rng.sample(NAMES, rng.randint(2, 7))
    if kind == "entities":
        drawn = [one for one in drawn if "/" not in one]
        by_stem = {same_path(PurePosixPath(one).stem): one for one in drawn}
        return list(by_stem.values()) or ["1.jpg"]
    return list({same_path(one): one for one in drawn}.values())


def _may_be_another(path: str, others: list[str]) -> bool:
    """Tell whether a picture of another image would pass for this one's, if this one's is not there."""
    name = same_name(PurePosixPath(path).name)
    return any(same_name(PurePosixPath(other).name) == name for other in others)


def _id(rng: Random, place: int) -> Any:
    return rng.choice([place, float(place), f"id {place}", 10**12 + place, str(place + 100), -1 - place])


def _write_pictures(source: OddSource, rng: Random) -> None:
    """Write the pictures into some layout, with names as other systems write them."""
    top = rng.choice(["images", "", "val2017", "flickr30k_images", "a/deep/folder", "Photos 2024"])
    paths = [one.path for one in source.images]
    alone = len({same_name(path) for path in paths}) == len(paths)
    flat = alone and len({same_name(PurePosixPath(path).name) for path in paths}) == len(paths)
    forms: list[Callable[[str], str]] = [str, lambda path: unicodedata.normalize("NFD", path)]
    if alone:
        forms.append(lambda path: f"{path[: -len(PurePosixPath(path).suffix)]}{PurePosixPath(path).suffix.swapcase()}")
    if flat:
        forms.append(lambda path: PurePosixPath(path).name)
    form = rng.choice(forms)
    for one in source.images:
        if one.fault not in ("no picture", "name of no text"):
            file = source.folder / top / form(one.path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(b"no picture" if one.fault == "damaged picture" else _picture(one.width))


@cache
def _picture(width: int) -> bytes:
    return plain_jpeg(width, HEIGHT)


def _write_text(file: Path, lines: list[str], rng: Random) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    end = rng.choice(["\n", "\r\n"])
    text = end.join(lines) + rng.choice(["", end])
    file.write_bytes(rng.choice([b"", b"\xef\xbb\xbf"]) + text.encode(errors="surrogatepass"))


def _coco(source: OddSource, rng: Random) -> None:
    images: list[Any] = []
    captions: list[Any] = []
    for one in source.images:
        width = one.width + 1.0 if one.fault == "other size" else one.width
        images.append({"id": one.id, "file_name": one.path, "width": width, "height": float(HEIGHT)})
        for text in one.captions:
            captions.append({"id": len(captions), "image_id": one.id, "caption": text})
        _spoil_coco(one, images, captions)
    # An image whose file_name or id is another's takes that one with it.
    rng.shuffle(images)
    folder = source.folder / rng.choice(["", "annotations"])
    content = {"images": images, "annotations": captions}
    _write_text(folder / rng.choice(["captions.json", "captions_val2017.json"]), [json.dumps(content)], rng)


def _spoil_coco(one: Odd, images: list[Any], captions: list[Any]) -> None:
    row = images[-1]
    if one.fault == "no captions":
        captions[:] = [caption for caption in captions if caption["image_id"] != one.id]
    elif one.fault == "caption is not text":
        captions[-1]["caption"] = 7
    elif one.fault == "no id":
        del row["id"]
        captions[:] = [caption for caption in captions if caption["image_id"] != one.id]
    elif one.fault == "file_name is not text":
        row["file_name"] = 5
    elif one.fault == "path leaves the folder":
        row["file_name"] = f"../{one.path}"
    elif one.fault == "name of no text":
        row["file_name"] = one.written
    elif one.fault == "id of no text":
        row["id"] = f"{one.spoilt}{one.id}"
        captions[:] = [caption for caption in captions if caption["image_id"] != one.id]
    elif one.fault == "id twice":
        images.append(dict(row, file_name=f"again {one.path[-100:]}"))
    elif one.fault == "path twice":
        images.append(dict(row, id=f"again {one.id}"))


def _csv(source: OddSource, rng: Random) -> None:
    turned = rng.random() < 0.3
    lines = ["caption,image" if turned else "image,caption"]
    for one in source.images:
        texts = [] if one.fault == "no captions" else one.captions
        texts = ["", *texts] if one.fault == "empty caption" else texts
        lines += [f'"{text}","{one.written}"' if turned else f'"{one.written}","{text}"' for text in texts]
    _write_text(source.folder / "captions.csv", lines, rng)


def _jsonl(source: OddSource, rng: Random) -> None:
    lines = []
    for one in source.images:
        captions: list[Any] = [] if one.fault == "no captions" else list(one.captions)
        captions = ["", *captions] if one.fault == "empty caption" else captions
        row = {"image": one.written, "captions": captions}
        lines.append(json.dumps(row, ensure_ascii=bool(one.spoilt) or rng.random() < 0.5))
    rng.shuffle(lines)
    _write_text(source.folder / "captions.jsonl", lines, rng)


def _entities(source: OddSource, rng: Random) -> None:
    for one in source.images:
        stem = PurePosixPath(one.written).stem
        lines = [f"[/EN#1/animals A dog] {text.removeprefix('A dog ')}" for text in one.captions]
        if one.fault == "no captions":
            lines = [" "]
        elif one.fault == "open bracket":
            lines.append("[/EN#1/animals A dog")
        _write_text(source.folder / "Sentences" / f"{stem}.txt", lines, rng)
        width = one.width + 1 if one.fault == "other size" and source.pictures else one.width
        xml = f"<annotation><size><width>{width}</width><height>{HEIGHT}</height></size></annotation>"
        if one.fault == "broken annotation":
            xml = xml[:40]
        if one.fault != "no annotation":
            _write_text(source.folder / "Annotations" / f"{stem}.xml", [xml], rng)


WRITERS: dict[str, Callable[[OddSource, Random], None]] = dict(
    zip(FORMATS, (_coco, _csv, _jsonl, _entities), strict=True)
)
_TEXT = ("no captions", "empty caption", "no picture", "damaged picture", "name of no text")
FAULTS: dict[str, tuple[str, ...]] = {
    "coco": (
        "no captions", "caption is not text", "no picture", "no id", "file_name is not text", "id twice",
        "path twice", "path leaves the folder", "name of no text", "id of no text",
    ),
    "csv": _TEXT,
    "jsonl": _TEXT,
    "entities": ("no captions", "no picture", "open bracket", "broken annotation", "no annotation", "name of no text"),
}  # fmt: skip
EXTRA = {"id twice": 1, "path twice": 1}
"""Images that a fault adds to the file."""
