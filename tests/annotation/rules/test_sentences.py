"""The sentences of a caption."""

import pytest

from annotation.rules.sentences import sentence_numbers
from exchange.words import tokenized_caption


def numbers(text: str, *, marks_are_words: bool = False) -> list[int]:
    words = text.split() if marks_are_words else [part.strip('.!?",') for part in text.split()]
    offsets, at = [], 0
    for word in words:
        at = text.index(word, at)
        offsets.append(at)
        at += len(word)
    return sentence_numbers(text, offsets)


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


@pytest.mark.parametrize(
    "sentences",
    [
        ["a dog runs.", "it barks"],
        ["Dr. J. Brown waves.", "He smiles."],
        ["It runs... and barks...", "It stops"],
        ["A dog\u2026 runs"],
        ['A boy shouts "stop!" and runs.', '"Who knows?"', "He stops"],
        ["Is it an A?", "I am B!", "Vitamin C. and D"],
        ["Cats, dogs, etc. run.", "Cats, dogs, etc.", "All run"],
        ["It is 5 p.m. in the U.S. (e.g. now)"],
        ["See www.dogs.org/a.html in 3.5 s. with Mr. Fox.", "It loads"],
        ["Ein Hund l\u00e4uft.", "\u00dcber ihm fliegt ein Vogel"],
        ["\u0647\u0644 \u0647\u0630\u0627\u061f", "\u0646\u0639\u0645"],
        ["\u0939\u0948\u0964", "\u0935\u0939"],
    ],
)
def test_words_and_marks_of_a_text_stand_in_its_sentences(sentences: list[str]) -> None:
    caption = tokenized_caption(" ".join(sentences))
    expected = [place for place, one in enumerate(sentences) for _ in tokenized_caption(one).words]
    assert sentence_numbers(caption.text, caption.offsets) == expected, caption.words


def test_a_sentence_ends_without_a_space_before_a_capital_and_where_a_language_has_none() -> None:
    for text, expected in {
        "A dog runs.It barks": [0, 0, 0, 0, 1, 1],
        "\u72d7\u8dd1\u3002\u5b83\u53eb\uff01\u4eba": [0, 0, 1, 1, 2],
    }.items():
        caption = tokenized_caption(text)
        assert sentence_numbers(text, caption.offsets) == expected, caption.words


def test_words_may_hold_their_marks() -> None:
    text = "Dr. J. Brown waves (in the U.S. today). He smiles..."
    assert numbers(text, marks_are_words=True) == [0] * 8 + [1, 1]


def test_a_caption_may_be_empty() -> None:
    assert numbers("") == []


def test_marks_may_be_words_of_their_own() -> None:
    assert numbers("A dog . It barks .", marks_are_words=True) == [0, 0, 0, 1, 1, 1]
