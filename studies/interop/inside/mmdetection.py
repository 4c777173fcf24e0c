"""Reads MDETR's JSON and ODVG with mmdetection's data sets: mmdetection FORMAT EXPORT RESULT CACHE."""

import sys
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

from studies.interop.found import Edges, Found, Phrase


class Operations(ModuleType):
    """Stands in for mmcv's compiled operations, which its package on PyPI lacks and reading never calls."""

    def __getattr__(self, name: str) -> None:
        if name.startswith("__"):
            raise AttributeError(name)


def read(export_format: str, export: Path, cache: Path) -> Found:
    """Return what mmdetection finds: Flickr30kDataset reads MDETR's JSON, ODVGDataset the lines of ODVG."""
    sys.modules["mmcv._ext"] = Operations("mmcv._ext")
    from mmdet.datasets import Flickr30kDataset, ODVGDataset

    kind = {"mdetr": Flickr30kDataset, "odvg": ODVGDataset}[export_format]
    loaded = kind(ann_file=str(export), data_prefix={"img": ""}, return_classes=True, serialize_data=False)
    found = Found()
    for place in range(len(loaded)):
        row = loaded.get_data_info(place)
        name, text = row["img_path"], row["text"]
        found.captions.append((name, text))
        found.sizes[name] = row["width"], row["height"]
        spans, numbers = _mdetr(row) if export_format == "mdetr" else _odvg(row)
        boxes: dict[tuple[int, int], list[Edges]] = defaultdict(list)
        for number, one in zip(numbers, row["instances"], strict=True):
            boxes[spans[number]].append(tuple(one["bbox"]))
        found.phrases += [Phrase(name, text, *span, tuple(own)) for span, own in sorted(boxes.items())]
    return found


def _mdetr(row: dict[str, Any]) -> tuple[dict[int, tuple[int, int]], list[int]]:
    """Return the span of each phrase by its number, and the number of the phrase of each box."""
    spans = {number: (start, end) for number, ((start, end),) in enumerate(row["tokens_positive"])}
    assert row["phrases"] == [row["text"][start:end] for start, end in spans.values()]
    return spans, row["phrase_ids"]


def _odvg(row: dict[str, Any]) -> tuple[dict[int, tuple[int, int]], list[int]]:
    spans = {}
    for number, phrase in row["phrases"].items():
        ((start, end),) = phrase["tokens_positive"]
        assert row["text"][start:end] == phrase["phrase"]
        spans[number] = start, end
    return spans, [one["bbox_label"] for one in row["instances"]]


if __name__ == "__main__":
    read(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[4])).write(Path(sys.argv[3]), version("mmdet"))
