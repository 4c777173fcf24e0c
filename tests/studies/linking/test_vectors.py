"""Vectors of phrases in studies of links."""

from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from pipeline.learning import vectors_of_phrases
from pipeline.rules.linking.prior.phrase_vectors import phrases_alike
from pipeline.rules.linking.transitivity import LinkMention
from simulation.compare_strategies import BedImage
from studies.linking.known import with_vectors


def bed(*captions: Sequence[str]) -> BedImage:
    mentions = [
        LinkMention(10 * number + start, number, start, frozenset({"people"}), text.split()[-1], tuple(text.split()))
        for number, texts in enumerate(captions)
        for start, text in enumerate(texts)
    ]
    return BedImage("1", tuple(mentions), {mention.number: str(mention.number) for mention in mentions})


def test_words_of_one_meaning_are_more_alike_than_words_that_captions_use_side_by_side() -> None:
    (image,) = with_vectors([bed(["a man", "a woman"], ["a guy", "a lady"])])
    values = phrases_alike(image.mentions)
    man, woman, guy, lady = range(4)
    assert values[man, guy] > 0 > values[man, lady] and values[woman, lady] > 0 > values[woman, guy]


def test_without_the_package_a_study_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors_of_phrases, "PACKAGE", "no_such_package")
    vectors_of_phrases._model.cache_clear()
    with pytest.raises(ValueError, match="the extra “vectors”"):
        with_vectors([bed(["a man"])])


def test_the_command_says_that_phrases_have_vectors(data_folder: Path) -> None:
    said = StringIO()
    options = {"folds": 1, "images": 5, "fitted_on": 0, "vectors": True, "stops": [0.5], "alike": True}
    call_command("adaptive_frontier", data_folder / "flickr30k-entities", stdout=said, **options)
    assert "the default prior with vectors of phrases and heads of all captions here" in said.getvalue()
