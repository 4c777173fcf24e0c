"""The step `foil blind` [paper Shekhar, Baseline Models]: the share of items that a model without the image tells."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evaluation.charts import add_bars
from evaluation.errors import InputError
from evaluation.foil.item import CORRECT, FOIL, Item, read_items
from evaluation.foil.making.lexicon import COCO_WORDS, read_lexicon
from evaluation.foil.models.blind import Blind
from evaluation.foil.models.model import Shown, shown_captions
from evaluation.foil.paper import TASK_1
from evaluation.foil.tasks.accuracy import Classes, task_1
from evaluation.report import Cell, Compared, Report
from evaluation.work import Work

GROUPS: dict[str, Callable[[Item], str]] = {
    "pair": lambda item: " > ".join(item.pair),
    "unordered_pair": lambda item: " and ".join(sorted(item.pair)),
    "image": lambda item: item.image,
}
"""The things that folds keep together, by name."""
TITLES = {"pair": "ordered pair", "unordered_pair": "unordered pair", "image": "image"}


def folds_of(items: Sequence[Item], group: str, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return the fold of each item, from 0. Groups are dealt out at random, so that folds have equally many groups."""
    own = [GROUPS[group](item) for item in items]
    names = sorted(set(own))
    fold = {names[int(one)]: place % count for place, one in enumerate(rng.permutation(len(names)))}
    return np.array([fold[name] for name in own])


def run_blind(work: Work) -> Report:
    """Score the n-gram model in folds by pair and by image, of one or two files of items."""
    lexicon = read_lexicon(work.file("lexicon") or COCO_WORDS)
    count = work.options["folds"]
    if count < 2:
        raise InputError(f"--folds is {count}: give a whole number from 2.")
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


def _in_folds(work: Work, items: Sequence[Item], group: str, lexicon: Any) -> Classes:
    count = work.options["folds"]
    folds = folds_of(items, group, count, work.rng(f"folds by {group}"))
    if len(set(folds.tolist())) < 2:
        raise InputError(f"The items have too few groups by {TITLES[group]} for {count} folds: generate more of them.")
    correct, foils = (shown_captions(items, version, tagged=False) for version in (CORRECT, FOIL))
    answers: dict[str, list[bool | None]] = {CORRECT: [None] * len(items), FOIL: [None] * len(items)}
    for fold in work.progress(sorted(set(folds.tolist())), f"folds by {TITLES[group]}"):
        fitted = Blind(_some(correct, folds != fold), _some(foils, folds != fold), lexicon)
        for version, captions in ((CORRECT, correct), (FOIL, foils)):
            own = fitted.predict_t1(_some(captions, folds == fold))
            for place, answer in zip((folds == fold).nonzero()[0].tolist(), own, strict=True):
                answers[version][place] = answer
    return task_1(answers[CORRECT], answers[FOIL])


def _some(captions: Sequence[Shown], chosen: Any) -> list[Shown]:
    return [captions[place] for place in chosen.nonzero()[0].tolist()]
