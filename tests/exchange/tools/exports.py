"""Small exports of annotation tools, whole or with one fault."""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

Edit = Callable[[Any], object]
SIDES = {"original_width": 200, "original_height": 80}


def rectangle(name: str, edges: tuple[float, float, float, float], *labels: str, **more: Any) -> dict[str, Any]:
    """Return a box in percent: left, top, width, height."""
    value = dict(zip(("x", "y", "width", "height"), edges, strict=True)) | {"rotation": 0, "rectanglelabels": [*labels]}
    to = {"from_name": "label", "to_name": "image"}
    return {"id": name, "type": "rectanglelabels", **to, **SIDES, "image_rotation": 0, "value": value | more}


def span(name: str, start: int, end: int, text: str, *labels: str, to: str = "caption") -> dict[str, Any]:
    value = {"start": start, "end": end, "text": text, "labels": [*labels]}
    return {"id": name, "type": "labels", "from_name": "phrase", "to_name": to, "value": value}


def relation(first: str, second: str) -> dict[str, Any]:
    return {"type": "relation", "from_id": first, "to_id": second, "direction": "right", "labels": []}


def about(name: str, *texts: str, **more: Any) -> dict[str, Any]:
    value = {"text": [*texts]}
    return {"id": name, "type": "textarea", "from_name": "words", "to_name": "image", "value": value} | more


def task(result: list[Any], image: str = "/data/upload/3/0a1b2c3d-one.jpg", **data: Any) -> dict[str, Any]:
    annotation = {"id": 1, "was_cancelled": False, "ground_truth": False, "result": result}
    return {"id": 1, "data": {"image": image, **data}, "annotations": [annotation], "predictions": []}


RESULTS = [
    rectangle("man", (0.25, 0, 10, 75), "Person"),
    rectangle("dog", (15, 25, 10, 25), "Dog"),
    rectangle("tree", (50, 0, 10, 50), "Tree"),
    span("s1", 0, 5, "A man", "people"), span("s2", 10, 17, "his dog"), span("s3", 0, 3, "She", to="second"),
    relation("s1", "man"), relation("dog", "s2"), relation("s1", "s3"), about("tree", "a tree."),
]  # fmt: skip
TASKS = [task(RESULTS, caption="A man and his dog .", second="She waits .")]
CVAT = """<?xml version="1.0" encoding="utf-8"?>
<annotations>
  <version>1.1</version>
  <meta><task><name>parks</name><labels><label><name>dog</name></label></labels></task></meta>
  <image id="0" name="a/one.jpg" width="200" height="80">
    <box label="man" source="manual" occluded="1" xtl="0.50" ytl="0.00" xbr="20.50" ybr="60.00" group_id="1">
      <attribute name="caption">two friends</attribute>
    </box>
    <box label="dog" source="manual" occluded="0" xtl="30.00" ytl="20.00" xbr="50.00" ybr="40.00" group_id="1">
    </box>
    <polygon label="tree" source="manual" occluded="0" points="100.00,0.00;120.00,0.00;110.50,40.25" z_order="0">
    </polygon>
    <tag label="picture" source="manual">
      <attribute name="caption">A man and his dog .</attribute>
      <attribute name="weather">fine</attribute>
    </tag>
  </image>
</annotations>
"""


def written_tasks(folder: Path, edit: Edit = lambda data: None) -> Path:
    data: Any = deepcopy(TASKS)
    edit(data)
    (folder / "export.json").write_text(json.dumps(data))
    return folder


def written_cvat(folder: Path, *changes: tuple[str, str]) -> Path:
    """Write the export after the changes: a text that is there, and what stands in its place."""
    text = CVAT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / "annotations.xml").write_text(text)
    return folder
