"""Lists of atoms [paper Yao 5.1, 5.2]: the atoms of each category by how often they occur, the commonest first."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from evaluation.language.atoms import CATEGORIES, Atom

Lists = Mapping[str, Sequence[tuple[str, int]]]
"""By category: the lemmas with their counts."""


def atom_lists(atoms: Iterable[Atom]) -> Lists:
    """Return the lists. Equally common atoms stand in alphabetical order."""
    counts = Counter(atoms)
    lists: dict[str, list[tuple[str, int]]] = {category: [] for category in CATEGORIES}
    for (category, lemma), count in sorted(counts.items(), key=lambda one: (-one[1], one[0])):
        lists[category].append((lemma, count))
    return lists


def numbered(lists: Lists, categories: Iterable[str], k: int) -> dict[Atom, int]:
    """Return the commonest k atoms of each category, numbered from 0."""
    chosen = [(category, lemma) for category in categories for lemma, _ in lists[category][:k]]
    return {atom: number for number, atom in enumerate(chosen)}
