"""Readers of the formats of grounding, written from their descriptions: phrases with boxes as trainers see them."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

Edges = tuple[int, ...]
"""Left, top, right, bottom."""


class Read(NamedTuple):
    """A phrase of a caption. `start`, `end`: in characters."""

    file_name: str
    caption: str
    start: int
    end: int
    boxes: tuple[Edges, ...]


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _corners(bbox: list[int]) -> Edges:
    x, y, width, height = bbox
    return x, y, x + width, y + height


def read_mdetr(path: Path) -> list[Read]:
    """Read a row a caption; an annotation a box, with the span of characters that it belongs to.

    mmdetection needs `phrase_ids`, too: the place of the phrase in the row's `tokens_positive_eval`.
    """
    data = json.loads(path.read_text(encoding="utf-8"))
    of_row: dict[int, dict[tuple[int, int], list[Edges]]] = defaultdict(lambda: defaultdict(list))
    by_id = {row["id"]: row for row in data["images"]}
    for one in data["annotations"]:
        assert (one["category_id"], one["iscrowd"]) == (1, 0)
        assert one["area"] == one["bbox"][2] * one["bbox"][3]
        (span,) = one["tokens_positive"]
        assert by_id[one["image_id"]]["tokens_positive_eval"][one["phrase_ids"]] == [span]
        for start, end in one["tokens_positive"]:
            of_row[one["image_id"]][start, end].append(_corners(one["bbox"]))
    found = []
    for row in data["images"]:
        own = of_row.pop(row["id"], {})
        assert [[[*span]] for span in own] == row["tokens_positive_eval"]
        found += [Read(row["file_name"], row["caption"], *span, tuple(boxes)) for span, boxes in own.items()]
    assert not of_row
    return found


def read_odvg(path: Path) -> list[Read]:
    """Read a line a caption, as Open-GroundingDino does: boxes are one tensor, labels are counted by regions."""
    found = []
    for line in _lines(path):
        caption, of_span = line["grounding"]["caption"], defaultdict[tuple[int, int], list[Edges]](list)
        for region in line["grounding"]["regions"]:
            ((start, end),) = region["tokens_positive"]
            assert caption[start:end] == region["phrase"]
            assert [type(edge) for edge in region["bbox"]] == [int] * 4, "a region has one box"
            of_span[start, end].append(tuple(region["bbox"]))
        found += [Read(line["filename"], caption, *span, tuple(boxes)) for span, boxes in of_span.items()]
    return found


def read_chat(path: Path) -> list[Read]:
    """Read a conversation a caption: signs stand for the next phrase and the next box."""
    found = []
    for line in _lines(path):
        user, assistant = line["messages"]
        assert (user["role"], assistant["role"]) == ("user", "assistant")
        assert user["content"].count("<image>") == len(line["images"]) == 1
        assert line["objects"]["bbox_type"] == "real"
        refs, boxes = iter(line["objects"]["ref"]), iter(line["objects"]["bbox"])
        text, own = "", []
        for piece in re.split("(<ref-object>(?:<bbox>)+)", assistant["content"]):
            if piece.startswith("<ref-object>"):
                start, text = len(text), text + next(refs)
                signs = piece.count("<bbox>")
                own.append((start, len(text), tuple(tuple(next(boxes)) for _ in range(signs))))
            else:
                text += piece
        assert next(refs, None) is next(boxes, None) is None
        found += [Read(line["images"][0], text, *one) for one in own]
    return found


def read_hub(folder: Path) -> list[Read]:
    """Read a row an image, with parallel lists of an entry a box."""
    return phrases_in(_lines(folder / "metadata.jsonl"))


def read_parquet(folder: Path) -> list[Read]:
    """Read rows as of a hub folder, whose pictures are in the rows."""
    from pyarrow import parquet

    rows = [row for file in sorted(folder.rglob("*.parquet")) for row in parquet.read_table(file).to_pylist()]
    assert all(row["image"]["bytes"] and row["image"]["path"] == row["file_name"] for row in rows)
    return phrases_in(rows)


def phrases_in(rows: Iterable[dict[str, Any]]) -> list[Read]:
    """Return the phrases of rows of a hub folder. Boxes of no phrase, in caption -1, are passed over."""
    found = []
    for row in rows:
        objects = row["objects"]
        assert len({len(own) for own in objects.values()}) == 1
        of_phrase: dict[tuple[int, int, int], list[Edges]] = defaultdict(list)
        for caption, start, end, phrase, bbox in zip(
            *(objects[name] for name in ("caption", "start", "end", "phrase", "bbox")), strict=True
        ):
            if caption == -1:
                assert (start, end, phrase) == (-1, -1, "")
                continue
            assert row["captions"][caption][start:end] == phrase
            of_phrase[caption, start, end].append(_corners(bbox))
        found += [
            Read(row["file_name"], row["captions"][caption], start, end, tuple(boxes))
            for (caption, start, end), boxes in of_phrase.items()
        ]
    return found


READERS = {"mdetr": read_mdetr, "odvg": read_odvg, "chat": read_chat, "hub": read_hub, "parquet": read_parquet}
