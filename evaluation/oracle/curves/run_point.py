"""Points of a curve [paper Yao 5.2, 5.3]: train an oracle with some atoms, and write captions."""

import json
import multiprocessing
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import wait
from typing import Any

import numpy as np
from tqdm import tqdm

from evaluation.language import Atom
from evaluation.oracle.corpus import PARTS, Corpus
from evaluation.oracle.known_atoms import Bag, Lists, Point, bag, noise, numbered
from evaluation.oracle.model.beam_search import search
from evaluation.oracle.model.caption_model import Example, Shape
from evaluation.oracle.model.training import Say, Training, one_number_of_threads, train
from evaluation.oracle.model.vocabulary import vocabulary_of
from evaluation.work import PartialResults, Work


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
    kept: PartialResults
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
    found = task.kept.arrays(name, key, lambda: {"json": np.array(json.dumps(_run(task, point, name, say)))})
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
            Shape(len(vocabulary), len(numbers), mean=task.mean),
            examples["train"],
            examples["validation"],
            task.training,
            name=name,
            key={**task.key, "point": point.name},
            kept=task.kept,
            say=say,
            device=task.device,
        )
        test = corpus.parts["test"]
        written = search(trained.model, [bags[image][0] for image in test])
    return {
        "perplexities": trained.perplexities,
        "captions": {image: vocabulary.text(own) for image, own in zip(test, written, strict=True)},
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
            lots = each if task.own_atoms else [[atom for own in each for atom in own]]
            found[image] = [noise(bag(lot, numbers), point.accuracy, len(numbers), rng) for lot in lots]
    return found


def run_points(work: Work, task: CurveInput, points: Sequence[Point], processes: int) -> dict[Point, Spoken]:
    """Return the result of each point. What is kept is shared, so that an interrupted run goes on with what is left."""
    if processes == 1:
        return {point: run_point(task, point, work.say) for point in work.progress(points, "training")}
    pool = ProcessPoolExecutor(
        min(processes, len(points)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_end_with_parent,
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
