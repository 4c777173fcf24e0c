"""Charts of the dashboard, made of its figures, beside the values of the paper's tables 3 and 4."""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from pipeline.settings.table_3 import BATCH, MINIMUM, USUAL_SECONDS
from projects.chart import Cell, Chart
from projects.dashboard.figures import BINS, FigureGroup
from runtime.words import interval

Figures = Mapping[str, FigureGroup]
TRUSTED = (587, 239, 684, 334, 347, 624)
QUALITY = (0.906, 0.906, 0.884, 0.824, 0.880, 0.892)
REJECTED: tuple[float | str, ...] = (0.02, 0.02, "≪ 1%", 0.383, 0.527, 0.354)
"""As the paper prints them."""
TABLE_3 = {
    task: (BATCH[task], USUAL_SECONDS[task], trusted, quality, MINIMUM[task], rejected)
    for task, trusted, quality, rejected in zip(PROTOCOL_TASKS, TRUSTED, QUALITY, REJECTED, strict=True)
}
"""Questions per assignment, seconds, trusted workers, their quality, the minimum, and the share rejected."""
TABLE_4 = {
    "people": (59_766, 3.17, 1.95),
    "clothing": (42_380, 1.76, 1.44),
    "body parts": (12_809, 1.50, 1.42),
    "animals": (5_086, 3.63, 1.44),
    "vehicles": (5_561, 2.77, 1.21),
    "instruments": (1_827, 2.85, 1.61),
    "scene": (46_919, 2.03, 0.62),
    "other": (82_098, 1.94, 1.04),
    "total": (244_035, 2.10, 1.13),
}
"""Chains, mentions per chain, boxes per chain."""


def charts(figures: Figures, settings: Settings) -> list[Chart]:
    """Return every chart whose figures were computed. Those of workers compare the six tasks: a survey has none."""
    there = {name for name, group in figures.items() if name != "workers" or not _of_survey(group)}
    made = [chart(figures[group].values, settings) for group, chart in MAKERS if group in there]
    return [chart for chart in made if chart is not None]


def _of_survey(workers: FigureGroup) -> bool:
    return not {task.value for task in PROTOCOL_TASKS} <= set(workers.values["tasks"])


def _hours(values: Mapping[str, Any], settings: Settings) -> Chart:
    note = "Answers in each of the last 48 hours, verification questions included. Times are UTC."
    return Chart("hours", "Judgments per hour", note, ("hour", "judgments"), values["hours"], "bars")


def _days(values: Mapping[str, Any], settings: Settings) -> Chart:
    rows = [[day, number / 24] for day, number in values["days"]]
    note = "The average over each of the last 30 days; the last day is not over."
    return Chart("days", "Judgments per hour, by day", note, ("day", "judgments per hour"), rows, "bars")


def _agreement(values: Mapping[str, Any], settings: Settings) -> Chart:
    rows: list[list[Cell]] = []
    for task in PROTOCOL_TASKS:
        if task is not Task.BOX_DRAWING:
            row = values["tasks"][task.value]
            rows.append([task.label, row["agreement"], row["judged"]])
    note = (
        "The share of judgments that equal the outcome of their question. In chain verification and box quality one "
        "judgment decides, so there it is 100 %."
    )
    columns = ("task", "agreement", "judgments")
    return Chart("agreement", "Agreement", note, columns, rows, "shares", frozenset({1}))


def _parts(values: Mapping[str, Any], settings: Settings) -> Chart | None:
    found = values["parts"]
    if not found or not found["links"]:
        return None
    told = (("one is part of the other", found["part"]), ("which of them is the part", found["direction"]))
    rows: list[list[Cell]] = [[name, number / found["links"], found["links"]] for name, number in told]
    note = (
        "Links about which at least two workers answered, and of which at least one said that one phrase is part of "
        "the other: the share of which all answers say so, and of which all name the same part. Without programs."
    )
    columns = ("all answers agree that", "share", "links")
    return Chart("parts", "Agreement on parts", note, columns, rows, "", frozenset({1}))


def _scores(values: Mapping[str, Any], settings: Settings) -> Chart:
    names = [interval(low, min(high, 1)) for low, high in pairwise(BINS)]
    rows = [
        [name, *(values["scores"][task.value][place] for task in PROTOCOL_TASKS)] for place, name in enumerate(names)
    ]
    note = "Workers by the estimated share of their right answers, in each task."
    return Chart(
        "scores", "Scores of workers", note, ("score", *(task.label for task in PROTOCOL_TASKS)), rows, "stacked"
    )


def _foretold(values: Mapping[str, Any], settings: Settings) -> Chart | None:
    rows: list[list[Cell]] = [
        [interval(low, low + 0.1), number, *shares, "yes" if holds else "no"]
        for low, number, *shares, holds in values["tenths"]
    ]
    if not rows:
        return None
    columns = ("foretold", "links", "mean", "expected same", "said same", "95 % from", "to", "holds")
    note = (
        "Links asked at random, by the chance of “same” that the adaptive strategy predicted. Expected: the share of "
        "“same” if these chances are right, as some workers err. It holds if it lies within the 95 % interval."
    )
    return Chart("foretold", "How sure, and how right", note, columns, rows, "", frozenset(range(2, 7)))


def _table_3(values: Mapping[str, Any], settings: Settings) -> Chart:
    columns = (
        *("task", "per assignment", "paper", "seconds", "paper", "trusted workers", "paper"),
        *("their quality", "paper", "minimum", "paper", "rejected", "paper"),
    )
    rows: list[list[Cell]] = []
    for task in PROTOCOL_TASKS:
        row, theirs = values["tasks"][task.value], TABLE_3[task]
        seconds = None if row["seconds"] is None else round(row["seconds"])
        ours: tuple[Cell, ...] = (settings.batch[task.value], seconds, row["trusted"], row["quality"])
        ours = (*ours, settings.minimum[task.value], row["rejected"])
        rows.append([task.label, *(cell for pair in zip(ours, theirs, strict=True) for cell in pair)])
    note = (
        "Quality: the average accuracy of trusted workers on verification questions, in box drawing with judged boxes. "
        "Rejected: batches not used and probations failed, among those decided, of workers who were not trusted."
    )
    return Chart("table_3", "Table 3: the tasks", note, columns, rows, "", frozenset({7, 8, 9, 10, 11, 12}))


def _table_4(values: Mapping[str, Any], settings: Settings) -> Chart:
    columns = ("type", "chains", "paper", "mentions per chain", "paper", "boxes per chain", "paper")
    rows: list[list[Cell]] = []
    for name, row in values["table_4"].items():
        ours = (row["chains"], row["mentions_per_chain"], row["boxes_per_chain"])
        theirs = TABLE_4.get(name.replace("_", " "), (None, None, None))
        rows.append([name.replace("_", " "), *(cell for pair in zip(ours, theirs, strict=True) for cell in pair)])
    note = "Finished images. A chain with several types counts in each."
    return Chart("table_4", "Table 4: coreference chains", note, columns, rows)


def _figure_3(values: Mapping[str, Any], settings: Settings) -> Chart | None:
    rows = [[row["source"], row["links"], row["share"]] for row in values["figure_3"]]
    if not rows:
        return None
    note = "Links between two mentions of a finished image, by what decided them last."
    columns = ("source", "links", "share")
    return Chart("figure_3", "Figure 3: sources of links", note, columns, rows, "sideways", frozenset({2}))


MAKERS: tuple[tuple[str, Callable[[Mapping[str, Any], Settings], Chart | None]], ...] = (
    ("pace", _hours),
    ("pace", _days),
    ("workers", _agreement),
    ("workers", _parts),
    ("workers", _scores),
    ("links", _foretold),
    ("workers", _table_3),
    ("paper", _table_4),
    ("paper", _figure_3),
)
