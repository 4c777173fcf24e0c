"""A full example of each kind of file but the record of a project: a value, or a list of lines."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from annotation.rules.box import Box
from evaluation.foil.item import FoilItem, captions_text, items_text
from exchange.dataset import (
    AnswerTally,
    DatasetBox,
    DatasetChain,
    DatasetImage,
    DatasetMention,
    DatasetPart,
    NegativePhrase,
)
from exchange.formats.chat import CHAT
from exchange.formats.coco import COCO
from exchange.formats.format import write_files
from exchange.formats.hub import HUB
from exchange.formats.mdetr import MDETR
from exchange.formats.odvg import ODVG
from exchange.split_captions import joined_caption
from projects.schemas import kinds
from tests.support.data_files import write_data
from tests.support.surveys import atom

SAID = AnswerTally({"box_drawing": 2}, {"qwen": {"box_quality": 1}})
IMAGE = DatasetImage(
    "pair",
    100,
    80,
    (joined_caption(("a", "man", "there"), non_visual=((2, 3),)), joined_caption(("two", "dogs"))),
    (DatasetMention(0, 0, 2, ("people",), "1"), DatasetMention(1, 0, 2, ("animals",), "2")),
    (DatasetChain("1", confidence=0.9, answers=SAID), DatasetChain("2", answers=SAID)),
    (
        DatasetBox(Box(0, 0, 10, 20), ("1",), confidence=0.8, answers=SAID),
        DatasetBox(Box(50, 0, 60, 20), ("2",), answers=SAID),
        DatasetBox(Box(50, 40, 60, 60), ("2",), answers=SAID),
        DatasetBox(Box(70, 40, 90, 60), category="kite", answers=SAID),
    ),
    parts=(DatasetPart(0, 1, votes=2, answers=3),),
    negatives=(NegativePhrase(0, 2, 3, confidence=0.7),),
    coco_id=1,
    path="a/pair.png",
)


WRITTEN: dict[str, tuple[str, Callable[[Path], object]]] = {
    "coco": ("all.json", lambda path: write_files(COCO, [IMAGE], path)),
    "coco-captions": ("coco/captions.json", lambda path: write_files(COCO, [IMAGE], path.parent)),
    "coco-instances": ("coco/instances.json", lambda path: write_files(COCO, [IMAGE], path.parent)),
    "mdetr": ("set.json", lambda path: write_data(MDETR, [IMAGE], path.parent)),
    "odvg": ("set.jsonl", lambda path: write_data(ODVG, [IMAGE], path.parent)),
    "chat": ("set.jsonl", lambda path: write_data(CHAT, [IMAGE], path.parent)),
    "hub": ("metadata.jsonl", lambda path: write_data(HUB, [IMAGE], path.parent)),
}
"""Kinds that exports have: the name of the file, and its writer."""
ITEM = FoilItem("a#0", "a", "A dog sits .", "A cat sits .", 1, "dog", "cat", "animal", "test")
PREDICTIONS = [
    {"image": "a.jpg", "caption": 0, "phrase": "a man", "boxes": [[12, 30, 210, 400]], "scores": [0.5], "chain": "A"},
    {"image": "a.jpg", "caption": 1, "words": [0, 3], "boxes": []},
    {"image": "a.jpg", "caption": 0, "reply": "<ref>a man</ref><box>[[57, 60, 1000, 800]]</box> waits."},
]
RESULTS = {
    "images": [{"id": 17, "file_name": "a.jpg"}],
    "categories": [{"id": 1, "name": "man"}],
    "annotations": [
        {"image_id": 17, "category_id": 1, "bbox": [12, 30, 198, 370], "score": 0.92},
        {"image_id": 17, "caption": 0, "phrase": "a man", "bbox": [12, 30, 198, 370]},
        {"image_id": 17, "caption": 0, "words": [0, 2], "bbox": [12.5, 30, 198, 370]},
    ],
}
SHARE = {"share": 0.1, "least": 0.05, "most": 0.17}
CHECK = {"image": "a.jpg", "caption": "a man rides", "foil": "a dog rides", "place": 1}
MAN = {"mentions": [0], "phrases": ["a man"], "boxes": [[12, 30, 210, 400]], "flag": ""}
CHANGE = {
    "image": "a", "kinds": ["box off its place", "wrong type"], "errors": ["wrong box"], "before": [MAN],
    "after": [{**MAN, "boxes": [[60, 30, 258, 400]]}],
    "boxes": [{"kind": "box off its place", "before": [12, 30, 210, 400], "after": [60, 30, 258, 400], "iou": 0.6}],
    "types": [{"mention": 0, "before": ["other"], "after": ["people"]}],
    "people": [{"worker": "w1", "votes": 2}],
    "programs": [{"program": "qwen", "votes": 1, "predictions": 0}],
    "experts": ["e1"], "votes": 2, "confidence": {"mentions": 0.98, "boxes": 0.93},
    "state": "confirmed by an expert",
}  # fmt: skip
OTHERS: dict[str, Any] = {
    "captions": [{"image": "cam1/0001.JPG", "captions": ["[a man] waits", "nobody"]}],
    "caption-check": [{**CHECK, "item": "first"}, CHECK],
    "atom-visual": [atom(item="entity:dog", visual="yes"), atom("idea")],
    "votes": [
        {
            "item": "first:foil", "worker": "w1", "answer": "wrong", "right": True, "place": 1, "word": "dog",
            "replacement": "man", "seconds": 4.5, "at": "2026-01-01T00:00:00+00:00",
        }
    ],
    "gold": [
        {
            "image": "park",
            "chains": [
                {"phrases": [[0, 0, 2], [1, 0, 2]], "boxes": [[0, 0, 20, 30]]},
                {"phrases": [[0, 4, 6]], "non_visual": "scene"},
            ],
        }
    ],
    "doubts": [
        {
            "image": "park", "chain": 1, "mentions": [1, 4], "phrases": ["a man", "the dog"], "flag": "",
            "boxes": [[0, 0, 20, 30]], "standing": "in question", "doubt": 0.8,
            "right": {"mentions": 0.25, "boxes": 0.9, "flag": 0.99},
            "reasons": [
                {"why": "apart", "part": "mentions", "words": "Two things.", "chance": 0.2, "mention": 1, "other": 4},
                {"why": "type", "part": "mentions", "words": "An animal.", "mention": 4, "types": ["animals"]},
                {"why": "bad", "part": "boxes", "words": "A person said so.", "number": 1, "programs": 0},
            ],
        }
    ],
    "wrong-labels": [{"type": "", "labels": 40, "before": SHARE, "mentions": SHARE, "boxes": SHARE, "after": SHARE}],
    "predictions": PREDICTIONS,
    "changes": [CHANGE],
    "archive": {
        "kind": "chainbox project archive", "format": 1, "software": "0.1.0", "migrations": ["annotation.0001"],
        "engine": "postgresql", "written_at": "2026-01-01T00:00:00+00:00", "project": {"id": 7, "name": "parks"},
        "members": [{"name": "ann", "role": "requester"}], "pictures": "by reference", "pieces": [[11, 12, 2]],
        "tables": {
            "annotation_gold": {
                "model": "annotation.Gold",
                "rows": 2,
                "removed": True,
                "columns": {"image_id": "int64"},
            }
        },
        "files": [{"path": "rows/annotation_gold/00000.parquet", "rows": 2, "bytes": 900, "sha256": "0f"}],
    },
    "coco-results": RESULTS,
    "proposals": [{"image": "man", "boxes": [[0, 0, 50, 50], [1, 2, 30.5, 40]], "scores": [0.9, 0.1]}],
    "foil-items": [json.loads(items_text([ITEM])), {**asdict(ITEM), "item": "b#0", "part": "train"}],
    "foil-captions": [json.loads(line) for line in captions_text([ITEM]).splitlines()],
    "foil-predictions": [
        {"item": "a#0:foil", "answer": "foil", "place": 1, "noun": 1, "word": "dog"},
        {"item": "a#0:correct", "answer": "correct"},
    ],
    "foil-votes": [
        {"item": "a#0:foil", "worker": 7, "answer": {"answer": "foil", "word": "cat"}, "right": "foil"},
        {"item": "a#0:correct", "worker": "w1", "answer": "correct", "right": True, "word": None},
    ],
    "atom-votes": [{"item": "entity:man", "worker": "w17", "answer": "yes"}],
    "detections": [{"image": "a", "categories": ["dog", "hot dog"]}],
    "scenes": [
        {
            "image": "a", "width": 100, "height": 80, "descriptions": ["A [man]1 by a [car]2 .", [1]],
            "boxes": [
                {"id": 1, "box": [0, 0, 20, 30], "concept": "man"},
                {"id": "2", "box": [40, 0.5, 60, 30], "concept": "car"},
            ],
        }
    ],
    "sentences": [{"image": "a", "sentence": "A [man]1 ."}, {"image": 2, "boxes": [1, "2"]}],
    "caption-results": [{"image_id": 17, "caption": "a man waits"}],
    "report": {
        "figures": {"accuracy": 71.5}, "n": 2, "seed": 0, "settings": {"step": "foil score"},
        "versions": {"python": "3.11.2"}, "inputs": {"items": "0" * 64},
    },
    "split": {"seed": 0, "images": {"scored": ["a", "b"]}},
}  # fmt: skip


def example(name: str) -> Any:
    """Return the example of a kind: of a file of lines its lines."""
    if name in OTHERS:
        return OTHERS[name]
    file, write = WRITTEN[name]
    with TemporaryDirectory() as folder:
        write(Path(folder) / file)
        return read(Path(folder) / file, name)


def read(path: Path, name: str) -> Any:
    """Return the value of a file, or its lines."""
    text = path.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()] if kinds()[name].is_lines else json.loads(text)


def written(path: Path, name: str, value: Any) -> Path:
    """Write a value, or lines, to a file."""
    lines = value if kinds()[name].is_lines else [value]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path
