"""The steps of content selection [paper Wang 3.1, 4.3, 5, Table 1, Fig. 3 to 6]: baselines, sentences, scores."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.content_selection.scenes import (
    COMBINED,
    FUNCTION_WORDS,
    NAMES,
    SINGLE,
    TEXT,
    VISUAL,
    DescribedScene,
    ImageFold,
    Labelled,
    SentenceLine,
    crosswise,
    described_scenes,
    expected,
    fitted_on,
    orders_of,
    random_scores,
    read_correspondence,
    read_function_words,
    read_scenes,
    scores_by_k,
    selection_score,
    sentence_of,
    shuffle_boxes,
    term,
    upper_bound,
)
from evaluation.errors import InputError
from evaluation.reading.source import json_lines, member
from evaluation.report import COLORS, Cell, ChartLine, Compared, Report, ReportChart, add_bars, add_lines
from evaluation.work import StepWork

KS = tuple(range(1, 16))
LETTERS = ("P", "R", "F")
UPPER_BOUND = {"P": 0.77, "R": 0.77, "F": 0.74, "P.sd": 0.11, "R.sd": 0.11, "F.sd": 0.12}
BOXES_PER_DESCRIPTION = 2.89
"""Mean number of distinct boxes of a description, in the paper's development set."""
TABLE_1 = {
    "random": (
        (0.19, 0.21, 0.20, 0.21, 0.20, 0.21, 0.21, 0.21, 0.21, 0.21),
        (0.06, 0.12, 0.18, 0.26, 0.29, 0.36, 0.43, 0.48, 0.50, 0.56),
        (0.08, 0.15, 0.18, 0.22, 0.23, 0.25, 0.27, 0.28, 0.28, 0.29),
    ),
    "position": (
        (0.48, 0.44, 0.39, 0.36, 0.33, 0.31, 0.30, 0.28, 0.27, 0.26),
        (0.18, 0.31, 0.40, 0.48, 0.54, 0.59, 0.63, 0.67, 0.71, 0.74),
        (0.25, 0.35, 0.38, 0.40, 0.40, 0.40, 0.39, 0.39, 0.38, 0.37),
    ),
    "size": (
        (0.56, 0.57, 0.53, 0.50, 0.46, 0.43, 0.39, 0.37, 0.34, 0.32),
        (0.21, 0.41, 0.55, 0.66, 0.73, 0.78, 0.82, 0.85, 0.87, 0.89),
        (0.30, 0.46, 0.53, 0.55, 0.55, 0.53, 0.51, 0.50, 0.48, 0.46),
    ),
    "unigram": (
        (0.69, 0.57, 0.48, 0.43, 0.40, 0.37, 0.35, 0.33, 0.31, 0.30),
        (0.24, 0.36, 0.45, 0.53, 0.59, 0.65, 0.70, 0.74, 0.78, 0.82),
        (0.34, 0.43, 0.45, 0.46, 0.45, 0.45, 0.44, 0.44, 0.43, 0.42),
    ),
    "bigram": (
        (0.85, 0.65, 0.55, 0.50, 0.47, 0.46, 0.45, 0.44, 0.44, 0.44),
        (0.31, 0.43, 0.50, 0.54, 0.57, 0.59, 0.59, 0.60, 0.60, 0.61),
        (0.44, 0.50, 0.50, 0.50, 0.49, 0.49, 0.48, 0.48, 0.48, 0.48),
    ),
}
"""P, R and F of each baseline, each for k = 1 to 10."""


TITLES = {
    "random": "Random",
    "position": "Box position",
    "size": "Box size",
    "unigram": "Unigram",
    "bigram": "Bigram",
    "unigram+position": "Unigram and position",
    "unigram+size": "Unigram and size",
    "bigram+position": "Bigram and position",
    "bigram+size": "Bigram and size",
}
PEOPLE = "People against each other"
"""The paper's upper bound: each description against the others of its image. Nothing keeps an order below it."""
COLUMNS = ("baseline", "k", "P", "P ±", "R", "R ±", "F", "F ±")
AXIS = "boxes of a description at most, k"


def add_selection_tables(report: Report, folds: Sequence[ImageFold]) -> None:
    """Add Table 1 for k = 1 to 10 beside the paper's values, the combinations at k = 3 and 4, all scores, the split."""
    first: list[list[Cell]] = []
    if "upper_bound.P" in report.figures:
        bound = [report.figures[f"upper_bound.{name}"] for letter in LETTERS for name in (letter, f"{letter}.sd")]
        first.append([PEOPLE, None, *bound, 0.77, 0.77, 0.74])
    for name in ("random", *SINGLE):
        first += [[*_row(report, name, k), *(score[k - 1] for score in TABLE_1[name])] for k in range(1, 11)]
    columns = (*COLUMNS, "paper P", "paper R", "paper F")
    report.table("table_1", "Scores for k = 1 to 10 (Table 1, errata)", columns, first)
    second = [_row(report, name, k) for k in (3, 4) for name in (*SINGLE, *COMBINED)]
    report.table("table_2", "Single baselines and combinations at k = 3 and 4 (Fig. 6)", COLUMNS, second)
    every = [_row(report, name, k) for name in ("random", *NAMES) for k in KS]
    report.table("scores", "All scores", COLUMNS, every, on_page=False)
    split = [[scene.image, fold.name, "scored"] for fold in folds for scene in fold.scored]
    split += [[image, fold.name, "fitted"] for fold in folds for image in fold.fitted]
    report.table("splits", "Images scored and images fitted on", ["image", "part", "use"], split, on_page=False)


def _row(report: Report, name: str, k: int) -> list[Cell]:
    values = [report.figures[f"{name}.{letter}@{k}{end}"] for letter in LETTERS for end in ("", ".sd")]
    return [TITLES[name], k, *values]


def add_selection_charts(report: Report) -> None:
    """Add figures 3, 4a, 4b and 6."""
    names = ("random", *SINGLE)
    third = [ChartLine(TITLES[name], KS, _values(report, name, "F"), i) for i, name in enumerate(names)]
    if "upper_bound.F" in report.figures:
        third.append(ChartLine(PEOPLE, KS, [report.figures["upper_bound.F"]] * len(KS), len(names), True))
    title = f"F against k (Fig. 3). {PEOPLE} is no bound: an order may lie above the line"
    add_lines(report, "figure_3", title, third, AXIS, "F", 1.0)
    for letter, words, orders in (("a", "text", TEXT), ("b", "sight", VISUAL)):
        lines = [
            ChartLine(f"{TITLES[name]}, {score}", KS, _values(report, name, score), i, score == "R")
            for i, name in enumerate(orders)
            for score in ("P", "R")
        ]
        title = f"P (solid) and R (dashed) of baselines by {words} (Fig. 4{letter})"
        add_lines(report, f"figure_4{letter}", title, lines, AXIS, "P, R", 1.0)
    shown = [TITLES[name] for name in (*SINGLE, *COMBINED)]
    series = {f"k = {k}": [report.figures[f"{name}.F@{k}"] for name in (*SINGLE, *COMBINED)] for k in (3, 4)}
    title = "F of single baselines and combinations at k = 3 and 4 (Fig. 6)"
    add_bars(report, "figure_6", title, shown, series, "F")


def _values(report: Report, name: str, letter: str) -> list[float]:
    return [report.figures[f"{name}.{letter}@{k}"] for k in KS]


def run_baselines(work: StepWork) -> Report:
    """Score every baseline on the images of an export."""
    every = read_scenes(work.export, work)
    scenes = described_scenes(every)
    if work.options["ties"] == "random":
        rng = work.rng("ties")
        scenes = [shuffle_boxes(scene, rng) for scene in scenes]
    folds, words = folds_with_counts(work, scenes)
    report = Report("Content selection: baselines", len(scenes), "images")
    report.split["scored"] = [scene.image for scene in scenes]
    report.notes += _notes(every, scenes, words)
    found = [one for scene in scenes if (one := upper_bound(scene.gold))]
    report.figures["upper_bound.images"] = len(found)
    if found:
        put_means(report, found, "upper_bound.")
    else:
        report.missing[PEOPLE] = "an image with two descriptions that refer to boxes"
    _baselines(report, folds, work)
    _chance(report, scenes, work)
    sizes = [len(boxes) for scene in scenes for boxes in scene.gold]
    report.figures["boxes_per_description"] = float(np.mean(sizes))
    report.figures["boxes_per_image"] = float(np.mean([len(scene.boxes) for scene in scenes]))
    remark = "other images and other boxes than the paper's"
    report.compared += [Compared(f"upper_bound.{name}", value, remark) for name, value in UPPER_BOUND.items()]
    report.compared.append(Compared("boxes_per_description", BOXES_PER_DESCRIPTION, remark))
    add_selection_tables(report, folds)
    add_selection_charts(report)
    return report


def folds_with_counts(work: StepWork, scenes: Sequence[DescribedScene]) -> tuple[list[ImageFold], str]:
    """Return the images with counts of concepts on others, and a sentence about these."""
    path = work.file("fit")
    if path is None:
        folds = crosswise(scenes, work.rng("halves"))
        return folds, (
            "Concepts were counted on one random half of the images and used on the other, both ways round; "
            "splits.csv lists the halves."
        )
    fold, left_out = fitted_on(scenes, described_scenes(read_scenes(path, work)))
    words = f"Concepts were counted on {len(fold.fitted):,} images of --fit, none of which is scored."
    return [fold], words + (f" {left_out:,} of its images are also in the data and were left out." if left_out else "")


def _notes(every: Sequence[DescribedScene], scenes: Sequence[DescribedScene], words: str) -> list[str]:
    dropped = sum(not reference for scene in scenes for reference in scene.references)
    linked = all(
        {box for described in scene.gold for box in described} == {box.id for box in scene.boxes} for scene in scenes
    )
    notes = [
        words,
        f"Left out: images of which no description refers to a box ({len(every) - len(scenes):,}), and descriptions of "
        f"the other images that refer to none ({dropped:,}).",
    ]
    if linked:
        notes.append(
            "Every box of these images was mentioned by somebody: there are no distractors, so that F does not fall "
            "again after k = 3 or 4 as in the paper, and no score can be compared with the paper's Table 1."
        )
    return notes


def put_means(report: Report, scores: Sequence[Sequence[float]], prefix: str = "") -> None:
    """Add the means and standard deviations of P, R and F over images."""
    values = np.array(scores, dtype=float)
    for letter, mean, sd in zip(LETTERS, values.mean(axis=0), values.std(axis=0), strict=True):
        report.put({letter: float(mean), f"{letter}.sd": float(sd)}, prefix)


def _baselines(report: Report, folds: Sequence[ImageFold], work: StepWork) -> None:
    pairs = [(scene, fold) for fold in folds for scene in fold.scored]
    found: dict[str, list[np.ndarray]] = {name: [] for name in NAMES}
    for scene, fold in work.progress(pairs, "scoring"):
        for name, order in orders_of(scene, fold).items():
            found[name].append(scores_by_k(scene.members, order, KS))
    for name, scores in found.items():
        values = np.array(scores)
        _put(report, name, values.mean(axis=0), values.std(axis=0))


def _chance(report: Report, scenes: Sequence[DescribedScene], work: StepWork) -> None:
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


EXAMPLES = 3
Example = tuple[DescribedScene, list[Labelled], str, float]


def run_generate(work: StepWork) -> Report:
    """Write a sentence an image, with its score, and draw some of them."""
    k, name = work.options["k"], work.options["baseline"]
    path = work.file("function_words")
    words = FUNCTION_WORDS if path is None else read_function_words(path)
    scenes = described_scenes(read_scenes(work.export, work))
    folds, told = folds_with_counts(work, scenes)
    rng = work.rng("sentences")
    report = Report(f"Content selection: sentences by {name}, k = {k}", len(scenes), "images")
    report.notes.append(told)
    found: list[Example] = []
    rows: list[list[Cell]] = []
    for fold in folds:
        for scene in work.progress(fold.scored, "writing"):
            order = rng.permutation(len(scene.boxes)) if name == "random" else orders_of(scene, fold)[name]
            chosen = [scene.boxes[i] for i in order[:k]]
            sentence = sentence_of(chosen, rng, words)
            p, r, f = selection_score(scene.gold, {box.id for box in chosen})
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


def _draw(report: Report, examples: list[Example]) -> None:
    """Add Figure 5 for the first images with at least four boxes: boxes, the chosen ones filled, and the sentence."""
    shown = [example for example in examples if len(example[0].boxes) >= 4][:EXAMPLES] or examples[:EXAMPLES]
    title = "Boxes, the chosen ones filled, and sentences (Fig. 5)"
    report.charts.append(
        ReportChart("figure_5", title, lambda figure: _draw_examples(figure, shown), (7.0, 3.4 * len(shown)))
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


def score_sentences(work: StepWork) -> Report:
    """Score a file of sentences. Images without a line choose nothing and score 0."""
    path = work.required("predictions")
    every = {scene.image: scene for scene in read_scenes(work.export, work)}
    scenes = described_scenes(list(every.values()))
    chosen, others = read_selections(path, every)
    report = Report("Content selection: sentences scored", len(scenes), "images")
    report.leave_out(others, "images of the file")
    report.split["scored"] = [scene.image for scene in scenes]
    scores = [selection_score(scene.gold, chosen.get(scene.image, ())) for scene in scenes]
    rows: list[list[Cell]] = [
        [scene.image, len(chosen.get(scene.image, ())), *figures] for scene, figures in zip(scenes, scores, strict=True)
    ]
    put_means(report, scores)
    bounds = np.array([one for scene in scenes if (one := upper_bound(scene.gold))])
    if len(bounds):
        report.put(
            {letter: float(mean) for letter, mean in zip(LETTERS, bounds.mean(axis=0), strict=True)}, "upper_bound."
        )
    report.figures["missing"] = sum(scene.image not in chosen for scene in scenes)
    if report.figures["missing"]:
        report.notes.append(f"Images without a line in the file, which score 0: {report.figures['missing']:,}.")
    report.table("images", "Scores by image", ["image", "boxes", *LETTERS], rows)
    return report


def read_selections(path: Path, scenes: dict[str, DescribedScene]) -> tuple[dict[str, frozenset[str]], list[str]]:
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
