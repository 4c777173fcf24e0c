"""Small data sets in each format of grounding, whole or with one fault."""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

from exchange.dataset import DatasetImage, Problem
from exchange.detect import reader_for

FORMATS = {"mdetr": "set.json", "odvg": "set.jsonl", "hub": "metadata.jsonl"}
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
ODVG = [
    {
        "filename": "a/one.jpg", "width": 100, "height": 80,
        "grounding": {
            "caption": "A man and his dog .",
            "regions": [
                {"bbox": [0.5, 0, 20.5, 60], "phrase": "A man", "tokens_positive": [[0, 5]]},
                {"bbox": [30, 20, 50, 40], "phrase": "his dog"},
            ],
        },
    },
    {
        "filename": "a/one.jpg", "width": 100, "height": 80,
        "grounding": {
            "caption": "Two friends .",
            "regions": [{"bbox": [[0.5, 0, 20.5, 60], [30, 20, 50, 40]], "phrase": "Two friends"}],
        },
    },
]  # fmt: skip


HUB = [
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


def written(folder: Path, export_format: str, edit: Edit = lambda data: None) -> Path:
    data: Any = deepcopy({"mdetr": MDETR, "odvg": ODVG, "hub": HUB}[export_format])
    edit(data)
    text = json.dumps(data) if export_format == "mdetr" else "".join(f"{json.dumps(line)}\n" for line in data)
    (folder / FORMATS[export_format]).write_text(text)
    return folder


def read(folder: Path, export_format: str) -> list[DatasetImage | Problem]:
    return list(reader_for(export_format)(folder, None))  # type: ignore[arg-type]


def set_of(*path: Any, to: Any) -> Edit:
    """Return an edit that sets the value at this path."""

    def edit(data: Any) -> None:
        for step in path[:-1]:
            data = data[step]
        data[path[-1]] = to

    return edit


def without(*path: Any) -> Edit:
    """Return an edit that deletes what is at this path."""

    def edit(data: Any) -> None:
        for step in path[:-1]:
            data = data[step]
        del data[path[-1]]

    return edit
