"""Oracle loss [paper Shekhar, Mining hardest foil caption]: a neural language model that knows the image's atoms.

The paper's model saw pictures. Ours is given the words that the image's captions name: see `evaluation.oracle`.
"""

from collections.abc import Mapping, Sequence

from evaluation.errors import InputError
from evaluation.language import Atom
from evaluation.oracle.caption_loss import LossModel, train_loss_model
from evaluation.oracle.corpus import Point, make_corpus
from evaluation.work import StepWork

POINT = Point("ALL", 200)
EPOCHS = 5
VALIDATION = 10
"""Every tenth image stops the training."""
MIN_IMAGES = 2
"""Images, one to train on and one to stop by."""


class OracleLoss:
    """Measures captions by a model that was trained on the same captions, foils excepted."""

    def __init__(self, model: LossModel, atoms: Mapping[str, Sequence[Atom]]) -> None:
        self._model = model
        self._atoms = atoms

    def losses(self, image: str, captions: Sequence[Sequence[str]]) -> list[float]:
        """Return the loss of each caption: see `CaptionLoss`."""
        return self._model.losses(captions, [self._atoms[image]] * len(captions))


def oracle_loss(work: StepWork, captions: Mapping[str, Sequence[str]]) -> OracleLoss:
    """Train on these captions; what is trained is kept. Raises InputError for a single image."""
    if len(captions) < MIN_IMAGES:
        raise InputError(
            "Mining by the oracle needs the captions of two images at least: give more, or --mining trigram."
        )
    held_out = max(1, len(captions) // VALIDATION)
    corpus = make_corpus(work, captions, {"train": len(captions) - held_out, "validation": held_out, "test": 0})
    key = {"captions": work.inputs, "images": list(captions), "seed": work.seed, "epochs": EPOCHS}
    model = train_loss_model(
        corpus, point=POINT, epochs=EPOCHS, seed=work.seed, partial_results=work.partial_results, key=key, say=work.say
    )
    atoms = {image: [atom for caption in captions for atom in caption] for image, captions in corpus.atoms.items()}
    return OracleLoss(model, atoms)
