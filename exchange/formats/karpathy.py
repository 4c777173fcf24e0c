"""The reader for Karpathy's dataset_*.json: the captions of COCO, Flickr8k and Flickr30k in one form."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.bounds import JSON_BYTES
from exchange.checks import as_id, as_list, as_text, decode, member, parse_json, read_bytes
from exchange.dataset import DatasetImage, Problem
from exchange.formats.format import Format, count_matches
from exchange.formats.pictures import FolderPictures, Pictures
from exchange.formats.spans import SaidCaption, SaidImages, caption_text, dataset_images, unnamed
from exchange.problems import BadRows, Defect, source_error

SIGNS = (b'"sentences"', b'"filename"')
HEAD = 1 << 20


def karpathy_files(path: Path) -> list[Path]:
    """Return the files dataset_*.json of the folder whose first mebibyte has sentences and names of files."""
    return [file for file in sorted(path.glob("dataset_*.json")) if file.is_file() and _is_karpathy(file)]


def _is_karpathy(file: Path) -> bool:
    with file.open("rb") as source:
        head = source.read(HEAD)
    return all(sign in head for sign in SIGNS)


def read_karpathy(path: Path, pictures: Pictures | None = None) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of their names, with their sentences as they were typed (`raw`).

    Sizes are those of the pictures. Raises SourceError for a folder without such a file, or with several, and for one
    of another form.
    """
    files = karpathy_files(path)
    if len(files) != 1:
        raise source_error(path, f"has {len(files)} files dataset_*.json: it needs one")
    try:
        rows = as_list(
            member(parse_json(decode(read_bytes(files[0], most=JSON_BYTES))), "images", "the file"), "images"
        )
    except Defect as defect:
        raise source_error(files[0].name, defect.message, defect.line) from defect
    images = SaidImages(files[0].name, pictures or FolderPictures(path), to_add="write one into `sentences`")
    bad = BadRows[Problem]()
    for place, row in enumerate(rows):
        where = f"images[{place}]"
        try:
            _add(images, row, where)
        except Defect as defect:
            name = row.get("filename") if isinstance(row, dict) else None
            bad.append(unnamed(defect, files[0].name, where, name))
            yield bad[-1]
    yield from dataset_images(images.by_path.values(), images.pictures, files[0].name)


def _add(images: SaidImages, row: Any, where: str) -> None:
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
                image.captions.append(SaidCaption(caption_text(member(sentence, "raw", own), f"{own}.raw"), own))


KARPATHY = Format(
    name="karpathy",
    title="Karpathy's captions of COCO, Flickr8k and Flickr30k",
    marks="dataset_*.json",
    detects=lambda path: bool(karpathy_files(path)),
    read=read_karpathy,
    count=lambda path: count_matches(karpathy_files(path), rb'"filename"\s*:'),
)
