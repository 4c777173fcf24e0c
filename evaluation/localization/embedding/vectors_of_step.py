"""The word vectors of a step: read from the file --vectors, or trained on captions and kept for an interrupted run."""

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from evaluation.errors import InputError
from evaluation.localization.embedding.word_vectors import WordVectors, read_word_vectors, train_word_vectors
from evaluation.partial_results import Arrays
from evaluation.step import Option
from evaluation.work import Work

WORD = re.compile(r"[^\W_][\w'’-]*")
VECTORS = Option(
    "vectors", "word vectors in word2vec's format; without, they are trained on the captions", is_file=True
)
SIZE = Option("word_size", "dimensions of trained word vectors", kind=int, default=100)


def words_of(caption: str) -> list[str]:
    """Return the words of a caption in lower case, without punctuation."""
    return WORD.findall(caption.lower())


def vectors_of_step(work: Work, captions: Iterable[str], key: Any, epochs: int = 3) -> WordVectors:
    """Return the vectors of the file that --vectors names, or train them on the captions.

    `key`: the captions' origin, for results of an interrupted run. Raises InputError for a bad file, MissingExtra
    without file and gensim, and InputError if no word is frequent enough.
    """
    sentences = [words_of(caption) for caption in captions]
    file = work.file("vectors")
    if file is not None:
        return read_word_vectors(file, {word for sentence in sentences for word in sentence} or None)
    size = int(work.options["word_size"])
    least = 5 if len(sentences) > 20_000 else 2

    def make() -> Arrays:
        if not any(sentences):
            raise InputError("There is no caption to train word vectors on.")
        found = train_word_vectors(sentences, size=size, epochs=epochs, seed=work.seed, least=least)
        return {"words": np.array(list(found.rows)), "vectors": found.vectors}

    kept = work.kept.arrays("vectors", {"size": size, "epochs": epochs, "seed": work.seed, "of": key}, make)
    return WordVectors({str(word): row for row, word in enumerate(kept["words"])}, kept["vectors"])
