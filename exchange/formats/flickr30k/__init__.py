"""Flickr30k Entities: `Sentences/` and `Annotations/`."""

from pathlib import Path

from exchange.formats.edits import key_of_file
from exchange.formats.flickr30k.read import read_flickr30k
from exchange.formats.flickr30k.write import patch_flickr30k, write_flickr30k
from exchange.formats.format import Column, Corrector, Format, Loss, Rows


def _count(path: Path) -> int:
    return sum(file.suffix == ".txt" for file in (path / "Sentences").glob("[!.]*"))


FLICKR30K = Format(
    name="flickr30k-entities",
    title="the folders Sentences/ and Annotations/ of Flickr30k Entities",
    marks="a folder Sentences/",
    detects=lambda path: (path / "Sentences").is_dir(),
    read=read_flickr30k,
    count=_count,
    correct=Corrector(key_of_file, patch_flickr30k),
    write=write_flickr30k,
    loses=frozenset({Loss.PATHS, Loss.IDS, Loss.OTHER_BOXES}),
    record_sets=(
        Rows(
            "captions",
            "A row for each image: its captions, a line each, with phrases in brackets.",
            (
                Column("file", "The image's name with .txt.", of_file="filename"),
                Column("captions", "All lines of the file.", of_file="content"),
            ),
            (".txt",),
        ),
    ),
)
"""Boxes of Annotations/ have no rows: readers of Croissant cannot read XML."""
