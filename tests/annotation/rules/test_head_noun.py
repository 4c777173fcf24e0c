import pytest

from annotation.rules.head_noun import head_noun


def test_it_is_the_last_word_in_small_letters_with_its_number() -> None:
    expected = {"A brown Dog": "dog", "two dogs": "dogs", "A group of people": "people", "an orange hat .": "hat"}
    assert {chunk: head_noun(chunk.split()) for chunk in expected} == expected


def test_it_keeps_a_chunk_of_punctuation_as_it_is() -> None:
    assert head_noun(["&"]) == "&"


def test_it_refuses_a_chunk_without_words() -> None:
    with pytest.raises(ValueError, match="without words"):
        head_noun([])
