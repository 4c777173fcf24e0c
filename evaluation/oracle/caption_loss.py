"""Loss of captions [beyond paper Yao 3.1]: -log p per word under an oracle that knows the image's atoms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.language import Atom
from evaluation.optional import need
from evaluation.oracle.corpus import Corpus, Point, Vocabulary, atom_lists, bag, numbered, vocabulary_of
from evaluation.oracle.model import (
    CaptionModel,
    Example,
    ModelShape,
    Say,
    Training,
    in_order,
    one_number_of_threads,
    padded,
    train,
)
from evaluation.work import PartialResults

torch = need("torch", "training a language model")
BATCH = 256


@dataclass(frozen=True, slots=True)
class LossModel:
    """A trained oracle with its words and atoms."""

    model: CaptionModel
    vocabulary: Vocabulary
    numbers: Mapping[Atom, int]
    perplexity: float
    """On the validation captions."""

    def losses(self, captions: Sequence[Sequence[str]], atoms: Sequence[Sequence[Atom]]) -> list[float]:
        """Return the mean -log p of the words and the end of each caption.

        `captions`: words in lower case without punctuation, as words_of gives them. `atoms`: for each caption the
        atoms of its image; those that the model does not know are ignored.
        """
        examples: list[Example] = [
            (self.vocabulary.numbers(words), bag(atom, self.numbers))
            for words, atom in zip(captions, atoms, strict=True)
        ]
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


def train_loss_model(
    corpus: Corpus,
    *,
    point: Point,
    epochs: int,
    seed: int = 0,
    threads: int = 1,
    partial_results: PartialResults | None = None,
    key: Mapping[str, object] | None = None,
    say: Say = lambda _: None,
) -> LossModel:
    """Train an oracle on a corpus's training captions, stopped by its validation captions.

    `partial_results`, `key`: where its epochs are kept, and what the corpus depends on. Raises MissingExtra without
    torch.
    """
    train_images = corpus.parts["train"]
    lists = atom_lists(atom for image in train_images for atoms in corpus.atoms[image] for atom in atoms)
    numbers = numbered(lists, point.categories, point.k)
    vocabulary = vocabulary_of(words for image in train_images for words in corpus.words[image])
    examples: dict[str, list[Example]] = {part: [] for part in ("train", "validation")}
    for part, example in examples.items():
        for image in corpus.parts[part]:
            known = bag((atom for atoms in corpus.atoms[image] for atom in atoms), numbers)
            example += [(vocabulary.numbers(words), known) for words in corpus.words[image]]
    with one_number_of_threads(threads):
        trained = train(
            ModelShape(len(vocabulary), len(numbers)),
            examples["train"],
            examples["validation"],
            Training(epochs, seed=seed),
            name="loss-model",
            key={**(key or {}), "parts": corpus.parts, "point": point.name},
            partial_results=partial_results,
            say=say,
        )
    return LossModel(trained.model, vocabulary, numbers, min(trained.perplexities))
