"""The writer for COCO: captions with phrases as `tokens_positive` spans, boxes with a category, and chains."""

import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from annotation.rules.mention_type import MentionType
from exchange.atomic import atomic_file, atomic_folder
from exchange.dataset import DatasetBox, DatasetCaption, DatasetImage, DatasetMention
from exchange.words import character_span


def write_coco(images: Iterable[DatasetImage], target: Path) -> int:
    """Write the images and return their number. The same images give the same bytes.

    A `target` that ends in .json becomes one file, with boxes under `annotations` and captions under `captions`. Any
    other target becomes a folder with captions.json and instances.json, each with its own `annotations`. Raises
    TargetExists if the target is not empty.
    """
    with json_lists("annotations", "captions", "categories", "chains", "images") as lists:
        writer = _Writer(lists)
        if target.suffix == ".json":
            with atomic_file(target) as temporary:
                writer.add_all(images)
                lists.write(
                    temporary, {key: key for key in ("annotations", "captions", "categories", "chains", "images")}
                )
        else:
            with atomic_folder(target) as temporary:
                writer.add_all(images)
                captions = {"annotations": "captions", "chains": "chains", "images": "images"}
                lists.write(temporary / "captions.json", captions)
                instances = {"annotations": "annotations", "categories": "categories", "images": "images"}
                lists.write(temporary / "instances.json", instances)
        return writer.images


class _Writer:
    """Numbers images, captions and boxes from 1 in their order."""

    def __init__(self, lists: "JsonLists") -> None:
        self.lists = lists
        self.images = self.captions = self.boxes = 0
        self.categories = {str(kind): number for number, kind in enumerate(MentionType, start=1)}

    def add_all(self, images: Iterable[DatasetImage]) -> None:
        for image in images:
            self._add(image)
        for name, number in self.categories.items():
            self.lists.add("categories", {"id": number, "name": name, "supercategory": ""})

    def _add(self, image: DatasetImage) -> None:
        self.images += 1
        entry = {
            "file_name": image.name + image.suffix,
            "height": image.height,
            "id": self.images,
            "width": image.width,
        }
        self.lists.add("images", entry)
        for number, caption in enumerate(image.captions):
            mentions = [mention for mention in image.mentions if mention.caption == number]
            self._add_caption(caption, mentions)
        for chain in image.chains:
            entry = {"image_id": self.images, "name": chain.name, "no_box": chain.no_box, "scene": chain.scene}
            self.lists.add("chains", entry)
        for box in image.boxes:
            self._add_box(image, box)

    def _add_caption(self, caption: DatasetCaption, mentions: list[DatasetMention]) -> None:
        self.captions += 1
        entry: dict[str, Any] = {"caption": caption.text, "id": self.captions, "image_id": self.images}
        if caption.chunked:
            entry["phrases"] = [_phrase(caption, mention) for mention in mentions]
            entry["not_visual"] = [[list(character_span(caption, *span))] for span in caption.non_visual]
        self.lists.add("captions", entry)

    def _add_box(self, image: DatasetImage, box: DatasetBox) -> None:
        self.boxes += 1
        x0, y0, x1, y1 = box.box
        category = box.category or _first_type(image, box)
        entry = {
            "area": box.box.area,
            "bbox": [x0, y0, x1 - x0, y1 - y0],
            "category_id": self.categories.setdefault(category, len(self.categories) + 1),
            "chains": list(box.chains),
            "id": self.boxes,
            "image_id": self.images,
            "iscrowd": 0,
        }
        self.lists.add("annotations", entry)


def _phrase(caption: DatasetCaption, mention: DatasetMention) -> dict[str, Any]:
    span = list(character_span(caption, mention.start, mention.end))
    return {"chain": mention.chain, "tokens_positive": [span], "types": list(mention.types)}


def _first_type(image: DatasetImage, box: DatasetBox) -> str:
    """Return the first type of the first mention, in reading order, among the chains of the box."""
    for mention in image.mentions:
        if mention.chain in box.chains and mention.types:
            return mention.types[0]
    return str(MentionType.OTHER)


class JsonLists:
    """The lists of a JSON object by key, each in a temporary file: one item per line, with sorted keys."""

    def __init__(self, files: dict[str, IO[bytes]]) -> None:
        self._files = files

    def add(self, key: str, item: dict[str, Any]) -> None:
        """Append an item to one of the lists."""
        file = self._files[key]
        file.write(b",\n" if file.tell() else b"\n")
        file.write(json.dumps(item, ensure_ascii=False, sort_keys=True, allow_nan=False).encode())

    def write(self, target: Path, lists: dict[str, str]) -> None:
        """Write an object with sorted keys; `lists` gives the list for each key."""
        with target.open("xb") as whole:
            for position, key in enumerate(sorted(lists)):
                whole.write(b"{\n" if position == 0 else b",\n")
                whole.write(json.dumps(key).encode() + b": [")
                file = self._files[lists[key]]
                file.seek(0)
                shutil.copyfileobj(file, whole)
                whole.write(b"\n]")
            whole.write(b"\n}\n")


@contextmanager
def json_lists(*keys: str) -> Iterator[JsonLists]:
    """Make lists under these keys, kept on disk until the block ends."""
    with ExitStack() as stack:
        files: dict[str, IO[bytes]] = {}
        for key in keys:
            files[key] = stack.enter_context(tempfile.TemporaryFile())
        yield JsonLists(files)
