"""Tables of scores [paper Shekhar, Results]: tasks 1 to 3 with chance, and task 1 by super-category."""

from collections import Counter
from collections.abc import Sequence

from evaluation.charts import add_bars
from evaluation.foil.paper import TASK_1, TASK_2, TASK_3
from evaluation.foil.tasks.accuracy import CHANCE_T1, NOUNS, PLACES, WORDS, chance_t2, chance_t3
from evaluation.foil.tasks.score_model import Asked, Scored
from evaluation.report import Cell, Compared, Report

REMARK = "other items than the paper's"


def add_scores(report: Report, asked: Asked, scored: Sequence[Scored], words: int) -> None:
    """Add figures and tables. `words`: those of the lexicon."""
    _task_1(report, scored)
    _task_2(report, asked, scored)
    _task_3(report, scored, words)
    _by_kind(report, asked, scored)


def _task_1(report: Report, scored: Sequence[Scored]) -> None:
    report.put({"chance.t1.overall": CHANCE_T1})
    rows: list[list[Cell]] = [["chance", CHANCE_T1, CHANCE_T1, CHANCE_T1]]
    for one in scored:
        if one.t1 is not None:
            report.put(one.t1._asdict(), f"{one.name}.t1.")
            rows.append([one.name, *one.t1])
    rows += [[f"{name} (paper)", *values] for name, values in TASK_1.items()]
    columns = ["model", "overall", "correct", "foil"]
    report.table("task_1", "Task 1: right or foil (%); overall is the mean of both", columns, rows)
    if any(one.name == "blind" for one in scored):
        report.compared.append(Compared("blind.t1.overall", TASK_1["blind"][0], REMARK))


def _task_2(report: Report, asked: Asked, scored: Sequence[Scored]) -> None:
    chance = {kind: chance_t2(asked.places(kind)) for kind in PLACES}
    report.put(chance, "chance.t2.")
    rows: list[list[Cell]] = [["chance", chance[NOUNS], chance[WORDS]]]
    for one in scored:
        if one.t2 is not None:
            report.put(one.t2, f"{one.name}.t2.")
            rows.append([one.name, one.t2[NOUNS], one.t2[WORDS]])
    rows += [[f"{name} (paper)", *values] for name, values in TASK_2.items()]
    title = "Task 2: the wrong word of a foil (%), among its nouns and among its content words"
    report.table("task_2", title, ["model", "nouns", "content words"], rows)
    report.notes.append(
        "Chance in task 2 is the mean over foils of one in the number of places: those of nouns (tags NN…), or of "
        "nouns, verbs, adjectives and adverbs (NN…, VB…, JJ…, RB…). The paper does not print its definition."
    )
    for kind, value in zip((NOUNS, WORDS), TASK_2["chance"], strict=True):
        report.compared.append(Compared(f"chance.t2.{kind}", value, REMARK))


def _task_3(report: Report, scored: Sequence[Scored], words: int) -> None:
    chance = chance_t3(words)
    report.put({"chance.t3": chance})
    rows: list[list[Cell]] = [["chance", chance]]
    for one in scored:
        if one.t3 is not None:
            report.put({f"{one.name}.t3": one.t3})
            rows.append([one.name, one.t3])
    rows += [[f"{name} (paper)", value] for name, value in TASK_3.items()]
    title = f"Task 3: the right word, one of the {words - 1} others of the lexicon (%)"
    report.table("task_3", title, ["model", "accuracy"], rows)
    report.compared.append(Compared("chance.t3", TASK_3["chance"], "" if words == 73 else "another lexicon"))


def _by_kind(report: Report, asked: Asked, scored: Sequence[Scored]) -> None:
    shown = [one for one in scored if one.t1_of]
    if not shown:
        return
    counts = Counter(item.super_category for item in asked.items)
    kinds = sorted(counts, key=lambda kind: (-counts[kind], kind))
    for one in shown:
        report.put({f"{one.name}.t1.overall.{kind}": one.t1_of[kind].overall for kind in kinds})
    rows: list[list[Cell]] = [[kind, counts[kind], *(one.t1_of[kind].overall for one in shown)] for kind in kinds]
    columns = ["super-category", "items", *(one.name for one in shown)]
    report.table("super_categories", "Task 1 by super-category: overall accuracy (%)", columns, rows)
    series = {one.name: [one.t1_of[kind].overall for kind in kinds] for one in shown}
    title = "Task 1 by super-category"
    add_bars(report, "super_categories", title, kinds, series, "accuracy, %", size=(7.0, 5.0))
