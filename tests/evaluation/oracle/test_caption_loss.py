"""The loss of a caption is that of its words, and tells what the atoms of its image do not fit."""

from itertools import islice

import numpy as np
import pytest

from evaluation.oracle.corpus import Corpus
from evaluation.oracle.known_atoms import Point
from tests.evaluation.oracle.made_up import captions

pytest.importorskip("torch", reason="needs the extra evaluation-oracle")

from evaluation.oracle.caption_loss import train_loss_model

COLORS = ("red", "blue", "green", "white", "black")


def corpus() -> Corpus:
    """Return made-up captions; the colour is the only atom."""
    lot = np.random.default_rng(0)
    texts = {str(image): captions(lot)[:3] for image in range(240)}
    words = {image: [text.lower().replace(" .", "").split() for text in own] for image, own in texts.items()}
    atoms = {
        image: [[("attribute", word) for word in caption if word in COLORS] for caption in own]
        for image, own in words.items()
    }
    names = list(texts)
    return Corpus({"train": tuple(names[:200]), "validation": tuple(names[200:]), "test": ()}, texts, words, atoms)


def test_a_caption_that_fits_the_atoms_costs_less_than_one_that_does_not() -> None:
    own = corpus()
    model = train_loss_model(own, point=Point("ATT", 5), epochs=6)
    said = [(image, words) for image in own.parts["validation"] for words in own.words[image][:1]]
    atoms = [own.atoms[image][0] for image, _ in said]
    right = model.losses([words for _, words in said], atoms)
    swapped = [[COLORS[COLORS.index(word) - 1] if word in COLORS else word for word in words] for _, words in said]
    wrong = model.losses(swapped, atoms)
    assert np.mean(np.array(wrong) > np.array(right)) > 0.9
    alone = [model.losses([words], [atom])[0] for (_, words), atom in islice(zip(said, atoms, strict=True), 5)]
    assert alone == pytest.approx(right[:5], rel=1e-4)


def test_perplexity_is_the_exponent_of_the_mean_loss() -> None:
    own = corpus()
    model = train_loss_model(own, point=Point("NA"), epochs=1)
    words = [words for image in own.parts["validation"] for words in own.words[image]]
    losses = np.array(model.losses(words, [()] * len(words)))
    sizes = np.array([len(each) + 1 for each in words])
    assert model.perplexity == pytest.approx(np.exp((losses * sizes).sum() / sizes.sum()), rel=1e-4)
