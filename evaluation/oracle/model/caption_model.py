"""The oracle's language model [paper Yao 3.1]: an LSTM that reads each word beside the image's atoms.

The input of every step is the word's embedding and Φ(a), the sum (or the mean) of the atoms' embeddings. The next
word has the probability softmax(U tanh(W h) + d); U are the embeddings of the words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.optional import need
from evaluation.oracle.known_atoms import Bag
from evaluation.oracle.model.vocabulary import PAD

torch = need("torch", "training a language model")
POOL = 40
"""Batches that are drawn together and sorted by length."""

Example = tuple[Sequence[int], Bag]
"""A caption's word numbers, and the atoms that it is to be said with."""
nn = torch.nn


def shuffled(examples: Sequence[Example], size: int, rng: np.random.Generator) -> list[list[Example]]:
    """Return the examples in batches of up to `size`, in random order."""
    order = rng.permutation(len(examples)).tolist()
    batches: list[list[Example]] = []
    for start in range(0, len(order), size * POOL):
        pool = sorted((examples[place] for place in order[start : start + size * POOL]), key=lambda one: len(one[0]))
        batches += [pool[first : first + size] for first in range(0, len(pool), size)]
    return [batches[place] for place in rng.permutation(len(batches)).tolist()]


def in_order(examples: Sequence[Example], size: int) -> list[list[Example]]:
    """Return the examples in batches of up to `size`, as they stand."""
    return [list(examples[first : first + size]) for first in range(0, len(examples), size)]


def padded(captions: Sequence[Sequence[int]]) -> Any:
    """Return the captions as columns: a tensor of shape (longest, captions)."""
    found = np.full((max(map(len, captions)), len(captions)), PAD, dtype=np.int64)
    for column, caption in enumerate(captions):
        found[: len(caption), column] = caption
    return torch.from_numpy(found)


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a model."""

    words: int
    """Words known, with the four special ones."""
    atoms: int
    """Atoms known; 0: the model reads words alone."""
    word_size: int = 128
    atom_size: int = 128
    state_size: int = 256
    dropout: float = 0.3
    mean: bool = False
    """Whether Φ is the mean of the atoms' embeddings, not the sum."""


class CaptionModel(nn.Module):  # type: ignore[name-defined]  # torch may be missing
    """p(caption | atoms). Captions are rows of word numbers, padded at the end."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.words, shape.word_size)
        self.atoms = nn.EmbeddingBag(shape.atoms, shape.atom_size, mode="mean" if shape.mean else "sum")
        self.lstm = nn.LSTM(shape.word_size + (shape.atom_size if shape.atoms else 0), shape.state_size)
        self.deep = nn.Linear(shape.state_size, shape.word_size)
        self.bias = nn.Parameter(torch.zeros(shape.words))
        self.dropout = nn.Dropout(shape.dropout)
        # Much smaller ones leave the LSTM at the frequencies of words for epochs; larger ones make first guesses wild.
        nn.init.normal_(self.words.weight, 0, 0.3)
        nn.init.normal_(self.atoms.weight, 0, 0.3)

    @property
    def device(self) -> Any:
        """The device that holds the weights: all that is read beside them has to be there, too."""
        return self.bias.device

    def phi(self, bags: Sequence[Sequence[int]]) -> Any:
        """Return Φ of each bag: shape (bags, atom_size), or (bags, 0) if the model knows no atoms."""
        if not self.shape.atoms:
            return torch.zeros(len(bags), 0, device=self.device)
        offsets = torch.tensor([0, *map(len, bags)], device=self.device)[:-1].cumsum(0)
        atoms = [atom for bag in bags for atom in bag]
        return self.atoms(torch.tensor(atoms, dtype=torch.long, device=self.device), offsets)

    def states(self, words: Any, phi: Any, state: Any = None) -> tuple[Any, Any]:
        """Read words, shape (steps, captions), beside Φ. Return h of each step and the state after the last."""
        beside = phi.expand(words.shape[0], *phi.shape)
        return self.lstm(self.dropout(torch.cat([self.words(words), beside], dim=2)), state)

    def logits(self, hidden: Any) -> Any:
        """Return the scores of all words after states of any shape (..., state_size)."""
        deep = torch.tanh(self.deep(self.dropout(hidden)))
        return nn.functional.linear(deep, self.words.weight, self.bias)

    def losses(self, captions: Any, bags: Sequence[Sequence[int]]) -> tuple[Any, Any]:
        """Return -log p of every word of the captions, end included, in one row, and the caption of each.

        `captions`: shape (steps, captions), from start to end, then padding.
        """
        captions = captions.to(self.device)
        hidden, _ = self.states(captions[:-1], self.phi(bags))
        targets = captions[1:]
        real = targets != PAD
        found = nn.functional.cross_entropy(self.logits(hidden[real]), targets[real], reduction="none")
        return found, real.nonzero()[:, 1]
