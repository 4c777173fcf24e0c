"""Small sets with the same labels in each format, and corrections of one of their images."""

import json
from pathlib import Path
from typing import Any

from annotation.rules.box import Box
from exchange.coco.write import write_coco
from exchange.corrected.corrected_image import Corrections
from exchange.corrected.write_corrected import Corrector
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage, DatasetMention, Problem
from exchange.detect import reader_for
from exchange.flickr30k.write import write_flickr30k
from exchange.grounding.hub import write_hub
from exchange.grounding.mdetr import write_mdetr
from exchange.grounding.odvg import write_odvg
from exchange.grounding.parquet import write_parquet
from exchange.grounding.phrases import Fates, grounded
from exchange.picture_files import FolderPictures
from exchange.words import joined_caption
from pipeline.rules.checking.label import Label
from tests.exchange.regions.region_sets import genome, refcoco
from tests.support.pictures import plain_jpeg

MAN, HAT, DOG, PARK, BALLS = range(1, 6)
TEXTS = ("A man with a hat in a park", "His dog plays with balls .", "He likes the dog")
MENTIONS = (
    (0, 0, 2, "people", MAN), (0, 3, 5, "clothing", HAT), (0, 6, 8, "scene", PARK),
    (1, 0, 2, "animals", DOG), (1, 4, 5, "other", BALLS),
    (2, 0, 1, "people", MAN), (2, 2, 4, "animals", HAT),
)  # fmt: skip
"""The last one is in the wrong chain."""
BOXES = (
    ((1, 2, 30, 40), (MAN,)), ((3, 2, 20, 12), (HAT,)), ((0, 0, 90, 70), (PARK,)), ((50, 30, 80, 60), (DOG,)),
    ((10, 50, 20, 60), (BALLS,)), ((30, 50, 40, 60), (BALLS,)),
)  # fmt: skip


def image(name: str, first: int) -> DatasetImage:
    """Return an image whose chains are numbered from `first` + 1."""
    return DatasetImage(
        name, 100, 80,
        captions=tuple(joined_caption(tuple(text.split())) for text in TEXTS),
        mentions=tuple(
            DatasetMention(at, start, end, (kind,), str(first + own)) for at, start, end, kind, own in MENTIONS
        ),
        chains=tuple(DatasetChain(str(first + one)) for one in (MAN, HAT, PARK, DOG, BALLS)),
        boxes=tuple(DatasetBox(Box(*box), tuple(str(first + one) for one in own)) for box, own in BOXES),
        path=f"{name}.jpg", coco_id=first + 70,
    )  # fmt: skip


IMAGES = [image("a", 0), image("b", 10), image("c", 20)]
CORRECTED = [
    Label((0, 5), (Box(5, 2, 35, 44),)),  # the box is moved
    Label((1,), (Box(3, 2, 20, 12),)),
    Label((2,), (), "scene"),
    Label((3, 6), (Box(50, 30, 80, 60),)),  # a mention has changed its chain
    Label((4,), (Box(30, 50, 40, 60),)),  # a box is removed
]
"""The labels of the second image."""


def written(folder: Path, source_format: str) -> Path:
    """Write the set in a format into the folder."""
    if source_format == "refcoco":
        return refcoco(folder)
    if source_format == "visual-genome":
        return genome(folder)
    (folder / "README.txt").write_text("A set.\r\n")
    rows = list(grounded(IMAGES, Fates(), every=True))
    match source_format:
        case "flickr30k-entities":
            write_flickr30k(IMAGES, folder / "set")
            for one in (folder / "set").iterdir():
                one.rename(folder / one.name)
            (folder / "set").rmdir()
        case "coco":
            write_coco(IMAGES, folder / "set")
            for one in (folder / "set").iterdir():
                one.rename(folder / one.name)
            (folder / "set").rmdir()
        case "mdetr":
            write_mdetr(rows, folder / "set.json")
        case "odvg":
            write_odvg(rows, folder / "set.jsonl")
        case "hub":
            write_hub(rows, folder)
        case "parquet":
            (folder / "pictures").mkdir()
            for own in IMAGES:
                (folder / "pictures" / own.file_name).write_bytes(plain_jpeg(100, 80))
            write_parquet(rows, folder, folder / "pictures")
            (folder / "pictures").rmdir()
    return folder


def corrector(*wanted: Label, name: str = "b", gone: frozenset[int] = frozenset()) -> Corrector:
    """Return a corrector that gives these labels to one image."""

    def of(images: Any) -> Any:
        for one in images:
            given = Corrections(wanted, dict(enumerate(one.mentions)), gone)
            yield one, given if one.name == name else None

    return of


def labels(folder: Path, source_format: str, name: str = "b") -> list[Any]:
    """Return the labels of an image: the texts of their phrases, their boxes and their flag."""
    (read,) = [one for one in images_of(folder, source_format) if one.name == name]
    flags = {one.name: "scene" * one.scene + "no box" * one.no_box for one in read.chains}
    return sorted(
        (
            sorted((one.caption, one.start) for one in read.mentions if one.chain == chain),
            sorted(tuple(one.box) for one in read.boxes if chain in one.chains),
            flag,
        )
        for chain, flag in flags.items()
    )


def images_of(folder: Path, source_format: str) -> list[DatasetImage]:
    found = list(reader_for(source_format)(folder, FolderPictures(folder)))
    assert not [one for one in found if isinstance(one, Problem)]
    return [one for one in found if isinstance(one, DatasetImage)]


def entries(file: Path) -> list[str]:
    """Return what stands in a file, entry by entry, as text."""
    text = file.read_text()
    if file.suffix != ".json":
        return text.splitlines()
    data = json.loads(text)
    lists = data.values() if isinstance(data, dict) else [data]
    return [json.dumps(one, sort_keys=True) for own in lists if isinstance(own, list) for one in own]
