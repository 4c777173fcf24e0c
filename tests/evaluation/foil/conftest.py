"""A small lexicon, and captions of small images."""

import gzip
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from evaluation.foil.making.lexicon import COCO_WORDS, Lexicon, read_lexicon

Captions = Mapping[str, Sequence[str]]


@pytest.fixture(scope="session")
def coco_words() -> Lexicon:
    """The 73 words of COCO."""
    return read_lexicon(COCO_WORDS)


@pytest.fixture
def token_file(tmp_path: Path) -> Callable[[Captions], Path]:
    """Return a function that writes captions in Flickr30k's token format."""

    def write(captions: Captions) -> Path:
        path = tmp_path / "captions.token.gz"
        rows = (f"{image}.jpg#{i}\t{text}\n" for image, own in captions.items() for i, text in enumerate(own))
        path.write_bytes(gzip.compress("".join(rows).encode()))
        return path

    return write


@pytest.fixture
def dogs_and_cats(token_file: Callable[[Captions], Path]) -> Path:
    """Thirty images of a dog, thirty of a cat, thirty of a bus and thirty of a train, with two captions each."""
    words = ("dog", "cat", "bus", "train")
    names = [(word, f"{word}{i}") for i in range(30) for word in words]
    return token_file({name: [f"A {word} waits near the house .", f"The {word} is old ."] for word, name in names})
