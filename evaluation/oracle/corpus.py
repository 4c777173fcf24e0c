"""The captions of an oracle [paper Yao 5]: images to train on, to stop by and to score, with words and atoms."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.errors import InputError
from evaluation.language import Atom, Tagged, atoms_of, tagged
from evaluation.reading.caption_file import read_captions
from evaluation.work import Work

PARTS = ("train", "validation", "test")


def captions_of(work: Work) -> dict[str, list[str]]:
    """Return the captions of each image from --captions, or else from --data. Raises InputError without either."""
    file = work.file("captions")
    if file is None and work.data is None:
        raise InputError("--captions is missing: a token file, COCO's captions JSON or an export; or give --data.")
    return read_captions(file or work.export)


@dataclass(frozen=True, slots=True)
class Corpus:
    """Captions by image. No image is in two parts."""

    parts: Mapping[str, tuple[str, ...]]
    """The images of each part."""
    texts: Mapping[str, Sequence[str]]
    """The captions as they were written."""
    words: Mapping[str, Sequence[Sequence[str]]]
    """The words of each caption, in lower case, without punctuation."""
    atoms: Mapping[str, Sequence[Sequence[Atom]]]
    """The atoms of each caption, in the order of its words."""


def split_images(
    images: Sequence[str], sizes: Mapping[str, int], rng: np.random.Generator
) -> dict[str, tuple[str, ...]]:
    """Draw the parts. Raises InputError if there are fewer images than asked for."""
    if (asked := sum(sizes.values())) > len(images):
        told = ", ".join(f"{count:,} for {part}" for part, count in sizes.items())
        raise InputError(f"The captions are those of {len(images):,} images, {asked:,} are asked for: {told}.")
    order = [sorted(images)[place] for place in rng.permutation(len(images))]
    ends = np.cumsum(list(sizes.values())).tolist()
    return {part: tuple(sorted(order[start:end])) for part, start, end in zip(sizes, (0, *ends), ends, strict=False)}


def make_corpus(work: Work, captions: Mapping[str, Sequence[str]], sizes: Mapping[str, int]) -> Corpus:
    """Split the images and tag their captions.

    Raises InputError for too few images, and for an image without captions.
    """
    check_captions(captions)
    parts = split_images(list(captions), sizes, work.rng("split"))
    texts = {image: list(captions[image]) for part in parts.values() for image in part}
    found = tagged_captions(work, texts)
    words = {image: [words_of(own) for own in each] for image, each in found.items()}
    return Corpus(parts, texts, words, _atoms(found))


def atoms_by_caption(work: Work, captions: Mapping[str, Sequence[str]]) -> dict[str, list[list[Atom]]]:
    """Return the atoms of each caption of each image. Raises InputError for an image without captions."""
    return _atoms(tagged_captions(work, captions))


def tagged_captions(work: Work, captions: Mapping[str, Sequence[str]]) -> dict[str, list[Tagged]]:
    """Return the captions of each image tagged; they are kept. Raises InputError for an image without captions."""
    check_captions(captions)
    key = {"captions": work.inputs, "images": list(captions)}
    found = work.kept.arrays("tagged", key, lambda: {"json": np.array(json.dumps(_tag(work, captions)))})
    read: dict[str, list[Tagged]] = json.loads(str(found["json"]))
    return read


def check_captions(captions: Mapping[str, Sequence[str]]) -> None:
    """Raise InputError for an image without captions."""
    if empty := [image for image, texts in captions.items() if not texts]:
        raise InputError(f"The image {empty[0]} has no captions ({len(empty):,} have none): remove it from the file.")


def words_of(caption: Tagged) -> list[str]:
    """Return the words that are written and scored: in lower case, without punctuation."""
    return [word.lower() for word, _ in caption if any(letter.isalnum() for letter in word)]


def _atoms(captions: Mapping[str, Sequence[Tagged]]) -> dict[str, list[list[Atom]]]:
    return {
        image: [atoms_of([(word, tag) for word, tag in own]) for own in caption] for image, caption in captions.items()
    }


def _tag(work: Work, texts: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    count = sum(map(len, texts.values()))
    stream = tagged(work.progress((text for each in texts.values() for text in each), "tagging", count))
    return {image: [next(stream) for _ in text] for image, text in texts.items()}
