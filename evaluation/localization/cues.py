"""Cues [paper 4.1.3, equations 1 to 3, footnote 4, Tables 5 and 6, Figures 7 and 8]: the full model.

Distances by detector, size and colour; the step `cues` fits the weights by type and scores what each cue adds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import InputError, need
from evaluation.localization.embedding.cca import RegionPhraseModel
from evaluation.localization.embedding.embedding_step import (
    EmbeddingData,
    describe,
    distances,
    grouped,
    rank,
    task_of_step,
)
from evaluation.localization.embedding.features import (
    BINS,
    CHROMA,
    LIGHTNESS,
    BuiltinFeatures,
    RegionFile,
    open_region_file,
    region_colors,
)
from evaluation.localization.proposals import bounds
from evaluation.localization.queries import Query
from evaluation.localization.score import BOUND, FULL_R1
from evaluation.reading.picture import TYPES
from evaluation.report import Cell, ChartLine, Report, add_bars, add_lines, add_matrix
from evaluation.scoring import HIT, KS, area, iou, members, recall_figures
from evaluation.work import StepWork

DETECTOR_WORDS_FILE = Path(__file__).with_name("pascal_words.txt")


@cache
def read_detector_words(file: Path = DETECTOR_WORDS_FILE) -> Mapping[str, str]:
    """Return the class of each head noun. A line: class, colon, head nouns; a line that begins with # is a comment.

    Raises InputError, naming the line, for a line without colon and for a noun of two classes.
    """
    classes: dict[str, str] = {}
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, colon, nouns = line.partition(":")
        if not colon:
            raise InputError(f"{file}, line {number}: a class, a colon and its nouns are expected.")
        for noun in nouns.split():
            if classes.setdefault(noun, name.strip()) != name.strip():
                raise InputError(f"{file}, line {number}: {noun} belongs to {classes[noun]} already.")
    return classes


def detector_class(words: Sequence[str], classes: Mapping[str, str]) -> str | None:
    """Return the class of the phrase's last word with a letter, or None if it has none."""
    readable = [word.lower() for word in words if any(letter.isalpha() for letter in word)]
    return classes.get(readable[-1]) if readable else None


COLORS = ("black", "white", "red", "blue", "green", "yellow", "brown", "grey", "orange", "pink", "purple")
SPELLINGS = {"gray": "grey"}
PEOPLE = "people"


def color_of_phrase(words: Sequence[str], types: Sequence[str]) -> str | None:
    """Return the colour that the phrase names, or None for none, for several, and for a phrase about people."""
    if PEOPLE in types:
        return None
    named = [SPELLINGS.get(word.lower(), word.lower()) for word in words]
    found = [word for word in named if word in COLORS]
    return found[0] if len(found) == 1 else None


def softened(features: NDArray[Any]) -> NDArray[np.float64]:
    """Return roots of histograms (n, BINS) whose bins share with their neighbours: near shades are near colours."""
    cubes = np.asarray(features, dtype=np.float64).reshape(-1, LIGHTNESS, CHROMA, CHROMA)
    soft = need("scipy.ndimage", "comparing colours").gaussian_filter(cubes, (0, 0.7, 0.7, 0.7), mode="constant")
    return np.asarray(np.sqrt(np.maximum(soft, 0)).reshape(len(cubes), BINS), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class ColorClassifier:
    """A multinomial logistic regression."""

    colors: tuple[str, ...]
    slopes: NDArray[np.float64]
    """Shape (colours, features)."""
    constants: NDArray[np.float64]

    def scores(self, features: NDArray[Any]) -> NDArray[np.float64]:
        """Return the softmax of each colour for each row: shape (n, colours)."""
        raw = softened(features) @ self.slopes.T + self.constants
        powers = np.exp(raw - raw.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True), dtype=np.float64)

    def column(self, color: str, features: NDArray[Any]) -> NDArray[np.float64] | None:
        """Return the score of one colour, shape (n), or None for a colour never seen in training."""
        return self.scores(features)[:, self.colors.index(color)] if color in self.colors else None


def fit_color_classifier(features: NDArray[Any], colors: Sequence[str]) -> ColorClassifier | None:
    """Fit on Lab histograms (n, bins) of regions and the colours of their phrases; None for fewer than two colours."""
    linear = need("sklearn.linear_model", "fitting the colour classifier")
    names = sorted(set(colors))
    if len(names) < 2:
        return None
    model = linear.LogisticRegression(C=10, max_iter=1000).fit(
        softened(features), [names.index(color) for color in colors]
    )
    slopes, constants = model.coef_, model.intercept_
    if len(names) == 2:
        # Two classes have one row of slopes, for the second against the first.
        slopes, constants = np.vstack([np.zeros_like(slopes), slopes]), np.concatenate([[0.0], constants])
    return ColorClassifier(tuple(names), slopes, constants)


Array = NDArray[np.float64]
PAPER_WEIGHTS = {"scene": 0.2, "vehicles": 0.2, "instruments": 0.2}
OTHERS = 0.1
WEIGHT = 0.2
"""Without validation data; the paper prints none."""


def with_detector(embedding: NDArray[Any], scores: NDArray[Any] | None) -> Array:
    """Return 0.5 D + 0.5 (1 - score) of each region, or the embedding's distance D for a phrase without detector."""
    if scores is None:
        return np.asarray(embedding, dtype=np.float64)
    return np.asarray(0.5 * np.asarray(embedding) + 0.5 * (1 - np.asarray(scores)), dtype=np.float64)


def detector_or_embedding(embedding: NDArray[Any], scores: NDArray[Any] | None) -> Array:
    """Return 1 - score of each region, or the embedding's distance for a phrase without detector (Table 5c)."""
    return np.asarray(embedding if scores is None else 1 - np.asarray(scores), dtype=np.float64)


def shares(boxes: NDArray[Any], width: float, height: float) -> NDArray[np.float64]:
    """Return the share of the picture that each box (n, 4) covers, between 0 and 1."""
    return np.clip(area(np.asarray(boxes, dtype=np.float64)) / (width * height), 0, 1)


def with_size(distances: NDArray[Any], sizes: NDArray[Any], weight: float) -> NDArray[np.float64]:
    """Return (1 - w) D + w (1 - size) of each region."""
    return np.asarray((1 - weight) * np.asarray(distances) + weight * (1 - np.asarray(sizes)), dtype=np.float64)


def weight_of(types: Sequence[str], weights: Mapping[str, float], default: float = OTHERS) -> float:
    """Return the weight of a phrase's first type; the default for a type without weight or no type."""
    return weights.get(types[0], default) if types else default


def with_color(
    distances: NDArray[Any],
    sizes: NDArray[Any],
    scores: NDArray[Any] | None,
    *,
    size_weight: float,
    color_weight: float,
) -> NDArray[np.float64]:
    """Return (1 - ws - wc) D + ws (1 - size) + wc (1 - score) of each region; equation 2 if `scores` is None.

    Raises ValueError for weights whose sum is above 1.
    """
    if scores is None:
        return with_size(distances, sizes, size_weight)
    if size_weight + color_weight > 1 + 1e-12:
        raise ValueError(f"The weights of size and colour, {size_weight} and {color_weight}, sum to more than 1.")
    rest = (1 - size_weight - color_weight) * np.asarray(distances)
    return np.asarray(
        rest + size_weight * (1 - np.asarray(sizes)) + color_weight * (1 - np.asarray(scores)), dtype=np.float64
    )


Colors = ColorClassifier | RegionFile


@dataclass(frozen=True)
class QueryCues:
    """A query and, for each of its image's regions, the embedding's distance and the scores of the cues."""

    query: Query
    embedding: Array
    sizes: Array
    right: NDArray[np.bool_]
    """Whether each region overlaps the gold box by at least 0.5."""
    detector: Array | None = None
    """Scores of the phrase's detector; None for a phrase without."""
    detector_class: str | None = None
    color: Array | None = None
    """Scores of the phrase's colour; None for a phrase without."""

    @cached_property
    def base(self) -> Array:
        """The distances of the regions by the embedding and the detector (equation 1)."""
        return with_detector(self.embedding, self.detector)

    def first_is_right(self, size_weight: float, color_weight: float) -> bool:
        """Tell whether the nearest region is right; the first of equally near ones counts."""
        if not len(self.right):
            return False
        full = with_color(self.base, self.sizes, self.color, size_weight=size_weight, color_weight=color_weight)
        return bool(self.right[int(np.argmin(full))])


def row_distances(cues: QueryCues, size_weight: float, color_weight: float) -> dict[str, Array]:
    """Return the distances of the regions in each row of Table 5, by the row's name."""
    base = cues.base
    return {
        "cca": cues.embedding,
        "cca_or_detector": detector_or_embedding(cues.embedding, cues.detector),
        "cca+detector": base,
        "size": 1 - cues.sizes,
        "cca+detector+size": with_size(base, cues.sizes, size_weight),
        "cca+detector+color": with_color(base, cues.sizes, cues.color, size_weight=0, color_weight=color_weight),
        "cca+detector+size+color": with_color(
            base, cues.sizes, cues.color, size_weight=size_weight, color_weight=color_weight
        ),
    }


@dataclass(frozen=True, slots=True)
class Sources:
    """Files of scores and the words of detectors."""

    detectors: RegionFile | None = None
    colors: RegionFile | None = None
    words: Mapping[str, str] = field(default_factory=read_detector_words)
    """The class of each head noun."""
    photographs: BuiltinFeatures | None = None
    """The photographs from which colours are learned, if there are any."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """A model and the colours, fitted on the same images."""

    model: RegionPhraseModel
    colors: Colors | None


def fit_scorer(task: EmbeddingData, images: Sequence[str], sources: Sources) -> Scorer:
    """Fit the model, and without a file of colours the classifier, on the images."""
    return Scorer(task.model(images), sources.colors or _fit_colors(task, images, sources.photographs))


def cues_of(task: EmbeddingData, scorer: Scorer, images: Sequence[str], sources: Sources) -> list[QueryCues]:
    found = []
    for query, embedding in distances(task, scorer.model, images):
        boxes = task.regions.boxes[query.image]
        kind = detector_class(query.phrase.words, sources.words)
        scores = sources.detectors.column(kind, query.image, boxes) if sources.detectors and kind else None
        found.append(
            QueryCues(
                query=query,
                embedding=embedding,
                sizes=shares(boxes, *query.size),
                right=iou(boxes, np.array([query.gold]))[:, 0] >= HIT,
                detector=scores,
                detector_class=kind if scores is not None else None,
                color=color_scores(scorer.colors, query, boxes, sources.photographs),
            )
        )
    return found


def color_scores(
    colors: Colors | None,
    query: Query,
    boxes: NDArray[np.float64],
    photographs: BuiltinFeatures | None,
    color: str | None = None,
) -> NDArray[np.float64] | None:
    """Return the scores of a colour for the boxes, or None if it is unknown or the phrase names none.

    `color`: another colour than the phrase's.
    """
    named = color or color_of_phrase(query.phrase.words, query.types)
    if named is None or colors is None:
        return None
    if isinstance(colors, RegionFile):
        return colors.column(named, query.image, boxes)
    assert photographs is not None
    return colors.column(named, region_colors(photographs.maps(query.image), boxes))


def colored(queries: Sequence[Query]) -> list[tuple[Query, str]]:
    """Return the queries that name one colour, with it."""
    named = [(query, color_of_phrase(query.phrase.words, query.types)) for query in queries]
    return [(query, color) for query, color in named if color is not None]


def _fit_colors(
    task: EmbeddingData, images: Sequence[str], photographs: BuiltinFeatures | None
) -> ColorClassifier | None:
    found = colored(task.queries(images))
    if photographs is None or not found:
        return None
    names = {query.key: color for query, color in found}
    rows: list[NDArray[np.float32]] = []
    colors: list[str] = []
    for image, image_queries in grouped([query for query, _ in found]):
        rows.append(region_colors(photographs.maps(image), np.array([query.gold for query in image_queries])))
        colors += [names[query.key] for query in image_queries]
    return fit_color_classifier(np.concatenate(rows), colors)


FOLDS = 5
GRID = tuple(round(0.05 * step, 2) for step in range(11))


def fit_size_weights(phrases: Sequence[QueryCues]) -> dict[str, float]:
    """Return the weight of size for each first type that occurs; of equally good weights the smallest."""
    return {
        name: best(GRID, [sum(phrase.first_is_right(weight, 0.0) for phrase in group) for weight in GRID])
        for name, group in by_type(phrases).items()
    }


def fit_color_weights(phrases: Sequence[QueryCues], size_weights: Mapping[str, float]) -> dict[str, float]:
    """Return the weight of colour for each first type with coloured phrases, beside the fitted weights of size."""
    result = {}
    for name, group in by_type([phrase for phrase in phrases if phrase.color is not None]).items():
        size = size_weights.get(name, OTHERS)
        allowed = [weight for weight in GRID if weight + size <= 1]
        result[name] = best(
            allowed, [sum(phrase.first_is_right(size, weight) for phrase in group) for weight in allowed]
        )
    return result


def by_type(phrases: Sequence[QueryCues]) -> dict[str, list[QueryCues]]:
    """Return the phrases by their first type, in the order of the types' names."""
    groups: dict[str, list[QueryCues]] = {}
    for phrase in phrases:
        groups.setdefault(phrase.query.types[0] if phrase.query.types else "other", []).append(phrase)
    return dict(sorted(groups.items()))


def best(grid: Sequence[float], hits: Sequence[int]) -> float:
    """Return the first weight with the most hits."""
    return grid[int(np.argmax(hits))]


def folds(images: Sequence[str]) -> list[list[str]]:
    """Return disjoint parts that together are the images; every fold is used once to check what the others taught."""
    return [list(images[start::FOLDS]) for start in range(min(FOLDS, len(images)))]


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of size and colour by type."""

    sizes: dict[str, float]
    colors: dict[str, float]

    def of(self, types: Sequence[str]) -> tuple[float, float]:
        """Return the weights of size and colour of a phrase, by its first type."""
        return weight_of(types, self.sizes), weight_of(types, self.colors, WEIGHT)


def paper_weights() -> Weights:
    """Return the paper's weights of size, and the decided one of colour, which the paper does not print."""
    return Weights({kind: PAPER_WEIGHTS.get(kind, OTHERS) for kind in TYPES}, dict.fromkeys(TYPES, WEIGHT))


def cues_of_unseen(task: EmbeddingData, sources: Sources) -> list[QueryCues]:
    """Return the cues of all images to fit on, each from a scorer that was fitted on the others (five folds).

    A model is too sure of the pairs it learned, so weights fitted on those would favour it.
    """
    found: list[QueryCues] = []
    for fold in folds(task.fit):
        others = [name for name in task.fit if name not in set(fold)]
        if task.queries(others) and task.queries(fold):
            found += cues_of(task, fit_scorer(task, others, sources), fold, sources)
    return found


def fit_weights(cues: Sequence[QueryCues]) -> Weights:
    """Return the weights with the most first places right; types that do not occur keep the paper's."""
    sizes = paper_weights().sizes | fit_size_weights(cues)
    colors = paper_weights().colors | fit_color_weights(cues, sizes)
    return Weights(sizes, colors)


PAPER = {
    "cca": (41.77, 64.52, 70.77),
    "cca_or_detector": (42.58, 65.26, 71.28),
    "cca+detector": (43.84, 65.83, 71.75),
    "cca+detector+size": (49.22, 69.93, 74.90),
    "cca+detector+color": (45.79, 67.23, 72.86),
    "cca+detector+size+color": (50.89, 71.09, 75.73),
}
"""R@1, R@5 and R@10 of Table 5, with features of Fast R-CNN and 200 edge boxes."""
COUNTS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
MIN_PHRASES_OF_CLASS = 20
"""Phrases that a detector's class needs for Figure 7, as in the paper."""


def add_cue_tables(report: Report, rows: Sequence[str], *, networks: bool) -> None:
    """Add the tables of these rows. The paper's rows stand beside ours only if `networks` described the regions."""
    figures = report.figures
    lines: list[list[Cell]] = [
        [row, *(figures[f"{row}.R@{k}"] for k in KS), *(PAPER.get(row, (None,) * len(KS)) if networks else ())]
        for row in rows
    ]
    columns = ["row", *(f"R@{k}" for k in KS), *(f"paper's R@{k}" for k in KS if networks)]
    report.table("table_5", "Table 5: rows of our own", columns, lines)
    kinds = [kind for kind in TYPES if f"bound.{kind}" in figures]
    by_type: list[list[Cell]] = [[row, *(figures.get(f"{row}.R@1.{kind}") for kind in kinds)] for row in rows]
    by_type.append(["any region right", *(figures[f"bound.{kind}"] for kind in kinds)])
    if networks:
        by_type.append(["paper: full model", *(FULL_R1[kind] for kind in kinds)])
        by_type.append(["paper: any of 200 proposals right", *(BOUND[kind] for kind in kinds)])
    report.table("table_6", "Table 6: R@1 by type", ["row", *kinds], by_type)
    weights: list[list[Cell]] = [
        [kind, figures[f"weight.size.{kind}"], figures.get(f"weight.color.{kind}")] for kind in TYPES
    ]
    report.table("weights", "Weights by type", ["type", "size", "colour"], weights)


def _by_count(report: Report, queries: Sequence[QueryCues], weights: Weights) -> None:
    """Add R@1 of the embedding and of the full row among the first regions alone."""
    longest = max(len(phrase.right) for phrase in queries)
    counts = [count for count in COUNTS if count < longest] + [longest]
    hits = np.zeros((len(counts), 2))
    for phrase in queries:
        rows = row_distances(phrase, *weights.of(phrase.query.types))
        for place, count in enumerate(counts):
            for column, row in enumerate(("cca", "cca+detector+size+color")):
                first = rows[row][:count]
                hits[place, column] += bool(len(first)) and bool(phrase.right[int(np.argmin(first))])
    shares, names = (100 * hits / len(queries)).tolist(), ("embedding", "with all cues")
    title = "R@1 by the number of regions"
    lengths = [[count, *share] for count, share in zip(counts, shares, strict=True)]
    report.table("by_count", title, ["regions", *names], lengths)
    lines = [ChartLine(name, counts, [share[i] for share in shares], i + 1) for i, name in enumerate(names)]
    add_lines(report, "by_count", title, lines, "regions of an image, the first ones", "R@1, %")


def _detectors(report: Report, queries: Sequence[QueryCues], ranks: Mapping[str, np.ndarray]) -> None:
    """Add Figure 7: the embedding with and without its detector, by class."""
    kinds = [phrase.detector_class for phrase in queries]
    counts = {kind: kinds.count(kind) for kind in sorted({kind for kind in kinds if kind})}
    rows: list[list[Any]] = []
    for kind, count in counts.items():
        own = [place for place, detector_class in enumerate(kinds) if detector_class == kind]
        rows.append([kind, count, *(float(100 * np.mean(ranks[row][own] == 1)) for row in ("cca", "cca+detector"))])
    report.table("figure_7", "R@1 by the detector's class", ["class", "phrases", "CCA", "CCA+Detector"], rows)
    shown: Any = [row for row in rows if counts[str(row[0])] >= MIN_PHRASES_OF_CLASS]
    if shown:
        series = {name: [row[place] for row in shown] for place, name in ((2, "CCA"), (3, "CCA+Detector"))}
        names = [row[0] for row in shown]
        title = f"Figure 7: R@1 by class with at least {MIN_PHRASES_OF_CLASS} phrases"
        add_bars(report, "figure_7", title, names, series, "R@1, %")


def _colors(report: Report, task: EmbeddingData, scorer: Scorer, sources: Sources) -> None:
    """Add Figure 8: the colour told of each gold box to score whose phrase names one."""
    counts = np.zeros((len(COLORS), len(COLORS)), dtype=int)
    for query, color in colored(task.queries(task.test)):
        told = _best_colour(scorer, query, sources)
        if told is not None:
            counts[COLORS.index(color), COLORS.index(told)] += 1
    if not counts.sum():
        return
    report.put({"color.accuracy": float(100 * np.trace(counts) / counts.sum()), "color.phrases": int(counts.sum())})
    rows: list[list[Any]] = [[color, *map(int, line)] for color, line in zip(COLORS, counts, strict=True)]
    report.table("figure_8", "Figure 8: colours of gold boxes", ["named, told", *COLORS], rows)
    title = "Figure 8: colours told of gold boxes, by the colour that the phrase names"
    add_matrix(report, "figure_8", title, counts, COLORS, "named", "told", (6.4, 5.6))


def _best_colour(scorer: Scorer, query: Any, sources: Sources) -> str | None:
    """Return the colour with the highest score for the gold box, None if a file lacks that box."""
    gold = np.array([query.gold])
    if sources.colors is not None and not sources.colors.has(query.image, gold):
        return None
    best: tuple[float, str] | None = None
    for color in COLORS:
        scores = color_scores(scorer.colors, query, gold, sources.photographs, color)
        if scores is not None and (best is None or scores[0] > best[0]):
            best = float(scores[0]), color
    return best[1] if best else None


def cues(work: StepWork) -> Report:
    """Fit model and weights on the images to fit on, and score every row of Table 5 on the others."""
    task = task_of_step(work)
    sources = sources_of_step(work, task)
    learned = cues_of_unseen(task, sources)
    weights = paper_weights() if work.options["paper_weights"] else fit_weights(learned)
    scorer = fit_scorer(task, task.fit, sources)
    found = cues_of(task, scorer, task.test, sources)
    rows = cue_rows(found)
    ranks = _ranks(work, task, found, weights, rows)
    by_type = members([phrase.query.types for phrase in found])
    report = Report("Phrase localization: size, colour and detectors", len(found), "phrases with a box")
    for name, row_ranks in ranks.items():
        report.put(recall_figures(row_ranks, by_type), f"{name}.")
    report.put(bounds(task.queries(task.test), task.regions))
    report.put({f"weight.size.{kind}": weight for kind, weight in weights.sizes.items()})
    if scorer.colors is not None:
        report.put({f"weight.color.{kind}": weight for kind, weight in weights.colors.items()})
    report.put(
        {
            "phrases.detector": 100 * sum(phrase.detector_class is not None for phrase in found) / len(found),
            "phrases.color": 100 * sum(phrase.color is not None for phrase in found) / len(found),
        }
    )
    add_cue_tables(report, rows, networks=task.features.name == "file" and task.regions.method != "gold")
    curve = [100 * np.mean([phrase.first_is_right(weight, 0) for phrase in learned]) for weight in GRID]
    line = ChartLine("R@1", GRID, [float(value) for value in curve], 0)
    title = "R@1 by the weight of size, on the images fitted on"
    add_lines(report, "size_weight", title, [line], "weight of size, the same for all types", "R@1, %")
    _by_count(report, found, weights)
    if "cca+detector" in ranks:
        _detectors(report, found, ranks)
    if scorer.colors is not None:
        _colors(report, task, scorer, sources)
    describe(report, task)
    _say(report, work, task, sources, colors=scorer.colors is not None)
    return report


def sources_of_step(work: StepWork, task: EmbeddingData) -> Sources:
    """Open the files of scores. Photographs serve colours even if the features are from a file."""
    words = work.file("detector_words")
    scores = {
        name: open_region_file(path, scores=True) for name in ("detectors", "colors") if (path := work.file(name))
    }
    return Sources(
        detectors=scores.get("detectors"),
        colors=scores.get("colors"),
        words=read_detector_words(words) if words else read_detector_words(),
        photographs=BuiltinFeatures(task.pictures, task.files) if task.files.has_all(task.pictures.values()) else None,
    )


def cue_rows(queries: Sequence[QueryCues]) -> list[str]:
    """Return the rows of Table 5 that can be made: without a cue, its rows would repeat others."""
    detector = any(phrase.detector is not None for phrase in queries)
    color = any(phrase.color is not None for phrase in queries)
    rows = ["size", "cca"] + ["cca_or_detector", "cca+detector"] * detector
    rows += ["cca+detector+size"] + ["cca+detector+color", "cca+detector+size+color"] * color
    return rows if detector else [row.replace("+detector", "") for row in rows]


def _ranks(
    work: StepWork, task: EmbeddingData, queries: Sequence[QueryCues], weights: Weights, rows: Sequence[str]
) -> dict[str, np.ndarray]:
    ranks: dict[str, list[int]] = {row: [] for row in rows}
    for phrase in work.progress(queries, "ranking"):
        all_rows: dict[str, Any] = row_distances(phrase, *weights.of(phrase.query.types))
        for row in rows:
            # Without detectors equation 1 is the embedding's distance, and the row is named for that.
            source = row if row in all_rows else row.replace("cca", "cca+detector")
            ranks[row].append(rank(task, phrase.query, all_rows[source]))
    return {row: np.array(row_ranks) for row, row_ranks in ranks.items()}


def _say(report: Report, work: StepWork, task: EmbeddingData, sources: Sources, *, colors: bool) -> None:
    if work.options["paper_weights"]:
        report.notes.append("The weights of size are the paper's; that of colour is 0.2, as the paper prints none.")
    else:
        report.notes.append(
            f"The weights are fitted by type on the {len(task.fit):,} images of fit.txt, each scored by a model of "
            "the others, for the most first places right."
        )
    if sources.detectors is None:
        report.missing["Table 5c and Figure 7, rows with detectors"] = (
            "scores of detectors for the regions (--detectors)"
        )
    if not colors:
        report.missing["Table 5d and Figure 8, rows with colour"] = (
            "photographs, or scores of colours for the regions (--colors)"
        )
    elif sources.colors is None:
        report.notes.append("Colours are told by a logistic regression on Lab histograms; the paper trained a network.")
    report.settings["detector scores"] = "file" if sources.detectors else "none"
    report.settings["color scores"] = "file" if sources.colors else "built-in" if colors else "none"
