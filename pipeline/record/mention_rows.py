"""Rows of mentions as a record holds them: with the words before each, its vector, comparable form, and sentence."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from annotation.rules.comparable import comparable
from annotation.rules.mention import sentence_numbers, words_before
from pipeline.learning.vectors_of_phrases import vectors_of_phrases


class CaptionWords(Protocol):
    """A caption with its words, and where they begin in its text, in characters."""

    @property
    def text(self) -> str: ...
    @property
    def words(self) -> Sequence[str]: ...
    @property
    def offsets(self) -> Sequence[int]: ...


def mention_rows(rows: Sequence[Sequence[Any]], captions: Mapping[int, CaptionWords]) -> list[list[Any]]:
    """Return rows of [number, caption, start, end, types, text] with what a record adds (see `machine.begin`).

    A vector, a form, and the number of a sentence are added only where there are any.
    """
    words = {number: caption.words for number, caption in captions.items()}
    sentences = {number: sentence_numbers(caption.text, caption.offsets) for number, caption in captions.items()}
    forms = [comparable(words[caption][start:end]) for _, caption, start, end, *_ in rows]
    made = []
    for row, form, vector in zip(rows, forms, vectors_of_phrases(forms), strict=True):
        _, caption, start, _, _, text = row
        added = [words_before(words[caption], start), vector, "" if form == text else form, sentences[caption][start]]
        while len(added) > 1 and not added[-1]:
            added.pop()
        made.append([*row, *added])
    return made
