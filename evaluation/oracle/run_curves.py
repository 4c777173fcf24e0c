"""Curves of an oracle [paper Yao 5.2, 5.3, Fig. 2 and 3]: trained with more and more atoms, some of them wrong."""

import json
import multiprocessing
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from multiprocessing.connection import wait
from typing import Any

import numpy as np
from tqdm import tqdm

from evaluation.errors import InputError
from evaluation.language import CATEGORIES, Atom
from evaluation.oracle.atoms import (
    PARTS,
    Bag,
    Corpus,
    Lists,
    Point,
    atom_lists,
    bag,
    captions_of,
    make_corpus,
    noise,
    numbered,
    only_visual,
    read_accuracies,
    read_points,
    vocabulary_of,
)
from evaluation.oracle.model import (
    CPU,
    Example,
    ModelShape,
    Say,
    Training,
    device_of,
    one_number_of_threads,
    search,
    train,
)
from evaluation.oracle.score import NO_JAVA, Curves, java, score_captions, split_captions
from evaluation.report import Cell, ChartLine, Report, ReportTable, add_lines
from evaluation.work import PartialResults, StepWork


@dataclass(frozen=True, slots=True)
class CurveInput:
    """The input that all points of a run share."""

    corpus: Corpus
    lists: Lists
    """The atoms of the training captions."""
    training: Training
    mean: bool
    """Whether Φ is the mean of the atoms' embeddings."""
    own_atoms: bool
    """Whether a caption is said with its own atoms (of a test image: its first caption's), not with the image's."""
    threads: int
    device: str
    partial_results: PartialResults
    key: Mapping[str, Any]
    """All that the corpus and the lists depend on."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """The result of a point."""

    perplexities: tuple[float, ...]
    """On the validation captions, after each epoch."""
    captions: Mapping[str, str]
    """A caption for each test image."""
    atoms: int
    """Atoms that the oracle knows."""
    bag_size: float
    """Mean number of atoms of a test image."""


def run_point(task: CurveInput, point: Point, say: Say) -> Spoken:
    """Train and write, or return what an earlier attempt has kept."""
    name = point.name.replace(":", "-")
    key = {**task.key, "point": point.name, "epochs": task.training.epochs}
    found = task.partial_results.arrays(name, key, lambda: {"json": np.array(json.dumps(_run(task, point, name, say)))})
    read = json.loads(str(found["json"]))
    return Spoken(tuple(read["perplexities"]), read["captions"], read["atoms"], read["bag_size"])


def _run(task: CurveInput, point: Point, name: str, say: Say) -> dict[str, Any]:
    corpus, numbers = task.corpus, numbered(task.lists, point.categories, point.k)
    vocabulary = vocabulary_of(words for image in corpus.parts["train"] for words in corpus.words[image])
    bags = bags_of(task, point, numbers)
    examples: dict[str, list[Example]] = {
        part: [
            (vocabulary.numbers(words), bags[image][place % len(bags[image])])
            for image in corpus.parts[part]
            for place, words in enumerate(corpus.words[image])
        ]
        for part in PARTS[:2]
    }
    with one_number_of_threads(task.threads):
        trained = train(
            ModelShape(len(vocabulary), len(numbers), mean=task.mean),
            examples["train"],
            examples["validation"],
            task.training,
            name=name,
            key={**task.key, "point": point.name},
            partial_results=task.partial_results,
            say=say,
            device=task.device,
        )
        test = corpus.parts["test"]
        written = search(trained.model, [bags[image][0] for image in test])
    return {
        "perplexities": trained.perplexities,
        "captions": {image: vocabulary.text(words) for image, words in zip(test, written, strict=True)},
        "atoms": len(numbers),
        "bag_size": float(np.mean([len(bags[image][0]) for image in test])),
    }


def bags_of(task: CurveInput, point: Point, numbers: Mapping[Atom, int]) -> dict[str, Sequence[Bag]]:
    """Return the bags of each image: one of all its captions, or one a caption. Wrong atoms are drawn by the seed."""
    rng = np.random.default_rng([task.training.seed, *f"noise {point.name}".encode()])
    found: dict[str, Sequence[Bag]] = {}
    for part in PARTS:
        for image in task.corpus.parts[part]:
            each = task.corpus.atoms[image]
            lots = each if task.own_atoms else [[atom for caption in each for atom in caption]]
            found[image] = [noise(bag(lot, numbers), point.accuracy, len(numbers), rng) for lot in lots]
    return found


def run_points(work: StepWork, task: CurveInput, points: Sequence[Point], processes: int) -> dict[Point, Spoken]:
    """Return the result of each point. What is kept is shared, so that an interrupted run goes on with what is left."""
    if processes == 1:
        return {point: run_point(task, point, work.say) for point in work.progress(points, "training")}
    pool = ProcessPoolExecutor(
        min(processes, len(points)), mp_context=multiprocessing.get_context("spawn"), initializer=_end_with_parent
    )
    with pool:
        found = pool.map(partial(run_point, task, say=_say), points)
        return dict(zip(points, work.progress(found, "training", len(points)), strict=True))


def _say(words: str) -> None:
    tqdm.write(words, file=sys.stderr)


def _end_with_parent() -> None:
    """End this process when the one that started it has ended, even by a kill."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


SAMPLES = 5
"""Images whose captions are shown."""
AXIS = "atoms of a category"
GROUPS = {"ENT": "entities", "ACT": "actions", "ATT": "attributes", "ALL": "all categories"}
FIRST_ROW = ("BLEU-1", "BLEU-4", "METEOR")


def add_tables(report: Report, curves: Curves, spoken: Mapping[Point, Spoken], corpus: Corpus, lists: Lists) -> None:
    """Add all tables. The captions of every test image are in captions.csv."""
    report.tables += [_points(report, curves, spoken), _gains(curves), _samples(spoken, corpus)]
    rows: list[list[Cell]] = [
        [image, point.name, caption] for point, output in spoken.items() for image, caption in output.captions.items()
    ]
    report.table("captions", "Captions", ("image", "point", "caption"), rows, on_page=False)
    split: list[list[Cell]] = [[image, part] for part, images in corpus.parts.items() for image in images]
    report.table("splits", "Images of each part", ("image", "part"), split, on_page=False)
    report.split = {**corpus.parts}
    counts: list[list[Cell]] = [[category, lemma, count] for category in CATEGORIES for lemma, count in lists[category]]
    title = "Atoms of the training captions"
    report.table("atoms", title, ("category", "atom", "count"), counts, on_page=False)


def _points(report: Report, curves: Curves, spoken: Mapping[Point, Spoken]) -> ReportTable:
    columns = ["point", "atoms known", "atoms of an image", "epochs", *curves.metrics]
    rows: list[list[Cell]] = []
    for point, output in spoken.items():
        scores = [report.figures.get(f"{metric}.{point.name}") for metric in curves.metrics]
        rows.append([point.name, output.atoms, output.bag_size, len(output.perplexities), *scores])
    return ReportTable("curves", "Scores by atoms", columns, rows)


def _gains(curves: Curves) -> ReportTable:
    """Return the gain between neighbouring points of a group, divided by the atoms added in each category."""
    rows: list[list[Cell]] = []
    for group in curves.groups():
        for metric in curves.metrics:
            for (k, low), (next_k, high) in pairwise(curves.curve(metric, group)):
                rows.append([group, metric, k, next_k, high - low, 1000 * (high - low) / (next_k - k)])
    columns = ("group", "metric", "from k", "to k", "gain", "gain per 1,000 atoms")
    return ReportTable("gains", "Gain per added atom", columns, rows)


def _samples(spoken: Mapping[Point, Spoken], corpus: Corpus) -> ReportTable:
    rows: list[list[Cell]] = []
    for image in corpus.parts["test"][:SAMPLES]:
        rows.append([image, "a reference", corpus.texts[image][0]])
        rows += [[image, point.name, output.captions[image]] for point, output in spoken.items()]
    return ReportTable("samples", "Captions of some test images", ("image", "point", "caption"), rows)


def add_charts(report: Report, curves: Curves) -> None:
    """Add both rows of Figure 2, the perplexity, and Figure 3 if there are points of lower accuracy."""
    several = [
        _line(metric, curves.curve(metric, "ALL"), number)
        for number, metric in enumerate(FIRST_ROW)
        if metric in curves.metrics
    ]
    _add(report, "figure_2_metrics", "BLEU and METEOR by atoms (Fig. 2, first row)", several, "score")
    for metric, name, words in (
        ("CIDEr", "figure_2_categories", "CIDEr by category of the atoms (Fig. 2, second row)"),
        ("perplexity", "perplexity", "Validation perplexity by category of the atoms"),
    ):
        lines = [
            _line(GROUPS[group], curves.curve(metric, group), number) for number, group in enumerate(curves.groups())
        ]
        _add(report, name, words, lines, metric)
    if len(curves.accuracies) > 1:
        noisy = [
            _line(f"{group}, r = {accuracy:g}", curves.curve("CIDEr", group, accuracy), number)
            for group in curves.groups()
            for number, accuracy in enumerate(curves.accuracies)
            if any(point.group == group and point.accuracy < 1 for point in curves.points)
        ]
        _add(report, "figure_3", "CIDEr by accuracy r of the atoms (Fig. 3)", noisy, "CIDEr")


def _line(name: str, curve: Sequence[tuple[int, float]], number: int) -> ChartLine:
    return ChartLine(name, [k for k, _ in curve], [score for _, score in curve], number)


def _add(report: Report, name: str, title: str, lines: Sequence[ChartLine], axis: str) -> None:
    shown = [line for line in lines if len(line.x)]
    if shown:
        add_lines(report, name, title, shown, AXIS, axis)


LARGEST_PART = 1000
"""The most images to stop by, and to score, if their number is not given: a sixth of those to train on."""


def run_curves(work: StepWork) -> Report:
    """Train an oracle for each point and score its captions of the test images."""
    points = points_of(work.options)
    sizes = sizes_of(work.options)
    captions, votes = captions_of(work), work.file("only_visual")
    corpus = make_corpus(work, captions, sizes)
    lists = atom_lists(atom for image in corpus.parts["train"] for caption in corpus.atoms[image] for atom in caption)
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
    """Return the number of images of each part."""
    images = options["images"]
    part = min(LARGEST_PART, max(1, images // 6))
    return {"train": images} | {name: options[name] or part for name in ("validation", "test")}


def task_of(work: StepWork, corpus: Corpus, lists: Lists) -> CurveInput:
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
        partial_results=work.partial_results,
        key={"inputs": dict(work.inputs), "parts": corpus.parts, "seed": work.seed, **settings},
    )


def _report(work: StepWork, corpus: Corpus, lists: Lists, spoken: Mapping[Point, Spoken]) -> Report:
    test = corpus.parts["test"]
    report = Report("Oracle captioning: curves", len(test), "test images")
    references = split_captions({image: corpus.texts[image] for image in test})
    for point, output in work.progress(spoken.items(), "scoring", len(spoken)):
        report.figures[f"perplexity.{point.name}"] = min(output.perplexities)
        for metric, value in score_captions(output.captions, references).total.items():
            report.figures[f"{metric}.{point.name}"] = value
    curves = Curves(report.figures, tuple(spoken))
    add_tables(report, curves, spoken, corpus, lists)
    add_charts(report, curves)
    counts = [f"{len(corpus.parts[part]):,}" for part in PARTS]
    given = "all its captions" if work.options["atoms"] == "image" else "its first caption"
    report.notes += [
        f"Trained on {counts[0]} images, stopped by the perplexity of {counts[1]}, scored on {counts[2]}; no image is "
        "in two parts (splits.csv). Atoms and words are counted on the training images alone.",
        f"It is an oracle: the atoms of a test image are those of {given}, which are also its references. A model that "
        "sees pictures alone cannot know them.",
        "perplexity is that of the validation captions after the best epoch; all other figures are of the test images.",
    ]
    if not java():
        report.notes.append(NO_JAVA)
        report.missing["METEOR"] = "the program java"
    report.settings |= {f"{part} images": len(corpus.parts[part]) for part in PARTS}
    return report
