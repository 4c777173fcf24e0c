"""The step `visual` [paper Yao 5.1, Table 1]: the share of the commonest atoms that workers call visual."""

from collections.abc import Collection, Mapping, Sequence

from evaluation.errors import InputError
from evaluation.language.atoms import CATEGORIES, Atom
from evaluation.oracle.atom_lists import atom_lists
from evaluation.oracle.captions_of import captions_of
from evaluation.oracle.corpus import atoms_by_caption
from evaluation.oracle.visual_votes import is_visual, item_of, read_votes
from evaluation.report import Cell, Compared, Report, Table
from evaluation.work import Work

COCO = {"entity": 92.0, "action": 85.0, "attribute": 81.0}
"""The paper's Table 1, in percent."""
LABELS = {"entity": "entities", "action": "actions", "attribute": "attributes"}


def run_visual(work: Work) -> Report:
    """Tally the votes on the commonest atoms of a file of captions."""
    top = int(work.options["top"])
    if top < 1:
        raise InputError(f"--top is {top}: give a whole number from 1.")
    path = work.file("votes")
    assert path is not None
    votes = read_votes(path)
    atoms = atoms_by_caption(work, captions_of(work))
    lists = atom_lists(atom for each in atoms.values() for own in each for atom in own)
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
        report.compared.append(Compared(f"visual.{category}", COCO[category], "COCO's captions and other workers"))
        rows.append([LABELS[category], share, report.figures[f"voted.{category}"], COCO[category]])
    columns: Sequence[str] = ("category", "visual, %", "atoms with votes", "paper, COCO, %")
    report.tables.append(Table("table_1", f"Visual ones of the {top} commonest atoms (Table 1)", columns, rows))
    each: list[list[Cell]] = [
        [*atom, sum(own), len(own), "yes" if is_visual(own) else "no"] for atom, own in sorted(votes.items())
    ]
    report.tables.append(
        Table("atoms", "Votes on each atom", ("category", "atom", "yes", "votes", "visual"), each, False)
    )
    even = sum(len(own) % 2 == 0 for own in votes.values())
    report.notes.append("An atom is visual if more than half of its votes say so. Atoms without votes are not counted.")
    if even:
        report.notes.append(f"{even:,} atoms have an even number of votes; with as many yes as no they are not visual.")
    return report


def visual_share(votes: Mapping[Atom, Collection[bool]], asked: Collection[Atom]) -> float | None:
    """Return the share, in percent, of visual atoms among those that have votes; None if none has."""
    found = [is_visual(votes[atom]) for atom in asked if atom in votes]
    return 100 * sum(found) / len(found) if found else None
