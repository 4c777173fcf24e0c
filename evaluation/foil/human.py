"""The step `foil agreement` [paper Shekhar, Human performance, Results]: people's answers, from votes of a survey."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired

from typing_extensions import TypedDict

from evaluation.errors import InputError
from evaluation.foil.item import CORRECT, FOIL, TASK_1, TASK_2_HUMAN, Classes, FoilItem, name_of, percent, read_items
from evaluation.foil.making.lexicon import COCO_WORDS, Lexicon, bare, read_lexicon
from evaluation.reading.source import json_lines, member
from evaluation.report import Cell, Compared, Report, add_bars
from evaluation.work import StepWork

VERSIONS = {CORRECT: CORRECT, "original": CORRECT, FOIL: FOIL, "wrong": FOIL, "incorrect": FOIL}
"""The version of a caption that a right answer tells."""


class WordAnswer(TypedDict):
    """An answer that names a word, too."""

    answer: str | bool | int
    """The answer."""
    word: NotRequired[str | None]
    """The wrong word."""


class VoteLine(TypedDict):
    """An answer of a worker, as evaluations read it."""

    item: str | int
    """ITEM:correct or ITEM:foil; without `--items` any name."""
    worker: str | int
    """A name or a number."""
    answer: str | bool | int | WordAnswer
    """`correct`, or `foil` or `wrong`; other texts are compared with `right`."""
    right: str | bool | int | None
    """The right answer, or whether this one is right; null: not known."""
    word: NotRequired[str | None]
    """The wrong word."""


@dataclass(frozen=True, slots=True)
class HumanVote:
    """A worker's answer. `item`: the name of the caption. `version`: of the caption, by its right answer, if known."""

    item: str
    worker: str
    answer: str
    is_right: bool
    version: str | None
    word: str | None
    """The wrong word as the worker typed or chose it."""


@dataclass(frozen=True)
class Votes:
    """The votes of each item, in the order of the file."""

    by_item: dict[str, list[HumanVote]]
    unknown: int
    """Votes without a right answer, left out."""
    undecided: list[str]
    """Items with fewer than `least` votes, left out."""
    least: int

    @property
    def notes(self) -> list[str]:
        """Return a sentence about each kind of votes that were left out."""
        found = [f"Votes without a right answer, left out: {self.unknown:,}."] * (self.unknown > 0)
        if self.undecided:
            words = f"Captions with fewer than {self.least} votes, undecided and left out (--least)"
            found.append(f"{words}: {len(self.undecided):,}.")
        return found


def read_caption_votes(path: Path, least: int = 1) -> Votes:
    """Return the votes of the items that have `least` or more.

    `right` of a line is the right answer, which is compared with `answer`; or true or false: whether it is right.
    Raises InputError, which names the line, and if no vote has a right answer or no item enough of them.
    """
    found: dict[str, list[HumanVote]] = {}
    seen: set[tuple[str, str]] = set()
    unknown = 0
    for where, value in json_lines(path):
        item, worker = (_name(value, field, where) for field in ("item", "worker"))
        if (item, worker) in seen:
            raise InputError(f"{where}: the worker {worker!r} votes twice on the item {item!r}: keep one of the votes.")
        seen.add((item, worker))
        vote = _vote(value, item, worker, where)
        if vote is None:
            unknown += 1
        else:
            found.setdefault(item, []).append(vote)
    if not found:
        raise InputError(f"{path.name} holds no vote with a right answer: export a survey with known answers.")
    decided = {item: item_votes for item, item_votes in found.items() if len(item_votes) >= least}
    if not decided:
        most = max(map(len, found.values()))
        raise InputError(
            f"{path.name}: no caption has {least} votes, the most have {most}: wait, or give --least {most}."
        )
    return Votes(decided, unknown, sorted(found.keys() - decided.keys()), least)


def _vote(value: Any, item: str, worker: str, where: str) -> HumanVote | None:
    answer, right = member(value, "answer", where), member(value, "right", where)
    word = value.get("word")
    if isinstance(answer, dict):
        word = answer.get("word", word)
        answer = member(answer, "answer", f"{where}, the field 'answer'")
    if word is not None and not isinstance(word, str):
        raise InputError(f"{where}: the field 'word' is not text.")
    if answer is None or not isinstance(answer, str | bool | int):
        raise InputError(f"{where}: the answer is {str(answer)[:40]!r}, not a text.")
    if right is None:
        return None
    if isinstance(right, bool) and not isinstance(answer, bool):
        said = VERSIONS.get(_plain(answer))
        other = {CORRECT: FOIL, FOIL: CORRECT}
        version = None if said is None else said if right else other[said]
        return HumanVote(item, worker, _plain(answer), right, version, word)
    if not isinstance(right, str | bool | int):
        raise InputError(f"{where}: the right answer is {str(right)[:40]!r}, not a text, true or false.")
    is_right = VERSIONS.get(_plain(answer), _plain(answer)) == VERSIONS.get(_plain(right), _plain(right))
    return HumanVote(item, worker, _plain(answer), is_right, VERSIONS.get(_plain(right)), word)


def _plain(value: str | int) -> str:
    return str(value).strip().lower()


def _name(value: Any, field: str, where: str) -> str:
    found = member(value, field, where)
    if isinstance(found, bool) or not isinstance(found, str | int) or found == "":
        raise InputError(f"{where}: the field {field!r} is {str(found)[:40]!r}, not a name or a number.")
    return str(found)


MAJORITY, UNANIMITY = "majority", "unanimity"
RULES = (MAJORITY, UNANIMITY)


def is_right(votes: Sequence[bool], rule: str) -> bool:
    """Tell whether the item counts as right. `votes`: whether each vote is right. No votes are not right."""
    if rule == UNANIMITY:
        return bool(votes) and all(votes)
    return 2 * sum(votes) > len(votes)


def is_foil_word(typed: str | None, foil_word: str, lexicon: Lexicon) -> bool:
    """Tell whether the typed word is the foil word, a word of the lexicon, but for case, punctuation and number."""
    return typed is not None and bare(typed.strip()) in lexicon.by_word[foil_word].forms


@dataclass(frozen=True)
class People:
    """The rows of one rule. Task 2 is over all foils, and over those that the majority called wrong."""

    t1: Classes
    t2_all: float | None
    t2_called_wrong: float | None


def people(
    votes: Mapping[str, Sequence[HumanVote]],
    versions: Mapping[str, str],
    foil_words: Mapping[str, str],
    lexicon: Lexicon | None,
) -> dict[str, People]:
    """Return the rows by rule. `foil_words`: the wrong word of each foil; without them there is no task 2."""
    correct, foils = ([item for item in votes if versions.get(item) == version] for version in (CORRECT, FOIL))
    called = [item for item in foils if is_right([vote.is_right for vote in votes[item]], MAJORITY)]
    known = lexicon is not None and all(item in foil_words for item in foils) and bool(foils)
    rows = {}
    for rule in RULES:
        right, wrong = (
            percent([is_right([vote.is_right for vote in votes[item]], rule) for item in items])
            for items in (correct, foils)
        )
        found: dict[str, bool] = {}
        if known and lexicon is not None:
            found = {
                item: is_right([is_foil_word(vote.word, foil_words[item], lexicon) for vote in votes[item]], rule)
                for item in foils
            }
        rows[rule] = People(
            Classes((right + wrong) / 2, right, wrong),
            percent(list(found.values())) if found else None,
            percent([found[item] for item in called]) if found and called else None,
        )
    return rows


def caption_versions(items: Sequence[FoilItem]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the version of each caption of the items, and the wrong word of each foil, by the captions' names."""
    versions = {name_of(item.item, version): version for item in items for version in (CORRECT, FOIL)}
    return versions, {name_of(item.item, FOIL): item.foil_word for item in items}


def check_items(votes: Mapping[str, Sequence[HumanVote]], versions: Mapping[str, str], file: str) -> None:
    """Refuse votes on captions that are not of the items, and votes whose right answer contradicts them."""
    if unknown := sorted(votes.keys() - versions.keys()):
        raise InputError(
            f"{file}: there are votes on {unknown[0]!r}, which is not a caption of the items ({len(unknown):,} in "
            f"all). Names are ITEM:{CORRECT} and ITEM:{FOIL}: give the items that the survey asked about."
        )
    for item, item_votes in votes.items():
        for vote in item_votes:
            if vote.version not in (None, versions[item]):
                raise InputError(
                    f"{file}: by the vote of {vote.worker!r}, {item!r} is a caption of the version {vote.version}; by "
                    f"its name it is {versions[item]}: export the votes of the survey that asked about these items."
                )


Given = Mapping[str, Sequence[HumanVote]]


def agreement(work: StepWork) -> Report:
    """Count the captions that the majority, and all, of their workers judged rightly."""
    path = work.required("votes")
    read = read_caption_votes(path, work.options["least"])
    votes: Given = read.by_item
    report = Report("FOIL: people's answers", len(votes), "captions")
    flags = {item: [vote.is_right for vote in item_votes] for item, item_votes in votes.items()}
    counts = {rule: sum(is_right(flag, rule) for flag in flags.values()) for rule in RULES}
    report.put(
        {
            "items": len(votes),
            "votes": sum(map(len, votes.values())),
            "workers": len({vote.worker for item_votes in votes.values() for vote in item_votes}),
            "majority": counts[MAJORITY],
            "unanimous": counts[UNANIMITY],
            "majority_percent": 100 * counts[MAJORITY] / len(votes),
            "unanimous_percent": 100 * counts[UNANIMITY] / len(votes),
            "undecided": len(read.undecided),
            "votes_without_right_answer": read.unknown,
        }
    )
    found = {item: {vote.version for vote in item_votes} for item, item_votes in votes.items()}
    versions = {item: version for item, told in found.items() if len(told) == 1 and (version := next(iter(told)))}
    words: dict[str, str] = {}
    lexicon: Lexicon | None = None
    items = work.file("items")
    if items is not None:
        lexicon = read_lexicon(work.file("lexicon") or COCO_WORDS)
        versions, words = caption_versions(read_items(items, lexicon))
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
    for item, item_votes in votes.items():
        right = sum(vote.is_right for vote in item_votes)
        if right < len(item_votes):
            told = ", ".join(
                f"{vote.worker}: {vote.answer}{f' ({vote.word})' if vote.word else ''}" for vote in item_votes
            )
            rows.append([item, right, len(item_votes), told])
    if not rows:
        return
    rows.sort(key=lambda row: (float(str(row[1])) / float(str(row[2])), str(row[0])))
    columns = ["caption", "right votes", "votes", "answers"]
    report.table("disputed", "Captions that not all judged rightly, the worst first", columns, rows)
