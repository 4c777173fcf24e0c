"""Baselines of content selection [paper Wang 5]: every order for k = 1 to 15, chance, and people against each other."""

from collections.abc import Sequence

import numpy as np

from evaluation.content_selection.baselines import expected, random_scores
from evaluation.content_selection.orders import NAMES, Fold, crosswise, fitted_on, orders_of, shuffled
from evaluation.content_selection.read_scenes import read_scenes
from evaluation.content_selection.scene import Scene, usable
from evaluation.content_selection.score import scores_by_k, upper_bound
from evaluation.content_selection.tables import (
    BOXES_PER_DESCRIPTION,
    KS,
    LETTERS,
    PEOPLE,
    UPPER_BOUND,
    add_charts,
    add_tables,
)
from evaluation.errors import InputError
from evaluation.report import Compared, Report
from evaluation.work import Work


def run_baselines(work: Work) -> Report:
    """Score every baseline on the images of an export."""
    draws = work.options["draws"]
    if draws < 2:
        raise InputError(f"--draws is {draws}: give a whole number from 2.")
    every = read_scenes(work.export, work)
    scenes = usable(every)
    if work.options["ties"] == "random":
        rng = work.rng("ties")
        scenes = [shuffled(scene, rng) for scene in scenes]
    folds, words = folds_of(work, scenes)
    report = Report("Content selection: baselines", len(scenes), "images")
    report.split["scored"] = [scene.image for scene in scenes]
    report.notes += _notes(every, scenes, words)
    _bound(report, scenes)
    _baselines(report, folds, work)
    _chance(report, scenes, work)
    sizes = [len(own) for scene in scenes for own in scene.gold]
    report.figures["boxes_per_description"] = float(np.mean(sizes))
    report.figures["boxes_per_image"] = float(np.mean([len(scene.boxes) for scene in scenes]))
    _compare(report, scenes)
    add_tables(report, folds)
    add_charts(report)
    return report


def folds_of(work: Work, scenes: Sequence[Scene]) -> tuple[list[Fold], str]:
    """Return the images with counts of concepts on others, and a sentence about these."""
    path = work.file("fit")
    if path is None:
        folds = crosswise(scenes, work.rng("halves"))
        return folds, (
            "Concepts were counted on one random half of the images and used on the other, both ways round; "
            "splits.csv lists the halves."
        )
    fold, left_out = fitted_on(scenes, usable(read_scenes(path, work)))
    words = f"Concepts were counted on {len(fold.fitted):,} images of --fit, none of which is scored."
    return [fold], words + (f" {left_out:,} of its images are also in the data and were left out." if left_out else "")


def _notes(every: Sequence[Scene], scenes: Sequence[Scene], words: str) -> list[str]:
    dropped = sum(not reference for scene in scenes for reference in scene.references)
    linked = all({box for own in scene.gold for box in own} == {box.id for box in scene.boxes} for scene in scenes)
    notes = [
        words,
        f"Left out: {len(every) - len(scenes):,} images of which no description refers to a box, and {dropped:,} "
        "descriptions of the other images that refer to none.",
    ]
    if linked:
        notes.append(
            "Every box of these images was mentioned by somebody: there are no distractors, so that F does not fall "
            "again after k = 3 or 4 as in the paper, and no score can be compared with the paper's Table 1."
        )
    return notes


def _bound(report: Report, scenes: Sequence[Scene]) -> None:
    found = [one for scene in scenes if (one := upper_bound(scene.gold))]
    report.figures["upper_bound.images"] = len(found)
    if found:
        put_means(report, found, "upper_bound.")
    else:
        report.missing[PEOPLE] = "an image with two descriptions that refer to boxes"


def put_means(report: Report, scores: Sequence[Sequence[float]], prefix: str = "") -> None:
    """Add the means and standard deviations of P, R and F over images."""
    values = np.array(scores, dtype=float)
    for letter, mean, sd in zip(LETTERS, values.mean(axis=0), values.std(axis=0), strict=True):
        report.put({letter: float(mean), f"{letter}.sd": float(sd)}, prefix)


def _baselines(report: Report, folds: Sequence[Fold], work: Work) -> None:
    pairs = [(scene, fold) for fold in folds for scene in fold.scored]
    found: dict[str, list[np.ndarray]] = {name: [] for name in NAMES}
    for scene, fold in work.progress(pairs, "scoring"):
        for name, order in orders_of(scene, fold).items():
            found[name].append(scores_by_k(scene.members, order, KS))
    for name, scores in found.items():
        values = np.array(scores)
        _put(report, name, values.mean(axis=0), values.std(axis=0))


def _chance(report: Report, scenes: Sequence[Scene], work: Work) -> None:
    """Add chance by draws and by its closed form, with the standard error of the former."""
    draws = work.options["draws"]
    rng = work.rng("chance")
    total, squares = np.zeros((draws, len(KS), 3)), np.zeros((len(KS), 3))
    closed = np.zeros((len(KS), 2))
    for scene in work.progress(scenes, "drawing"):
        drawn = random_scores(scene.members, KS, draws, rng)
        total += drawn
        squares += (drawn**2).mean(axis=0)
        closed += expected(scene.members, KS)
    by_draw = total / len(scenes)
    mean = by_draw.mean(axis=0)
    _put(report, "random", mean, np.sqrt(np.maximum(0, squares / len(scenes) - mean**2)))
    error = by_draw.std(axis=0, ddof=1) / np.sqrt(draws)
    for i, k in enumerate(KS):
        report.put({f"{letter}@{k}.se": float(error[i, j]) for j, letter in enumerate(LETTERS)}, "random.")
        exact = closed[i] / len(scenes)
        report.put({f"{letter}@{k}.closed": float(exact[j]) for j, letter in enumerate("PR")}, "random.")


def _put(report: Report, name: str, means: np.ndarray, sds: np.ndarray) -> None:
    for i, k in enumerate(KS):
        for j, letter in enumerate(LETTERS):
            report.put({f"{letter}@{k}": float(means[i, j]), f"{letter}@{k}.sd": float(sds[i, j])}, f"{name}.")


def _compare(report: Report, scenes: Sequence[Scene]) -> None:
    remark = "other images and other boxes than the paper's"
    report.compared += [Compared(f"upper_bound.{name}", value, remark) for name, value in UPPER_BOUND.items()]
    report.compared.append(Compared("boxes_per_description", BOXES_PER_DESCRIPTION, remark))
