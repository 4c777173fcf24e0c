"""Votes of a survey: JSON Lines with the caption, the worker, the answer and the right answer."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired

from typing_extensions import TypedDict

from evaluation.errors import InputError
from evaluation.foil.item import CORRECT, FOIL
from evaluation.reading.json_lines import json_lines, member

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
class Vote:
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

    by_item: dict[str, list[Vote]]
    unknown: int
    """Votes without a right answer, left out."""
    undecided: list[str]
    """Items with fewer than `least` votes, left out."""
    least: int

    @property
    def notes(self) -> list[str]:
        """Return a sentence about each kind of votes that were left out."""
        found = [f"{self.unknown:,} votes have no right answer: they are left out."] * (self.unknown > 0)
        if self.undecided:
            found.append(
                f"{len(self.undecided):,} captions have fewer than {self.least} votes and are undecided: they are "
                "left out (--least)."
            )
        return found


def read_votes(path: Path, least: int = 1) -> Votes:
    """Return the votes of the items that have `least` or more.

    `right` of a line is the right answer, which is compared with `answer`; or true or false: whether it is right.
    Raises InputError, which names the line, and if no vote has a right answer or no item enough of them.
    """
    found: dict[str, list[Vote]] = {}
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
    if least < 1:
        raise InputError(f"--least is {least}: give a whole number from 1.")
    decided = {item: own for item, own in found.items() if len(own) >= least}
    if not decided:
        most = max(map(len, found.values()))
        raise InputError(
            f"{path.name}: no caption has {least} votes, the most have {most}: wait, or give --least {most}."
        )
    return Votes(decided, unknown, sorted(found.keys() - decided.keys()), least)


def _vote(value: Any, item: str, worker: str, where: str) -> Vote | None:
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
        return Vote(item, worker, _plain(answer), right, version, word)
    if not isinstance(right, str | bool | int):
        raise InputError(f"{where}: the right answer is {str(right)[:40]!r}, not a text, true or false.")
    is_right = VERSIONS.get(_plain(answer), _plain(answer)) == VERSIONS.get(_plain(right), _plain(right))
    return Vote(item, worker, _plain(answer), is_right, VERSIONS.get(_plain(right)), word)


def _plain(value: str | int) -> str:
    return str(value).strip().lower()


def _name(value: Any, field: str, where: str) -> str:
    found = member(value, field, where)
    if isinstance(found, bool) or not isinstance(found, str | int) or found == "":
        raise InputError(f"{where}: the field {field!r} is {str(found)[:40]!r}, not a name or a number.")
    return str(found)
