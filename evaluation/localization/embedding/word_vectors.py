"""Word vectors [paper 4.1.1]: one vector a word, from a word2vec file or trained on captions (skip-gram)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import InputError
from evaluation.optional import need
from evaluation.work import Arrays, StepWork

EPOCHS = 3
WORD = re.compile(r"[^\W_][\w'’-]*")


@dataclass(frozen=True, slots=True)
class WordVectors:
    """Words in a fixed order and their vectors."""

    rows: Mapping[str, int]
    vectors: NDArray[np.float32]
    """Shape (words, dimensions)."""

    def rows_of(self, words: Iterable[str]) -> list[int]:
        """Return the rows of the words that are known, in their order; unknown words are left out."""
        return [self.rows[word] for word in words if word in self.rows]


def read_word_vectors(file: Path, only: set[str] | None = None) -> WordVectors:
    """Read a file in word2vec's text or binary format; words in lower case, the first of equal ones counts.

    `only` keeps only these words, so that a file of three million needs little memory. Raises InputError for a file
    that ends early or whose vectors differ in length.
    """
    with file.open("rb") as stream:
        head = stream.readline().split()
        if len(head) != 2 or not all(part.isdigit() for part in head):
            raise InputError(f"{file}: the first line must hold two numbers, words and dimensions.")
        count, size = int(head[0]), int(head[1])
        found = _text_rows(stream, file, count, size) if _is_text(stream, size) else _rows(stream, file, count, size)
        rows: dict[str, int] = {}
        vectors: list[NDArray[np.float32]] = []
        for word, vector in found:
            if word not in rows and (only is None or word in only):
                rows[word] = len(vectors)
                vectors.append(vector)
    return WordVectors(rows, np.array(vectors, dtype=np.float32).reshape(-1, size))


def _is_text(stream: Any, size: int) -> bool:
    """Tell whether the next line is a word and `size` numbers; the stream stands where it stood."""
    place = stream.tell()
    line = stream.readline()
    stream.seek(place)
    parts = line.split()
    if len(parts) != size + 1:
        return False
    try:
        [float(part) for part in parts[1:]]
    except ValueError:
        return False
    return True


def _text_rows(stream: Any, file: Path, count: int, size: int) -> Iterable[tuple[str, NDArray[np.float32]]]:
    for number in range(count):
        parts = stream.readline().split()
        if len(parts) != size + 1:
            raise InputError(f"{file}, line {number + 2}: a word and {size} numbers are expected.")
        yield parts[0].decode(errors="replace").lower(), np.array(parts[1:], dtype=np.float32)


def _rows(stream: Any, file: Path, count: int, size: int) -> Iterable[tuple[str, NDArray[np.float32]]]:
    for number in range(count):
        letters = bytearray()
        while (letter := stream.read(1)) not in (b" ", b""):
            letters += letter
        data = stream.read(4 * size)
        if len(data) < 4 * size:
            raise InputError(f"{file}: the file ends in word {number + 1} of {count}.")
        yield letters.strip().decode(errors="replace").lower(), np.frombuffer(data, dtype="<f4").copy()


def train_word_vectors(
    sentences: Sequence[Sequence[str]], *, size: int = 300, epochs: int = EPOCHS, seed: int = 0, least: int = 5
) -> WordVectors:
    """Train skip-gram vectors of `size` dimensions on lower-cased sentences; the same seed gives the same vectors.

    Words seen fewer than `least` times get none. Raises MissingExtra without gensim.
    """
    models = need("gensim.models", "training word vectors")
    # One process: with more, the order of updates and so the vectors differ from run to run.
    model = models.Word2Vec(
        [list(sentence) for sentence in sentences],
        vector_size=size,
        window=5,
        min_count=least,
        sg=1,
        negative=5,
        epochs=epochs,
        seed=seed,
        workers=1,
    )
    words = list(model.wv.index_to_key)
    return WordVectors({word: row for row, word in enumerate(words)}, np.array(model.wv.vectors, dtype=np.float32))


def words_of_caption(caption: str) -> list[str]:
    """Return the words of a caption in lower case, without punctuation."""
    return WORD.findall(caption.lower())


def vectors_of_step(work: StepWork, captions: Iterable[str], key: Any) -> WordVectors:
    """Return the vectors of the file that --vectors names, or train them on the captions.

    `key`: the captions' origin, for results of an interrupted run. Raises InputError for a bad file, MissingExtra
    without file and gensim, and InputError if no word is frequent enough.
    """
    sentences = [words_of_caption(caption) for caption in captions]
    file = work.file("vectors")
    if file is not None:
        return read_word_vectors(file, {word for sentence in sentences for word in sentence} or None)
    size = int(work.options["word_size"])
    least = 5 if len(sentences) > 20_000 else 2

    def make() -> Arrays:
        if not any(sentences):
            raise InputError("There is no caption to train word vectors on.")
        found = train_word_vectors(sentences, size=size, epochs=EPOCHS, seed=work.seed, least=least)
        return {"words": np.array(list(found.rows)), "vectors": found.vectors}

    kept = work.partial_results.arrays("vectors", {"size": size, "epochs": EPOCHS, "seed": work.seed, "of": key}, make)
    return WordVectors({str(word): row for row, word in enumerate(kept["words"])}, kept["vectors"])
