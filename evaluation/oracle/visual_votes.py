"""Votes on atoms [paper Yao 5.1, Table 1]: an atom is visual if most workers say that it can be seen in a picture."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from evaluation.errors import InputError
from evaluation.language.atoms import CATEGORIES, Atom
from evaluation.oracle.atom_lists import Lists
from evaluation.reading.json_lines import json_lines, member

ANSWERS = {"yes": True, "no": False}


def item_of(atom: Atom) -> str:
    """Return the name of an atom in items and votes, such as "entity:man"."""
    return f"{atom[0]}:{atom[1]}"


def read_votes(path: Path) -> dict[Atom, list[bool]]:
    """Return the votes on each atom. Raises InputError for another answer, a doubled vote, or a file without votes."""
    found: dict[Atom, dict[str, bool]] = defaultdict(dict)
    for where, value in json_lines(path):
        item, worker, answer = (str(member(value, name, where)) for name in ("item", "worker", "answer"))
        category, _, lemma = item.partition(":")
        if category not in CATEGORIES or not lemma:
            raise InputError(f"{where}: {item!r} is not an item: {', '.join(CATEGORIES)} with an atom (entity:man).")
        if answer not in ANSWERS:
            raise InputError(f"{where}: the answer is {answer!r}, not yes or no.")
        if worker in found[category, lemma]:
            raise InputError(f"{where}: {worker} votes on {item} for the second time.")
        found[category, lemma][worker] = ANSWERS[answer]
    if not found:
        raise InputError(f"{path.name} holds no votes.")
    return {atom: list(votes.values()) for atom, votes in found.items()}


def is_visual(votes: Collection[bool]) -> bool:
    """Return whether more than half of the votes are yes."""
    return 2 * sum(votes) > len(votes)


def only_visual(lists: Lists, path: Path) -> Lists:
    """Return the lists with those atoms alone that the votes call visual. Raises InputError."""
    votes: Mapping[Any, list[bool]] = read_votes(path)
    return {
        category: [one for one in own if (category, one[0]) in votes and is_visual(votes[category, one[0]])]
        for category, own in lists.items()
    }
