"""The sentences of a caption."""

import pytest

from annotation.rules.sentences import sentence_numbers


def numbers(text: str, *, marks_are_words: bool = False) -> list[int]:
    words = text.split() if marks_are_words else [part.strip('.!?",') for part in text.split()]
    offsets, at = [], 0
    for word in words:
        at = text.index(word, at)
        offsets.append(at)
        at += len(word)
    return sentence_numbers(text, words, offsets)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A dog runs.", [0, 0, 0]),
        ("A dog runs. It barks! Why? Who knows", [0, 0, 0, 1, 1, 2, 3, 3]),
        ("Dr. J. Brown waves. He smiles.", [0, 0, 0, 0, 1, 1]),
        ('"A dog runs." It barks', [0, 0, 0, 1, 1]),
        ("3.5 miles, www.dogs.org", [0, 0, 0]),
    ],
)
def test_a_mark_before_a_space_ends_a_sentence(text: str, expected: list[int]) -> None:
    assert numbers(text) == expected


def test_marks_may_be_words_of_their_own() -> None:
    assert numbers("A dog . It barks .", marks_are_words=True) == [0, 0, 0, 1, 1, 1]
