"""The step `foil agreement` [paper Shekhar, Human performance]: how many captions workers judge rightly, and agree."""

from collections import Counter
from collections.abc import Mapping, Sequence

from evaluation.charts import add_bars
from evaluation.foil.human.people import (
    MAJORITY,
    RULES,
    UNANIMITY,
    People,
    captions_of,
    check_items,
    is_right,
    people,
    versions_of,
)
from evaluation.foil.human.votes import Vote, read_votes
from evaluation.foil.item import read_items
from evaluation.foil.making.lexicon import COCO_WORDS, Lexicon, read_lexicon
from evaluation.foil.paper import TASK_1, TASK_2_HUMAN
from evaluation.report import Cell, Compared, Report
from evaluation.work import Work

Given = Mapping[str, Sequence[Vote]]


def agreement(work: Work) -> Report:
    """Count the captions that the majority, and all, of their workers judged rightly."""
    path = work.required("votes")
    read = read_votes(path, work.options["least"])
    votes: Given = read.by_item
    report = Report("FOIL: people's answers", len(votes), "captions")
    flags = {item: [vote.is_right for vote in own] for item, own in votes.items()}
    counts = {rule: sum(is_right(flag, rule) for flag in flags.values()) for rule in RULES}
    report.put(
        {
            "items": len(votes),
            "votes": sum(map(len, votes.values())),
            "workers": len({vote.worker for own in votes.values() for vote in own}),
            "majority": counts[MAJORITY],
            "unanimous": counts[UNANIMITY],
            "majority_percent": 100 * counts[MAJORITY] / len(votes),
            "unanimous_percent": 100 * counts[UNANIMITY] / len(votes),
            "undecided": len(read.undecided),
            "votes_without_right_answer": read.unknown,
        }
    )
    versions = versions_of(votes)
    words: dict[str, str] = {}
    lexicon: Lexicon | None = None
    items = work.file("items")
    if items is not None:
        lexicon = read_lexicon(work.file("lexicon") or COCO_WORDS)
        versions, words = captions_of(read_items(items, lexicon))
        check_items(votes, versions, path.name)
    add_people(report, people_of(votes, versions, words, lexicon))
    _add_histogram(report, flags)
    _add_disputed(report, votes)
    report.notes += read.notes
    if items is None:
        report.notes.append("Task 2, the wrong word, needs the items: give items.jsonl as --items.")
    return report


def people_of(
    votes: Given, versions: Mapping[str, str], words: Mapping[str, str], lexicon: Lexicon | None
) -> dict[str, People]:
    """Return the rows of people; none if the votes are not of both versions of captions."""
    if len({versions[item] for item in votes if item in versions}) < 2:
        return {}
    return people(votes, versions, words, lexicon)


def add_people(report: Report, rows: Mapping[str, People]) -> None:
    """Add the figures and the table of people beside the paper's."""
    cells: list[list[Cell]] = []
    remark = "other people, captions and images than the paper's"
    for rule, row in rows.items():
        name = f"human_{rule}"
        report.put({f"{name}.t1.{key}": value for key, value in row.t1._asdict().items()})
        for key, value in (("all", row.t2_all), ("called_wrong", row.t2_called_wrong)):
            if value is not None:
                report.put({f"{name}.t2.{key}": value})
        cells.append([f"people, {rule}", *row.t1, row.t2_all, row.t2_called_wrong])
        cells.append([f"people, {rule} (paper)", *TASK_1[name], TASK_2_HUMAN[name], None])
        report.compared.append(Compared(f"{name}.t1.overall", TASK_1[name][0], remark))
        if row.t2_all is not None:
            report.compared.append(Compared(f"{name}.t2.all", TASK_2_HUMAN[name], remark))
    if cells:
        columns = ["", "T1 overall", "T1 correct", "T1 foil", "T2, all foils", "T2, foils called wrong"]
        title = "People: tasks 1 and 2 (%); foils called wrong are those of the majority"
        report.table("people", title, columns, cells)


def _add_histogram(report: Report, flags: Mapping[str, Sequence[bool]]) -> None:
    counts = Counter((sum(flag), len(flag)) for flag in flags.values())
    rows: list[list[Cell]] = [[right, total, number] for (right, total), number in sorted(counts.items())]
    report.table("agreement", "Captions by right votes", ["right votes", "votes", "captions"], rows)
    names = [f"{right} of {total}" for right, total, _ in rows]
    series = {"captions": [float(str(number)) for *_, number in rows]}
    add_bars(report, "agreement", "Captions by right votes", names, series, "captions", size=(7.0, 3.0))


def _add_disputed(report: Report, votes: Given) -> None:
    rows: list[list[Cell]] = []
    for item, own in votes.items():
        right = sum(vote.is_right for vote in own)
        if right < len(own):
            told = ", ".join(f"{vote.worker}: {vote.answer}{f' ({vote.word})' if vote.word else ''}" for vote in own)
            rows.append([item, right, len(own), told])
    if not rows:
        return
    rows.sort(key=lambda row: (float(str(row[1])) / float(str(row[2])), str(row[0])))
    columns = ["caption", "right votes", "votes", "answers"]
    report.table("disputed", "Captions that not all judged rightly, the worst first", columns, rows)
