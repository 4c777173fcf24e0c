"""Small data sets in each format of grounding, whole or with one fault."""

import json
from collections.abc import Callable
from copy import deepcopy
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

from exchange.dataset import DatasetImage, Problem
from exchange.registry import import_format
from tests.support.pictures import plain_jpeg

FILES = {"mdetr": "set.json", "odvg": "set.jsonl", "hub": "metadata.jsonl", "parquet": "set.parquet"}
"""The name of each format's file."""
Edit = Callable[[Any], object]

ROW = {
    "id": 1, "file_name": "a/one.jpg", "width": 100, "height": 80, "caption": "A man and his dog .",
    "original_img_id": 7, "tokens_positive_eval": [[[0, 5]], [[10, 17]]],
}  # fmt: skip
MDETR = {
    "images": [ROW, ROW | {"id": 2, "caption": "Two friends ."}],
    "annotations": [
        {"id": 1, "image_id": 1, "bbox": [0.5, 0, 20, 60], "tokens_positive": [[0, 6]]},
        {"id": 2, "image_id": 1, "bbox": [30, 20, 20, 20], "tokens_positive": [[10, 17]]},
        {"id": 3, "image_id": 2, "bbox": [0.5, 0, 20, 60], "tokens_positive": [[0, 11]]},
        {"id": 4, "image_id": 2, "bbox": [30, 20, 20, 20], "tokens_positive": [[0, 11]]},
    ],
}
REGIONS: dict[str, list[dict[str, Any]]] = {
    "A man and his dog .": [
        {"bbox": [0.5, 0, 20.5, 60], "phrase": "A man", "tokens_positive": [[0, 5]]},
        {"bbox": [30, 20, 50, 40], "phrase": "his dog"},
    ],
    "Two friends .": [{"bbox": [[0.5, 0, 20.5, 60], [30, 20, 50, 40]], "phrase": "Two friends"}],
}
ODVG = [
    {"filename": "a/one.jpg", "width": 100, "height": 80, "grounding": {"caption": caption, "regions": regions}}
    for caption, regions in REGIONS.items()
]
HUB: list[dict[str, Any]] = [
    {
        "file_name": "a/one.jpg", "width": 100, "height": 80, "captions": ["A man and his dog .", "Two friends ."],
        "objects": {
            "bbox": [[0.5, 0, 20, 60], [30, 20, 20, 20], [0.5, 0, 20, 60], [30, 20, 20, 20]],
            "caption": [0, 0, 1, 1],
            "start": [0, 10, 0, 0],
            "end": [5, 17, 11, 11],
            "phrase": ["A man", "his dog", "Two friends", "Two friends"],
            "categories": ["people", "animals", "people", "people"],
        },
    },
    {"file_name": "two.jpg", "width": 9, "height": 9, "text": "A cat .", "objects": {"bbox": [], "categories": []}},
]  # fmt: skip

_PICTURES = [{"bytes": plain_jpeg(100, 80), "path": "a/one.jpg"}, {"bytes": plain_jpeg(9, 9), "path": None}]
PARQUET = [
    {"image": _PICTURES[0]} | HUB[0],
    {
        "image": _PICTURES[1], "file_name": "two.jpg", "width": 9, "height": 9, "captions": ["A cat ."],
        "objects": {name: [] for name in HUB[0]["objects"]},
    },
]  # fmt: skip
"""The rows of the hub folder, with pictures; columns hold one kind of value each."""


def written(folder: Path, export_format: str, edit: Edit = lambda data: None) -> Path:
    data: Any = deepcopy({"mdetr": MDETR, "odvg": ODVG, "hub": HUB, "parquet": PARQUET}[export_format])
    edit(data)
    if export_format == "parquet":
        import pyarrow
        from pyarrow import parquet

        columns = {name: [row.get(name) for row in data] for name in data[0]}
        parquet.write_table(pyarrow.table(columns), folder / FILES[export_format])
        return folder
    text = json.dumps(data) if export_format == "mdetr" else "".join(f"{json.dumps(line)}\n" for line in data)
    (folder / FILES[export_format]).write_text(text)
    return folder


def read(folder: Path, export_format: str) -> list[DatasetImage | Problem]:
    return list(import_format(export_format).images(folder, None))  # type: ignore[arg-type]


def set_of(*path: Any, to: Any) -> Edit:
    """Return an edit that sets the value at this path."""
    return lambda data: reduce(getitem, path[:-1], data).__setitem__(path[-1], to)


def without(*path: Any) -> Edit:
    """Return an edit that deletes what is at this path."""
    return lambda data: reduce(getitem, path[:-1], data).__delitem__(path[-1])
