"""Search for whole words: the same on both engines, and whatever the phrase is written like."""

import pytest

from annotation.models import Mention
from annotation.word_search import Holds, forms
from tests.support.projects import phrases, project_of

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]

SAID = (
    *("a dog", "two Dogs", "a hot-dog", "hotdogs", "the dog's bowl", "a dog_house", "a black dog", "a (dog)"),
    *("a doggy", "the black cat", "dog/cat", "ponies", "a pony", "glasses", "a glass", "a café", "two buses"),
)


def found(words: str) -> set[str]:
    return set(Mention.objects.filter(Holds("text", words)).values_list("text", flat=True))


@pytest.fixture(autouse=True)
def said() -> None:
    project_of(phrases(*(f"other: {text}" for text in SAID)))


@pytest.mark.parametrize("words", ["dog", "DOG", "dogs", " dog ", "dog!"])
def test_a_word_is_found_alone_and_in_its_plural_and_never_inside_another_word(words: str) -> None:
    dogs = {"a dog", "two Dogs", "a hot-dog", "the dog's bowl", "a dog_house", "a black dog", "a (dog)", "dog/cat"}
    assert found(words) == dogs


def test_of_several_words_each_must_occur() -> None:
    assert found("dog black") == {"a black dog"}
    assert found("black") == {"a black dog", "the black cat"}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("pony", {"ponies", "a pony"}),
        ("ponies", {"ponies", "a pony"}),
        ("glass", {"glasses", "a glass"}),
        ("glasses", {"glasses", "a glass"}),
        ("bus", {"two buses"}),
        ("café", {"a café"}),
    ],
)
def test_plurals_with_es_and_ies_are_found_from_either_side(words: str, expected: set[str]) -> None:
    assert found(words) == expected


def test_signs_that_regular_expressions_know_are_only_signs() -> None:
    assert found("d.g") == set()
    assert found("dog|cat") == {"dog/cat"}
    assert found("%s' \\") == set()


def test_without_words_every_text_fits() -> None:
    assert found(" . ") == set(SAID)


def test_no_form_of_a_word_is_a_shorter_word_by_mistake() -> None:
    assert forms("glass") == ["glass", "glasss", "glasses"]
    assert "bu" not in forms("bus")
    assert "thi" not in forms("this")
