"""Scene retrieval [paper 4.2, without pixels]: captions find scenes made of other captions, and scenes find captions.

The chain of Table 7 on real text: Fisher vectors, CCA and normalised projections. An image is the content of captions
that the query does not hold, so the figures are not those of the paper.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.charts import add_bars
from evaluation.language import Tagged, tagged
from evaluation.localization.embedding.cca import choose_ridge, fit_cca
from evaluation.localization.embedding.phrase_encoder import fit_encoder
from evaluation.localization.embedding.word_vectors import vectors_of_step
from evaluation.reading.caption_file import read_captions
from evaluation.reading.pictures import read_pictures
from evaluation.report import Report, Table
from evaluation.retrieval.scene_views import (
    SceneImages,
    SceneSplit,
    Views,
    commonest,
    scene_images,
    scored,
    split_scenes,
    views_of,
)
from evaluation.scoring.recall import KS
from evaluation.work import Work

POWERS = {"plain": 0.0, "normalized": 1.0, "power_4": 4.0}
WAYS = {"search": "caption → scene", "annotation": "scene → caption"}


def scenes(work: Work) -> Report:
    """Train on images of the file of captions; score on held-out ones and on the images of the export."""
    export = _export(work.export)
    captions = read_captions(work.required("captions"))
    sizes = {name: int(work.options[name]) for name in ("train", "validation", "held_out")}
    split = split_scenes(captions, export.keys(), seed=work.seed, **sizes)
    parts = {
        "train": _tagged(work, {name: captions[name] for name in split.train}, "tagging training captions"),
        "validation": _tagged(work, {name: captions[name] for name in split.validation}, "tagging validation captions"),
        "held_out": _tagged(work, {name: captions[name] for name in split.held_out}, "tagging held-out captions"),
        "export": _tagged(work, export, "tagging the export"),
    }
    # Whatever is scored or chosen on stays unseen, by the word vectors, too.
    unseen = {*export, *split.validation, *split.held_out}
    text = [caption for name, each in captions.items() if name not in unseen for caption in each]
    words = vectors_of_step(work, text, [work.inputs, sizes])
    learned = [caption for texts in parts["train"].texts for caption in texts]
    encoder = fit_encoder(words, learned, components=int(work.options["components"]), seed=work.seed)
    columns = commonest(parts["train"].scenes, int(work.options["atoms"]))
    views = {name: views_of(images, encoder, columns) for name, images in parts.items()}
    ridge, scores, found = _fit(views, int(work.options["outputs"]))
    report = _report(parts, split, found)
    report.settings = {"ridge": ridge, "validation R@1 by ridge": {str(each): score for each, score in scores.items()}}
    report.settings["laplacian share of the codebook"] = float(encoder.mixture.laplacian.mean())
    return report


def _export(path: Path) -> dict[str, list[str | Sequence[str]]]:
    """Return the captions of each image: the words of an export, or the texts of a file of COCO captions."""
    if path.suffix.lower() == ".json":
        return {name: [*texts] for name, texts in read_captions(path).items()}
    return {picture.name: [caption.words for caption in picture.captions] for picture in read_pictures(path)}


def _tagged(work: Work, captions: Mapping[str, Sequence[str | Sequence[str]]], words: str) -> SceneImages:
    """Return the images with their captions tagged."""
    count = sum(map(len, captions.values()))
    stream = iter(work.progress(tagged(caption for each in captions.values() for caption in each), words, count))
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
        Table("scenes", "Captions and scenes", columns, rows),
        Table("split", "Images of each part", ["image", "part"], _split_rows(split, parts), on_page=False),
    ]
    report.split = {"train": split.train, "validation": split.validation, "held out": split.held_out}
    names = [name.replace("held_out.", "held out, ") for name in found]
    series = {words: [figures[f"{way}.R@1"] for figures in found.values()] for way, words in WAYS.items()}
    add_bars(report, "scenes", "R@1 of captions and scenes", names, series, "R@1, %")
    report.notes = [
        "A scene is the set of nouns, verbs and adjectives of an image's other captions, in place of its pixels: "
        "the figures cannot be compared with Table 7.",
        f"Trained on {len(parts['train'].names):,} images, the ridge chosen on {len(parts['validation'].names):,}, "
        f"scored on {len(parts['held_out'].names):,} held-out images and on the {n:,} of the export; "
        f"no image is in two parts (split.csv). {len(split.excluded):,} images of the export were in the file of "
        "captions and left out of it.",
    ]
    lost = {
        name: "image features of a network (--features of the step `sentences`)" for name in ("VGG19", "Full model")
    }
    report.missing = {f"Table 7, {name}": needs for name, needs in lost.items()}
    return report


def _split_rows(split: SceneSplit, parts: Mapping[str, SceneImages]) -> list[tuple[str, str]]:
    named = {"train": split.train, "validation": split.validation, "held out": split.held_out}
    named["export"] = parts["export"].names
    return [(image, part) for part, images in named.items() for image in images]
