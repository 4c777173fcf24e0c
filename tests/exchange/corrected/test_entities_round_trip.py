"""Corrected Entities are read by the rules of the data set's own reader, and files of other images keep their bytes."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from annotation.rules.box import Box
from exchange.corrected.corrected_image import Corrections
from exchange.corrected.write_corrected import write_corrected
from exchange.dataset import DatasetImage
from exchange.import_image import members_of
from pipeline.rules.checking.label import Label
from tests.exchange.corrected.sets import written

Read = dict[str, tuple[list[tuple[int, int, int]], list[Box], list[str]]]


def own_reader(folder: Path, name: str) -> Read:
    """Read an image as the data set's own program does: the phrases, boxes and flags of each chain."""
    phrases: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for place, line in enumerate((folder / f"Sentences/{name}.txt").read_text().splitlines()):
        chain, start, number = "", 0, 0
        for token in line.split():
            if token.startswith("[/EN#"):
                chain, start = token.split("/")[1].removeprefix("EN#"), number
                continue
            number += 1
            if token.endswith("]"):
                phrases[chain].append((place, start, number))
    boxes: dict[str, list[Box]] = defaultdict(list)
    flags: dict[str, list[str]] = defaultdict(list)
    for one in ElementTree.parse(folder / f"Annotations/{name}.xml").getroot().findall("object"):
        for chain in (str(own.text) for own in one.findall("name")):
            if (box := one.find("bndbox")) is not None:
                x0, y0, x1, y1 = (int(box.findtext(side, "")) for side in ("xmin", "ymin", "xmax", "ymax"))
                boxes[chain].append(Box(x0 - 1, y0 - 1, x1, y1))
            else:
                flags[chain] += [flag for flag in ("nobndbox", "scene") if int(one.findtext(flag, "")) > 0]
    return {
        chain: (sorted(own), sorted(boxes[chain]), sorted(flags[chain]))
        for chain, own in phrases.items()
        if chain != "0"
    }


def changed(image: DatasetImage) -> list[Label]:
    """Return labels that differ: two joined, one split, a box moved, one more, one flag."""
    members = members_of(image)
    boxes = {name: tuple(sorted({one.box for one in image.boxes if name in one.chains})) for name in members}
    names = sorted(members, key=lambda name: (-len(members[name]), int(name)))
    longest, *others = names
    found = [Label((number,), boxes[longest]) for number in members[longest]]
    if len(others) > 1:
        first, second = others[:2]
        found.append(Label(tuple(sorted(members[first] + members[second])), boxes[second]))
    for name, box in zip(others[2:4], (Box(0, 0, 9, 9), Box(1, 2, 30, 40)), strict=False):
        found.append(Label(tuple(members[name]), tuple(sorted({box, *boxes[name][1:]}))))
    return found + [Label(tuple(members[name]), (), "scene") for name in others[4:5]]


def check(source: Path, out: Path, every: int) -> int:
    """Correct one image of so many, and return the number of labels that were written."""
    wanted: dict[str, list[Label]] = {}
    mentions: dict[str, Any] = {}

    def corrector(images: Iterable[DatasetImage]) -> Iterator[tuple[DatasetImage, Corrections | None]]:
        for place, image in enumerate(images):
            labels = changed(image) if place % every == 1 else []
            if labels:
                wanted[image.name], mentions[image.name] = labels, image.mentions
            yield image, Corrections(labels, dict(enumerate(image.mentions))) if labels else None

    report = write_corrected(path=source, target=out, corrector=corrector)
    assert (report.changed, report.not_held) == (len(wanted), {})
    for name, labels in wanted.items():
        read = list(own_reader(out, name).values())
        for label in labels:
            own = [mentions[name][one] for one in label.mentions]
            places = [(one.caption, one.start, one.end) for one in own]
            assert (sorted(places), list(label.boxes), [label.flag] if label.flag else []) in read
    for file in (*source.glob("Sentences/*"), *source.glob("Annotations/*")):
        if file.stem not in wanted:
            assert file.read_bytes() == (out / file.relative_to(source)).read_bytes()
            assert file.suffix != ".xml" or own_reader(out, file.stem) == own_reader(source, file.stem)
    return sum(map(len, wanted.values()))


def test_a_made_set(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    assert check(written(tmp_path / "in", "flickr30k-entities"), tmp_path / "out", every=3) == 5


@pytest.mark.slow
def test_the_real_set(data_folder: Path, tmp_path: Path) -> None:
    assert check(data_folder / "flickr30k-entities", tmp_path / "out", every=5) > 500
