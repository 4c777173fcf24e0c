"""Two views of an image without pixels: some captions as text, the content of the other captions as its scene."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.language.atoms import Atom
from evaluation.language.tagger import Tagged
from evaluation.localization.embedding.cca import Cca
from evaluation.localization.embedding.cosine_distance import cosine_distances
from evaluation.localization.embedding.phrase_encoder import PhraseEncoder
from evaluation.localization.embedding.projection import project_x, project_y
from evaluation.retrieval.atoms import atoms, scene_vectors
from evaluation.retrieval.retrieval_recall import both_ways

TEXTS = 2
"""Captions of an image that are texts; from the others its scene is made, so the two views share no caption."""


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
