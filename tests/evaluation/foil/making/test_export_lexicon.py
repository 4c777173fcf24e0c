"""The lexicon of an export: its common head nouns by the type of their phrases."""

from pathlib import Path

import pytest

from evaluation.errors import InputError
from evaluation.foil.making.export_lexicon import lexicon_of_export
from evaluation.foil.making.lexicon import pairs_of
from evaluation.reading.entities import read_entities


@pytest.mark.slow
def test_real_phrases_give_words_with_their_types(entities: Path) -> None:
    pictures = read_entities(entities)
    lexicon = lexicon_of_export(pictures)
    words = lexicon.by_word
    assert (words["man"].super_category, words["man"].plural) == ("people", "men")
    assert words["dog"].super_category == "animals"
    assert words["shirt"].super_category == "clothing"
    assert "people" not in words
    pairs = pairs_of(lexicon)
    assert ("man", "woman") in pairs
    assert ("boy", "girl") in pairs
    assert ("man", "guy") not in pairs


def test_an_export_with_few_phrases_is_refused(export: Path) -> None:
    with pytest.raises(InputError, match="fewer than two nouns with 20 mentions"):
        lexicon_of_export(read_entities(export))
