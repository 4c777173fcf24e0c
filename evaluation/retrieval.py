"""Retrieval of images by sentences and of sentences by images [paper 4.2, equations 4 and 5, Table 7].

The step `sentences`: by the whole image (CCA), by regions and phrases (equation 4), and by both (equation 5). The step
`scenes`: without pixels, captions find scenes of other captions.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import InputError, need
from evaluation.language import Atom, Tagged, atoms_of, tagged
from evaluation.localization.cues import (
    Scorer,
    Sources,
    Weights,
    color_of_phrase,
    cues_of_unseen,
    detector_class,
    fit_scorer,
    fit_weights,
    paper_weights,
    shares,
    sources_of_step,
)
from evaluation.localization.embedding.cca import (
    Cca,
    choose_ridge,
    cosine_distances,
    fit_cca,
    fit_model,
    project_x,
    project_y,
)
from evaluation.localization.embedding.embedding_step import EmbeddingData, describe, task_of_step
from evaluation.localization.embedding.features import RegionFile, region_colors
from evaluation.localization.embedding.phrase_vectors import PhraseEncoder, fit_encoder, vectors_of_step
from evaluation.reading.caption_file import read_captions
from evaluation.reading.picture import Picture, PicturePhrase
from evaluation.reading.pictures import read_pictures
from evaluation.report import Cell, Report, ReportTable, add_bars
from evaluation.scoring import KS, recall_at
from evaluation.work import StepWork

GAMMA = 1.5
ALPHA = 0.7


def region_phrase_distances(
    best: NDArray[Any], sentences: Sequence[Sequence[int]], gamma: float = GAMMA
) -> NDArray[np.float64]:
    """Return sum / L ** gamma over the L phrases of each sentence, for each image: shape (sentences, images).

    `best`: the least distance of any region, shape (phrases, images); sentences hold rows of it, repeated ones
    repeated. The distance of a sentence without phrases is 1 (decided: it tells nothing).
    """
    lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
    columns = np.array([row for sentence in sentences for row in sentence], dtype=np.int64)
    shape = (len(sentences), len(best))
    starts = np.concatenate([[0], np.cumsum(lengths)])
    bags = need("scipy.sparse", "comparing sentences").csr_matrix((np.ones(len(columns)), columns, starts), shape=shape)
    sums = bags @ best
    divided = np.asarray(sums, dtype=np.float64) / np.maximum(lengths, 1)[:, None] ** gamma
    divided[lengths == 0] = 1
    return divided


def combined_distances(whole: NDArray[Any], regions: NDArray[Any], alpha: float = ALPHA) -> NDArray[np.float64]:
    """Return alpha x whole + (1 - alpha) x regions, both of shape (sentences, images)."""
    return np.asarray(alpha * np.asarray(whole) + (1 - alpha) * np.asarray(regions), dtype=np.float64)


def first_own_ranks(distances: NDArray[Any], own: Sequence[int], queries: Sequence[int]) -> NDArray[np.int64]:
    """Return for each query, a row of `distances` (q, n), the rank from 1 of the first item of its group; 0 for none.

    `own`: the group of each item; `queries`: that of each query. Of equally near items the first comes first.
    """
    groups = np.asarray(own)
    ranks = np.zeros(len(distances), dtype=np.int64)
    for row, group in enumerate(queries):
        line = distances[row]
        mine = np.flatnonzero(groups == group)
        if len(mine):
            best = mine[np.argmin(line[mine])]
            ranks[row] = 1 + np.count_nonzero(line < line[best]) + np.count_nonzero(line[:best] == line[best])
    return ranks


def both_ways(distances: NDArray[Any], images: Sequence[int]) -> dict[str, float]:
    """Return R@1, R@5, R@10 in percent of sentences (rows) to images (columns), and of images to sentences.

    `images`: the column to which each sentence belongs. A hit of an image is any of its sentences.
    """
    count = distances.shape[1]
    search = first_own_ranks(distances, range(count), images)
    annotation = first_own_ranks(distances.T, images, range(count))
    found = {f"search.R@{k}": recall_at(search, k) for k in KS}
    return found | {f"annotation.R@{k}": recall_at(annotation, k) for k in KS}


@dataclass(frozen=True, slots=True)
class Phrases:
    """Distinct phrases (words and types), and the rows of each sentence."""

    distinct: list[PicturePhrase]
    tagged: list[Tagged]
    sentences: list[list[int]]
    image_of_sentence: list[int]


def phrases_of(task: EmbeddingData, pictures: Iterable[Picture]) -> Phrases:
    """Return the phrases of all captions, those that are not visual included, as the paper does here."""
    rows: dict[tuple[tuple[str, ...], tuple[str, ...]], int] = {}
    found = Phrases([], [], [], [])
    for place, picture in enumerate(pictures):
        for caption in picture.captions:
            line = []
            for phrase in caption.phrases:
                key = (tuple(word.lower() for word in phrase.words), phrase.types)
                if key not in rows:
                    rows[key] = len(found.distinct)
                    found.distinct.append(phrase)
                    found.tagged.append(task.words[picture.name, phrase.caption, phrase.number])
                line.append(rows[key])
            found.sentences.append(line)
            found.image_of_sentence.append(place)
    return found


@dataclass(frozen=True, slots=True)
class BestRegions:
    """Everything about the phrases that does not depend on the image."""

    task: EmbeddingData
    scorer: Scorer
    sources: Sources
    projected: NDArray[np.float32]
    size_weights: NDArray[np.float64]
    color_weights: NDArray[np.float64]
    kinds: tuple[str | None, ...]
    """The class of each phrase's detector."""
    colors: tuple[str | None, ...]

    def of(self, picture: Picture) -> NDArray[np.float64]:
        """Return the least distance of any region of the picture, for each phrase; 1 for a picture without regions."""
        boxes = self.task.regions.boxes[picture.name]
        if not len(boxes):
            return np.ones(len(self.projected))
        regions = self.scorer.model.regions(self.task.features.of(picture.name, boxes))
        base = cosine_distances(self.projected, regions)
        if self.sources.detectors is not None:
            for kind, rows in _places(self.kinds).items():
                scores = self.sources.detectors.column(kind, picture.name, boxes)
                if scores is not None:
                    base[rows] = 0.5 * base[rows] + 0.5 * (1 - scores)
        sizes = 1 - shares(boxes, picture.width, picture.height)
        rest = np.ones(len(base)) - self.size_weights
        extra = np.zeros_like(base)
        for color, scores in self._colors(picture, boxes).items():
            rows = _places(self.colors)[color]
            weights = self.color_weights[rows]
            rest[rows] -= weights
            extra[rows] = weights[:, None] * (1 - scores)
        full = rest[:, None] * base + self.size_weights[:, None] * sizes + extra
        return np.asarray(full.min(axis=1), dtype=np.float64)

    def _colors(self, picture: Picture, boxes: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Return the scores of each colour that a phrase names, for the boxes."""
        colors = self.scorer.colors
        if colors is None:
            return {}
        named = _places(self.colors)
        if isinstance(colors, RegionFile):
            found = {color: colors.column(color, picture.name, boxes) for color in named}
        else:
            assert self.sources.photographs is not None
            features = region_colors(self.sources.photographs.maps(picture.name), boxes)
            found = {color: colors.column(color, features) for color in named}
        return {color: scores for color, scores in found.items() if scores is not None}


def best_regions(
    task: EmbeddingData, scorer: Scorer, sources: Sources, weights: Weights, phrases: Phrases
) -> BestRegions:
    """Project the phrases and note their weights, detectors and colours."""
    pairs = np.array([weights.of(phrase.types) for phrase in phrases.distinct]).reshape(-1, 2)
    return BestRegions(
        task=task,
        scorer=scorer,
        sources=sources,
        projected=scorer.model.phrases(phrases.tagged),
        size_weights=pairs[:, 0],
        color_weights=pairs[:, 1],
        kinds=tuple(detector_class(phrase.words, sources.words) for phrase in phrases.distinct),
        colors=tuple(color_of_phrase(phrase.words, phrase.types) for phrase in phrases.distinct),
    )


def _places(names: Sequence[str | None]) -> dict[str, NDArray[np.int64]]:
    found: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        if name is not None:
            found.setdefault(name, []).append(place)
    return {name: np.array(places, dtype=np.int64) for name, places in found.items()}


NETWORK = "photographs, or features of whole images and regions of a network (--features)"
TABLE_7 = {
    "whole": (24.7, 53.4, 66.8, 36.5, 62.2, 73.3),
    "weighted_embedding": (25.7, 54.5, 67.6, 37.0, 62.9, 73.9),
    "weighted": (25.8, 54.7, 67.6, 37.5, 62.9, 75.1),
}
"""Table 7 (b) and (c): image search, then image annotation, R@1, R@5, R@10; with VGG19 on 1,000 images."""


def sentences(work: StepWork) -> Report:
    """Fit both models on the images to fit on, and retrieve among the others."""
    task = task_of_step(work)
    pictures = [task.pictures[name] for name in task.test]
    phrases = phrases_of(task, pictures)
    sources = sources_of_step(work, task)
    weights = paper_weights() if work.options["paper_weights"] else fit_weights(cues_of_unseen(task, sources))
    gamma, alpha = float(work.options["gamma"]), float(work.options["alpha"])
    scorer = fit_scorer(task, task.fit, sources)
    plain = Weights(dict.fromkeys(weights.sizes, 0.0), dict.fromkeys(weights.colors, 0.0))
    report = Report("Image-sentence retrieval", len(pictures), "images")
    found: dict[str, NDArray[np.float64]] = {}
    rows = {
        "regions_embedding": (replace(scorer, colors=None), Sources(), plain),
        "regions": (scorer, sources, weights),
    }
    for name, (model, cues, row_weights) in rows.items():
        finder = best_regions(task, model, cues, row_weights, phrases)
        best = np.stack([finder.of(picture) for picture in work.progress(pictures, name)], axis=1)
        found[name] = region_phrase_distances(best, phrases.sentences, gamma)
    if task.features.name != "geometry":
        found["whole"] = whole_distances(task, pictures)
        for name in ("regions_embedding", "regions"):
            weighted = name.replace("regions", "weighted")
            found[weighted] = combined_distances(found["whole"], found[name], alpha)
    _report(report, found, phrases.image_of_sentence)
    describe(report, task)
    report.missing = {}
    if task.features.name != "file":
        needs = NETWORK if task.features.name == "geometry" else "features of whole images and regions of a network"
        report.missing = {f"Table 7, {row}": needs for row in ("CCA of whole images", "weighted distances")}
    report.settings |= {"sentences": len(phrases.sentences), "phrases, distinct": len(phrases.distinct)}
    return report


def whole_distances(task: EmbeddingData, pictures: Sequence[Picture]) -> NDArray[np.float64]:
    """Return the distance of each sentence from each whole image: shape (sentences, images)."""
    learned = [task.pictures[name] for name in task.fit]
    rows = [place for place, picture in enumerate(learned) for _ in picture.captions]
    features = np.stack([_whole(task, picture) for picture in learned])
    model = fit_model(task.encoder, list(_captions(learned)), features[rows], outputs=task.outputs, ridge=task.ridge)
    images = model.regions(np.stack([_whole(task, picture) for picture in pictures]))
    return cosine_distances(model.phrases(list(_captions(pictures))), images)


def _whole(task: EmbeddingData, picture: Picture) -> NDArray[np.float32]:
    """Return the features of the whole image, which are those of the box around all of it."""
    return task.features.of(picture.name, np.array([[0, 0, picture.width, picture.height]]))[0]


def _captions(pictures: Sequence[Picture]) -> Iterator[Tagged]:
    yield from tagged(caption.words for picture in pictures for caption in picture.captions)


def _report(report: Report, methods: dict[str, NDArray[np.float64]], images: Sequence[int]) -> None:
    rows: list[list[Cell]] = []
    for name, distances in methods.items():
        figures = both_ways(distances, images)
        report.put(figures, f"{name}.")
        rows.append([name, *figures.values()])
    columns = ["row", *(f"image search, R@{k}" for k in (1, 5, 10)), *(f"image annotation, R@{k}" for k in (1, 5, 10))]
    report.table("table_7", "Table 7: rows of our own", columns, rows)
    paper: list[list[Cell]] = [[name, *values] for name, values in TABLE_7.items()]
    report.table("paper", "Table 7 of the paper: 1,000 images, VGG19", columns, paper)
    report.put({"chance.search.R@1": 100 / report.n})
    report.notes.append(
        f"{report.n:,} images and {len(images):,} sentences. Rows that begin with “regions” are equation 4, with the "
        "embedding alone or the full model; “whole” is the CCA of whole images and sentences; “weighted” is "
        "equation 5. The paper has 1,000 images; among fewer, finding the right one is easier."
    )


TEXTS = 2
"""Captions of an image that are texts; from the others its scene is made, so the two views share no caption."""


@dataclass(frozen=True, slots=True)
class SceneSplit:
    """Names of images, each part sorted."""

    train: tuple[str, ...]
    validation: tuple[str, ...]
    unseen: tuple[str, ...]
    excluded: tuple[str, ...]
    """Images of the export, which the file of captions holds, too: never trained on."""


def split_scenes(
    images: Iterable[str], export: Collection[str], *, train: int, validation: int, unseen: int, seed: int
) -> SceneSplit:
    """Draw the parts from the images by the seed. Raises InputError if there are too few for one image of each part.

    With fewer images than asked for, the parts shrink alike.
    """
    every = sorted(set(images))
    names = [name for name in every if name not in export]
    asked = train + validation + unseen
    share = min(1.0, len(names) / asked)
    counts = [int(share * part) for part in (train, validation, unseen)]
    if min(counts) < 1:
        raise InputError(f"{len(names)} images with captions are too few: {asked} were asked for.")
    order = [names[place] for place in np.random.default_rng(seed).permutation(len(names))]
    ends = np.cumsum(counts)
    parts = [tuple(sorted(order[start:end])) for start, end in zip((0, *ends), ends, strict=False)]
    return SceneSplit(parts[0], parts[1], parts[2], tuple(name for name in every if name in export))


def atoms(captions: Iterable[Tagged]) -> set[Atom]:
    return {atom for caption in captions for atom in atoms_of(caption)}


def commonest(scenes: Iterable[Iterable[Atom]], count: int) -> dict[Atom, int]:
    """Return the columns of the atoms that occur in most scenes; of equally common ones the first by kind and lemma."""
    counts = Counter(atom for scene in scenes for atom in scene)
    ranked = sorted(counts, key=lambda atom: (-counts[atom], atom))[:count]
    return {atom: column for column, atom in enumerate(ranked)}


def scene_vectors(scenes: Sequence[Iterable[Atom]], columns: Mapping[Atom, int]) -> NDArray[np.float32]:
    """Return 1 for each atom that a scene has, else 0: shape (scenes, columns)."""
    result = np.zeros((len(scenes), len(columns)), dtype=np.float32)
    for row, scene in enumerate(scenes):
        result[row, [columns[atom] for atom in scene if atom in columns]] = 1
    return result


@dataclass(frozen=True, slots=True)
class SceneImages:
    """Tagged texts and the atoms of the scene of each image."""

    names: tuple[str, ...]
    texts: tuple[tuple[Tagged, ...], ...]
    scenes: tuple[frozenset[Atom], ...]

    @property
    def image_of_text(self) -> list[int]:
        """Return the place of the image of each text, in the texts' order."""
        return [place for place, texts in enumerate(self.texts) for _ in texts]


@dataclass(frozen=True, slots=True)
class Views:
    """The numbers of some images."""

    texts: NDArray[np.float32]
    """Shape (texts, features)."""
    scenes: NDArray[np.float32]
    """Shape (images, atoms)."""
    image_of_text: list[int]

    @property
    def pair(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return one row of both views for each text."""
        return self.texts, self.scenes[self.image_of_text]


def views_of(images: SceneImages, encoder: PhraseEncoder, columns: Mapping[Atom, int]) -> Views:
    """Return the Fisher vectors of the texts and the 0-1 vectors of the scenes."""
    texts = encoder.encode([text for texts in images.texts for text in texts])
    return Views(texts, scene_vectors(images.scenes, columns), images.image_of_text)


def scored(views: Views, cca: Cca, power: float) -> dict[str, float]:
    """Return the recall both ways, with the eigenvalues raised to this power."""
    distances = cosine_distances(project_x(cca, views.texts, power=power), project_y(cca, views.scenes, power=power))
    return both_ways(distances, views.image_of_text)


POWERS = {"plain": 0.0, "normalized": 1.0, "power_4": 4.0}
WAYS = {"search": "caption → scene", "annotation": "scene → caption"}


def scenes(work: StepWork) -> Report:
    """Train on images of the file of captions; score on held-out ones and on the images of the export."""
    export = _export(work.export)
    captions = read_captions(work.required("captions"))
    sizes = {name: int(work.options[name]) for name in ("train", "validation", "held_out")}
    split = split_scenes(
        captions,
        export.keys(),
        train=sizes["train"],
        validation=sizes["validation"],
        unseen=sizes["held_out"],
        seed=work.seed,
    )
    parts = {
        "train": _tagged(work, {name: captions[name] for name in split.train}, "tagging training captions"),
        "validation": _tagged(work, {name: captions[name] for name in split.validation}, "tagging validation captions"),
        "held_out": _tagged(work, {name: captions[name] for name in split.unseen}, "tagging held-out captions"),
        "export": _tagged(work, export, "tagging the export"),
    }
    # Whatever is scored or chosen on stays unseen, by the word vectors, too.
    unseen = {*export, *split.validation, *split.unseen}
    text = [caption for name, texts in captions.items() if name not in unseen for caption in texts]
    words = vectors_of_step(work, text, [work.inputs, sizes])
    learned = [caption for texts in parts["train"].texts for caption in texts]
    encoder = fit_encoder(words, learned, components=int(work.options["components"]), seed=work.seed)
    columns = commonest(parts["train"].scenes, int(work.options["atoms"]))
    views = {name: views_of(images, encoder, columns) for name, images in parts.items()}
    ridge, scores, found = _fit(views, int(work.options["outputs"]))
    report = _scenes_report(parts, split, found)
    report.settings = {
        "ridge": ridge,
        "validation R@1 by ridge": {str(ridge): score for ridge, score in scores.items()},
    }
    report.settings["laplacian share of the codebook"] = float(encoder.mixture.laplacian.mean())
    return report


def _export(path: Path) -> dict[str, list[str | Sequence[str]]]:
    """Return the captions of each image: the words of an export, or the texts of a file of COCO captions."""
    if path.suffix.lower() == ".json":
        return {name: [*texts] for name, texts in read_captions(path).items()}
    return {picture.name: [caption.words for caption in picture.captions] for picture in read_pictures(path)}


def _tagged(work: StepWork, captions: Mapping[str, Sequence[str | Sequence[str]]], words: str) -> SceneImages:
    count = sum(map(len, captions.values()))
    stream = iter(work.progress(tagged(caption for texts in captions.values() for caption in texts), words, count))
    found: dict[str, list[Tagged]] = {name: [next(stream) for _ in caption] for name, caption in captions.items()}
    kept = {name: tagged for name, tagged in found.items() if len(tagged) > TEXTS}
    return SceneImages(
        tuple(kept),
        tuple(tuple(tagged[:TEXTS]) for tagged in kept.values()),
        tuple(frozenset(atoms(tagged[TEXTS:])) for tagged in kept.values()),
    )


def _fit(views: Mapping[str, Views], outputs: int) -> tuple[float, dict[float, float], dict[str, dict[str, float]]]:
    """Fit the maps with the ridge that is best on the validation images, and score them at each power."""
    ridge, cca, scores = choose_ridge(
        lambda ridge: fit_cca([views["train"].pair], outputs, ridge=ridge),
        lambda cca: scored(views["validation"], cca, 1.0)["search.R@1"],
    )
    found: dict[str, dict[str, float]] = {}
    for part, prefix in (("export", ""), ("held_out", "held_out.")):
        for name, power in POWERS.items():
            found[f"{prefix}{name}"] = scored(views[part], cca, power)
    return ridge, scores, found


def _scenes_report(
    parts: Mapping[str, SceneImages], split: SceneSplit, found: Mapping[str, Mapping[str, float]]
) -> Report:
    n = len(parts["export"].names)
    report = Report("Image-sentence retrieval without pixels: captions and scenes", n, "images")
    rows: list[list[Any]] = []
    for name, figures in found.items():
        report.put(figures, f"{name}.")
        images = "held-out images" if name.startswith("held_out.") else "export"
        rows.append([images, name.removeprefix("held_out."), *figures.values()])
    report.figures |= {"chance.search.R@1": 100 / n, "held_out.images": len(parts["held_out"].names)}
    columns = ["images", "projection", *(f"{way}, R@{k}" for way in WAYS.values() for k in KS)]
    report.tables = [
        ReportTable("scenes", "Captions and scenes", columns, rows),
        ReportTable("split", "Images of each part", ["image", "part"], _split_rows(split, parts), on_page=False),
    ]
    report.split = {"train": split.train, "validation": split.validation, "held out": split.unseen}
    names = [name.replace("held_out.", "held out, ") for name in found]
    series = {words: [figures[f"{way}.R@1"] for figures in found.values()] for way, words in WAYS.items()}
    add_bars(report, "scenes", "R@1 of captions and scenes", names, series, "R@1, %")
    report.notes = [
        "A scene is the set of nouns, verbs and adjectives of an image's other captions, in place of its pixels: "
        "the figures cannot be compared with Table 7.",
        f"Trained on {len(parts['train'].names):,} images, the ridge chosen on {len(parts['validation'].names):,}, "
        f"scored on {len(parts['held_out'].names):,} held-out images and on the {n:,} of the export; "
        "no image is in two parts (split.csv). Images of the export that were in the file of captions and left out of "
        f"it: {len(split.excluded):,}.",
    ]
    lost = {
        name: "image features of a network (--features of the step `sentences`)" for name in ("VGG19", "Full model")
    }
    report.missing = {f"Table 7, {name}": needs for name, needs in lost.items()}
    return report


def _split_rows(split: SceneSplit, parts: Mapping[str, SceneImages]) -> list[tuple[str, str]]:
    named = {"train": split.train, "validation": split.validation, "held out": split.unseen}
    named["export"] = parts["export"].names
    return [(image, part) for part, images in named.items() for image in images]
