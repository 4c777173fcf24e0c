"""The reader for Karpathy's dataset_*.json: the captions of COCO, Flickr8k and Flickr30k in one form."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from exchange.checks import as_id, as_list, as_text, member
from exchange.dataset import DatasetImage, Problem
from exchange.formats.format import Format, SourceFiles, count_matches
from exchange.formats.pictures import FolderPictures, SourcePictures
from exchange.formats.spans import SourceCaption, SourceImages, caption_text, lists_of

SIGNS = (b'"sentences"', b'"filename"')
FILES = SourceFiles(
    "files dataset_*.json", "dataset_*.json", lambda beginning: all(sign in beginning for sign in SIGNS)
)


def read_karpathy(path: Path, pictures: SourcePictures | None = None) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of their names, with their sentences as they were typed (`raw`).

    Sizes are those of the pictures. Raises SourceError for a folder without such a file, or with several, and for one
    of another form.
    """
    file = FILES.only_in(path)
    (rows,) = lists_of(file, "images")
    images = SourceImages(file.name, pictures or FolderPictures(path), to_add="write one into `sentences`")
    yield from images.add_rows(rows, "images", "filename", partial(_add, images))
    yield from images.read()


def _add(images: SourceImages, row: Any, where: str) -> None:
    """Add the image of a row. Raises Defect for a row that names no picture that is there."""
    path = as_text(member(row, "filename", where), f"{where}.filename")
    if row.get("filepath"):
        path = f"{as_text(row['filepath'], f'{where}.filepath').strip('/')}/{path}"
    image, _ = images.of_row({}, path, where)
    if "cocoid" in row:
        with image.details.left_out("the id"):
            image.coco_id = as_id(row["cocoid"], f"{where}.cocoid")
    with image.details.left_out("what is in it"):
        sentences = as_list(member(row, "sentences", where), f"{where}.sentences")
        for place, sentence in enumerate(sentences if image.has_room(len(sentences)) else ()):
            with image.details.left_out("the sentence"):
                own = f"{where}.sentences[{place}]"
                image.captions.append(SourceCaption(caption_text(member(sentence, "raw", own), f"{own}.raw"), own))


KARPATHY = Format(
    name="karpathy",
    title="Karpathy's captions of COCO, Flickr8k and Flickr30k",
    marks="dataset_*.json",
    detects=lambda path: bool(FILES.all_in(path)),
    read=read_karpathy,
    count=lambda path: count_matches(FILES.all_in(path), rb'"filename"\s*:'),
)
