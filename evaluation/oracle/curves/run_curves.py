"""Curves [paper Yao 5.3]: what an oracle reaches with more and more atoms, of each category, some of them wrong."""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.errors import InputError
from evaluation.oracle.corpus import PARTS, Corpus, captions_of, make_corpus
from evaluation.oracle.curves.curve import Curves
from evaluation.oracle.curves.curve_tables import add_charts, add_tables
from evaluation.oracle.curves.run_point import CurveInput, Spoken, run_points
from evaluation.oracle.known_atoms import Lists, Point, atom_lists, read_accuracies, read_points
from evaluation.oracle.model.device import CPU, device_of
from evaluation.oracle.model.training import Training
from evaluation.oracle.run_visual import only_visual
from evaluation.report import Report
from evaluation.scoring.caption_scores import NO_JAVA, java, score_captions, split_captions
from evaluation.work import Work

LARGEST_PART = 1000
"""The most images to stop by, and to score, if their number is not given: a sixth of those to train on."""


def run_curves(work: Work) -> Report:
    """Train an oracle for each point and score its captions of the test images."""
    points = points_of(work.options)
    sizes = sizes_of(work.options)
    captions, votes = captions_of(work), work.file("only_visual")
    corpus = make_corpus(work, captions, sizes)
    lists = atom_lists(atom for image in corpus.parts["train"] for own in corpus.atoms[image] for atom in own)
    if votes is not None:
        lists = only_visual(lists, votes)
    task = task_of(work, corpus, lists)
    spoken = run_points(work, task, points, int(work.options["processes"]))
    report = _report(work, corpus, lists, spoken)
    report.settings["device"] = task.device
    return report


def points_of(options: Mapping[str, Any]) -> list[Point]:
    """Return the points named, and those of lower accuracy. Raises InputError."""
    points = read_points(options["points"])
    shares = [share for share in read_accuracies(options["accuracy"]) if share < 1]
    if options["accuracy_at"] is not None:
        noisy = read_points(options["accuracy_at"])
    else:
        noisy = [point for point in points if point.group == "ALL"]
    if shares and not noisy:
        raise InputError(
            "--accuracy is for points of all categories, of which there is none: name points, --accuracy-at."
        )
    if unknown := [point.name for point in noisy if point not in points or not point.k]:
        raise InputError(f"--accuracy-at: {unknown[0]} is none of the points with atoms: {options['points']}.")
    return points + [Point(point.group, point.k, share) for share in shares for point in noisy]


def sizes_of(options: Mapping[str, Any]) -> dict[str, int]:
    """Return the number of images of each part. Raises InputError for numbers that make no run."""
    images = options["images"]
    part = min(LARGEST_PART, max(1, images // 6))
    sizes = {"train": images} | {
        name: part if options[name] is None else options[name] for name in ("validation", "test")
    }
    checked = {"images": images, **sizes} | {name: options[name] for name in ("epochs", "threads", "processes")}
    for name, value in checked.items():
        if value < 1:
            raise InputError(f"--{name} is {value}: give a whole number from 1.")
    return sizes


def task_of(work: Work, corpus: Corpus, lists: Lists) -> CurveInput:
    """Return what all points share."""
    options = work.options
    training = Training(int(options["epochs"]), optimizer=options["optimizer"], seed=work.seed)
    settings = {name: options[name] for name in ("phi", "atoms", "threads", "optimizer")}
    device = device_of(options["device"])
    if device != CPU:
        settings["device"] = device
    return CurveInput(
        corpus,
        lists,
        training,
        mean=options["phi"] == "mean",
        own_atoms=options["atoms"] == "caption",
        threads=int(options["threads"]),
        device=device,
        kept=work.kept,
        key={"inputs": dict(work.inputs), "parts": corpus.parts, "seed": work.seed, **settings},
    )


def _report(work: Work, corpus: Corpus, lists: Lists, spoken: Mapping[Point, Spoken]) -> Report:
    test = corpus.parts["test"]
    report = Report("Oracle captioning: curves", len(test), "test images")
    references = split_captions({image: corpus.texts[image] for image in test})
    for point, one in work.progress(spoken.items(), "scoring", len(spoken)):
        report.figures[f"perplexity.{point.name}"] = min(one.perplexities)
        for metric, value in score_captions(one.captions, references).total.items():
            report.figures[f"{metric}.{point.name}"] = value
    curves = Curves(report.figures, tuple(spoken))
    add_tables(report, curves, spoken, corpus, lists)
    add_charts(report, curves)
    report.notes += _notes(work, corpus)
    if not java():
        report.notes.append(NO_JAVA)
        report.missing["METEOR"] = "the program java"
    report.settings |= {f"{part} images": len(corpus.parts[part]) for part in PARTS}
    return report


def _notes(work: Work, corpus: Corpus) -> Sequence[str]:
    counts = [f"{len(corpus.parts[part]):,}" for part in PARTS]
    given = "all its captions" if work.options["atoms"] == "image" else "its first caption"
    return [
        f"Trained on {counts[0]} images, stopped by the perplexity of {counts[1]}, scored on {counts[2]}; no image is "
        "in two parts (splits.csv). Atoms and words are counted on the training images alone.",
        f"It is an oracle: the atoms of a test image are those of {given}, which are also its references. A model that "
        "sees pictures alone cannot know them.",
        "perplexity is that of the validation captions after the best epoch; all other figures are of the test images.",
    ]
