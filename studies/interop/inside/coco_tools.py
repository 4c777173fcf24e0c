"""Reads COCO with pycocotools: coco_tools FORMAT EXPORT RESULT CACHE."""

import sys
from collections import defaultdict
from contextlib import redirect_stdout
from importlib.metadata import version
from io import StringIO
from pathlib import Path

from studies.interop.found import Edges, Found, Phrase


def read(export_format: str, export: Path, cache: Path) -> Found:
    """Return what pycocotools finds in captions.json and instances.json, and check its areas and masks."""
    from pycocotools.coco import COCO

    with redirect_stdout(StringIO()):
        texts, things = COCO(str(export / "captions.json")), COCO(str(export / "instances.json"))
    found = Found(told=("phrases", "captions", "sizes", "loose", "ids"))
    categories = {loadCat["id"]: loadCat["name"] for loadCat in things.loadCats(things.getCatIds())}
    for number, image in texts.imgs.items():
        name = image["file_name"]
        found.sizes[name] = image["width"], image["height"]
        found.ids[name] = number
        boxes: dict[str, list[Edges]] = defaultdict(list)
        for one in things.imgToAnns[number]:
            x, y, width, height = one["bbox"]
            assert things.annToMask(one).sum() == one["area"] == width * height, one
            edges = (x, y, x + width, y + height)
            for chain in one["chains"]:
                boxes[chain].append(edges)
            if not one["chains"]:
                found.loose.append((name, categories[one["category_id"]], edges))
        for caption in texts.imgToAnns[number]:
            text = caption["caption"]
            found.captions.append((name, text))
            for phrase in caption.get("phrases", ()):
                ((start, end),) = phrase["tokens_positive"]
                chain = phrase["chain"]
                found.phrases.append(Phrase(name, text, start, end, tuple(boxes[chain]), chain))
    return found


if __name__ == "__main__":
    read(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[4])).write(Path(sys.argv[3]), version("pycocotools"))
