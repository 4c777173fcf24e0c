"""The likeness of two head nouns, learned from a file of captions alone: nobody has linked their phrases."""

import gzip
import json
from collections.abc import Callable, Iterator
from itertools import groupby, islice
from pathlib import Path

from annotation.rules.dictionaries import load_dictionaries
from annotation.rules.head_noun import head_noun
from exchange.chunk_captions import chunk_image, make_chunker, why_no_chunker
from exchange.dataset import DatasetImage
from exchange.words import tokenized_caption
from pipeline.rules.linking.prior.alike_heads import alike_heads
from pipeline.rules.linking.transitivity import LinkMention


def heads_of_tokens(path: Path, images: int, done: Callable[[int], object] = lambda image: None) -> dict[str, float]:
    """Return the table of the first images of a file in Flickr30k's token format, perhaps gzipped.

    Phrases are found as at import. `done` is called with the number of images read. Raises ValueError for a line that
    is no `IMAGE#N<TAB>CAPTION`, and without the packages that find phrases.
    """
    dictionaries = load_dictionaries()
    chunker = make_chunker(dictionaries)
    if chunker is None:
        raise ValueError(f"{why_no_chunker()}.")

    def phrases() -> Iterator[list[LinkMention]]:
        for number, image in enumerate(islice(_images(path), images), start=1):
            yield _for_links(chunk_image(image, chunker, dictionaries))
            done(number)

    return alike_heads(phrases())


def read_heads(path: Path) -> dict[str, float]:
    """Return a table that was written as JSON. Raises ValueError if the file holds none."""
    table = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(table, dict):
        raise ValueError(f"{path}: it holds no table of head nouns.")
    return table


def _images(path: Path) -> Iterator[DatasetImage]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        rows = (_row(path, number, line) for number, line in enumerate(lines, start=1))
        for name, own in groupby(rows, key=lambda row: row[0]):
            yield DatasetImage(name, 1, 1, tuple(tokenized_caption(text) for _, text in own))


def _row(path: Path, number: int, line: str) -> tuple[str, str]:
    key, tab, text = line.rstrip("\n").partition("\t")
    if not tab:
        raise ValueError(f"{path}, line {number}: it is no IMAGE#N, tab, caption.")
    return key.rpartition("#")[0], text


def _for_links(image: DatasetImage) -> list[LinkMention]:
    return [
        LinkMention(
            number,
            mention.caption,
            mention.start,
            frozenset(mention.types),
            head_noun(image.captions[mention.caption].words[mention.start : mention.end]),
        )
        for number, mention in enumerate(image.mentions)
    ]
