"""Small COCO sources with pictures, as people have them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.support.pictures import plain_jpeg

WIDTH, HEIGHT = 40, 30


def coco_source(
    folder: Path,
    files: Iterable[tuple[Any, str]],
    *,
    texts: str = "annotations/captions_val2017.json",
    pictures: str | None = "val2017",
    caption: str = "A dog runs",
    boxes: Iterable[tuple[Any, str, list[float]]] = (),
) -> Path:
    """Write images (id, file_name) with a caption each, pictures in that folder, and boxes (image, category, bbox)."""
    images = [{"id": number, "file_name": name, "width": WIDTH, "height": HEIGHT} for number, name in files]
    captions = [{"id": n, "image_id": one["id"], "caption": caption} for n, one in enumerate(images)]
    _write(folder / texts, {"images": images, "annotations": captions})
    rows = list(boxes)
    if rows:
        names = list(dict.fromkeys(name for _, name, _ in rows))
        annotations = [
            {"id": n, "image_id": image, "category_id": 60 + names.index(name), "bbox": bbox}
            for n, (image, name, bbox) in enumerate(rows)
        ]
        categories = [{"id": 60 + n, "name": name} for n, name in enumerate(names)]
        content = {"images": images, "annotations": annotations, "categories": categories}
        _write(folder / texts.replace("captions", "instances"), content)
    for one in images if pictures is not None else ():
        file = folder / str(pictures) / str(one["file_name"])
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(plain_jpeg(WIDTH, HEIGHT))
    return folder


def _write(file: Path, content: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content))
