"""The phrases of an image, found by their words, by their place, or by the category of a detector."""

from dataclasses import dataclass, field
from typing import NamedTuple

from annotation.rules.comparable import comparable
from annotation.rules.head_noun import head_noun
from annotation.rules.mention_type import MentionType
from annotation.rules.singular import singulars
from evaluation.errors import InputError
from evaluation.reading.predictions.rows import PredictionRow

PERSON = "person"
MAX_PHRASES_NAMED = 8
"""Phrases that an error names."""


class NamedPhrase(NamedTuple):
    number: int | None
    """The mark by which whoever asks knows it; None of a chunk that shows nothing."""
    caption: int
    start: int
    end: int
    words: str
    types: tuple[str, ...]


@dataclass(slots=True)
class ImagePhrases:
    """An image with its phrases, in reading order."""

    name: str
    width: int
    height: int
    phrases: list[NamedPhrase] = field(default_factory=list)

    def named(self, row: PredictionRow) -> NamedPhrase:
        """Return the phrase that a row names. Raises InputError, with what there is, if there is none or several."""
        own = [phrase for phrase in self.phrases if phrase.caption == row.caption]
        if row.span is not None:
            found = [phrase for phrase in own if (phrase.start, phrase.end) == row.span]
            said, what = f"of the words [{row.span[0]}, {row.span[1]})", "words"
        elif isinstance(row.phrase, int):
            found, said, what = own[row.phrase : row.phrase + 1], f"number {row.phrase}, counted from 0", "phrase"
        else:
            found, said, what = self.worded(row.caption, row.phrase or ""), repr(row.phrase), "phrase"
        if len(found) > 1:
            twice = f"caption {row.caption} of image {self.name!r} has {said} twice"
            raise InputError(f"{row.where}: field 'phrase': {twice}: give 'words' instead.")
        if not found:
            there = (
                ", ".join(f"{phrase.words!r} [{phrase.start}, {phrase.end})" for phrase in own[:MAX_PHRASES_NAMED])
                or "none"
            )
            more = ", …" if len(own) > MAX_PHRASES_NAMED else ""
            place = f"caption {row.caption} of image {self.name!r}"
            raise InputError(f"{row.where}: field {what!r}: {place} has no phrase {said}; it has {there}{more}.")
        return found[0]

    def worded(self, caption: int, words: str) -> list[NamedPhrase]:
        """Return the phrases of a caption with these words, in the order of the text."""
        wanted = _compared(words)
        return [phrase for phrase in self.phrases if phrase.caption == caption and _compared(phrase.words) == wanted]

    def of_category(self, category: str) -> list[NamedPhrase]:
        """Return the phrases that a detector's category can mean, such as "a brown dog" for dog."""
        return [phrase for phrase in self.phrases if phrase.number is not None and fits_category(phrase, category)]


def fits_category(phrase: NamedPhrase, category: str) -> bool:
    """Return whether the head noun of the phrase is the category, or its last word; every phrase of people is a person.

    A category that is the name of a type fits every phrase of the type.
    """
    wanted = _compared(category)
    if wanted in phrase.types or (wanted == PERSON and MentionType.PEOPLE in phrase.types):
        return True
    heads = singulars(head_noun(_compared(phrase.words).split()))
    return bool(wanted) and (wanted in heads or wanted.split()[-1] in heads)


def _compared(words: str) -> str:
    return comparable(words.split()).casefold()
