"""Atoms [beyond paper 4.2]: lemmas of nouns, verbs and adjectives stand for the content of a picture.

They replace an image's features where no pixels are at hand; the paper of gold visual inputs defines them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.language.atoms import Atom, atoms_of
from evaluation.language.tagger import Tagged


def atoms(captions: Iterable[Tagged]) -> set[Atom]:
    """Return the atoms of captions."""
    return {atom for caption in captions for atom in atoms_of(caption)}


def commonest(scenes: Iterable[Iterable[Atom]], count: int) -> dict[Atom, int]:
    """Return the columns of the atoms that occur in most scenes; of equally common ones the first by kind and lemma."""
    counts = Counter(atom for scene in scenes for atom in scene)
    ranked = sorted(counts, key=lambda atom: (-counts[atom], atom))[:count]
    return {atom: column for column, atom in enumerate(ranked)}


def scene_vectors(scenes: Sequence[Iterable[Atom]], columns: Mapping[Atom, int]) -> NDArray[np.float32]:
    """Return 1 for each atom that a scene has, else 0: shape (scenes, columns)."""
    result = np.zeros((len(scenes), len(columns)), dtype=np.float32)
    for row, scene in enumerate(scenes):
        result[row, [columns[atom] for atom in scene if atom in columns]] = 1
    return result
