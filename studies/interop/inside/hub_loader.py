"""Reads hub folders and Parquet files with Hugging Face's `datasets`: hub_loader FORMAT EXPORT RESULT CACHE."""

import sys
from collections import defaultdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from studies.interop.found import Edges, Found, Phrase


def read(export_format: str, export: Path, cache: Path) -> Found:
    """Return what `datasets` finds. `cache`: a folder for its copies."""
    import datasets

    if export_format == "hub":
        loaded = datasets.load_dataset("imagefolder", data_dir=str(export), split="train", cache_dir=str(cache))
    else:
        loaded = datasets.load_dataset(str(export), split="train", cache_dir=str(cache))
    check_features(datasets, loaded.features)
    found = Found(told=("phrases", "captions", "sizes", "pictures", "loose", "ids"))
    for row in loaded.cast_column("image", datasets.Image(decode=False)):
        _add(found, row, export)
    for row in loaded:  # with pictures as the reader decodes them
        name = row.get("file_name") or Path(row["image"].filename).relative_to(export.resolve()).as_posix()
        found.sizes[name] = row["image"].size
    return found


def check_features(datasets: Any, features: Any) -> None:
    """Raise AssertionError unless pictures are shown as images and lists as lists."""
    assert isinstance(features["image"], datasets.Image), features
    lists = [features["captions"], *features["objects"].values()]
    assert all(isinstance(one, datasets.List) for one in lists), features


def _add(found: Found, row: dict[str, Any], export: Path) -> None:
    picture, objects = row["image"], row["objects"]
    # A hub folder gives the path of the picture in the column of pictures alone.
    name = row.get("file_name") or Path(picture["path"]).relative_to(export.resolve()).as_posix()
    data = picture["bytes"] or Path(picture["path"]).read_bytes()
    found.pictures[name] = sha256(data).hexdigest()
    found.ids[name] = row["image_id"]
    found.captions += [(name, text) for text in row["captions"]]
    boxes: dict[tuple[int, int, int, str], list[Edges]] = defaultdict(list)
    for place, (x, y, width, height) in enumerate(objects["bbox"]):
        caption, start, end = (objects[column][place] for column in ("caption", "start", "end"))
        edges = (x, y, x + width, y + height)
        if caption == -1:
            found.loose.append((name, objects["categories"][place], edges))
            continue
        assert row["captions"][caption][start:end] == objects["phrase"][place]
        boxes[caption, start, end, objects["chain"][place]].append(edges)
    found.phrases += [
        Phrase(name, row["captions"][caption], start, end, tuple(box), chain)
        for (caption, start, end, chain), box in boxes.items()
    ]


if __name__ == "__main__":
    import datasets

    read(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[4])).write(Path(sys.argv[3]), datasets.__version__)
