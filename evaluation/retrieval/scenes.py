"""Scene retrieval [paper 4.2, without pixels]: captions find scenes of other captions, and scenes captions."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.charts import add_bars
from evaluation.errors import InputError
from evaluation.language import Atom, Tagged, atoms_of, tagged
from evaluation.localization.embedding.cca import Cca, choose_ridge, cosine_distances, fit_cca, project_x, project_y
from evaluation.localization.embedding.fisher import PhraseEncoder, fit_encoder
from evaluation.localization.embedding.word_vectors import vectors_of_step
from evaluation.reading.caption_file import read_captions
from evaluation.reading.pictures import read_pictures
from evaluation.report import Report, ReportTable
from evaluation.retrieval.sentences import both_ways
from evaluation.scoring.boxes import KS
from evaluation.work import StepWork

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


def scene_images(captions: Mapping[str, Sequence[Tagged]]) -> SceneImages:
    """Divide the captions of each image; images without more captions than texts are left out."""
    kept = {name: tagged for name, tagged in captions.items() if len(tagged) > TEXTS}
    return SceneImages(
        tuple(kept),
        tuple(tuple(tagged[:TEXTS]) for tagged in kept.values()),
        tuple(frozenset(atoms(tagged[TEXTS:])) for tagged in kept.values()),
    )


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
    report = _report(parts, split, found)
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
    return scene_images(found)


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


def _report(parts: Mapping[str, SceneImages], split: SceneSplit, found: Mapping[str, Mapping[str, float]]) -> Report:
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
