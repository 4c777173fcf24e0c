"""The images that a project has, by what tells them from others: path, name, and id in COCO files."""

from hashlib import blake2b
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from annotation.models import Caption, Project
from exchange.dataset import DatasetImage
from exchange.names import free_name, image_name, number_of, same_name, same_path


class KnownImage(NamedTuple):
    """An image of the project."""

    id: int
    name: str
    path: str
    """Empty if it came from texts that name no pictures."""
    width: int
    height: int
    has_picture: bool


class KnownImages:
    """The images of a project as they were when this was made, and those that were added since."""

    def __init__(self, project: Project | None) -> None:
        self._by_path: dict[str, KnownImage] = {}
        self._without_path: dict[str, KnownImage] = {}
        self._by_name: dict[str, KnownImage] = {}
        self._names: set[str] = set()
        self._numbers: dict[str, int] = {}
        self._ids: set[int | str] = set()
        self._largest = 0
        self._project = project
        self._captions: dict[int, tuple[int, bytes]] | None = None
        if project is not None:
            columns = ("id", "name", "path", "width", "height", "picture", "position", "coco_id")
            rows = project.images.order_by("position").values_list(*columns)
            for number, name, path, width, height, picture, position, coco_id in rows.iterator():
                self._add(KnownImage(number, name, path, width, height, bool(picture)))
                self._add_id(position + 1 if coco_id is None else coco_id)

    def find(self, image: DatasetImage) -> KnownImage | None:
        """Return the project's image that this one of a source is; each is found for one image of a source only.

        An image is told by its path. One of texts that name no pictures has none, and is told by its name.
        """
        if not image.path:
            return self._by_name.get(same_path(image.name))
        if same_path(image.path) in self._by_path:
            return self._by_path[same_path(image.path)]
        return self._without_path.pop(same_path(image_name(image.path)), None)

    def other_captions(self, known: KnownImage, image: DatasetImage) -> str:
        """Say how the captions of an image of a source differ from the project's; empty if they do not."""
        if self._captions is None:
            self._captions = self._read_captions()
        texts = [caption.text for caption in image.captions]
        number, digest = self._captions.get(known.id, (0, _digest([])))
        if digest == _digest(texts):
            return ""
        if number != len(texts):
            return f"{number:,} here, {len(texts):,} in the source"
        own = Caption.objects.filter(image=known.id).values_list("text", flat=True)
        return "in another order" if sorted(own) == sorted(texts) else "other words in the source"

    def _read_captions(self) -> dict[int, tuple[int, bytes]]:
        """Return the number of each image's captions, and a digest of their texts: a project may have a million."""
        rows = Caption.objects.filter(image__project=self._project).order_by("image_id", "number")
        found = {}
        for image, captions in groupby(rows.values_list("image_id", "text").iterator(), key=itemgetter(0)):
            texts = [text for _, text in captions]
            found[image] = len(texts), _digest(texts)
        return found

    def name_for(self, image: DatasetImage) -> str:
        """Return the image's name, with its ending if the project has another image of that name."""
        if same_name(image.name) not in self._names:
            return image.name
        return free_name(image.file_name, self._names, self._numbers)

    def id_for(self, image: DatasetImage, position: int) -> int | str:
        """Return the id in COCO files, which no other image of the project has.

        That of the source; without one, the number that is the image's name, as pictures of Flickr30k and COCO have it
        and MDETR's evaluation joins by it; else its place in the project.
        """
        for wanted in (image.coco_id, number_of(image.name), position + 1):
            if wanted is not None and wanted not in self._ids:
                return wanted
        return self._largest + 1

    def add(self, image: DatasetImage) -> None:
        """Note an image that was written, with its name and id."""
        self._names.add(same_name(image.name))
        if image.coco_id is not None:
            self._add_id(image.coco_id)

    def _add(self, known: KnownImage) -> None:
        self._names.add(same_name(known.name))
        self._by_name[same_path(known.name)] = known
        if known.path:
            self._by_path[same_path(known.path)] = known
        else:
            self._without_path[same_path(known.name)] = known

    def _add_id(self, number: int | str) -> None:
        self._ids.add(number)
        if isinstance(number, int):
            self._largest = max(self._largest, number)


def _digest(texts: list[str]) -> bytes:
    return blake2b("\0".join(texts).encode(), digest_size=16).digest()
