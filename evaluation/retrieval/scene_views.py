"""Two views of an image without pixels: some captions as text, the atoms of the other captions as its scene."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import InputError
from evaluation.language import Atom, Tagged, atoms_of
from evaluation.localization.embedding.cca import Cca, cosine_distances, project_x, project_y
from evaluation.localization.embedding.phrase_encoder import PhraseEncoder
from evaluation.retrieval.distances import both_ways

TEXTS = 2
"""Captions of an image that are texts; from the others its scene is made, so the two views share no caption."""


@dataclass(frozen=True, slots=True)
class SceneSplit:
    """Names of images, each part sorted."""

    train: tuple[str, ...]
    validation: tuple[str, ...]
    held_out: tuple[str, ...]
    excluded: tuple[str, ...]
    """Images of the export, which the file of captions holds, too: never trained on."""


def split_scenes(
    images: Iterable[str], export: Collection[str], *, train: int, validation: int, held_out: int, seed: int
) -> SceneSplit:
    """Draw the parts from the images by the seed. Raises InputError if there are too few for one image of each part.

    With fewer images than asked for, the parts shrink alike.
    """
    every = sorted(set(images))
    names = [name for name in every if name not in export]
    asked = train + validation + held_out
    if min(train, validation, held_out) < 1:
        raise InputError("Training, validation and held-out images: at least one of each.")
    share = min(1.0, len(names) / asked)
    counts = [int(share * part) for part in (train, validation, held_out)]
    if min(counts) < 1:
        raise InputError(f"{len(names)} images with captions are too few: {asked} were asked for.")
    order = [names[place] for place in np.random.default_rng(seed).permutation(len(names))]
    ends = np.cumsum(counts)
    parts = [tuple(sorted(order[start:end])) for start, end in zip((0, *ends), ends, strict=False)]
    return SceneSplit(parts[0], parts[1], parts[2], tuple(name for name in every if name in export))


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


@dataclass(frozen=True, slots=True)
class SceneImages:
    """Tagged texts and the atoms of the scene of each image."""

    names: tuple[str, ...]
    texts: tuple[tuple[Tagged, ...], ...]
    scenes: tuple[frozenset[Atom], ...]

    @property
    def image_of_text(self) -> list[int]:
        """Return the place of the image of each text, in the texts' order."""
        return [place for place, texts in enumerate(self.texts) for _ in texts]


def scene_images(captions: Mapping[str, Sequence[Tagged]]) -> SceneImages:
    """Divide the captions of each image; images without more captions than texts are left out."""
    kept = {name: tagged for name, tagged in captions.items() if len(tagged) > TEXTS}
    return SceneImages(
        tuple(kept),
        tuple(tuple(tagged[:TEXTS]) for tagged in kept.values()),
        tuple(frozenset(atoms(tagged[TEXTS:])) for tagged in kept.values()),
    )


@dataclass(frozen=True, slots=True)
class Views:
    """The numbers of some images."""

    texts: NDArray[np.float32]
    """Shape (texts, features)."""
    scenes: NDArray[np.float32]
    """Shape (images, atoms)."""
    image_of_text: list[int]

    @property
    def pair(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return one row of both views for each text."""
        return self.texts, self.scenes[self.image_of_text]


def views_of(images: SceneImages, encoder: PhraseEncoder, columns: Mapping[Atom, int]) -> Views:
    """Return the Fisher vectors of the texts and the 0-1 vectors of the scenes."""
    texts = encoder.encode([text for texts in images.texts for text in texts])
    return Views(texts, scene_vectors(images.scenes, columns), images.image_of_text)


def scored(views: Views, cca: Cca, power: float) -> dict[str, float]:
    """Return the recall both ways, with the eigenvalues raised to this power."""
    distances = cosine_distances(project_x(cca, views.texts, power=power), project_y(cca, views.scenes, power=power))
    return both_ways(distances, views.image_of_text)
