"""Pieces of captions, their bare words and tags."""

import pytest

from evaluation.foil.making.caption_words import bare, mentioned, pieces_of, tags_of


@pytest.mark.parametrize(
    ("piece", "word"), [("Dog.", "dog"), ('"TV",', "tv"), ("dog's", "dog's"), ("hot-dog!", "hot-dog"), ("...", "")]
)
def test_bare_words_have_no_capitals_and_no_punctuation_at_their_ends(piece: str, word: str) -> None:
    assert bare(piece) == word


def test_everything_mentioned_is_found_within_pieces() -> None:
    assert mentioned("The dog's cat-flap (No. 2)") == ["the", "dog", "s", "cat", "flap", "no"]


def test_each_piece_has_one_tag_whatever_sticks_to_it() -> None:
    captions = ['Two "dogs", running fast .', "A bus is waiting."]
    tags = list(tags_of(captions))
    assert [len(own) for own in tags] == [len(pieces_of(caption)) for caption in captions]
    assert tags[0][1] == "NNS"
    assert tags[1][1] == "NN"
    assert tags[1][2:] == ["VBZ", "VBG"]
