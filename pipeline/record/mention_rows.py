"""Rows of mentions as a record holds them: with the words before each, its vector, and its comparable form."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.rules.comparable import comparable
from annotation.rules.mention import words_before
from pipeline.learning.vectors_of_phrases import vectors_of_phrases


def mention_rows(rows: Sequence[Sequence[Any]], words: Mapping[int, Sequence[str]]) -> list[list[Any]]:
    """Return rows of [number, caption, start, end, types, text] with what a record adds (see `image_machine.begin`).

    `words`: the words of each caption. A vector and a form are added only where there are any.
    """
    forms = [comparable(words[caption][start:end]) for _, caption, start, end, *_ in rows]
    made = []
    for row, form, vector in zip(rows, forms, vectors_of_phrases(forms), strict=True):
        _, caption, start, _, _, text = row
        added = [words_before(words[caption], start), vector, "" if form == text else form]
        while len(added) > 1 and not added[-1]:
            added.pop()
        made.append([*row, *added])
    return made
