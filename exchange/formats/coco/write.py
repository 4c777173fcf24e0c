"""The writer for COCO: captions with phrases as `tokens_positive` spans, boxes with a category, and chains.

`exchange.formats.coco.rows` declares every field.
"""

import json
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from annotation.rules.box import Box
from annotation.rules.mention_type import NOUN_TYPES, MentionType
from exchange.atomic import atomic_file, atomic_folder
from exchange.dataset import NONE_USED, Answers, DatasetBox, DatasetCaption, DatasetImage, DatasetMention, Numbers
from exchange.declared import Answered
from exchange.formats.coco.rows import CocoBox, CocoCaption, CocoCategory, CocoChain, CocoImage, CocoPhrase
from exchange.formats.phrases import xywh
from exchange.json_text import json_text
from exchange.words import character_span

LISTS = ("annotations", "captions", "categories", "chains", "images", "licenses")
_COMMON = {"chains": "chains", "images": "images", "licenses": "licenses"}
FILES = {
    "captions.json": _COMMON | {"annotations": "captions"},
    "instances.json": _COMMON | {"annotations": "annotations", "categories": "categories"},
}
"""The files of a folder, each with the list of each of its keys."""
INFO = {"info": {"description": "Coreference chains and boxes, exported by Chainbox", "version": "1"}}
"""The text that COCO's tools print about a file. No date, so that the same project gives the same bytes."""


def write_coco(images: Iterable[DatasetImage], target: Path, *, categories: Iterable[str] = ()) -> int:
    """Write the images and return their number. The same images give the same bytes.

    A `target` that ends in .json becomes one file, with boxes under `annotations` and captions under `captions`. Any
    other target becomes a folder with captions.json and instances.json, each with its own `annotations`. Raises
    TargetExists if the target is not empty. `categories`: those of boxes without chains that have a number already,
    in the order of their numbers.
    """
    with json_lists(*LISTS) as lists:
        if target.suffix == ".json":
            with atomic_file(target) as temporary:
                count = add_coco(images, lists, categories)
                lists.write(temporary, {key: key for key in LISTS}, INFO)
        else:
            with atomic_folder(target) as temporary:
                count = add_coco(images, lists, categories)
                for name, keys in FILES.items():
                    lists.write(temporary / name, keys, INFO)
        return count


def add_coco(
    images: Iterable[DatasetImage], lists: "JsonLists", categories: Iterable[str], start: Numbers = NONE_USED
) -> int:
    """Add the images and the categories to the lists, and return the number of images.

    `start`: what images before them have used up.
    """
    writer = _Writer(lists, categories, start)
    writer.add_all(images)
    return writer.images - start.images


class _Writer:
    """Numbers captions and boxes in their order, and images that have no id yet."""

    def __init__(self, lists: "JsonLists", categories: Iterable[str], start: Numbers) -> None:
        self.lists = lists
        self.images, self.captions, self.boxes = start.images, start.captions, start.boxes
        self.id: int | str = 0
        self.categories = {str(kind): number for number, kind in enumerate(NOUN_TYPES, start=1)}
        for category in categories:
            self._number(category)

    def add_all(self, images: Iterable[DatasetImage]) -> None:
        for image in images:
            self._add(image)
        for name, number in self.categories.items():
            category: CocoCategory = {"id": number, "name": name, "supercategory": ""}
            self.lists.add("categories", category)

    def _add(self, image: DatasetImage) -> None:
        self.images += 1
        self.id = self.images if image.coco_id is None else image.coco_id
        entry: CocoImage = {
            "file_name": image.file_name,
            "height": image.height,
            "id": self.id,
            "name": image.name,
            "width": image.width,
        }
        self.lists.add("images", entry)
        for number, caption in enumerate(image.captions):
            mentions = [mention for mention in image.mentions if mention.caption == number]
            self._add_caption(caption, mentions)
        for chain in image.chains:
            row: CocoChain = {
                "doubted": chain.doubted,
                "drawer_judged": chain.drawer_judged,
                "image_id": self.id,
                "name": chain.name,
                "no_box": chain.no_box,
                "scene": chain.scene,
                "types": types_of_chains(image, (chain.name,)),
                **_answers(chain.answers),
            }
            self.lists.add("chains", row)
        for box in image.boxes:
            self._add_box(image, box)

    def _add_caption(self, caption: DatasetCaption, mentions: list[DatasetMention]) -> None:
        self.captions += 1
        entry: CocoCaption = {"caption": caption.text, "id": self.captions, "image_id": self.id}
        if caption.chunked:
            entry["phrases"] = [_phrase(caption, mention) for mention in mentions]
            entry["not_visual"] = [[list(character_span(caption, *span))] for span in caption.non_visual]
        self.lists.add("captions", entry)

    def _add_box(self, image: DatasetImage, box: DatasetBox) -> None:
        self.boxes += 1
        types = types_of_chains(image, box.chains)
        category = box.category or next(iter(types), str(MentionType.OTHER))
        entry: CocoBox = {
            "area": box.box.area,
            "bbox": xywh(box.box),
            "category_id": self._number(category),
            "chains": list(box.chains),
            "id": self.boxes,
            "image_id": self.id,
            "iscrowd": 0,
            "segmentation": corners(box.box),
            "types": types,
            **_answers(box.answers),
        }
        self.lists.add("annotations", entry)

    def _number(self, category: str) -> int:
        return self.categories.setdefault(category, len(self.categories) + 1)


def _phrase(caption: DatasetCaption, mention: DatasetMention) -> CocoPhrase:
    span = list(character_span(caption, mention.start, mention.end))
    return {"chain": mention.chain, "tokens_positive": [span], "types": list(mention.types)}


def _answers(answers: Answers | None) -> Answered:
    return {} if answers is None else answers.as_json()


def types_of_chains(image: DatasetImage, chains: Collection[str]) -> list[str]:
    """Return the types of all mentions of the chains, each once, in reading order; that of pronouns last."""
    found = dict.fromkeys(kind for one in image.mentions if one.chain in chains for kind in one.types)
    return sorted(found, key=lambda kind: kind == MentionType.PRONOUN.value)


def corners(box: Box) -> list[list[int]]:
    """Return the box as a polygon."""
    x0, y0, x1, y1 = box
    return [[x0, y0, x1, y0, x1, y1, x0, y1]]


class JsonLists:
    """The lists of a JSON object by key, each in a temporary file: one item per line, with sorted keys."""

    def __init__(self, files: dict[str, IO[bytes]]) -> None:
        self._files = files
        self._before = dict.fromkeys(files, "\n")

    def add(self, key: str, item: Mapping[str, Any]) -> None:
        """Append an item to one of the lists."""
        self._files[key].write(f"{self._before[key]}{json_text(item)}".encode())
        self._before[key] = ",\n"

    def write(self, target: Path, lists: dict[str, str], values: dict[str, Any]) -> None:
        """Write an object with sorted keys; `lists` gives the list for each key, `values` those that are not a list."""
        with target.open("wb") as whole:
            for part in layout(lists, values):
                if isinstance(part, bytes):
                    whole.write(part)
                    continue
                file = self._files[part]
                file.seek(0)
                shutil.copyfileobj(file, whole)


def layout(lists: Mapping[str, str], values: Mapping[str, Any]) -> Iterator[bytes | str]:
    """Yield the parts of a file: its bytes, and between them the names of the lists whose items stand there."""
    for position, key in enumerate(sorted({*lists, *values})):
        before = b"{\n" if position == 0 else b",\n"
        yield before + json.dumps(key).encode() + b": "
        if key in values:
            yield json.dumps(values[key], sort_keys=True).encode()
        else:
            yield b"["
            yield lists[key]
            yield b"\n]"
    yield b"\n}\n"


@contextmanager
def json_lists(*keys: str, folder: Path | None = None) -> Iterator[JsonLists]:
    """Make lists under these keys, kept on disk until the block ends, or as files of these names in the folder."""
    with ExitStack() as stack:
        files: dict[str, IO[bytes]] = {}
        for key in keys:
            kept = (folder / key).open("w+b") if folder else tempfile.TemporaryFile()  # noqa: SIM115  # by the stack
            files[key] = stack.enter_context(kept)
        yield JsonLists(files)
