"""Scores on tasks 1 to 3 [paper Shekhar, Baseline Models, Results]: of chance, models and people; the blind model."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.errors import InputError
from evaluation.foil.human import add_people, caption_versions, check_items, people_of, read_caption_votes
from evaluation.foil.item import (
    CHANCE_T1,
    CONTENT_WORDS,
    CORRECT,
    FOIL,
    NOUNS,
    PLACES,
    TASK_1,
    TASK_2,
    TASK_3,
    Classes,
    FoilItem,
    chance_t2,
    chance_t3,
    name_of,
    percent,
    places_of,
    read_items,
    task_1,
)
from evaluation.foil.making.lexicon import COCO_WORDS, TEST, TRAIN, Lexicon, read_lexicon
from evaluation.foil.models import (
    BlindModel,
    BoxAware,
    FoilModel,
    FromFile,
    ShownCaption,
    read_detections,
    read_foil_predictions,
    shown_captions,
)
from evaluation.reading.coco import read_instances
from evaluation.report import Cell, Compared, Report, add_bars
from evaluation.work import StepWork


@dataclass(frozen=True)
class TaskItems:
    """Items as models are asked about them."""

    items: Sequence[FoilItem]
    correct: Sequence[ShownCaption]
    foils: Sequence[ShownCaption]

    def places(self, kind: str) -> list[list[int]]:
        """Return the places of task 2 of each foil."""
        return [places_of(foil.tags, item.place, kind) for foil, item in zip(self.foils, self.items, strict=True)]


@dataclass(frozen=True)
class ModelAccuracy:
    """The accuracy of a model, in percent; None for tasks that it does not do."""

    name: str
    t1: Classes | None
    t1_of: dict[str, Classes]
    """Task 1 by super-category."""
    t2: dict[str, float] | None
    """Task 2 by kind of places."""
    t3: float | None


def ask(items: Sequence[FoilItem]) -> TaskItems:
    """Return the items with both versions of their captions. Raises MissingExtra without the tagger."""
    return TaskItems(items, shown_captions(items, CORRECT), shown_captions(items, FOIL))


def score_model(model: FoilModel, task_items: TaskItems) -> ModelAccuracy:
    """Let the model do the tasks."""
    t1, t1_of = _t1(model, task_items)
    t2: dict[str, float] | None = {}
    for kind in PLACES:
        found = model.predict_t2(task_items.foils, task_items.places(kind))
        if found is None or t2 is None:
            t2 = None
        else:
            t2[kind] = percent([place == item.place for place, item in zip(found, task_items.items, strict=True)])
    words = model.predict_t3(task_items.foils, [item.place for item in task_items.items])
    t3 = (
        None
        if words is None
        else percent([word == item.target for word, item in zip(words, task_items.items, strict=True)])
    )
    return ModelAccuracy(model.name, t1, t1_of, t2, t3)


def _t1(model: FoilModel, task_items: TaskItems) -> tuple[Classes | None, dict[str, Classes]]:
    correct, foils = model.predict_t1(task_items.correct), model.predict_t1(task_items.foils)
    if correct is None or foils is None:
        return None, {}
    kinds = sorted({item.super_category for item in task_items.items})
    own = {kind: [i for i, item in enumerate(task_items.items) if item.super_category == kind] for kind in kinds}
    return task_1(correct, foils), {
        kind: task_1([correct[i] for i in places], [foils[i] for i in places]) for kind, places in own.items()
    }


REMARK = "other items than the paper's"


def _task_1(report: Report, scored: Sequence[ModelAccuracy]) -> None:
    report.put({"chance.t1.overall": CHANCE_T1})
    rows: list[list[Cell]] = [["chance", CHANCE_T1, CHANCE_T1, CHANCE_T1]]
    for model in scored:
        if model.t1 is not None:
            report.put(model.t1._asdict(), f"{model.name}.t1.")
            rows.append([model.name, *model.t1])
    rows += [[f"{name} (paper)", *values] for name, values in TASK_1.items()]
    columns = ["model", "overall", "correct", "foil"]
    report.table("task_1", "Task 1: right or foil (%); overall is the mean of both", columns, rows)
    if any(model.name == "blind" for model in scored):
        report.compared.append(Compared("blind.t1.overall", TASK_1["blind"][0], REMARK))


def _task_2(report: Report, task_items: TaskItems, scored: Sequence[ModelAccuracy]) -> None:
    chance = {kind: chance_t2(task_items.places(kind)) for kind in PLACES}
    report.put(chance, "chance.t2.")
    rows: list[list[Cell]] = [["chance", chance[NOUNS], chance[CONTENT_WORDS]]]
    for model in scored:
        if model.t2 is not None:
            report.put(model.t2, f"{model.name}.t2.")
            rows.append([model.name, model.t2[NOUNS], model.t2[CONTENT_WORDS]])
    rows += [[f"{name} (paper)", *values] for name, values in TASK_2.items()]
    title = "Task 2: the wrong word of a foil (%), among its nouns and among its content words"
    report.table("task_2", title, ["model", "nouns", "content words"], rows)
    report.notes.append(
        "Chance in task 2 is the mean over foils of one in the number of places: those of nouns (tags NN…), or of "
        "nouns, verbs, adjectives and adverbs (NN…, VB…, JJ…, RB…). The paper does not print its definition."
    )
    for kind, value in zip((NOUNS, CONTENT_WORDS), TASK_2["chance"], strict=True):
        report.compared.append(Compared(f"chance.t2.{kind}", value, REMARK))


def _task_3(report: Report, scored: Sequence[ModelAccuracy], words: int) -> None:
    chance = chance_t3(words)
    report.put({"chance.t3": chance})
    rows: list[list[Cell]] = [["chance", chance]]
    for model in scored:
        if model.t3 is not None:
            report.put({f"{model.name}.t3": model.t3})
            rows.append([model.name, model.t3])
    rows += [[f"{name} (paper)", value] for name, value in TASK_3.items()]
    title = f"Task 3: the right word, one of the {words - 1} others of the lexicon (%)"
    report.table("task_3", title, ["model", "accuracy"], rows)
    report.compared.append(Compared("chance.t3", TASK_3["chance"], "" if words == 73 else "another lexicon"))


def _by_kind(report: Report, task_items: TaskItems, scored: Sequence[ModelAccuracy]) -> None:
    shown = [model for model in scored if model.t1_of]
    if not shown:
        return
    counts = Counter(item.super_category for item in task_items.items)
    kinds = sorted(counts, key=lambda kind: (-counts[kind], kind))
    for model in shown:
        report.put({f"{model.name}.t1.overall.{kind}": model.t1_of[kind].overall for kind in kinds})
    rows: list[list[Cell]] = [[kind, counts[kind], *(model.t1_of[kind].overall for model in shown)] for kind in kinds]
    columns = ["super-category", "items", *(model.name for model in shown)]
    report.table("super_categories", "Task 1 by super-category: overall accuracy (%)", columns, rows)
    series = {model.name: [model.t1_of[kind].overall for kind in kinds] for model in shown}
    title = "Task 1 by super-category"
    add_bars(report, "super_categories", title, kinds, series, "accuracy, %", size=(7.0, 5.0))


GROUPS: dict[str, Callable[[FoilItem], str]] = {
    "pair": lambda item: " > ".join(item.pair),
    "unordered_pair": lambda item: " and ".join(sorted(item.pair)),
    "image": lambda item: item.image,
}
"""The things that folds keep together, by name."""
TITLES = {"pair": "ordered pair", "unordered_pair": "unordered pair", "image": "image"}


def folds_of(items: Sequence[FoilItem], group: str, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return the fold of each item, from 0. Groups are dealt out at random, so that folds have equally many groups."""
    own = [GROUPS[group](item) for item in items]
    names = sorted(set(own))
    fold = {names[int(number)]: place % count for place, number in enumerate(rng.permutation(len(names)))}
    return np.array([fold[name] for name in own])


def run_blind(work: StepWork) -> Report:
    """Score the n-gram model in folds by pair and by image, of one or two files of items."""
    lexicon = read_lexicon(work.file("lexicon") or COCO_WORDS)
    count = work.options["folds"]
    files = {"": work.file("items"), "against.": work.file("against")}
    lists = {prefix: read_items(path, lexicon) for prefix, path in files.items() if path is not None}
    report = Report("FOIL: a model that sees no image", len(lists[""]), "items")
    rows: list[list[Cell]] = []
    for prefix, items in lists.items():
        for group in GROUPS:
            found = _in_folds(work, items, group, lexicon)
            report.put(found._asdict(), f"{prefix}{group}.")
            rows.append([prefix.rstrip(".") or "items", TITLES[group], len(items), *found])
    if "against." in lists:
        for group in GROUPS:
            difference = report.figures[f"against.{group}.overall"] - report.figures[f"{group}.overall"]
            report.put({f"difference.{group}": difference})
    columns = ["file", "folds by", "items", "overall", "correct", "foil"]
    report.table("blind", "Task 1 without the image (%)", columns, rows)
    names = [f"by {TITLES[group]}" for group in GROUPS]
    series: dict[str, list[Any]] = {str(row[0]): [other[3] for other in rows if other[0] == row[0]] for row in rows}
    add_bars(report, "blind", "Task 1 without the image", names, series, "accuracy, %", size=(7.0, 3.0))
    remark = "another model, on the paper's own pairs and images"
    report.compared.append(Compared("pair.overall", TASK_1["blind"][0], remark))
    report.notes.append(
        f"{count} folds; n-grams of up to three words. Folds by image share pairs, so that the model learns which word "
        "stands for which; folds by pair do not. An accuracy below 50 % means that the words of a held-out pair were "
        "seen more often on the other side, which is what equal numbers on both sides lead to."
    )
    return report


def _in_folds(work: StepWork, items: Sequence[FoilItem], group: str, lexicon: Any) -> Classes:
    count = work.options["folds"]
    folds = folds_of(items, group, count, work.rng(f"folds by {group}"))
    if len(set(folds.tolist())) < 2:
        raise InputError(f"The items have too few groups by {TITLES[group]} for {count} folds: generate more of them.")
    correct, foils = (shown_captions(items, version, tagged=False) for version in (CORRECT, FOIL))
    answers: dict[str, list[bool | None]] = {CORRECT: [None] * len(items), FOIL: [None] * len(items)}
    for fold in work.progress(sorted(set(folds.tolist())), f"folds by {TITLES[group]}"):
        fitted = BlindModel(_some(correct, folds != fold), _some(foils, folds != fold), lexicon)
        for version, captions in ((CORRECT, correct), (FOIL, foils)):
            own = fitted.predict_t1(_some(captions, folds == fold))
            for place, answer in zip((folds == fold).nonzero()[0].tolist(), own, strict=True):
                answers[version][place] = answer
    return task_1(answers[CORRECT], answers[FOIL])


def _some(captions: Sequence[ShownCaption], chosen: Any) -> list[ShownCaption]:
    return [captions[place] for place in chosen.nonzero()[0].tolist()]


ALL = "all"


def score_models(work: StepWork) -> Report:
    """Score every model that can be had from the given files."""
    lexicon, part = read_lexicon(work.file("lexicon") or COCO_WORDS), work.options["part"]
    path = work.required("items")
    every = read_items(path, lexicon)
    items = [item for item in every if part in (ALL, item.part)]
    if not items:
        raise InputError(f"{path.name} has no items of the part {part!r}: choose another one as --part.")
    report = Report("FOIL: tasks 1 to 3", len(items), f"items of the part {part}")
    models = _models(work, lexicon, every, items, report)
    asked = ask(items)
    scored = [score_model(model, asked) for model in work.progress(models, "scoring")]
    _task_1(report, scored)
    _task_2(report, asked, scored)
    _task_3(report, scored, len(lexicon.words))
    _by_kind(report, asked, scored)
    _add_people(work, items, lexicon, report)
    rows = [[item.image, item.part] for item in every]
    splits = list(dict.fromkeys(map(tuple, rows)))
    report.table("splits", "Images by part", ["image", "part"], splits, on_page=False)
    report.split = {kind: sorted({item.image for item in every if item.part == kind}) for kind in (TRAIN, TEST)}
    return report


def _models(
    work: StepWork, lexicon: Lexicon, every: list[FoilItem], items: list[FoilItem], report: Report
) -> list[FoilModel]:
    models: list[FoilModel] = []
    fitted = [item for item in every if item.part == TRAIN]
    if work.options["part"] == TEST and fitted:
        correct, foils = (shown_captions(fitted, version, tagged=False) for version in (CORRECT, FOIL))
        models.append(BlindModel(correct, foils, lexicon))
    else:
        report.missing["blind"] = "items of the part train to fit on and the part test to score"
    for option, name in (("instances", "boxes"), ("detections", "detections")):
        path = work.file(option)
        if path is None:
            report.missing[f"box-aware ({name})"] = f"the categories of the images' boxes (--{option})"
        else:
            categories = read_instances(path) if option == "instances" else read_detections(path)
            _check_images(categories, items, path)
            models.append(BoxAware(f"box_aware.{name}", categories, lexicon))
    predictions = work.file("predictions")
    if predictions is None:
        report.missing["CNN + LSTM, LSTM + norm I, HieCoAttn, IC-Wang"] = "predictions of these models (--predictions)"
    else:
        names = {name_of(item.item, version) for item in items for version in (CORRECT, FOIL)}
        answers, others = read_foil_predictions(predictions, names, work.options["part"])
        report.leave_out(others, "captions of the file")
        models.append(FromFile(work.options["name"], answers))
        report.put({"missing": len(names) - len(answers)})
        if len(answers) < len(names):
            missing = len(names) - len(answers)
            report.notes.append(f"Captions without a line in the file, which count as wrong: {missing:,}.")
    return models


def _check_images(categories: Mapping[str, set[str]], items: list[FoilItem], path: Path) -> None:
    if missing := sorted({item.image for item in items} - categories.keys()):
        raise InputError(
            f"{path.name} does not list the image {missing[0]!r} of the items ({len(missing):,} are missing)."
        )


def _add_people(work: StepWork, items: list[FoilItem], lexicon: Lexicon, report: Report) -> None:
    path = work.file("votes")
    if path is None:
        report.missing["people"] = "votes of a survey (--votes)"
        return
    votes = read_caption_votes(path, work.options["least"])
    versions, words = caption_versions(items)
    check_items(votes.by_item, versions, path.name)
    add_people(report, people_of(votes.by_item, versions, words, lexicon))
    report.notes += votes.notes
