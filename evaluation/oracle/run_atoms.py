"""The step `atoms` [paper Yao 5.1]: the atoms of captions by category, and the questions whether they are visual."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence

from evaluation.language import CATEGORIES, Atom
from evaluation.oracle.corpus import Lists, atom_lists, atoms_by_caption, captions_of
from evaluation.oracle.run_visual import item_of
from evaluation.report import Cell, Compared, Report
from evaluation.work import StepWork

COCO = {"entity": 14207, "action": 4736, "attribute": 8671}
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
        report.compared.append(Compared(f"atoms.{category}", COCO[category], "COCO's captions"))
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
