"""Sentences of a baseline for every image [paper Wang 4.3, Fig. 5], in the notation that scoring reads."""

import json
from typing import Any

from evaluation.charts import COLORS
from evaluation.content_selection.baselines import random_order
from evaluation.content_selection.orders import orders_of
from evaluation.content_selection.read_scenes import read_scenes
from evaluation.content_selection.run_baselines import folds_of
from evaluation.content_selection.scene import Labelled, Scene, usable
from evaluation.content_selection.score import score
from evaluation.content_selection.sentences import FUNCTION_WORDS, SentenceLine, generate, read_function_words, term
from evaluation.content_selection.tables import LETTERS
from evaluation.errors import InputError
from evaluation.report import Cell, Chart, Report
from evaluation.work import Work

EXAMPLES = 3
Example = tuple[Scene, list[Labelled], str, float]


def run_generate(work: Work) -> Report:
    """Write a sentence an image, with its score, and draw some of them."""
    k, name = work.options["k"], work.options["baseline"]
    if k < 1:
        raise InputError(f"--k is {k}: give a whole number from 1.")
    path = work.file("function_words")
    words = FUNCTION_WORDS if path is None else read_function_words(path)
    scenes = usable(read_scenes(work.export, work))
    folds, told = folds_of(work, scenes)
    rng = work.rng("sentences")
    report = Report(f"Content selection: sentences by {name}, k = {k}", len(scenes), "images")
    report.notes.append(told)
    found: list[Example] = []
    rows: list[list[Cell]] = []
    for fold in folds:
        for scene in work.progress(fold.scored, "writing"):
            order = random_order(len(scene.boxes), rng) if name == "random" else orders_of(scene, fold)[name]
            chosen = [scene.boxes[i] for i in order[:k]]
            sentence = generate(chosen, rng, words)
            p, r, f = score(scene.gold, {one.id for one in chosen})
            rows.append([scene.image, sentence, p, r, f])
            found.append((scene, chosen, sentence, f))
    rows.sort(key=lambda row: str(row[0]))
    for i, letter in enumerate(LETTERS, start=2):
        report.figures[letter] = sum(float(row[i] or 0) for row in rows) / len(rows)
    report.table("sentences", "Sentences", ["image", "sentence", *LETTERS], rows)
    lines: list[SentenceLine] = [{"image": str(row[0]), "sentence": str(row[1])} for row in rows]
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    report.files = {"sentences.jsonl": text}
    _draw(report, sorted(found, key=lambda one: one[0].image))
    return report


def _draw(report: Report, found: list[Example]) -> None:
    """Add Figure 5 for the first images with at least four boxes: boxes, the chosen ones filled, and the sentence."""
    shown = [one for one in found if len(one[0].boxes) >= 4][:EXAMPLES] or found[:EXAMPLES]
    title = "Boxes, the chosen ones filled, and sentences (Fig. 5)"
    report.charts.append(
        Chart("figure_5", title, lambda figure: _draw_examples(figure, shown), (7.0, 3.4 * len(shown)))
    )


def _draw_examples(figure: Any, shown: list[Example]) -> None:
    for place, (scene, chosen, sentence, f) in enumerate(shown, start=1):
        axes = figure.add_subplot(len(shown), 1, place)
        for i, box in enumerate(scene.boxes):
            x0, y0, x1, y1 = box.box
            color = COLORS[i % len(COLORS)]
            filled = 0.25 if box in chosen else 0.0
            axes.fill([x0, x1, x1, x0], [y0, y0, y1, y1], facecolor=color, edgecolor="none", alpha=filled)
            axes.plot([x0, x1, x1, x0, x0], [y0, y0, y1, y1, y0], color=color, linewidth=1.4)
            behind = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1}
            axes.text(x0 + 4, y0 + 4, term(box.concept, box.id), va="top", fontsize=7, color=color, bbox=behind)
        axes.set_xlim(0, scene.width)
        axes.set_ylim(scene.height, 0)
        axes.set_aspect("equal")
        axes.set_xticks([])
        axes.set_yticks([])
        axes.grid(False)
        axes.set_title(f"{sentence or '(no box chosen)'}\nF = {f:.2f}, {len(scene.gold)} descriptions", fontsize=8)
