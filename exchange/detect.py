"""The format of a source, and the reader for each format."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from exchange.dataset import DatasetImage, Problem
from exchange.details import BoxForm, BoxUnit
from exchange.formats.captions_folder.caption_file import open_csv
from exchange.formats.captions_folder.read import CAPTION_FILES, read_folder
from exchange.formats.coco.read import read_coco
from exchange.formats.coco.tables import caption_files, instance_files
from exchange.formats.cvat import cvat_files, read_cvat
from exchange.formats.flickr30k.read import read_flickr30k
from exchange.formats.hub.read import hub_files, read_hub
from exchange.formats.karpathy import karpathy_files, read_karpathy
from exchange.formats.label_studio.read import label_studio_files, read_label_studio
from exchange.formats.mdetr.read import mdetr_files, read_mdetr
from exchange.formats.odvg.read import odvg_files, read_odvg
from exchange.formats.parquet.pictures import ParquetPictures, parquet_files
from exchange.formats.parquet.read import read_parquet
from exchange.formats.picture_files import FolderPictures, Pictures
from exchange.formats.refcoco.read import read_refcoco, refs_files
from exchange.formats.spans import BOXES_ALONE
from exchange.formats.visual_genome.read import REGIONS, read_visual_genome
from exchange.problems import source_error

Reader = Callable[[Path, Pictures], Iterator[DatasetImage | Problem]]
FormReader = Callable[[Path, Pictures, BoxForm], Iterator[DatasetImage | Problem]]

FLICKR30K = "flickr30k-entities"
COCO = "coco"
FOLDER = "folder"
MDETR = "mdetr"
ODVG = "odvg"
HUB = "hub"
REFCOCO = "refcoco"
VISUAL_GENOME = "visual-genome"
PARQUET = "parquet"
LABEL_STUDIO = "label-studio"
CVAT = "cvat"
KARPATHY = "karpathy"
READERS: dict[str, Reader] = {
    FLICKR30K: read_flickr30k,
    COCO: read_coco,
    FOLDER: read_folder,
    MDETR: read_mdetr,
    ODVG: read_odvg,
    HUB: read_hub,
    REFCOCO: read_refcoco,
    VISUAL_GENOME: read_visual_genome,
    PARQUET: read_parquet,
    LABEL_STUDIO: read_label_studio,
    CVAT: read_cvat,
    KARPATHY: read_karpathy,
}
FORM_READERS: dict[str, FormReader] = {
    COCO: read_coco,
    MDETR: read_mdetr,
    ODVG: read_odvg,
    HUB: read_hub,
    REFCOCO: read_refcoco,
    VISUAL_GENOME: read_visual_genome,
    PARQUET: read_parquet,
}
"""The readers of the formats whose boxes may be shares of the picture."""

_CHUNK = 1 << 20


def detect_format(path: Path) -> str:
    """Return the name of an unpacked source's format. Raises SourceError for no known format and for several."""
    if not path.is_dir():
        raise source_error(path, "is not a folder: give a folder or a .zip file of one")
    found = [
        name
        for name, there in (
            (FLICKR30K, (path / "Sentences").is_dir()),
            (COCO, bool(caption_files(path, whole=False))),
            (FOLDER, any((path / name).is_file() for name in CAPTION_FILES)),
            (MDETR, bool(mdetr_files(path))),
            (ODVG, bool(odvg_files(path))),
            (HUB, bool(hub_files(path))),
            (REFCOCO, bool(refs_files(path))),
            (VISUAL_GENOME, (path / REGIONS).is_file()),
            (PARQUET, bool(parquet_files(path))),
            (LABEL_STUDIO, bool(label_studio_files(path))),
            (CVAT, bool(cvat_files(path))),
            (KARPATHY, bool(karpathy_files(path))),
        )
        if there
    ]
    if not found and caption_files(path):
        return COCO  # an export into one file
    if not found and (boxes := instance_files(path)):
        raise source_error(
            path,
            f"{BOXES_ALONE}: {boxes[0].relative_to(path).as_posix()} has boxes and no caption. Add captions.json in "
            "the form of COCO, with the same ids of images",
        )
    if not found:
        raise source_error(
            path,
            "is in no known format: it has neither a folder Sentences/ (flickr30k-entities), nor captions*.json in it "
            "or in annotations/ (coco), nor captions.csv, captions.txt or captions.jsonl (folder), nor a .json file "
            "with tokens_positive (mdetr), nor a .jsonl file with grounding (odvg), nor metadata.jsonl or metadata.csv "
            "in it or in its folders (hub), nor dataset_*.json (karpathy), nor "
            "refs*.json or refs*.p (refcoco), nor region_descriptions.json (visual-genome), nor a .parquet file "
            "(parquet), nor a .json list of tasks (label-studio), nor a .xml file with annotations (cvat)",
        )
    if len(found) > 1:
        raise source_error(path, f"could be any of {', '.join(found)}: choose one with --format")
    return found[0]


def columns_said(path: Path) -> str:
    """Return how the table of captions of a plain folder is read, in words; empty without one.

    Raises SourceError for one whose header cannot be read.
    """
    tables = [path / name for name in CAPTION_FILES if not name.endswith(".jsonl")]
    return next((open_csv(table).said for table in tables if table.is_file()), "")


def reader_for(name: str) -> Reader:
    """Return the function that reads this format. Raises ValueError for an unknown name."""
    if name not in READERS:
        raise ValueError(f"unknown format {name!r}: choose one of {', '.join(READERS)}")
    return READERS[name]


def read_source(name: str, path: Path, pictures: Pictures, boxes: str = "") -> Iterator[DatasetImage | Problem]:
    """Read a source of this format. `boxes`: their unit; empty: nobody said. Raises SourceError."""
    if name in FORM_READERS:
        return FORM_READERS[name](path, pictures, BoxForm(BoxUnit(boxes) if boxes else None))
    if boxes:
        raise source_error(path, f"is in the format {name}, whose boxes have one unit: leave the choice out")
    return reader_for(name)(path, pictures)


def pictures_for(name: str, path: Path, pictures: Pictures) -> Pictures:
    """Return the pictures of a source of this format: Parquet files hold them. Raises SourceError."""
    return ParquetPictures(path, pictures) if name == PARQUET else pictures


def count_images(path: Path, name: str, pictures: Pictures | None = None) -> int:
    """Estimate the number of images in an unpacked source quickly, for a progress bar."""
    if name == FLICKR30K:
        return sum(file.suffix == ".txt" for file in (path / "Sentences").glob("[!.]*"))
    if name == COCO:
        return sum(_count(file, rb'"file_name"\s*:') for file in caption_files(path))
    if name == MDETR:
        return sum(_count(file, rb'"file_name"\s*:') for file in mdetr_files(path))
    if name == ODVG:
        return sum(_count(file, rb'"filename"\s*:') for file in odvg_files(path))
    if name == REFCOCO:
        return sum(_count(file, rb'"file_name"\s*:') for file in instance_files(path))
    if name == VISUAL_GENOME:
        return _count(path / REGIONS, rb'"regions"\s*:')
    if name == LABEL_STUDIO:
        return sum(_count(file, rb'"data"\s*:\s*\{') for file in label_studio_files(path))
    if name == KARPATHY:
        return sum(_count(file, rb'"filename"\s*:') for file in karpathy_files(path))
    if name == CVAT:
        return sum(_count(file, rb"<image\s") for file in cvat_files(path))
    return sum(1 for _ in pictures or FolderPictures(path))


def _count(file: Path, pattern: bytes) -> int:
    """Count the pattern in the file, read in pieces. A match across two pieces is missed."""
    with file.open("rb") as source:
        return sum(len(re.findall(pattern, data)) for data in iter(lambda: source.read(_CHUNK), b""))
