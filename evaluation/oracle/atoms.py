"""Atoms of captions [paper Yao 5.1, Table 1]: counted by category, and the share that workers call visual."""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from typing_extensions import TypedDict

from evaluation.errors import InputError
from evaluation.language import CATEGORIES, Atom
from evaluation.oracle.corpus import Lists, atom_lists, atoms_by_caption, captions_of
from evaluation.reading.json_lines import json_lines, member
from evaluation.report import Cell, Compared, Report
from evaluation.work import StepWork

ANSWERS = {"yes": True, "no": False}
VISUAL = {"entity": 92.0, "action": 85.0, "attribute": 81.0}
"""The paper's Table 1, in percent."""
LABELS = {"entity": "entities", "action": "actions", "attribute": "attributes"}


class AtomVote(TypedDict):
    """An answer of a worker: whether an atom is visual."""

    item: str
    """The atom behind its category, such as `entity:man`."""
    worker: str | int
    """A name or a number."""
    answer: Literal["yes", "no"]
    """Whether it can be seen in a picture."""


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
        category: [atom for atom in atoms if (category, atom[0]) in votes and is_visual(votes[category, atom[0]])]
        for category, atoms in lists.items()
    }


def run_visual(work: StepWork) -> Report:
    """Tally the votes on the commonest atoms of a file of captions."""
    top = int(work.options["top"])
    path = work.required("votes")
    votes = read_votes(path)
    atoms = atoms_by_caption(work, captions_of(work))
    lists = atom_lists(atom for captions in atoms.values() for caption in captions for atom in caption)
    if unknown := [atom for atom in votes if atom[1] not in {lemma for lemma, _ in lists[atom[0]]}]:
        raise InputError(
            f"{path.name}: {item_of(unknown[0])} is in none of the captions ({len(unknown):,} items are not): give "
            "the captions whose atoms were asked about."
        )
    report = Report("Oracle captioning: visual atoms", sum(map(len, votes.values())), "votes")
    rows: list[list[Cell]] = []
    for category in CATEGORIES:
        asked = [(category, lemma) for lemma, _ in lists[category][:top]]
        share = visual_share(votes, asked)
        report.figures[f"voted.{category}"] = sum(atom in votes for atom in asked)
        if share is None:
            report.missing[f"Table 1, {LABELS[category]}"] = "votes on its commonest atoms"
            continue
        report.figures[f"visual.{category}"] = share
        report.compared.append(Compared(f"visual.{category}", VISUAL[category], "COCO's captions and other workers"))
        rows.append([LABELS[category], share, report.figures[f"voted.{category}"], VISUAL[category]])
    columns: Sequence[str] = ("category", "visual, %", "atoms with votes", "paper, COCO, %")
    report.table("table_1", f"Visual ones of the {top} commonest atoms (Table 1)", columns, rows)
    each: list[list[Cell]] = [
        [*atom, sum(answers), len(answers), "yes" if is_visual(answers) else "no"]
        for atom, answers in sorted(votes.items())
    ]
    report.table("atoms", "Votes on each atom", ("category", "atom", "yes", "votes", "visual"), each, on_page=False)
    even = sum(len(vote) % 2 == 0 for vote in votes.values())
    report.notes.append("An atom is visual if more than half of its votes say so. Atoms without votes are not counted.")
    if even:
        report.notes.append(f"{even:,} atoms have an even number of votes; with as many yes as no they are not visual.")
    return report


def visual_share(votes: Mapping[Atom, Collection[bool]], atoms: Collection[Atom]) -> float | None:
    """Return the share, in percent, of visual atoms among those that have votes; None if none has."""
    found = [is_visual(votes[atom]) for atom in atoms if atom in votes]
    return 100 * sum(found) / len(found) if found else None


COCO_ATOMS = {"entity": 14207, "action": 4736, "attribute": 8671}
"""Atoms of COCO's captions in the paper."""
EXAMPLES = 3
"""Captions that show a worker how an atom is used."""


def run_atoms(work: StepWork) -> Report:
    """Count the atoms of a file of captions."""
    captions = captions_of(work)
    atoms = atoms_by_caption(work, captions)
    lists = atom_lists(atom for captions in atoms.values() for caption in captions for atom in caption)
    report = Report("Oracle captioning: atoms", len(captions), "images")
    for category in CATEGORIES:
        report.figures[f"atoms.{category}"] = len(lists[category])
        report.compared.append(Compared(f"atoms.{category}", COCO_ATOMS[category], "COCO's captions"))
    rows: list[list[Cell]] = [[category, lemma, count] for category in CATEGORIES for lemma, count in lists[category]]
    report.table("atoms", "Atoms", ("category", "atom", "count"), rows, on_page=False)
    top = int(work.options["top"])
    best: list[list[Cell]] = [
        [place + 1, *_at(lists, place)] for place in range(min(20, max(map(len, lists.values()))))
    ]
    report.table("commonest", "The commonest atoms", ("place", *CATEGORIES), best)
    report.files = {"questions.jsonl": _questions(lists, captions, atoms, top)}
    report.notes.append(
        f"questions.jsonl holds the {top:,} commonest atoms of each category with captions of {EXAMPLES} images that "
        "use them, as items of a survey of the kind atom_visual; oracle visual reads its votes. Atoms of fewer images "
        "are left out."
    )
    return report


def _at(lists: Lists, place: int) -> list[Cell]:
    return [lists[category][place][0] if place < len(lists[category]) else None for category in CATEGORIES]


def _questions(
    lists: Lists, captions: Mapping[str, Sequence[str]], atoms: Mapping[str, Sequence[Sequence[Atom]]], top: int
) -> str:
    """Return a line an atom, with captions of different images as examples. Atoms with fewer are left out."""
    asked = [(category, lemma) for category in CATEGORIES for lemma, _ in lists[category][:top]]
    examples: dict[Atom, dict[str, str]] = defaultdict(dict)
    for image, by_caption in atoms.items():
        for caption, caption_atoms in zip(captions[image], by_caption, strict=True):
            for atom in caption_atoms:
                if len(examples[atom]) < EXAMPLES:
                    examples[atom].setdefault(image, caption)
    lines = [
        {
            "item": item_of(atom),
            "atom": atom[1],
            "category": atom[0],
            "examples": [{"image": image, "caption": caption} for image, caption in examples[atom].items()],
        }
        for atom in asked
        if len(examples[atom]) == EXAMPLES
    ]
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
