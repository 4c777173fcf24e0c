"""The step `embedding` [paper 4.1.3, Table 5b]: images to fit and to score on, and ranks by distance alone."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import InputError
from evaluation.language import Tagged, tagged
from evaluation.localization.embedding.cca import RegionPhraseModel, cosine_distances, fit_model
from evaluation.localization.embedding.features import NETWORK, Features, features_of_step
from evaluation.localization.embedding.phrase_vectors import PhraseEncoder, fit_encoder, vectors_of_step
from evaluation.localization.proposals import ImageRegions, bounds, regions_of_step
from evaluation.localization.queries import Query, queries_of
from evaluation.reading.caption_file import read_captions
from evaluation.reading.picture import TYPES, Picture
from evaluation.reading.pictures import read_pictures
from evaluation.report import ChartLine, Report, add_lines
from evaluation.scoring import KS, first_hit, members, nms, recall_figures
from evaluation.work import PictureFiles, StepWork, picture_files

REGIONS = 10


def sample_pairs(phrases: Sequence[str], *, most: int = REGIONS, seed: int = 0) -> list[int]:
    """Return the places of the pairs to keep, in their order: at most `most` of each phrase in lower case, at random.

    A pair is a mention with its region; a mention with several boxes has their union as region.
    """
    places: dict[str, list[int]] = {}
    for place, phrase in enumerate(phrases):
        places.setdefault(phrase.lower(), []).append(place)
    generator = np.random.default_rng(seed)
    kept: list[int] = []
    for found in places.values():
        chosen = generator.permutation(len(found))[:most] if len(found) > most else range(len(found))
        kept += [found[number] for number in chosen]
    return sorted(kept)


@dataclass(frozen=True)
class EmbeddingData:
    """Everything that models are fitted on and scored with."""

    pictures: Mapping[str, Picture]
    fit: Sequence[str]
    """Names of images to fit on."""
    test: Sequence[str]
    """Names of images to score on; none of them is fitted on."""
    words: Mapping[tuple[str, int, int], Tagged]
    """The tagged words of each query, by its key."""
    regions: ImageRegions
    features: Features
    files: PictureFiles
    encoder: PhraseEncoder
    outputs: int
    ridge: float
    exemplars: int
    """Regions of each phrase to learn from, at most."""
    seed: int

    @cached_property
    def by_image(self) -> Mapping[str, list[Query]]:
        """The queries of each image."""
        found: dict[str, list[Query]] = defaultdict(list)
        for query in queries_of(self.pictures.values()):
            found[query.image].append(query)
        return found

    def queries(self, images: Collection[str]) -> list[Query]:
        return [query for image in images for query in self.by_image.get(image, [])]

    def model(self, images: Collection[str]) -> RegionPhraseModel:
        """Fit a model on the gold boxes of these images. Raises InputError if they have no phrase with a box."""
        queries = self.queries(images)
        chosen = [
            queries[place]
            for place in sample_pairs([q.phrase.text for q in queries], most=self.exemplars, seed=self.seed)
        ]
        if not chosen:
            raise InputError("The images to fit on have no phrase with a box.")
        rows: dict[tuple[str, int, int], NDArray[np.float32]] = {}
        for image, image_queries in grouped(chosen):
            found = self.features.of(image, np.array([query.gold for query in image_queries]))
            rows |= {query.key: row for query, row in zip(image_queries, found, strict=True)}
        return fit_model(
            self.encoder,
            [self.words[query.key] for query in chosen],
            np.stack([rows[query.key] for query in chosen]),
            outputs=self.outputs,
            ridge=self.ridge,
        )


def grouped(queries: Sequence[Query]) -> Iterator[tuple[str, list[Query]]]:
    """Yield the images and their queries, in the order of first queries."""
    found: dict[str, list[Query]] = defaultdict(list)
    for query in queries:
        found[query.image].append(query)
    yield from found.items()


def task_of_step(work: StepWork) -> EmbeddingData:
    """Read the export, tag its captions, find regions, and fit the codebook on the images to fit on."""
    own = read_pictures(work.export, work.progress)
    fit_export = work.file("fit")
    others = read_pictures(fit_export, work.progress) if fit_export else []
    pictures = {picture.name: picture for picture in [*others, *own]}
    if shared := sorted({picture.name for picture in others} & {picture.name for picture in own}):
        raise InputError(f"{fit_export}: image {shared[0]} is in the export to score, too ({len(shared)} images are).")
    first, second = halves((picture.name for picture in own), work.seed)
    fit, test = (
        ([picture.name for picture in others], sorted(picture.name for picture in own)) if others else (first, second)
    )
    if not queries_of(pictures[name] for name in fit) or not queries_of(pictures[name] for name in test):
        raise InputError(f"{work.export}: phrases with boxes are needed in the images to fit on and to score on.")
    files = picture_files(work, work.export, *([fit_export] if fit_export else []))
    words = _tagged_queries(work, list(pictures.values()))
    vectors = vectors_of_step(work, _captions(work, pictures, fit, test), [work.inputs, list(fit)])
    learned = [words[query.key] for query in queries_of(pictures[name] for name in fit)]
    return EmbeddingData(
        pictures=pictures,
        fit=fit,
        test=test,
        words=words,
        regions=regions_of_step(work, list(pictures.values()), files),
        features=features_of_step(work, pictures, files),
        files=files,
        encoder=fit_encoder(vectors, learned, components=int(work.options["components"]), seed=work.seed),
        outputs=int(work.options["outputs"]),
        ridge=float(work.options["ridge"]),
        exemplars=int(work.options["exemplars"]),
        seed=work.seed,
    )


def halves(images: Iterable[str], seed: int = 0) -> tuple[list[str], list[str]]:
    """Return two sorted halves of the images by the seed; the second has the odd one. The order given plays no part."""
    names = sorted(set(images))
    order = np.random.default_rng(seed).permutation(len(names))
    middle = len(names) // 2
    return sorted(names[place] for place in order[:middle]), sorted(names[place] for place in order[middle:])


def _captions(work: StepWork, pictures: Mapping[str, Picture], fit: Sequence[str], test: Sequence[str]) -> list[str]:
    """Return the captions to train word vectors on: of --captions, or of the images to fit on; never of test images."""
    file = work.file("captions")
    if file is None:
        return [caption.text for name in fit for caption in pictures[name].captions]
    return [text for name, texts in read_captions(file).items() if name not in set(test) for text in texts]


def _tagged_queries(work: StepWork, pictures: Sequence[Picture]) -> dict[tuple[str, int, int], Tagged]:
    """Return the words of each query with the tags that they have in their caption."""
    captions = [caption for picture in pictures for caption in picture.captions]
    tags = iter(work.progress(tagged(caption.words for caption in captions), "tagging", len(captions)))
    found: dict[tuple[str, int, int], Tagged] = {}
    for picture in pictures:
        for caption in picture.captions:
            line = next(tags)
            for phrase in caption.phrases:
                found[picture.name, phrase.caption, phrase.number] = line[
                    phrase.start : phrase.start + len(phrase.words)
                ]
    return found


def distances(
    task: EmbeddingData, model: RegionPhraseModel, images: Sequence[str]
) -> Iterator[tuple[Query, NDArray[Any]]]:
    """Yield the queries of the images, each with the distances (n) of its image's regions."""
    for image in images:
        queries = task.by_image.get(image, [])
        if not queries:
            continue
        boxes = task.regions.boxes[image]
        regions = model.regions(task.features.of(image, boxes)) if len(boxes) else np.zeros((0, 1))
        phrases = model.phrases([task.words[query.key] for query in queries])
        found = cosine_distances(phrases, regions) if len(boxes) else np.zeros((len(queries), 0))
        yield from zip(queries, found, strict=True)


def rank(task: EmbeddingData, query: Query, regions: NDArray[Any]) -> int:
    """Return the rank of the first right region after suppression, 0 for none. `regions`: their distances (n)."""
    boxes = task.regions.boxes[query.image]
    return first_hit(boxes[nms(boxes, regions)], query.gold)


POWERS = {"plain": 0.0, "cca": 1.0, "power_4": 4.0}
"""The eigenvalues' power of each row. The paper's is `cca`."""


def embedding(work: StepWork) -> Report:
    """Fit the model on the images to fit on and score it on the others."""
    task = task_of_step(work)
    queries = task.queries(task.test)
    by_type = members([query.types for query in queries])
    report = Report("Phrase localization: the embedding", len(queries), "phrases with a box")
    model = task.model(task.fit)
    for name, power in POWERS.items():
        scored = RegionPhraseModel(model.encoder, model.cca, power)
        ranks = [
            rank(task, *scores) for scores in work.progress(distances(task, scored, task.test), name, len(queries))
        ]
        report.put(recall_figures(np.array(ranks), by_type), f"{name}.")
    first = np.array([first_hit(task.regions.boxes[query.image][:1], query.gold) for query in queries])
    report.put({"first_region.R@1": float(100 * np.mean(first > 0))})
    report.put(bounds(queries, task.regions))
    _tables(report)
    values = [float(value) for value in model.cca.correlations]
    line = ChartLine("correlation", range(1, len(values) + 1), values, 0)
    add_lines(report, "correlations", "Canonical correlations", [line], "dimension", "correlation", 1)
    describe(report, task)
    return report


def describe(report: Report, task: EmbeddingData) -> None:
    """Add notes, lists of images, and the rows that need networks."""
    report.files = {"fit.txt": _lines(task.fit), "test.txt": _lines(task.test)}
    report.split = {"fitted on": task.fit, "scored": task.test}
    report.settings |= {
        "regions": task.regions.method,
        "region features": task.features.name,
        "images fitted on": len(task.fit),
        "images scored": len(task.test),
    }
    report.notes += [
        f"Fitted on {len(task.fit):,} images (fit.txt), scored on {len(task.test):,} others (test.txt).",
        task.regions.note,
    ]
    if task.features.name != "file":
        words = {"built-in": "colours, edges and place", "geometry": "the place and size of a box, no pixels"}
        report.notes.append(f"Regions are described by {words[task.features.name]}, without a network.")
        report.missing |= {f"Table 5b, CCA – {name}": NETWORK for name in ("VGG19", "Fast RCNN")}


def _tables(report: Report) -> None:
    figures = report.figures
    rows: list[list[Any]] = [[name, *(figures[f"{name}.R@{k}"] for k in KS)] for name in POWERS]
    report.table("table_5b", "Phrases found by the embedding", ["projection", *(f"R@{k}" for k in KS)], rows)
    kinds = [kind for kind in TYPES if f"cca.R@1.{kind}" in figures]
    by_type: list[list[Any]] = [[kind, figures[f"cca.R@1.{kind}"], figures[f"bound.{kind}"]] for kind in kinds]
    columns = ["type", "R@1", "any region right"]
    report.table("by_type", "By type", columns, by_type)


def _lines(names: Sequence[str]) -> str:
    return "".join(f"{name}\n" for name in names)
