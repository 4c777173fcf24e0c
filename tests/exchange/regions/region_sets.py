"""A small RefCOCO and a small Visual Genome, whole or with one fault."""

import json
import pickle
from copy import deepcopy
from pathlib import Path
from typing import Any

from exchange.dataset import DatasetImage, Problem
from exchange.registry import import_format
from tests.exchange.grounding.sets import Edit

REFCOCO: dict[str, Any] = {
    "refs": [
        {
            "ref_id": 50, "ann_id": 11, "image_id": 7, "category_id": 1, "split": "train",
            "file_name": "one_11.jpg", "sent_ids": [1, 2],
            "sentences": [
                {"sent_id": 1, "tokens": ["man", "on", "left"], "raw": "Man, on LEFT!", "sent": "man on left"},
                {"sent_id": 2, "tokens": ["guy"], "raw": "guy", "sent": "guy."},
            ],
        },
        {
            "ref_id": 51, "ann_id": 12, "image_id": 7, "category_id": 2, "split": "train",
            "sentences": [{"sent_id": 3, "sent": "the dog"}],
        },
        {
            "ref_id": 52, "ann_id": 11, "image_id": 7, "category_id": 1, "split": "val",
            "sentences": [{"sent_id": 4, "sent": "blue shirt"}],
        },
        {
            "ref_id": 53, "ann_id": 21, "image_id": 8, "category_id": 2, "split": "val",
            "sentences": [{"sent_id": 5, "sent": "a cat"}],
        },
    ],
    "instances": {
        "images": [
            {"id": 7, "file_name": "one.jpg", "width": 100, "height": 80},
            {"id": 8, "file_name": "two.jpg", "width": 60, "height": 50},
            {"id": 9, "file_name": "of_no_ref.jpg", "width": 60, "height": 50},
        ],
        "annotations": [
            {"id": 11, "image_id": 7, "category_id": 1, "bbox": [0.5, 0, 20, 60], "iscrowd": 0},
            {"id": 12, "image_id": 7, "category_id": 2, "bbox": [30, 20, 20, 20], "iscrowd": 0},
            {"id": 13, "image_id": 7, "category_id": 3, "bbox": [1, 1, 5, 5], "iscrowd": 0},
            {"id": 21, "image_id": 8, "category_id": 2, "bbox": [10, 10, 20.5, 20], "iscrowd": 0},
        ],
        "categories": [{"id": 1, "name": "person"}, {"id": 2, "name": "dog"}, {"id": 3, "name": "tv"}],
    },
}  # fmt: skip
GENOME: dict[str, Any] = {
    "regions": [
        {
            "id": 1,
            "regions": [
                {"region_id": 1382, "image_id": 1, "x": 21, "y": 7, "width": 40, "height": 39,
                 "phrase": "the clock is green in colour"},
                {"region_id": 1383, "image_id": 1, "x": 0, "y": 2, "width": 10, "height": 70,
                 "phrase": "Man, in a shirt."},
            ],
        },
        {
            "id": 2,
            "regions": [{"region_id": 1400, "x": 1, "y": 1, "width": 9, "height": 9, "phrase": "a tree"}],
        },
    ],
    "images": [
        {"image_id": 1, "width": 100, "height": 80, "url": "https://host/VG_100K_2/1.jpg", "coco_id": None},
        {"image_id": 2, "width": 60, "height": 50, "url": "https://host/VG_100K/2.jpg", "coco_id": 77},
    ],
}  # fmt: skip


def refcoco(folder: Path, edit: Edit = lambda data: None, *, protocol: int | None = None) -> Path:
    """Write the set, with its refs as JSON, or as a pickle of this protocol."""
    data = deepcopy(REFCOCO)
    edit(data)
    (folder / "instances.json").write_text(json.dumps(data["instances"]))
    if protocol is None:
        (folder / "refs.json").write_text(json.dumps(data["refs"]))
    else:
        (folder / "refs(unc).p").write_bytes(pickle.dumps(data["refs"], protocol))
    return folder


def genome(folder: Path, edit: Edit = lambda data: None) -> Path:
    data = deepcopy(GENOME)
    edit(data)
    (folder / "region_descriptions.json").write_text(json.dumps(data["regions"]))
    (folder / "image_data.json").write_text(json.dumps(data["images"]))
    return folder


WRITTEN = {"refcoco": refcoco, "visual-genome": genome}


def read(folder: Path, source_format: str) -> list[DatasetImage | Problem]:
    return list(import_format(source_format).images(folder, None))  # type: ignore[arg-type]
