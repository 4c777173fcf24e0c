"""Oracle loss [paper Shekhar, Mining hardest foil caption]: -log p of captions by a model that knows the image's atoms.

The paper's model saw pictures. Ours is given the words that the image's captions name: see `evaluation.oracle`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from evaluation.errors import InputError, need
from evaluation.language import Atom
from evaluation.oracle.atoms import Corpus, Point, Vocabulary, atom_lists, bag, make_corpus, numbered, vocabulary_of
from evaluation.oracle.model import (
    CaptionModel,
    Example,
    ModelShape,
    Training,
    in_order,
    one_number_of_threads,
    padded,
    train,
)
from evaluation.work import StepWork

torch = need("torch", "training a language model")
BATCH = 256
POINT = Point("ALL", 200)
EPOCHS = 5
VALIDATION = 10
"""Every tenth image stops the training."""
MIN_IMAGES = 2
"""Images, one to train on and one to stop by."""


@dataclass(frozen=True, slots=True)
class OracleLoss:
    """An oracle that was trained on the captions of a corpus, with its words and atoms."""

    model: CaptionModel
    vocabulary: Vocabulary
    numbers: Mapping[Atom, int]
    perplexity: float
    """On the validation captions."""
    atoms: Mapping[str, Sequence[Atom]] = field(default_factory=dict)
    """Of each image. Those that the model does not know are ignored."""

    def losses(self, image: str, captions: Sequence[Sequence[str]]) -> list[float]:
        """Return the mean -log p of the words and the end of each caption: see `CaptionLoss`."""
        known = bag(self.atoms[image], self.numbers)
        examples: list[Example] = [(self.vocabulary.numbers(words), known) for words in captions]
        found: list[float] = []
        self.model.eval()
        with torch.inference_mode():
            for batch in in_order(examples, BATCH):
                losses, columns = self.model.losses(
                    padded([caption for caption, _ in batch]), [atoms for _, atoms in batch]
                )
                sums = np.bincount(columns.cpu().numpy(), losses.cpu().double().numpy(), len(batch))
                found += (sums / [len(caption) - 1 for caption, _ in batch]).tolist()
        return found


def oracle_loss(work: StepWork, captions: Mapping[str, Sequence[str]]) -> OracleLoss:
    """Train on these captions; what is trained is kept. Raises InputError for a single image."""
    if len(captions) < MIN_IMAGES:
        raise InputError(
            "Mining by the oracle needs the captions of two images at least: give more, or --mining trigram."
        )
    held_out = max(1, len(captions) // VALIDATION)
    corpus = make_corpus(work, captions, {"train": len(captions) - held_out, "validation": held_out, "test": 0})
    key = {"captions": work.inputs, "images": list(captions), "seed": work.seed, "epochs": EPOCHS}
    return train_loss(work, corpus, POINT, EPOCHS, key)


def train_loss(work: StepWork, corpus: Corpus, point: Point, epochs: int, key: Mapping[str, object]) -> OracleLoss:
    """Train an oracle on a corpus's training captions, stopped by its validation captions.

    `key`: all that the corpus depends on, for the epochs that are kept. Raises MissingExtra without torch.
    """
    train_images = corpus.parts["train"]
    lists = atom_lists(atom for image in train_images for atoms in corpus.atoms[image] for atom in atoms)
    numbers = numbered(lists, point.categories, point.k)
    vocabulary = vocabulary_of(words for image in train_images for words in corpus.words[image])
    atoms = {image: [atom for caption in captions for atom in caption] for image, captions in corpus.atoms.items()}
    examples: dict[str, list[Example]] = {
        part: [
            (vocabulary.numbers(words), bag(atoms[image], numbers))
            for image in corpus.parts[part]
            for words in corpus.words[image]
        ]
        for part in ("train", "validation")
    }
    with one_number_of_threads(1):
        trained = train(
            ModelShape(len(vocabulary), len(numbers)),
            examples["train"],
            examples["validation"],
            Training(epochs, seed=work.seed),
            name="loss-model",
            key={**key, "parts": corpus.parts, "point": point.name},
            partial_results=work.partial_results,
            say=work.say,
        )
    return OracleLoss(trained.model, vocabulary, numbers, min(trained.perplexities), atoms)
