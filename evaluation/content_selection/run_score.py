"""Scores of other systems' sentences or selections [paper Wang 3.1], image by image."""

from pathlib import Path
from typing import Any

import numpy as np

from evaluation.content_selection.read_scenes import read_scenes
from evaluation.content_selection.run_baselines import put_means
from evaluation.content_selection.scene import Scene, usable
from evaluation.content_selection.score import score, upper_bound
from evaluation.content_selection.sentences import read_correspondence
from evaluation.content_selection.tables import LETTERS
from evaluation.errors import InputError
from evaluation.reading.json_lines import json_lines, member
from evaluation.report import Cell, Report
from evaluation.work import Work


def run_score(work: Work) -> Report:
    """Score a file of sentences. Images without a line choose nothing and score 0."""
    path = work.required("predictions")
    every = {scene.image: scene for scene in read_scenes(work.export, work)}
    scenes = usable(list(every.values()))
    chosen, others = read_selections(path, every)
    report = Report("Content selection: sentences scored", len(scenes), "images")
    report.leave_out(others, "images of the file")
    report.split["scored"] = [scene.image for scene in scenes]
    scores = [score(scene.gold, chosen.get(scene.image, ())) for scene in scenes]
    rows: list[list[Cell]] = [
        [scene.image, len(chosen.get(scene.image, ())), *own] for scene, own in zip(scenes, scores, strict=True)
    ]
    put_means(report, scores)
    bounds = np.array([one for scene in scenes if (one := upper_bound(scene.gold))])
    if len(bounds):
        report.put(
            {letter: float(mean) for letter, mean in zip(LETTERS, bounds.mean(axis=0), strict=True)}, "upper_bound."
        )
    report.figures["missing"] = sum(scene.image not in chosen for scene in scenes)
    if report.figures["missing"]:
        report.notes.append(f"{report.figures['missing']:,} images have no line in the file: they score 0.")
    report.table("images", "Scores by image", ["image", "boxes", *LETTERS], rows)
    return report


def read_selections(path: Path, scenes: dict[str, Scene]) -> tuple[dict[str, frozenset[str]], list[str]]:
    """Return the ids of the chosen boxes by image, and the images that the data does not have.

    Raises InputError for the first wrong line.
    """
    found: dict[str, frozenset[str]] = {}
    others: set[str] = set()
    for where, value in json_lines(path):
        image = str(member(value, "image", where))
        ids = _ids(value, where)
        if image not in scenes:
            others.add(image)
            continue
        if image in found:
            raise InputError(f"{where}: the image {image!r} stands twice.")
        known = {box.id for box in scenes[image].boxes}
        if unknown := sorted(set(ids) - known):
            raise InputError(f"{where}: image {image} has no box {unknown[0]!r}.")
        found[image] = frozenset(ids)
    if not found:
        none = f"names no image of the data, only others: {min(others)[:60]}" if others else "holds no sentences"
        raise InputError(f"{path.name} {none}.")
    return found, sorted(others)


def _ids(value: Any, where: str) -> list[str]:
    if "boxes" in value:
        boxes = value["boxes"]
        if not isinstance(boxes, list):
            raise InputError(f"{where}: the field 'boxes' is not a list of ids.")
        return [str(box) for box in boxes]
    sentence = member(value, "sentence", where)
    if not isinstance(sentence, str):
        raise InputError(f"{where}: the field 'sentence' is not text.")
    return read_correspondence(sentence, where)
