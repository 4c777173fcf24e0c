"""Phrases as Fisher vectors [paper 4.1.1; Klein et al. 2014]: gradients of the log-likelihood of their word vectors."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import InputError, need
from evaluation.language import Tagged
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


Array = NDArray[np.float64]
LOG_ROOT_2_PI = 0.5 * np.log(2 * np.pi)


@dataclass(frozen=True, slots=True)
class Hglmm:
    """A mixture of K components in D dimensions: hybrid Gaussian-Laplacian, the codebook of the vectors.

    A component is a product over dimensions, each either Gaussian or Laplacian: the one with the higher weighted
    log-likelihood.
    """

    weights: Array
    """Shape (K), sum 1."""
    centers: Array
    """Shape (K, D): mean where Gaussian, median where Laplacian."""
    scales: Array
    """Shape (K, D): standard deviation where Gaussian, mean absolute deviation where Laplacian."""
    laplacian: NDArray[np.bool_]
    """Shape (K, D)."""


def log_joint(mixture: Hglmm, rows: Array) -> Array:
    """Return log(weight x density) of each row under each component: shape (rows, K)."""
    result = np.empty((len(rows), len(mixture.weights)))
    for k, weight in enumerate(mixture.weights):
        deviations = (rows - mixture.centers[k]) / mixture.scales[k]
        laplacian = mixture.laplacian[k]
        squares = np.square(deviations[:, ~laplacian]).sum(axis=1) / 2
        absolutes = np.abs(deviations[:, laplacian]).sum(axis=1)
        constant = np.log(mixture.scales[k]).sum() + laplacian.sum() * np.log(2) + (~laplacian).sum() * LOG_ROOT_2_PI
        result[:, k] = np.log(weight) - constant - squares - absolutes
    return result


def posteriors(mixture: Hglmm, rows: Array) -> tuple[Array, Array]:
    """Return each component's posterior, shape (rows, K), and the log-likelihood of each row."""
    joint = log_joint(mixture, rows)
    top = joint.max(axis=1, keepdims=True)
    shares = np.exp(joint - top)
    total = shares.sum(axis=1, keepdims=True)
    return shares / total, (top + np.log(total))[:, 0]


def weighted_medians(ordered: Array, order: NDArray[np.intp], shares: Array) -> Array:
    """Return the weighted medians of one dimension, shape (K).

    `ordered` holds the values from small to large, `order` the rows in that order, `shares` (rows, K) the weights: the
    median is the first value at which half of the weight is reached.
    """
    reached = np.cumsum(shares[order], axis=0)
    places = (reached < reached[-1] / 2).sum(axis=0)
    return np.asarray(ordered[np.minimum(places, len(ordered) - 1)], dtype=np.float64)


def maximised(rows: Array, shares: Array, sorts: tuple[Array, NDArray[np.intp]], floor: float) -> Hglmm:
    """Return the mixture with the highest likelihood for these posteriors; scales are at least `floor`.

    `sorts` holds the sorted values and their rows, a line each dimension.
    """
    mass = shares.sum(axis=0)
    share_of = (shares / mass).T
    means = share_of @ rows
    ordered, order = sorts
    medians = np.stack([weighted_medians(*column, shares) for column in zip(ordered, order, strict=True)], axis=1)
    variances = np.stack([share @ np.square(rows - mean) for share, mean in zip(share_of, means, strict=True)])
    absolutes = np.stack([share @ np.abs(rows - median) for share, median in zip(share_of, medians, strict=True)])
    deviations, spreads = np.maximum(np.sqrt(variances), floor), np.maximum(absolutes, floor)
    gaussian = -np.log(deviations) - LOG_ROOT_2_PI - variances / (2 * np.square(deviations))
    laplace = -np.log(2 * spreads) - absolutes / spreads
    chosen = laplace > gaussian
    return Hglmm(
        weights=mass / mass.sum(),
        centers=np.where(chosen, medians, means),
        scales=np.where(chosen, spreads, deviations),
        laplacian=chosen,
    )


def fit_hglmm(
    rows: NDArray[np.floating], components: int = 30, *, steps: int = 20, seed: int = 0, tolerance: float = 1e-4
) -> Hglmm:
    """Fit the mixture to `rows` (n, D) by EM, from k-means clusters of the seed.

    Every step maximises exactly, within the smallest allowed scale, so the likelihood never falls.

    Stops after `steps`, or when a step adds less than `tolerance` to the mean log-likelihood of a row. A component that
    has lost its rows is removed. Raises ValueError for fewer rows than components.
    """
    cluster = need("sklearn.cluster", "fitting the codebook")
    data = np.ascontiguousarray(rows, dtype=np.float64)
    if len(data) < components:
        raise ValueError(f"{components} components need at least as many vectors; there are {len(data)}.")
    floor = max(1e-3 * float(data.std()), 1e-12)
    order = np.argsort(data.T, axis=1, kind="stable")
    sorts = (np.take_along_axis(data.T, order, axis=1), order)
    labels = cluster.KMeans(components, n_init=1, max_iter=25, random_state=seed).fit(data).labels_
    mixture = maximised(data, _columns_with_rows(np.eye(components)[labels]), sorts, floor)
    before = -np.inf
    for _ in range(steps):
        shares, likelihoods = posteriors(mixture, data)
        reached = float(likelihoods.mean())
        if reached - before < tolerance:
            break
        before = reached
        mixture = maximised(data, _columns_with_rows(shares), sorts, floor)
    return mixture


def _columns_with_rows(shares: Array) -> Array:
    """Return the columns of components that have any rows: a component of none has no median."""
    return shares[:, shares.sum(axis=0) > 1e-9]


def word_terms(mixture: Hglmm, vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return each word's part of a Fisher vector, shape (words, 2 K D): all first terms, then all second terms."""
    rows = np.asarray(vectors, dtype=np.float64)
    components, size = mixture.centers.shape
    shares, _ = posteriors(mixture, rows)
    result = np.empty((len(rows), 2, components, size), dtype=np.float32)
    for k in range(components):
        deviations = (rows - mixture.centers[k]) / mixture.scales[k]
        laplacian = mixture.laplacian[k]
        weight = (shares[:, k] / np.sqrt(mixture.weights[k]))[:, None]
        result[:, 0, k] = weight * np.where(laplacian, np.sign(deviations), deviations)
        second = np.where(laplacian, np.abs(deviations) - 1, (np.square(deviations) - 1) / np.sqrt(2))
        result[:, 1, k] = weight * second
    return result.reshape(len(rows), 2 * components * size)


def raw_fisher_vectors(terms: NDArray[np.float32], phrases: Sequence[Sequence[int]]) -> NDArray[np.float32]:
    """Return the mean of the words' terms of each phrase, shape (phrases, 2 K D); zeros for a phrase without words."""
    lengths = [len(phrase) for phrase in phrases]
    values = np.repeat([1 / max(length, 1) for length in lengths], lengths).astype(np.float32)
    columns = np.array([row for phrase in phrases for row in phrase], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    bags = need("scipy.sparse", "encoding phrases").csr_matrix(
        (values, columns, starts), shape=(len(phrases), len(terms))
    )
    return np.asarray(bags @ terms, dtype=np.float32)


def normalized(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return signed square roots, divided by their length; a vector of zeros stays zero."""
    roots = np.sign(vectors) * np.sqrt(np.abs(vectors))
    lengths = np.linalg.norm(roots, axis=1, keepdims=True)
    return np.asarray(roots / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def fisher_vectors(
    mixture: Hglmm, vectors: NDArray[np.floating], phrases: Sequence[Sequence[int]]
) -> NDArray[np.float32]:
    """Return the Fisher vector of each phrase, shape (phrases, 2 K D); phrases hold rows of `vectors`.

    Only the words that occur are expanded, each once.
    """
    used = sorted({row for phrase in phrases for row in phrase})
    place = {row: number for number, row in enumerate(used)}
    terms = word_terms(mixture, np.asarray(vectors)[used])
    return normalized(raw_fisher_vectors(terms, [[place[row] for row in phrase] for phrase in phrases]))


SAMPLE = 42_000
"""Word occurrences that the codebook is fitted on."""


def is_content_tag(tag: str) -> bool:
    """Tell whether a Penn Treebank tag is of a noun (NN*), an adjective (JJ*) or a preposition (IN)."""
    return tag.startswith(("NN", "JJ")) or tag == "IN"


def content_words(words: Sequence[str], tags: Sequence[str]) -> list[str]:
    """Return the content words in lower case, in reading order, repeated ones repeated.

    Raises ValueError if there is not one tag a word.
    """
    return [word.lower() for word, tag in zip(words, tags, strict=True) if is_content_tag(tag)]


@dataclass(frozen=True, slots=True)
class PhraseEncoder:
    """Word vectors and a codebook."""

    words: WordVectors
    mixture: Hglmm

    def encode(self, phrases: Sequence[Tagged]) -> NDArray[np.float32]:
        """Return the Fisher vector of each phrase, shape (n, 2 K D); zeros for a phrase without known content words."""
        return fisher_vectors(self.mixture, self.words.vectors, [rows_of(self.words, phrase) for phrase in phrases])


def rows_of(words: WordVectors, phrase: Tagged) -> list[int]:
    """Return the rows of the phrase's known content words."""
    return words.rows_of(content_words([word for word, _ in phrase], [tag for _, tag in phrase]))


def fit_encoder(words: WordVectors, phrases: Sequence[Tagged], *, components: int, seed: int) -> PhraseEncoder:
    """Fit the codebook on the content words of the phrases, at most SAMPLE of them by the seed.

    Raises InputError for fewer words than components.
    """
    found = np.array([row for phrase in phrases for row in rows_of(words, phrase)], dtype=np.int64)
    if len(found) < components:
        raise InputError(f"{len(found)} known content words are too few for a codebook of {components} centres.")
    if len(found) > SAMPLE:
        found = np.random.default_rng(seed).choice(found, SAMPLE, replace=False)
    mixture = fit_hglmm(words.vectors[found], components, seed=seed)
    return PhraseEncoder(words, mixture)
