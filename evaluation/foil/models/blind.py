"""Blind model [paper Shekhar, Baseline Models]: it reads captions and sees no image; n-grams stand for the LSTM.

A logistic regression on the words, pairs and triples of words of captions. All that it finds is a bias of the items.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from evaluation.foil.making.caption_words import bare
from evaluation.foil.making.lexicon import Lexicon
from evaluation.foil.models.model import Shown
from evaluation.optional import need

LONGEST = 3
"""Words of an n-gram."""
LEAST = 2
"""Captions that an n-gram needs."""


class Blind:
    """A fitted blind model."""

    name = "blind"

    def __init__(self, correct: Sequence[Shown], foils: Sequence[Shown], lexicon: Lexicon) -> None:
        """Fit it on right captions and foils. Raises MissingExtra without scikit-learn."""
        text = need("sklearn.feature_extraction.text", "the blind model")
        linear = need("sklearn.linear_model", "the blind model")
        self._lexicon = lexicon
        self._grams = text.CountVectorizer(
            analyzer=n_grams, binary=True, min_df=min(LEAST, len(correct) + len(foils)), dtype=np.float64
        )
        columns = self._grams.fit_transform([one.pieces for one in (*correct, *foils)])
        truth = np.repeat([False, True], [len(correct), len(foils)])
        self._model: Any = linear.LogisticRegression(solver="liblinear").fit(columns, truth)

    def scores(self, captions: Sequence[Sequence[str]]) -> np.ndarray:
        """Return the logit of each caption's being a foil, of shape (captions)."""
        if not captions:
            return np.zeros(0)
        found: np.ndarray = self._model.decision_function(self._grams.transform(captions))
        return found

    def predict_t1(self, shown: Sequence[Shown]) -> list[bool]:
        """Tell of each caption whether it is more likely a foil."""
        return [bool(score > 0) for score in self.scores([one.pieces for one in shown])]

    def predict_t2(self, shown: Sequence[Shown], places: Sequence[Sequence[int]]) -> list[int | None]:
        """Return the place without whose word the caption looks most like a right one."""
        return [self._most_suspect(one, place) for one, place in zip(shown, places, strict=True)]

    def predict_t3(self, shown: Sequence[Shown], places: Sequence[int]) -> list[str | None]:
        """Return the other word of the lexicon with which the caption looks most like a right one."""
        return [self._best_word(one, place) for one, place in zip(shown, places, strict=True)]

    def _most_suspect(self, shown: Shown, places: Sequence[int]) -> int | None:
        if not places:
            return None
        without = [(*shown.pieces[:place], "", *shown.pieces[place + 1 :]) for place in places]
        return places[int(np.argmin(self.scores(without)))]

    def _best_word(self, shown: Shown, place: int) -> str | None:
        old = self._lexicon.by_form.get(bare(shown.pieces[place]))
        plural = old is not None and bare(shown.pieces[place]) == old.plural != old.singular
        others = [word for word in self._lexicon.words if word is not old]
        forms = [word.form(plural=plural) or word.form(plural=not plural) or word.word for word in others]
        changed = [(*shown.pieces[:place], form, *shown.pieces[place + 1 :]) for form in forms]
        return others[int(np.argmin(self.scores(changed)))].word


def n_grams(pieces: Sequence[str]) -> list[str]:
    """Return the n-grams of bare words up to LONGEST. A piece without a word breaks them."""
    words = [bare(piece) for piece in pieces]
    return [
        " ".join(gram)
        for length in range(1, LONGEST + 1)
        for start in range(len(words) - length + 1)
        if all(gram := words[start : start + length])
    ]
